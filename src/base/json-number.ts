// The numbers of JSON that arrive as they were sent (R41, RFC 7493 §2.2).

/** Every number of at most so many characters without an exponent is the same as a double. */
const SURE_LENGTH = 15;
const LARGEST_WHOLE = String(2 ** 53);

/**
 * Whether a reader whose numbers are doubles gets the number of this text. It does not get what overflows, and no whole number beyond ±2^53, with or
 * without zeros behind its point or an exponent behind that. Every other number is its nearest double.
 */
export function isCarried(number: string): boolean {
  const exponentAt = number.search(/[eE]/);
  if (number.length <= SURE_LENGTH && exponentAt < 0) return true;
  if (!Number.isFinite(Number(number))) return false;
  const [, digits] = /^-?(\d+)(?:\.0*)?$/.exec(exponentAt < 0 ? number : number.slice(0, exponentAt)) ?? [];
  if (digits === undefined || digits.length < LARGEST_WHOLE.length) return true;
  return digits.length === LARGEST_WHOLE.length && digits <= LARGEST_WHOLE;
}

/** Returns the index behind the number that begins at `start`; of a text that is not JSON, behind what could be one. */
export function endOfNumber(text: string, start: number): number {
  let index = start;
  while (isOfNumber(text.charCodeAt(index))) index += 1;
  return index;
}

function isOfNumber(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x2d || unit === 0x2b || (unit | 0x20) === 0x65;
}
