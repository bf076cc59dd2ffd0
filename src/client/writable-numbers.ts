// Numbers that JSON lacks. `JSON.stringify` writes null for them, and a person would then consent to something else (R41).
import { Fault } from "../base/errors.js";
import { pointerStep } from "../base/json-pointer.js";

/**
 * Refuses parameters with a number that JSON lacks. They must be finite: a list or an object must not stand within itself.
 * @throws Fault "invalid_message", with the pointer of the number (R41)
 */
export function assertWritable(params: object): void {
  const found = unwritableIn(params);
  if (found === undefined) return;
  const { pointer, number } = found;
  const sentence = `${number} at ${pointer} is no number in JSON. Write it as a string, or leave it out.`;
  throw new Fault("invalid_message", sentence, { pointer, rule: "R41", origin: "local" });
}

interface Unwritable {
  readonly pointer: string;
  readonly number: number | bigint;
}

function unwritableIn(value: unknown): Unwritable | undefined {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return { pointer: "", number: value };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = unwritableIn(member);
    if (found !== undefined) return { ...found, pointer: `/${pointerStep(name)}${found.pointer}` };
  }
  return undefined;
}
