// One call of a tool as the agent describes it, piece by piece.
import { type Fields, fieldsOf, listOf, someText } from "./fields.js";

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";

const STATUSES: readonly string[] = ["pending", "in_progress", "completed", "failed"] satisfies ToolStatus[];

/** Everything that an update leaves out, or says is null, stays as it was. */
export interface ToolFacts {
  readonly title: string | undefined;
  readonly name: string | undefined;
  readonly kind: string | undefined;
  readonly status: ToolStatus | undefined;
  readonly paths: readonly string[];
  readonly input: Fields;
  /** The files that it changes, and their new text. */
  readonly diffs: readonly { readonly path: string; readonly text: string }[];
}

export const NO_FACTS: ToolFacts = {
  title: undefined,
  name: undefined,
  kind: undefined,
  status: undefined,
  paths: [],
  input: {},
  diffs: [],
};

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

/** The command of a tool that runs one, and the argument that it is; undefined if its arguments have none. */
export function commandIn(input: Fields): { readonly argument: string; readonly text: string } | undefined {
  for (const argument of ["command", "cmd"]) {
    const given = input[argument];
    const text =
      Array.isArray(given) && given.every((word) => typeof word === "string") ? given.join(" ") : someText(given);
    if (text !== undefined && text !== "") return { argument, text };
  }
  return undefined;
}
