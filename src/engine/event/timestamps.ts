// Timestamps of the envelope as whole microseconds since 1970. No pattern reads them, because every event has a timestamp. Clocks and
// the limits of acceptable timestamps are elsewhere.

/** An instant, and the precision with which it was written. */
export interface Timestamp {
  /** Microseconds since 1970-01-01T00:00:00Z. */
  readonly micros: number;
  /** Value of the last written digit: a second, a millisecond or a microsecond. */
  readonly unitMicros: 1 | 1000 | 1_000_000;
}

const DIGIT_0 = 0x30;
const MS_OF_400_YEARS = 146_097 * 86_400_000;

/** The two digits at `index`, or NaN. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - DIGIT_0;
  const ones = text.charCodeAt(index + 1) - DIGIT_0;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Minutes east of UTC of the offset that begins at `index` and ends the text; NaN if there is none. */
function offsetMinutes(text: string, index: number): number {
  const first = text[index];
  if (first === "Z" || first === "z") return text.length === index + 1 ? 0 : Number.NaN;
  if ((first !== "+" && first !== "-") || text.length !== index + 6 || text[index + 3] !== ":") return Number.NaN;
  const hours = twoDigits(text, index + 1);
  const minutes = twoDigits(text, index + 4);
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  return (first === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Reads an RFC 3339 date-time with none, three or six fractional digits and `Z` or `±HH:MM` (AAEP §3.2.5). A leap second counts as the first of the
 * next minute. Undefined for any other text.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  if (text[4] !== "-" || text[7] !== "-" || text[13] !== ":" || text[16] !== ":") return undefined;
  if (text[10] !== "T" && text[10] !== "t") return undefined;
  // Reads the digits of date and time in one pass, because this runs for every event. One character separates two numbers.
  let date = 0;
  let time = 0;
  for (let at = 0; at < 19; at += 1) {
    if (at === 4 || at === 7 || at === 10 || at === 13 || at === 16) continue;
    const digit = text.charCodeAt(at) - DIGIT_0;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    if (at < 10) date = date * 10 + digit;
    else time = time * 10 + digit;
  }
  const year = Math.floor(date / 10_000);
  const month = Math.floor(date / 100) % 100;
  const day = date % 100;
  const hour = Math.floor(time / 10_000);
  const minute = Math.floor(time / 100) % 100;
  const second = time % 100;
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return undefined;

  let index = 19;
  let fraction = 0;
  let unitMicros: Timestamp["unitMicros"] = 1_000_000;
  if (text[index] === ".") {
    index += 1;
    const start = index;
    for (; index < text.length; index += 1) {
      const digit = text.charCodeAt(index) - DIGIT_0;
      if (digit < 0 || digit > 9) break;
      fraction = fraction * 10 + digit;
    }
    if (index - start === 3) {
      fraction *= 1000;
      unitMicros = 1000;
    } else if (index - start === 6) unitMicros = 1;
    else return undefined;
  }
  const east = offsetMinutes(text, index);
  // `Date.UTC` takes years before 100 for those of the 20th century, and the calendar repeats itself after 400 years.
  const ms = Date.UTC(year + 400, month - 1, day, hour, minute - east, second) - MS_OF_400_YEARS;
  const micros = ms * 1000 + fraction;
  return Number.isNaN(micros) ? undefined : { micros, unitMicros };
}

/** Reads an RFC 3339 date-time with any number of fractional digits, as replies have it (AAEP §6.3.1). Digits beyond the microsecond are left out. */
export function parseInstant(text: string): Timestamp | undefined {
  return parseTimestamp(text.replace(/\.(\d+)/, (_, digits: string) => `.${digits.slice(0, 6).padEnd(6, "0")}`));
}

/** Whether `a` is before `b` if both are rounded down to the coarser of their precisions (R3b). */
export function isBefore(a: Timestamp, b: Timestamp): boolean {
  const unit = Math.max(a.unitMicros, b.unitMicros);
  return Math.floor(a.micros / unit) < Math.floor(b.micros / unit);
}

/** The later of two written instants, the first if they are equal; undefined if there is neither. */
export function laterTimestamp(a: string, b: string | undefined): string;
export function laterTimestamp(a: string | undefined, b: string | undefined): string | undefined;
export function laterTimestamp(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  // Nearly all timestamps have the same form and need not be parsed.
  if (a.length === b.length && a.endsWith("Z") && b.endsWith("Z")) return a < b ? b : a;
  return (parseTimestamp(a)?.micros ?? 0) < (parseTimestamp(b)?.micros ?? 0) ? b : a;
}

/** Writes milliseconds since 1970 with three fractional digits and `Z`. */
export function formatTimestamp(wallTimeMs: number): string {
  return new Date(Math.floor(wallTimeMs)).toISOString();
}
