// Which lines of a host are calls of a tool that a person named to be held. This check alone lets lines pass while tools are held, and it would
// rather hold a line too many: whatever a server could read as such a call is one.
import { isUtf8 } from "node:buffer";
import { eachMember } from "../../base/json-members.js";
import { scalarIn } from "../../base/json-text.js";
import { foldedName } from "../../base/tool-name.js";
import { CALL } from "./mcp-message.js";

/**
 * "passes": no server takes it for a call of a held tool. "held": it is such a call, or could be read as one. "unclear": it is no single message, so
 * that servers could differ about what it is.
 */
export type LineKind = "passes" | "held" | "unclear";

/**
 * The names of held tools, folded. A person gives them as the server has them, as listeners hear them ("Notes.delete_file"), or as hosts write them
 * ("mcp__notes__delete_file"). Rather a tool too many is held than one too few.
 */
export function heldNames(given: Iterable<string>, server: string): ReadonlySet<string> {
  const names = [...given].flatMap((name) => {
    const [front = "", ...rest] = name.split(".");
    const isHeard = rest.length > 0 && foldedName(front) === foldedName(server);
    return [name, name.replace(/^mcp__.+?__/i, ""), ...(isHeard ? [rest.join(".")] : [])];
  });
  return new Set(names.filter((name) => name !== "").map(foldedName));
}

/** `line`: with its end. `names`: of the held tools, folded. */
export function lineKind(line: Buffer, names: ReadonlySet<string>): LineKind {
  if (!isUtf8(line)) return "unclear";
  const text = line.toString("utf8").replace(/\r?\n$/, "");
  if (text.trim() === "") return "passes";
  // Some servers end their lines at a carriage return too.
  if (text.includes("\r") || !isObject(text)) return "unclear";
  const methods = valuesOf(text, "method");
  if (!methods.some((method) => isCall(scalarIn(method)))) return "passes";
  const called = valuesOf(text, "params").flatMap((params) =>
    params.startsWith("{") ? valuesOf(params, "name") : [params],
  );
  return called.some((name) => isNamed(scalarIn(name), names)) ? "held" : "passes";
}

/** Whether each member that decides about a call stands in it once. */
export function isOneCall(text: string): boolean {
  const [params = "", ...others] = valuesOf(text, "params");
  return others.length === 0 && valuesOf(text, "method").length === 1 && valuesOf(params, "name").length === 1;
}

function isCall(method: unknown): boolean {
  return typeof method === "string" && foldedName(method) === foldedName(CALL);
}

/** A name that is no text could be made one. */
function isNamed(name: unknown, names: ReadonlySet<string>): boolean {
  return typeof name !== "string" || names.has(foldedName(name));
}

/** The texts of all values under a name. Some servers read names of members without regard to case. */
function valuesOf(text: string, name: string): readonly string[] {
  const wanted = foldedName(name);
  const found: string[] = [];
  eachMember(text, (member, start, end) => {
    if (foldedName(member) === wanted) found.push(text.slice(start, end));
    return "go on";
  });
  return found;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
