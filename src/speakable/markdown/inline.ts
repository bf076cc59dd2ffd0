// The leaves of running text: sentences, code, links, images, emoji. Their places are those in the content of the block.
import type { Token } from "markdown-it";
import type { LeafKind } from "../segment.js";
import { pictureName, picturesIn } from "../words/pictures.js";
import { sentenceEnds } from "../words/sentence-ends.js";
import { lineOfMarks, spoken } from "../words/spoken.js";
import { UNSEEN } from "../words/unseen.js";
import type { Vocabulary } from "../words/vocabulary.js";
import { type InlineContext, imageWords, linkWords, type Words } from "./links.js";
import { inlineTokens, placeOf } from "./parser.js";

export interface InlineLeaf extends Words {
  readonly kind: LeafKind;
  readonly from: number;
  readonly to: number;
  /** A sentence ends here outside all marks, and another has begun. */
  readonly endsSentence: boolean;
  /** Where the words of running text begin, behind marks. */
  readonly textFrom?: number;
}

export interface RunningText {
  readonly content: string;
  /** Places at which a leaf must end. */
  readonly cuts: readonly number[];
  /** Text follows that is not there yet, so that a mark may lack its partner. */
  readonly goesOn: boolean;
  /** Text stood in front, so that a mark may lack its partner. */
  readonly continues: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** A row of a table that a program drew. */
const DRAWN_ROW = /^\s*[|│┃║](.*)[|│┃║]\s*$/u;

/** Words without a mark, a picture and an end of a sentence, as in most cells of a table and items of a list. */
const PLAIN_WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;

export function inlineLeaves(text: RunningText, context: InlineContext): readonly InlineLeaf[] {
  const { content, cuts } = text;
  if (cuts.length === 0 && PLAIN_WORDS.test(content)) {
    const words = proseWords(content, context.vocabulary);
    return [{ kind: "prose", from: 0, to: content.length, ...words, endsSentence: false, textFrom: 0 }];
  }
  return spaced(leavesOf(inlineTokens(content), text, context), content);
}

/** The words of running text that is part of one leaf. */
export function inlineWords(content: string, context: InlineContext): Words {
  return joined(inlineLeaves({ content, cuts: [], goesOn: false, continues: false }, context));
}

/** Up to where open running text is final: no mark waits for its partner there, and no line may become the head of a table. */
export function finalUpTo(content: string): number {
  return Math.min(firstUnpaired(content), possibleHead(content));
}

/** Where a mark waits for its partner. */
function firstUnpaired(content: string): number {
  // Of marks at the end nothing is known yet.
  let end = content.length;
  while (end > 0 && /[*_~]/.test(content.charAt(end - 1))) end -= 1;
  for (const token of inlineTokens(content.slice(0, end))) {
    const { from, opens } = placeOf(token);
    const literal = token.type === "text" ? token.content.search(/[`[<$]/) : -1;
    if (literal >= 0) return from + literal;
    if (token.type === "text" && token.content !== "" && opens === true) return from;
  }
  return end;
}

/** Where running text may still turn out to be the head of a table, or a heading over a line of marks. */
function possibleHead(content: string): number {
  const line = content.lastIndexOf("\n") + 1;
  if (line > 0 && /^[\s|:=-]+$/.test(content.slice(line))) return content.lastIndexOf("\n", line - 2) + 1;
  return content.includes("|", line) ? line : content.length;
}

function joined(leaves: readonly Words[]): Words {
  return {
    speech: leaves.map(({ speech }) => speech).join(""),
    braille: leaves.map(({ braille }) => braille).join(""),
  };
}

/** Puts a space between words of neighbours that only a mark kept apart. */
function spaced(leaves: readonly InlineLeaf[], content: string): readonly InlineLeaf[] {
  const isWord = /[\p{L}\p{N}]/u;
  return leaves.map((leaf, index) => {
    const before = leaves[index - 1]?.speech.at(-1) ?? "";
    const touch = isWord.test(before) && isWord.test(leaf.speech.charAt(0));
    const whole = isWord.test(content.charAt(leaf.from - 1)) && isWord.test(content.charAt(leaf.from));
    return touch && !whole ? { ...leaf, speech: ` ${leaf.speech}` } : leaf;
  });
}

function leavesOf(tokens: readonly Token[], text: RunningText, context: InlineContext): readonly InlineLeaf[] {
  const leaves: InlineLeaf[] = [];
  let run = new Run();
  const single = (kind: LeafKind, first: Token, last: Token, words: Words) => {
    for (const leaf of run.leaves(text, context)) leaves.push(leaf);
    run = new Run();
    leaves.push({ kind, from: placeOf(first).from, to: placeOf(last).to, ...words, endsSentence: false });
  };
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token;
    switch (token.type) {
      case "code_inline":
        single("inline-code", token, token, codeWords(token.content, context.vocabulary));
        break;
      case "formula": {
        const words = spoken(token.content, context.vocabulary, { isCode: true });
        const speech = context.vocabulary.say("formula", { text: words });
        single("inline-code", token, token, { speech, braille: token.content });
        break;
      }
      case "comment": {
        const { speech, braille } = inlineWords(token.content, context);
        const said = (text: string): string => context.vocabulary.say("comment", { text });
        single("prose", token, token, { speech: said(speech), braille: said(braille) });
        break;
      }
      case "image": {
        const alt = inlineWords(token.content, context);
        single("image", token, token, imageWords(alt, String(token.attrGet("src") ?? ""), context.vocabulary));
        break;
      }
      case "link_open": {
        const close = closing(tokens, index);
        const label = joined(leavesOf(tokens.slice(index + 1, close), { ...text, cuts: [] }, context));
        const isBare = token.info === "auto";
        const words = linkWords(label, String(token.attrGet("href") ?? ""), isBare, context);
        single("link", token, tokens[close] as Token, words);
        index = close;
        break;
      }
      default:
        run.add(token, text, context.vocabulary);
    }
  }
  for (const leaf of run.leaves(text, context)) leaves.push(leaf);
  return leaves;
}

function closing(tokens: readonly Token[], open: number): number {
  let close = open + 1;
  while (close < tokens.length - 1 && tokens[close]?.type !== "link_close") close += 1;
  return close;
}

export function codeWords(code: string, vocabulary: Vocabulary): Words {
  const braille = code.replace(CONTROLS, "");
  return { speech: spoken(braille, vocabulary, { isCode: true }), braille };
}

/** Text that stands between code, links and images: what is seen of it, and where each part comes from. */
class Run {
  private visible = "";
  private readonly pieces: {
    readonly at: number;
    readonly from: number;
    readonly to: number;
    readonly isClosing: boolean;
    /** Marks that are open behind it. */
    readonly depth: number;
  }[] = [];
  private depth = 0;
  private closesMark = false;

  add(token: Token, text: RunningText, vocabulary: Vocabulary): void {
    const { from, to } = placeOf(token);
    // Of two asterisks the second one is an empty text.
    const isSecond = token.type === "text" && token.content === "" && this.closesMark;
    this.closesMark = token.nesting < 0;
    this.depth += token.nesting;
    const isClosing = this.closesMark || isSecond;
    this.pieces.push({ at: this.visible.length, from, to, isClosing, depth: this.depth });
    this.visible += shown(token, text, vocabulary);
  }

  leaves({ cuts }: RunningText, { vocabulary, emoji }: InlineContext): readonly InlineLeaf[] {
    const first = this.pieces[0];
    if (first === undefined) return [];
    const { visible } = this;
    const sentences = new Set(sentenceEnds(visible));
    const pictures = picturesIn(visible);
    const lines = markLines(visible, vocabulary);
    const ends = [...sentences, ...[...pictures].flat(), ...[...lines].flatMap(([at, { end }]) => [at, end])];
    const places = [...new Set([...ends, ...this.visiblePlaces(cuts), visible.length])].sort((one, two) => one - two);
    const leaves: InlineLeaf[] = [];
    let at = 0;
    let from = first.from;
    const endOfAll = this.pieces.at(-1)?.to ?? first.to;
    for (const end of places) {
      if (end <= at && end !== visible.length) continue;
      const { place, depth } = this.placeAt(end);
      const to = end === visible.length ? endOfAll : place;
      if (to <= from) continue;
      const shownText = visible.slice(at, end);
      const endsSentence = depth === 0 && sentences.has(end) && /^[\p{L}\p{N}]/u.test(visible.slice(end, end + 2));
      const textFrom = this.sourceOf(at);
      const name = pictures.get(at) === end ? pictureName(visible, at, end, vocabulary) : undefined;
      const line = lines.get(at)?.end === end ? lines.get(at)?.words : undefined;
      if (name !== undefined)
        leaves.push({
          kind: "emoji",
          from,
          to,
          ...(emoji === "drop" ? NOTHING : { speech: name, braille: name }),
          endsSentence,
        });
      else if (line !== undefined) leaves.push({ kind: "marks", from, to, ...line, endsSentence });
      else leaves.push({ kind: "prose", from, to, ...proseWords(shownText, vocabulary), endsSentence, textFrom });
      at = end;
      from = to;
    }
    return leaves;
  }

  /** The places in the visible text that come from places in the content. */
  private visiblePlaces(cuts: readonly number[]): readonly number[] {
    const places: number[] = [];
    let index = 0;
    for (const cut of cuts) {
      while ((this.pieces[index]?.to ?? Number.POSITIVE_INFINITY) <= cut) index += 1;
      const piece = this.pieces[index];
      if (piece === undefined) break;
      const next = this.pieces[index + 1]?.at ?? this.visible.length;
      if (cut > piece.from) places.push(Math.min(piece.at + cut - piece.from, next));
      else if (cut === piece.from) places.push(piece.at);
    }
    return places;
  }

  /** Where the visible text at a place stands in the content. */
  private sourceOf(at: number): number {
    let [low, high] = [0, this.pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.pieces[middle]?.at ?? at) <= at) low = middle;
      else high = middle - 1;
    }
    const piece = this.pieces[low];
    return piece === undefined ? 0 : piece.from + at - piece.at;
  }

  /** The place in the content where the visible text in front of a place ends, and the marks that are open there. */
  private placeAt(at: number): { readonly place: number; readonly depth: number } {
    let [low, high] = [0, this.pieces.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.pieces[middle + 1]?.at ?? at) < at) low = middle + 1;
      else high = middle;
    }
    // Marks that close stand with the words in front of them.
    while (this.pieces[low + 1]?.at === at && this.pieces[low + 1]?.isClosing === true) low += 1;
    const piece = this.pieces[low];
    const next = this.pieces[low + 1];
    const { depth = 0 } = piece ?? {};
    if (piece === undefined) return { place: 0, depth };
    return { place: next?.at === at ? next.from : Math.min(piece.from + at - piece.at, piece.to), depth };
  }
}

const NOTHING: Words = { speech: "", braille: "" };

function shown(token: Token, { goesOn, continues }: RunningText, vocabulary: Vocabulary): string {
  const { opens, closes } = placeOf(token);
  switch (token.type) {
    case "text":
      // The partner of these marks comes later, or came before.
      return (goesOn && opens === true && closes !== true) || (continues && closes === true && opens !== true)
        ? ""
        : token.content;
    case "text_special":
      // A character that is not seen stays written out.
      return UNSEEN.test(token.content) && !/\s/.test(token.content) ? token.markup : token.content;
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "s_open":
    case "s_close":
      return vocabulary.say("struckOut", { text: "\n" }).split("\n")[token.type === "s_open" ? 0 : 1] ?? "";
    default:
      return token.nesting === 0 ? token.content : "";
  }
}

function proseWords(text: string, vocabulary: Vocabulary): Words {
  const braille = text.replace(CONTROLS, "");
  const read = braille.split("\n").map((line) => {
    const row = DRAWN_ROW.exec(line)?.[1];
    return row === undefined
      ? line
      : row
          .split(/[|│┃║]/u)
          .map((cell) => cell.trim())
          .join(", ");
  });
  return { speech: spoken(read.join("\n"), vocabulary), braille };
}

/** The lines that have nothing but marks, by their beginnings. */
function markLines(visible: string, vocabulary: Vocabulary): ReadonlyMap<number, { end: number; words: Words }> {
  const found = new Map<number, { end: number; words: Words }>();
  let at = 0;
  for (const line of visible.split("\n")) {
    const name = lineOfMarks(line, vocabulary);
    const end = Math.min(at + line.length + 1, visible.length);
    const feed = end > at + line.length ? "\n" : "";
    if (name !== undefined) found.set(at, { end, words: { speech: name + feed, braille: line + feed } });
    at += line.length + 1;
  }
  return found;
}
