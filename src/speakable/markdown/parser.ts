// markdown-it, told where each part of a line stands in the source, and what of plain technical text is no Markdown.
import MarkdownIt, { type StateBlock, type StateInline, type Token } from "markdown-it";
import { formula } from "./formula.js";
import { html } from "./html.js";
import { diff, prompt } from "./technical-blocks.js";

/** Where an inline token stands in the content of its block, and whether it is marks that may open or close emphasis. */
export interface Place {
  from: number;
  to: number;
  opens?: boolean;
  closes?: boolean;
}

const parser = new MarkdownIt();
const [table] = parser.block.ruler.getRules("");
// Nothing is normalized: each character keeps its place. A reference may be defined later than its use is said. A line of dashes below a text
// makes it a heading only where `blocks.ts` says so. Text that is set in is no code by that alone.
parser.core.ruler.disable(["normalize", "linkify", "replacements", "smartquotes", "text_join", "inline"]);
parser.block.ruler.disable(["reference", "lheading", "html_block", "code"]);
parser.inline.ruler2.disable(["fragments_join"]);
parser.validateLink = () => true;
parser.normalizeLink = (address) => address;
parser.normalizeLinkText = (address) => address;

/** The block tokens of a text. The content of `inline` tokens is not parsed. */
export function blockTokens(text: string): readonly Token[] {
  return parser.parse(text, {});
}

/** The inline tokens of a block's content, with their places. */
export function inlineTokens(content: string): readonly Token[] {
  const tokens: Token[] = [];
  parser.inline.parse(content, parser, {}, tokens);
  return tokens;
}

export function placeOf(token: Token): Place {
  // Every token got one in `tokenize`.
  return token.meta as unknown as Place;
}

/** A name such as `__init__`, which is no strong emphasis. */
// Linear: letters, underscores and their ends cannot stand for one another, and a match is tried at one place.
const DUNDER = /__[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*__(?![A-Za-z0-9_])/y;

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

/** The text between a bracket and the one that closes it. */
interface Label {
  /** Where it ends; infinity if nothing closes it. */
  readonly end: number;
  readonly hasLink: boolean;
  /** The end of the text that was looked at. */
  readonly upTo: number;
}

class PlacedState extends parser.inline.State {
  /** Where the pending text begins. */
  pendingFrom = 0;
  readonly labels = new Map<number, Label>();
  /** The latest dunder name. */
  dunder = { from: -1, to: -1 };
  /** The word that was looked at last. */
  word = { start: 0, end: 0, isTechnical: false };

  /**
   * As CommonMark, except for the asterisks of globs, pointers, powers, paths and SQL, and for dunder names. Chinese and Japanese have no blanks
   * between words, so that a mark beside one of their characters needs none.
   */
  override scanDelims(start: number, canSplitWord: boolean): ReturnType<StateInline["scanDelims"]> {
    const scanned = super.scanDelims(start, canSplitWord);
    const before = this.src.charAt(start - 1);
    const after = this.src.charAt(start + scanned.length);
    const isWide = canSplitWord && (WIDE.test(before) || WIDE.test(after));
    DUNDER.lastIndex = start;
    if (DUNDER.test(this.src)) this.dunder = { from: start, to: DUNDER.lastIndex };
    const { from, to } = this.dunder;
    const isLiteral =
      (/[A-Za-z0-9)\]]/.test(before) && /[A-Za-z0-9([]/.test(after)) ||
      /[/\\]/.test(before + after) ||
      (before === "." && /[^\s*_]/.test(after)) ||
      (before === "(" && after === ")") ||
      (after === "." && scanned.length === 1) ||
      start === from ||
      start + scanned.length === to;
    return {
      can_open: (scanned.can_open || (isWide && /\S/.test(after))) && !isLiteral && !/[,;:)\]}]/.test(after),
      can_close: (scanned.can_close || (isWide && /\S/.test(before))) && !isLiteral,
      length: scanned.length,
    };
  }
}
parser.inline.State = PlacedState;

/** As markdown-it's: the end of the label that begins at a bracket, or -1. Each text is searched once for all brackets in it. */
parser.helpers.parseLinkLabel = (given, start, disableNested) => {
  const state = given as PlacedState;
  const { labels, posMax } = state;
  if ((labels.get(start)?.upTo ?? 0) < posMax) readLabels(state, start);
  const label = labels.get(start);
  // A link within a link is none.
  return label === undefined || label.end >= posMax || (disableNested === true && label.hasLink) ? -1 : label.end;
};

