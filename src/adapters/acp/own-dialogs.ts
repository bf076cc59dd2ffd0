// Which permissions a listener may answer. Everything else is announced, and left to the host's own dialog.
import { foldedName } from "../../base/tool-name.js";
import { fieldsOf, listOf, someText } from "../fields.js";
import type { ToolFacts } from "../tool-facts.js";

/** Kinds of tools whose permission is a yes or a no. A kind that is not here, such as `switch_mode`, has a dialog of its own. */
const ANSWERABLE_KINDS: ReadonlySet<string> = new Set([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
]);

/** Tools that ask something else than for permission, whatever their kind is. */
const DIALOGS: ReadonlySet<string> = new Set(
  ["AskUserQuestion", "ask_user", "ExitPlanMode", "exit_plan_mode", "EnterPlanMode"].map(foldedName),
);

/** The options that a yes and a no of a listener choose. */
export interface Answers {
  readonly accept: string;
  readonly reject: string;
}

/** Undefined if the permission is no plain yes or no. "Always" is never chosen for a person. */
export function answersOf({ kind, name }: ToolFacts, options: unknown): Answers | undefined {
  if (!ANSWERABLE_KINDS.has(kind ?? "other")) return undefined;
  if (name !== undefined && DIALOGS.has(foldedName(name))) return undefined;
  const accepting = optionsOf(options, "allow_once");
  const [reject] = optionsOf(options, "reject_once");
  const [accept] = accepting;
  // Several ways to allow are a choice.
  if (accept === undefined || reject === undefined || accepting.length > 1) return undefined;
  return { accept, reject };
}

/** The decision that a chosen option is; undefined for one that was not offered. */
export function decisionOf(options: unknown, optionId: unknown): "accept" | "reject" | undefined {
  const chosen = listOf(options)
    .map(fieldsOf)
    .find((option) => option.optionId === optionId);
  const kind = someText(chosen?.kind);
  if (kind === undefined) return undefined;
  return kind.startsWith("allow_") ? "accept" : "reject";
}

function optionsOf(options: unknown, kind: string): readonly string[] {
  return listOf(options)
    .map(fieldsOf)
    .filter((option) => option.kind === kind)
    .flatMap(({ optionId }) => someText(optionId) ?? []);
}
