// One call of a tool as the agent describes it, piece by piece.
import { type Fields, fieldsOf, listOf, someText } from "../fields.js";
import type { ToolFacts, ToolStatus } from "../tool-facts.js";

const STATUSES: readonly string[] = ["pending", "in_progress", "completed", "failed"] satisfies ToolStatus[];

/** Everything that an update leaves out, or says is null, stays as it was. */
export function withUpdate(facts: ToolFacts, update: Fields): ToolFacts {
  const status = someText(update.status);
  const meta = fieldsOf(fieldsOf(update._meta).claudeCode);
  return {
    title: someText(update.title) ?? facts.title,
    name: someText(update.name) ?? someText(meta.toolName) ?? facts.name,
    kind: someText(update.kind) ?? facts.kind,
    status: status !== undefined && STATUSES.includes(status) ? (status as ToolStatus) : facts.status,
    paths: Array.isArray(update.locations)
      ? update.locations.flatMap((one) => someText(fieldsOf(one).path) ?? [])
      : facts.paths,
    input:
      update.rawInput === undefined || update.rawInput === null
        ? facts.input
        : typeof update.rawInput === "object"
          ? fieldsOf(Array.isArray(update.rawInput) ? { ...update.rawInput } : update.rawInput)
          : { input: update.rawInput },
    diffs: Array.isArray(update.content) ? listOf(update.content).flatMap(diffIn) : facts.diffs,
  };
}

function diffIn(content: unknown): ToolFacts["diffs"] {
  const { type, path, newText } = fieldsOf(content);
  return type === "diff" && typeof path === "string"
    ? [{ path, text: typeof newText === "string" ? newText : "" }]
    : [];
}