function readLabels(state: PlacedState, start: number): void {
  const { src, pos: before, posMax: upTo, labels } = state;
  const open = [{ start, hasLink: false }];
  state.pos = start + 1;
  while (state.pos < upTo) {
    const { pos } = state;
    const mark = src.charAt(pos);
    const closed = mark === "]" ? open.pop() : undefined;
    if (closed !== undefined) labels.set(closed.start, { end: pos, hasLink: closed.hasLink, upTo });
    const around = open.at(-1);
    if (around === undefined) break;
    around.hasLink ||= closed?.hasLink === true;
    parser.inline.skipToken(state);
    if (mark !== "[") continue;
    // A bracket that is no link of its own.
    if (state.pos === pos + 1) open.push({ start: pos, hasLink: false });
    else around.hasLink = true;
  }
  for (const one of open) labels.set(one.start, { end: Number.POSITIVE_INFINITY, hasLink: false, upTo });
  state.pos = before;
}

/** As markdown-it's, but notes the place of each token. */
parser.inline.tokenize = (given) => {
  const state = given as PlacedState;
  const rules = parser.inline.ruler.getRules("");
  const end = state.posMax;
  while (state.pos < end) {
    const from = state.pos;
    const count = state.tokens.length;
    const waits = state.pending !== "";
    // The text of a link is read by this function too.
    const { pendingFrom } = state;
    const { delimiters } = state;
    const delimiterCount = delimiters.length;
    if (state.level >= parser.options.maxNesting || !anyRule(rules, state)) {
      state.pending += state.src.charAt(from);
      state.pos += 1;
    }
    if (state.tokens.length > count) place(state, count, waits ? pendingFrom : undefined, from);
    for (let index = delimiterCount; index < delimiters.length; index += 1) {
      const { token, open, close } = delimiters[index] as { token: number; open: boolean; close: boolean };
      const found = placeOf(state.tokens[token] as Token);
      found.opens = open;
      found.closes = close;
    }
    if (state.pending !== "" && (!waits || state.tokens.length > count)) state.pendingFrom = from;
  }
  if (state.pending !== "") state.pushPending().meta = { from: state.pendingFrom, to: state.pos };
};

function anyRule(rules: readonly ((state: StateInline, silent: boolean) => boolean)[], state: StateInline): boolean {
  for (const rule of rules) if (rule(state, false)) return true;
  return false;
}

/** Gives a place to the tokens that one rule pushed, the pending text in front of them included. Several marks stand one behind the other. */
function place(state: PlacedState, first: number, pendingFrom: number | undefined, from: number): void {
  const { tokens } = state;
  const own = pendingFrom === undefined ? first : first + 1;
  let at = from;
  for (let index = own; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    const isMark = token.type === "text" && token.meta === null && state.src.startsWith(token.content, at);
    token.meta ??= { from: at, to: isMark ? at + token.content.length : state.pos };
    if (isMark) at += token.content.length;
  }
  const pending = tokens[first];
  if (pendingFrom === undefined || pending === undefined) return;
  const next = tokens[own];
  pending.meta = { from: pendingFrom, to: next === undefined ? state.pos : placeOf(next).from };
}

