// Checks that the day of a timestamp exists, which a pattern cannot express.

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Whether the date of a well-formed timestamp exists: "2026-02-30T…" does not. A leap second never gets this far; the pattern stops at :59, because
 * no clock here could distinguish it from the next second.
 */
export function isCalendarDate(timestamp: string): boolean {
  const day = Number(timestamp.slice(8, 10));
  if (day <= 28) return true;
  const month = Number(timestamp.slice(5, 7));
  const year = Number(timestamp.slice(0, 4));
  const leap = month === 2 && (year % 4 === 0 ? year % 100 !== 0 || year % 400 === 0 : false);
  return day <= (DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}
