// The text of a message: characters that no transport carries, and the id of a message that could not be read.
import { isPlainSource, wellFormedFields } from "../../../engine/text/well-formed.js";

/** The message with U+FFFD in place of each lone surrogate, so that all transports agree (R25). `text`: the JSON of the message. */
export function repaired(message: unknown, text: string): unknown {
  const isObject = typeof message === "object" && message !== null && !Array.isArray(message);
  if (!isObject || isPlainSource(text)) return message;
  return wellFormedFields(message as Readonly<Record<string, unknown>>, undefined);
}

const LONGEST_BEGINNING = 4096;

/** The id of a message that could be read in two ways: the first member of that name near the beginning; null if there is none. */
export function idIn(text: string | undefined): string | null {
  const [, id] = /"id"\s*:\s*"([^"\\]{1,256})"/.exec(text?.slice(0, LONGEST_BEGINNING) ?? "") ?? [];
  return id ?? null;
}
