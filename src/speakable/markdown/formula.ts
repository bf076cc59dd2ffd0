// Formulas of TeX in running text.
import type { StateInline } from "markdown-it";
import { nextPlace } from "./next-place.js";

const CLOSINGS: Readonly<Record<string, string>> = { $$: "$$", $: "$", "\\(": "\\)", "\\[": "\\]" };
/** A longer stretch is text between two marks that have nothing to do with one another. */
const LONGEST = 1_000;
/** Signs that formulas have: a command of TeX, a power, an index, a relation, an operation; or one letter alone. */
const FORMULA = /\\[A-Za-z]{2}|[\^=]|_\{|^[A-Za-z]$|[A-Za-z0-9)] ?[+*/<>] ?[A-Za-z0-9(]/;
/** A group of a regular expression, or a colour of a prompt: `\(a\|b\)`, `\(.*\)`, `\[\033[0m\]`. */
// Linear: every alternative has an end, but for the last one, which begins at one place.
const NO_FORMULA = /[A-Za-z0-9]\\\|[A-Za-z0-9]|\.[*+]|\\\d|\\[dwsDWS](?![A-Za-z])|^[A-Za-z]{3,}$/;

/** `$$…$$`, `$…$` with something that only formulas have, `\(…\)` or `\[…\]`. */
export function formula(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const pair = src.slice(pos, pos + 2);
  const opening = Object.hasOwn(CLOSINGS, pair) ? pair : pair.charAt(0);
  const closing = CLOSINGS[opening];
  if (closing === undefined) return false;
  const from = pos + opening.length;
  const to = nextPlace(state, closing, from);
  if (to <= from) return false;
  if (to - from > LONGEST) return false;
  const content = src.slice(from, to);
  const isFormula =
    opening === "$"
      ? isBetweenDollars(src.charAt(pos - 1), content, src.charAt(to + 1))
      : FORMULA.test(content) && !NO_FORMULA.test(content) && !(opening === "\\[" && content.length === 1);
  if (!isFormula && opening !== "$$") return false;
  if (!silent) state.push("formula", "", 0).content = content.trim();
  state.pos = to + closing.length;
  return true;
}

/** Prices and variables of a shell stand between dollars too: `$5 and $6`, `$PATH=$HOME`. */
function isBetweenDollars(before: string, content: string, behind: string): boolean {
  if (/[\p{L}\p{N}_})/]/u.test(before) || /[\p{L}\p{N}_{(]/u.test(behind)) return false;
  const isVariable = /^[/{]|^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(content);
  return /^\S(?:.*\S)?$/.test(content) && /[\\^_={}]/.test(content) && !isVariable;
}
