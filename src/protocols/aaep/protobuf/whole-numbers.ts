// Whole numbers in JSON: numbers while those are exact, beyond that decimal text.

const LONGEST_DECIMAL = 20;
const DECIMAL = /^-?[1-9]\d*$/;
const UNSIGNED = { least: 0n, most: 2n ** 64n - 1n };
const SIGNED = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

export function isUint32(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 0xffff_ffff && Number.isInteger(value);
}

/** Whether the value is a whole and exact number, of either sign. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Returns the number in a text of the one accepted form: decimal, beyond ±(2^53 - 1), within 64 bits. Otherwise undefined. */
export function wholeOfText(value: unknown, isSigned: boolean): bigint | undefined {
  if (typeof value !== "string" || value.length > LONGEST_DECIMAL || !DECIMAL.test(value)) return undefined;
  const number = BigInt(value);
  if (Number.isSafeInteger(Number(value))) return undefined;
  const { least, most } = isSigned ? SIGNED : UNSIGNED;
  return number >= least && number <= most ? number : undefined;
}

/** Returns the JSON form of a whole number. */
export function jsonOfWhole(value: bigint | string | number): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
