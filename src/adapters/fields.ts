// Members of hosts' messages, which may have any form.
import { createHash } from "node:crypto";

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; without members if it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The arguments of a tool, which some hosts hand on as a list or as a single value. */
export function argumentsOf(value: unknown): Fields {
  if (Array.isArray(value)) return { ...value };
  return value === undefined || typeof value === "object" ? fieldsOf(value) : { input: value };
}

/** The value if it is a text that is not empty. */
export function someText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** UTF-16 units of a host's id (R5c). */
const LONGEST_ID = 256;

/** The host's id of a call, a conversation or an agent. A digest stands for an id that is too long. */
export function foreignId(id: string): string {
  const isTaken = id.length > 0 && id.length <= LONGEST_ID;
  return isTaken ? id : createHash("sha256").update(id).digest("hex");
}
