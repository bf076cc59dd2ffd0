// Counts, sizes, instants and lengths of time in words.

/** Says a count with its noun: "1 event", "2 events". */
export function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** "812 bytes", "1.5 MiB". */
export function shownBytes(bytes: number): string {
  let value = bytes;
  let shown: string | undefined;
  for (const unit of UNITS) {
    if (value < 1024) break;
    value /= 1024;
    shown = unit;
  }
  return shown === undefined ? `${bytes} bytes` : `${value.toFixed(1)} ${shown}`;
}

/** The time of day on this machine's clock, as "14:22:11"; "--:--:--" if the instant is none. */
export function timeOfDay(instant: Date): string {
  return Number.isNaN(instant.getTime()) ? "--:--:--" : instant.toTimeString().slice(0, 8);
}

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
