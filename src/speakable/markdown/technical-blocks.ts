// Blocks of technical text whose lines begin with marks of their own: unified diffs, and what was typed at Python's prompt. Their lines are a token
// `plain`.
import type { StateBlock } from "markdown-it";

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const DIFF_HEAD = /^(?:diff --git |Index: |--- \S)/;
const DIFF_LINE = /^(?:[-+@\\]|[ ]|diff |index |old |new |deleted |similarity |rename |Binary )/;
/** Lines of a head in which a hunk must begin. */
const LONGEST_HEAD = 8;
const PROMPT_LINE = /^(?:>>>|\.\.\.)(?: |$)/;

/** Lines left of a hunk, old and new. Models count them wrongly: only whether an empty line belongs to it depends on them. */
type Hunk = {
  old: number;
  new: number;
};

/** The prefix with which a text that goes on is still in the block. `isWithin`: its last line goes on too. */
export function plainPrefix(meta: unknown, isWithin: boolean): string {
  const hunk = meta as Hunk | null;
  if (hunk === null) return isWithin ? ">>> " : "";
  // The line that goes on is counted again.
  const more = isWithin ? 1 : 0;
  return `@@ -1,${hunk.old + more} +1,${hunk.new + more} @@\n${isWithin ? " " : ""}`;
}

function lineAt(state: StateBlock, line: number): string {
  return state.src.slice(state.bMarks[line], state.eMarks[line]);
}

export function diff(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  let line = startLine;
  const first = lineAt(state, line);
  if (state.blkIndent > 0 || !(HUNK.test(first) || DIFF_HEAD.test(first))) return false;
  while (!HUNK.test(lineAt(state, line))) {
    line += 1;
    if (line >= endLine || line - startLine > LONGEST_HEAD || !DIFF_LINE.test(lineAt(state, line))) return false;
  }
  if (silent) return true;
  const left: Hunk = { old: 0, new: 0 };
  while (line < endLine && takes(left, lineAt(state, line))) line += 1;
  const token = state.push("plain", "", 0);
  token.map = [startLine, line];
  token.meta = left;
  state.line = line;
  return true;
}

/** Whether a line belongs to the diff. Counts it. */
function takes(left: Hunk, line: string): boolean {
  const [head, old = "1", added = "1"] = HUNK.exec(line) ?? [];
  if (head !== undefined) {
    left.old = Number(old);
    left.new = Number(added);
    return true;
  }
  const isEmpty = line === "";
  if (isEmpty ? left.old === 0 || left.new === 0 : !DIFF_LINE.test(line)) return false;
  const mark = line.charAt(0);
  if (mark !== "+") left.old = Math.max(0, left.old - 1);
  if (mark !== "-") left.new = Math.max(0, left.new - 1);
  return true;
}

export function prompt(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.blkIndent > 0 || !lineAt(state, startLine).startsWith(">>> ")) return false;
  if (silent) return true;
  let line = startLine;
  while (line < endLine && PROMPT_LINE.test(lineAt(state, line))) line += 1;
  state.push("plain", "", 0).map = [startLine, line];
  state.line = line;
  return true;
}
