// Messages of A2E: their base and their form, their versions and ids, and the ones that the daemon makes or changes. Of their members those that the
// daemon reads are as the schemas say; others may be anything.
import * as schemas from "#gen/a2e/schemas.js";
import * as validators from "#gen/a2e/validators.js";
import type { IdSource } from "../../../base/ids.js";
import { eachMember } from "../../../base/json-members.js";
import { isObject, type Members } from "../../../base/members.js";
import { firstSentence } from "../../../base/schema/fault-words.js";
import type { Millis } from "../../../contracts/clock.js";

/** A message as it was parsed. Members that nobody knows are left alone. */
export type A2eMessage = Members;

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

/** An id that can be answered to: a text of 1 to 256 characters. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= LONGEST_ID;
}

/**
 * Replaces the values of top-level members of `text`, the JSON of an object, and adds those that it lacks. All other bytes stay as the peer wrote
 * them: a number in an argument keeps all of its digits. Linear in the text.
 */
export function withMembers(text: string, replacements: Readonly<Record<string, string>>): string {
  const missing = new Map(Object.entries(replacements));
  let written = "";
  let from = 0;
  eachMember(text, (name, start, end) => {
    const value = missing.get(name);
    if (value === undefined) return "go on";
    missing.delete(name);
    written += text.slice(from, start) + JSON.stringify(value);
    from = end;
    return missing.size === 0 ? "enough" : "go on";
  });
  const rest = text.slice(from);
  if (missing.size === 0) return written + rest;
  const closing = rest.lastIndexOf("}");
  const added = [...missing].map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join("");
  return written + rest.slice(0, closing) + added + rest.slice(closing);
}

/** Members that name tools, and those that may be about something else unless they are text or a list. */
const TOOL_NAMES = /^(?:tools?|functions?)names?$/;
const NAMES = /^(?:names?|(?:tools?|functions?)(?:ids?)?)$/;
/** Members whose members are the message's own to some host, as MCP and lists of calls have them. */
const AROUND = /^(?:data|params|arguments|payload|request|calls?|tools?|functions?|toolcalls?|functioncalls?)$/;
/** Deeper than `{"payload":{"params":{"calls":[{"name":…}]}}}`. */
const DEEPEST = 4;

/**
 * Names of tools in a message of whatever type, except in its members `passedOver`, and in the objects within it that hosts read as part of it: a
 * host could take it for calls. Case, blanks, `_` and `-` make no difference in the names of members.
 */
export function* namedTools(message: A2eMessage, passedOver?: ReadonlySet<string>, depth = DEEPEST): Iterable<unknown> {
  for (const [member, value] of Object.entries(message)) {
    if (passedOver?.has(member) === true) continue;
    const name = member.toLowerCase().replaceAll(/[\s_-]/g, "");
    const isAround = depth > 0 && AROUND.test(name);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (isAround && isObject(one)) yield* namedTools(one, undefined, depth - 1);
      else if (TOOL_NAMES.test(name)) yield one;
      else if (NAMES.test(name) && (typeof one === "string" || Array.isArray(one))) yield one;
    }
  }
}

/** The schema of each type that is checked. */
const SCHEMAS: ReadonlyMap<string, keyof typeof schemas> = new Map([
  ["handshake/req", "A2EHandshakeRequest"],
  ["handshake/resp", "A2EHandshakeResponse"],
  ["shutdown", "A2EShutdown"],
  ["error", "A2EError"],
  ["invoke/event", "A2EInvokeEvent"],
  ["tool/event", "A2EToolEvent"],
  ["tool/call/req", "A2EToolCallRequest"],
  ["tool/call/resp", "A2EToolCallResponse"],
  ["aaepd.a2e.register", "A2ERegister"],
] as const);

/** A sentence that names the first member of wrong form; undefined if the message is as its type demands, or its type is not checked. */
export function schemaFault(type: string, message: A2eMessage): string | undefined {
  const name = SCHEMAS.get(type);
  // biome-ignore-start lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
  if (name === undefined || validators[`is${name}`](message)) return undefined;
  return firstSentence(schemas[name], message, type) ?? `This is no ${type}.`;
  // biome-ignore-end lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
}
