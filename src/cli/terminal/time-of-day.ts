/** The time of day on this machine's clock, as "14:22:11"; "--:--:--" if the instant is none. */
export function timeOfDay(instant: Date): string {
  if (Number.isNaN(instant.getTime())) return "--:--:--";
  const parts = [instant.getHours(), instant.getMinutes(), instant.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
