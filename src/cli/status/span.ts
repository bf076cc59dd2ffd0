// Lengths of time in words.
import { counted } from "../terminal/counted.js";

/** Says a length of time in its two largest units, as they are spoken: "1 hour 5 minutes". Less than 0 s counts as 0 s. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return counted(whole, "second");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60)
    return `${counted(minutes, "minute")}${whole % 60 === 0 ? "" : ` ${counted(whole % 60, "second")}`}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${counted(hours, "hour")}${minutes % 60 === 0 ? "" : ` ${counted(minutes % 60, "minute")}`}`;
  const days = Math.floor(hours / 24);
  return `${counted(days, "day")}${hours % 24 === 0 ? "" : ` ${counted(hours % 24, "hour")}`}`;
}
