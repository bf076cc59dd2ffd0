// One call of a tool, as far as its host has described it.
import { type Members, someText } from "../base/members.js";

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";

export interface ToolFacts {
  readonly title: string | undefined;
  readonly name: string | undefined;
  readonly kind: string | undefined;
  readonly status: ToolStatus | undefined;
  readonly paths: readonly string[];
  readonly input: Members;
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

/** The command of a tool that runs one, and the argument that it is; undefined if its arguments have none. */
export function commandIn(input: Members): { readonly argument: string; readonly text: string } | undefined {
  for (const argument of ["command", "cmd"]) {
    const given = input[argument];
    const text =
      Array.isArray(given) && given.every((word) => typeof word === "string")
        ? given.map(shellWord).join(" ")
        : someText(given);
    if (text !== undefined && text !== "") return { argument, text };
  }
  return undefined;
}

/** In quotation marks where a shell would read several words, or none. */
function shellWord(word: string): string {
  return /^[^\s'"\\$`;&|<>()*?#~]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