const ADDRESS = /:\/\/[^\s<>"`|\\^{}\u3000-\u303f\uff00-\uffef]+/uy;
const SCHEME = /(?:https?|ftp)$/i;

/** An address in running text, without the punctuation behind it. */
function address(state: StateInline, silent: boolean): boolean {
  if (silent || state.linkLevel > 0) return false;
  // The pending text itself is not read: it is joined from pieces, and to read it costs its length.
  const scheme = SCHEME.exec(state.src.slice(Math.max(0, state.pos - 5), state.pos))?.[0] ?? "";
  if (state.pending.length < scheme.length) return false;
  ADDRESS.lastIndex = state.pos;
  const rest = scheme === "" ? undefined : ADDRESS.exec(state.src)?.[0];
  if (rest === undefined) return false;
  const whole = withoutEnd(rest.slice(0, state.posMax - state.pos));
  if (whole.length < 4) return false;
  const place = { from: state.pos - scheme.length, to: state.pos + whole.length };
  state.pending = state.pending.slice(0, -scheme.length);
  const [open, text, close] = [
    state.push("link_open", "a", 1),
    state.push("text", "", 0),
    state.push("link_close", "a", -1),
  ];
  open.attrs = [["href", scheme + whole]];
  open.info = "auto";
  text.content = scheme + whole;
  for (const token of [open, text, close]) token.meta = place;
  state.pos = place.to;
  return true;
}

function withoutEnd(address: string): string {
  let end = address.length;
  let closing = address.split(")").length - address.split("(").length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    if (last === ")" && closing > 0) closing -= 1;
    else if (!/[.,;:!?'*_~\]]/.test(last)) break;
  }
  return address.slice(0, end);
}

/** Blanks end a word of technical text. */
const WORD_END = /\s|$/g;
/** Characters of a word that are looked at in front of a backslash. */
const LONGEST_LEFT = 200;

/** In a path of Windows or a regular expression a backslash is a character as any other, and so is what stands behind it. */
function literal(given: StateInline, silent: boolean): boolean {
  const state = given as PlacedState;
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x5c || pos + 1 >= state.posMax || !isTechnical(state, pos)) return false;
  if (!silent) state.pending += src.slice(pos, pos + 2);
  state.pos += 2;
  return true;
}

/**
 * A word of a path of Windows or of a regular expression: a backslash in front of a letter, a number or a bar, behind a drive, between a letter and a
 * sign, in front of a full stop that numbers no list, or in quotes or slashes. Markdown's own are those such as `snake\\_case` and `1\\.`
 */
// Linear: no part can take what another takes.
const TECHNICAL =
  /\\[\p{L}\p{N}|]|^[A-Za-z]:\\|[\p{L}%]\\[.[(!$^]|(?:^|[^\d\\])\\\.|\\\*\.[a-z]|^['"/][^\\]*\\|^s\/[^\\]*\\/u;

/** Whether a backslash belongs to such a word. Each word is looked at once. */
function isTechnical(state: PlacedState, at: number): boolean {
  const { src, word } = state;
  if (at >= word.start && at < word.end) return word.isTechnical;
  let start = at;
  while (start > at - LONGEST_LEFT && /\S/.test(src.charAt(start - 1))) start -= 1;
  WORD_END.lastIndex = at;
  const end = WORD_END.exec(src)?.index ?? src.length;
  state.word = { start, end, isTechnical: TECHNICAL.test(src.slice(start, end)) };
  return state.word.isTechnical;
}

/** An index and a call, as in `handlers[name](event)`. */
const CALL = /\[[\w.'" -]{0,60}\]\([\w, ]{0,60}\)/y;

function call(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  CALL.lastIndex = pos;
  const found = /[\w)\]]/.test(src.charAt(pos - 1)) ? CALL.exec(src)?.[0] : undefined;
  if (found === undefined || pos + found.length > state.posMax) return false;
  if (!silent) state.pending += found;
  state.pos += found.length;
  return true;
}

parser.inline.ruler.before("link", "call", call);
parser.inline.ruler.before("escape", "formula", formula);
parser.inline.ruler.before("escape", "literal", literal);
parser.inline.ruler.after("autolink", "html", html);
parser.inline.ruler.push("address", address);

/** Cells that the rows of a table may lack together. Markdown fills each row up. */
const MOST_LACKING = 1_000;

/** The line below the head of the table that is read, its cells once they are counted, and how many its rows may still lack. */
const reading = { below: 0, cells: 0, left: 0 };

function noteTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (!silent) Object.assign(reading, { below: startLine + 1, cells: 0, left: MOST_LACKING });
  return table?.(state, startLine, endLine, silent) === true;
}

/** Ends a table in front of the row with which it lacks too much. */
function lacksCells(state: StateBlock, line: number): boolean {
  if (state.parentType !== "table") return false;
  const bars = (of: number): number => state.src.slice(state.bMarks[of], state.eMarks[of]).split("|").length;
  reading.cells ||= bars(reading.below);
  reading.left -= Math.max(0, reading.cells - bars(line));
  return reading.left < 0;
}

parser.block.ruler.at("table", noteTable, { alt: ["paragraph", "reference"] });
parser.block.ruler.push("lacking", lacksCells, { alt: ["blockquote"] });
parser.block.ruler.before("table", "diff", diff, { alt: ["paragraph"] });
parser.block.ruler.before("blockquote", "prompt", prompt, { alt: ["paragraph"] });
