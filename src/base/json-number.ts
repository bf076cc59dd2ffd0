// The numbers of JSON that arrive as they were sent (R41, RFC 7493 §2.2).
import { Fault } from "./errors.js";
import { pointerStep } from "./json-pointer.js";

/** Every number of at most so many digits is a double's own, which prints the same digits. */
const SURE_LENGTH = 15;
const LARGEST_WHOLE = String(2 ** 53);
const OF_NUMBER = /[-+.\deE]*/y;

/**
 * Whether a reader whose numbers are doubles gets the number of this text. It does not get what overflows, and no whole number beyond ±2^53, with or
 * without zeros behind its point; with an exponent, only one whose digits are not those that its double prints. Every other number is its nearest
 * double.
 */
export function isCarried(number: string): boolean {
  const exponentAt = number.search(/[eE]/);
  if (number.length <= SURE_LENGTH && exponentAt < 0) return true;
  const double = Number(number);
  if (!Number.isFinite(double)) return false;
  if (exponentAt >= 0) return exponentAt <= SURE_LENGTH || Math.abs(double) < 2 ** 53 || isPrinted(number, double);
  const [, digits] = /^-?(\d+)(?:\.0*)?$/.exec(number) ?? [];
  if (digits === undefined || digits.length < LARGEST_WHOLE.length) return true;
  return digits.length === LARGEST_WHOLE.length && digits <= LARGEST_WHOLE;
}

/** Whether a number is not whole, or has the digits that its double prints. */
function isPrinted(number: string, double: number): boolean {
  const { digits, exponent } = decimalOf(number);
  return exponent < 0 || digits === decimalOf(String(double)).digits;
}

/** The digits of a number without the zeros around them, and the power of ten of the last one. */
function decimalOf(number: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  const all = whole + fraction;
  let end = all.length;
  while (all.charCodeAt(end - 1) === 0x30) end -= 1;
  const digits = all.slice(0, end).replace(/^0+/, "");
  return { digits, exponent: Number(exponent) - fraction.length + (all.length - end) };
}

/** Returns the index behind the number that begins at `start`; of a text that is not JSON, behind what could be one. */
export function endOfNumber(text: string, start: number): number {
  OF_NUMBER.lastIndex = start;
  OF_NUMBER.test(text);
  return OF_NUMBER.lastIndex;
}

/**
 * Refuses a value with a number that JSON lacks: `JSON.stringify` would write null, and a person would consent to something else. `pointer` is the
 * value's place.
 * @throws Fault "invalid_message", with the pointer of the number (R41)
 */
export function assertWritable(value: unknown, pointer = ""): void {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
    const sentence = `${value} at ${pointer} is no number in JSON. Write it as a string, or leave it out.`;
    throw new Fault("invalid_message", sentence, { pointer, rule: "R41", origin: "local" });
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) assertWritable(member, `${pointer}/${pointerStep(name)}`);
}
