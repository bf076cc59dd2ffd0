// Text without lone surrogates (R25). A lone surrogate would reach one transport as an escape and another as a replacement character.
import { Fault } from "../../base/errors.js";

/** Deepest nesting that is walked; deeper values are refused. The protocol's own limit is 8 (AAEP §3.7). */
const DEPTH_LIMIT = 64;

/** Whether no string in this JSON text can have a lone surrogate. A quick test that may return false without cause. */
export function isPlainSource(source: string): boolean {
  return source.isWellFormed() && (!source.includes("\\u") || !/\\u[dD]/.test(source));
}

function wellFormedValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_LIMIT) {
    throw new Fault("invalid_event", `Nest values at most ${DEPTH_LIMIT} deep.`, { rule: "AAEP §3.7", pointer: "" });
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const repaired = items.map((item) => wellFormedValue(item, depth + 1));
    return repaired.every((item, index) => item === items[index]) ? value : repaired;
  }
  return wellFormedFields(value as Readonly<Record<string, unknown>>, undefined, depth + 1);
}

/**
 * Replaces each lone surrogate in names and values by U+FFFD, except in the value of `except`. Returns the same object if nothing has to be repaired.
 * Throws `invalid_event` for values that nest deeper than 64.
 */
export function wellFormedFields(
  fields: Readonly<Record<string, unknown>>,
  except: string | undefined,
  depth = 0,
): Readonly<Record<string, unknown>> {
  let changed = false;
  for (const name in fields) {
    if (name === except) continue;
    if (!name.isWellFormed() || wellFormedValue(fields[name], depth) !== fields[name]) {
      changed = true;
      break;
    }
  }
  if (!changed) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.toWellFormed(),
      name === except ? value : wellFormedValue(value, depth),
    ]),
  );
}
