// Messages of A2E: their base, their versions, and the ones that the daemon makes.
import type { IdSource } from "../../../base/ids.js";
import type { Millis } from "../../../contracts/clock.js";

/** A message as it was parsed. Members that nobody knows are left alone. */
export type A2eMessage = Readonly<Record<string, unknown>>;

/** The version that the daemon speaks. It accepts every version of the same major number. */
const A2E_VERSION = "1.0";

const SPOKEN_VERSION = /^1(?:\.\d{1,6}){0,2}$/;
const LONGEST_ID = 256;

/** Makes the daemon's own messages. */
export interface MessageMaker {
  /** The text of a message with the base of A2E. The version has both of its names, because clients in the field read either (A2E companion). */
  readonly make: (type: string, fields: A2eMessage) => string;
  /** 32 hex digits. */
  readonly newId: () => string;
}

/** `wallTime`: milliseconds since 1970. */
export function createMessageMaker(ids: IdSource, wallTime: () => Millis): MessageMaker {
  const newId = (): string => ids.hex(16);
  return {
    newId,
    make: (type, fields) =>
      JSON.stringify({ a2e: A2E_VERSION, version: A2E_VERSION, type, id: newId(), ts: wallTime() / 1000, ...fields }),
  };
}

/** The version of a message: "other" if the daemon does not speak it, or if `a2e` and `version` differ. */
export function versionIn({ a2e, version }: A2eMessage): "spoken" | "other" | "missing" {
  if (a2e === undefined && version === undefined) return "missing";
  if (a2e !== undefined && version !== undefined && a2e !== version) return "other";
  const named = a2e ?? version;
  return typeof named === "string" && SPOKEN_VERSION.test(named) ? "spoken" : "other";
}

export function isMessage(value: unknown): value is A2eMessage {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An id that can be answered to: a text of 1 to 256 characters. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= LONGEST_ID;
}
