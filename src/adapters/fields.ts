// Members of hosts' messages, which may have any form.
import { createHash } from "node:crypto";
import { type Members, membersOf } from "../base/members.js";

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The arguments of a tool, which some hosts hand on as a list or as a single value. */
export function argumentsOf(value: unknown): Members {
  if (Array.isArray(value)) return { ...value };
  return value === undefined || typeof value === "object" ? membersOf(value) : { input: value };
}

/** UTF-16 units of a host's id (R5c). */
const LONGEST_ID = 256;

/** The host's id of a call, a conversation or an agent. A digest stands for an id that is too long. */
export function foreignId(id: string): string {
  const isTaken = id.length > 0 && id.length <= LONGEST_ID;
  return isTaken ? id : createHash("sha256").update(id).digest("hex");
}
