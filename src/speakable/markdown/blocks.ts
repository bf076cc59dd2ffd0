// The leaves of a text, block by block.
import type { Token } from "markdown-it";
import type { Block, LeafKind, OpenText } from "../segment.js";
import { lineOfMarks, spoken } from "../words/spoken.js";
import { between, childCounts, endLineOf, lineOf, SAID } from "./block-tokens.js";
import { fenceWords, noteClosed } from "./fence-words.js";
import { finalUpTo, inlineLeaves, inlineWords } from "./inline.js";
import { LeafRow } from "./leaf-row.js";
import { ContentPlaces, LinePlaces } from "./line-places.js";
import type { InlineContext, Words } from "./links.js";
import { blockTokens } from "./parser.js";

export interface BlockContext extends InlineContext {
  readonly code: "announce" | "read" | "skip";
}

/** A text, or a part of one. */
export interface Source {
  /** Markdown that leads to where the part begins, and the part. */
  readonly text: string;
  /** Where the part begins. */
  readonly base: number;
  /** Places at which a leaf of running text must end, in ascending order; `base` is one of them. */
  readonly cuts: readonly number[];
  /** The blocks that stood open in front; undefined for the first part. */
  readonly open: OpenText | undefined;
  /** More may follow. */
  readonly goesOn: boolean;
}

/** An open block, with how many items or rows it has had, and will have. */
export interface Frame {
  readonly block: Block;
  readonly line: number;
  readonly of: number | undefined;
  count: number;
}

/** The last block of a text. A part that follows may go on in it. */
export interface LastBlock {
  readonly type: string;
  readonly token: Token;
  readonly frames: readonly Frame[];
  readonly firstLine: number;
  readonly endLine: number;
}

const CLOSING = /^(?:blockquote|bullet_list|ordered_list|list_item|table)_close$/;
const TASK = /^\[([ xX])\]\s/;

/** Reads a text once. Places are offsets of `source.text`. */
export class BlockReader {
  readonly source: Source;
  readonly lines: LinePlaces;
  readonly row: LeafRow;
  /** Where the content of the first block in a line begins, behind the marks of the blocks around it. */
  readonly contentStarts = new Map<number, number>();
  last: LastBlock | undefined;
  /** The last end of a sentence in open running text behind which no mark waits for its partner. */
  sentenceEnd = 0;
  nextId: number;
  private readonly context: BlockContext;
  private readonly tokens: readonly Token[];
  private readonly counts: ReadonlyMap<Token, number>;
  private readonly frames: Frame[] = [];
  private columns: Words[] = [];
  private cells: readonly (readonly [number, number])[] = [];
  private cellIndex = 0;
  /** The line of dashes that made a heading of the line above it. */
  private underline: Token | undefined;

  constructor(source: Source, context: BlockContext) {
    this.source = source;
    this.context = context;
    this.lines = new LinePlaces(source.text);
    this.row = new LeafRow(source.text, source.base, (text) => this.plainWords(text));
    this.nextId = source.open?.nextId ?? 1;
    this.tokens = blockTokens(source.text);
    this.counts = source.open === undefined && !source.goesOn ? childCounts(this.tokens) : new Map();
    for (let index = 0; index < this.tokens.length; index += 1) this.read(index);
    this.row.fill(source.text.length);
  }

  private read(index: number): void {
    const token = this.tokens[index] as Token;
    const content = this.tokens[index + 1]?.content ?? "";
    switch (token.type) {
      case "blockquote_open":
        this.push("quote", token, { level: this.depthOf("quote") });
        this.mark(token, { speech: this.context.vocabulary.say("quote"), braille: ">" });
        this.note(token);
        return;
      case "bullet_list_open":
      case "ordered_list_open":
        this.push("list", token, { level: this.depthOf("list") });
        return;
      case "list_item_open": {
        this.push("item", token, this.counted());
        const number = token.info + token.markup;
        const bullet = { speech: this.context.vocabulary.say("bullet"), braille: "•" };
        // Of a change without a head, it tells what was added.
        const plus = { speech: this.context.vocabulary.symbol("+") ?? "+", braille: "+" };
        const mark = token.markup === "+" ? plus : bullet;
        this.mark(token, token.info === "" ? mark : { speech: number, braille: number });
        this.note(token);
        return;
      }
      case "table_open":
        this.push("table", token, {});
        return;
      case "tr_open":
        this.note(token);
        this.push("row", token, this.counted());
        this.cells = this.lines.cells(lineOf(token));
        this.cellIndex = 0;
        return;
      case "thead_close":
        this.restoreRows();
        return;
      case "th_open":
      case "td_open":
        this.cell(token, content);
        return;
      case "heading_open":
        this.startContent(token, this.source.text.indexOf("#", this.lines.start(lineOf(token))));
        this.heading(token, content, endLineOf(token));
        return;
      case "paragraph_open":
        this.paragraph(index, token, content);
        return;
      case "tr_close":
        this.cellsBeyond();
        this.frames.pop();
        return;
      case "fence":
        this.fence(token);
        return;
      case "plain":
        this.diff(token);
        return;
      case "hr":
        if (token !== this.underline) this.rule(token);
        return;
      default:
        if (CLOSING.test(token.type)) this.frames.pop();
    }
  }

  /** Opens a block. A block that began in the prefix keeps its id and its count. */
  private push(kind: Block["kind"], token: Token, more: Partial<Block>): void {
    const line = lineOf(token);
    const of = this.counts.get(token);
    const saved = this.savedAt(this.frames.length, line);
    if (saved?.kind === kind) {
      const { count = 0, ...block } = saved;
      // The item in which a list stood comes again.
      this.frames.push({ block, line, of, count: kind === "list" ? count - 1 : count });
    } else {
      // Of the prefix only the open blocks are known; nothing is said of the others.
      const isNew = this.lines.start(line) >= this.source.base;
      this.frames.push({ block: { kind, id: isNew ? this.nextId : 0, ...more }, line, of, count: 0 });
      if (isNew) this.nextId += 1;
    }
  }

  private savedAt(depth: number, line: number): OpenText["blocks"][number] | undefined {
    return this.lines.start(line) < this.source.base ? this.source.open?.blocks[depth] : undefined;
  }

  private counted(): Partial<Block> {
    const parent = this.frames.at(-1);
    if (parent === undefined) return {};
    parent.count += 1;
    return { index: parent.count, ...(parent.of === undefined ? {} : { of: parent.of }) };
  }

  /** The head of a table that began in the prefix was counted then. */
  private restoreRows(): void {
    const table = this.frames.at(-1);
    const saved = this.source.open?.blocks[this.frames.length - 1];
    if (table !== undefined && saved?.id === table.block.id) table.count = saved.count ?? 1;
  }

  private depthOf(kind: Block["kind"]): number {
    return this.frames.filter(({ block }) => block.kind === kind).length + 1;
  }

  private get blocks(): readonly Block[] {
    return this.frames.map(({ block }) => block);
  }

  private mark(token: Token, words: Words): void {
    this.row.mark({ at: this.lines.start(lineOf(token)), ...words, in: this.blocks });
  }

  private note(token: Token, type = token.type, endLine = endLineOf(token)): void {
    this.last = {
      type,
      token,
      frames: [...this.frames],
      firstLine: lineOf(token),
      // The head of a table has the line below it too.
      endLine: endLine + (type === "tr_open" && this.frames.at(-1)?.line === lineOf(token) ? 1 : 0),
    };
  }

  private startContent(token: Token, at: number): void {
    if (!this.contentStarts.has(lineOf(token))) this.contentStarts.set(lineOf(token), at);
  }

  private leaf(kind: LeafKind, from: number, to: number, words: Words, blocks = this.blocks): void {
    this.row.add(kind, from, to, words, blocks);
  }

  private ownBlock(kind: Block["kind"], token: Token, more: Partial<Block> = {}): Block {
    const saved = this.savedAt(this.frames.length, lineOf(token));
    if (saved?.kind === kind) return saved;
    this.nextId += 1;
    return { kind, id: this.nextId - 1, ...more };
  }

  private heading(token: Token, content: string, endLine: number, level = Number(token.tag.slice(1))): void {
    const { vocabulary } = this.context;
    const words = inlineWords(content, this.context);
    const speech = vocabulary.say("heading", { level, text: words.speech.replaceAll("\n", " ") });
    const from = this.contentStarts.get(lineOf(token)) ?? this.lines.start(lineOf(token));
    const block = this.ownBlock("heading", token, { level });
    this.leaf("heading", from, this.lines.end(endLine - 1), { speech, braille: words.braille }, [
      ...this.blocks,
      block,
    ]);
    this.note(token, "heading_open", endLine);
  }

  private cell(token: Token, content: string): void {
    const { vocabulary } = this.context;
    const span = this.cells[this.cellIndex];
    // Markdown fills rows up.
    if (span === undefined && token.type === "td_open") return;
    // A title that was said before the table was seen to be one.
    const whole = inlineWords(content.startsWith(SAID) ? content.slice(SAID.length).trim() : content, this.context);
    const isFirst = this.cellIndex === 0;
    if (token.type === "th_open") {
      if (isFirst) this.columns = [];
      this.columns.push(whole);
    }
    const column = this.columns[this.cellIndex];
    this.cellIndex += 1;
    if (span === undefined) return;
    const { base } = this.source;
    const words = span[0] < base && base < span[1] ? this.cellWords(base, span[1]) : whole;
    this.startContent(this.rowToken(), span[0]);
    const lead = isFirst ? "" : ", ";
    if (token.type === "th_open") {
      const title = isFirst ? `${vocabulary.say("columns", { count: this.cells.length })} ` : "";
      this.leaf("cell", ...span, { speech: lead + title + words.speech, braille: lead + words.braille });
      return;
    }
    const said = (part: "speech" | "braille") => {
      const text = words[part].trim() === "" ? vocabulary.say("emptyCell") : words[part];
      return lead + (column?.[part] ? vocabulary.say("cell", { column: column[part], text }) : text);
    };
    this.leaf("cell", ...span, { speech: said("speech"), braille: said("braille") });
  }

  /** Markdown leaves out the cells for which the head has no column. A listener gets them. */
  private cellsBeyond(): void {
    for (const [from, to] of this.cells.slice(this.cellIndex)) {
      const words = this.cellWords(from, to);
      this.leaf("cell", from, to, { speech: `, ${words.speech}`, braille: `, ${words.braille}` });
    }
  }

  private cellWords(from: number, to: number): Words {
    return inlineWords(this.source.text.slice(from, to).replace(/\|$/, "").trim(), this.context);
  }

  private rowToken(): Token {
    return (this.last as LastBlock).token;
  }

  private paragraph(index: number, token: Token, content: string): void {
    const places = new ContentPlaces(content, lineOf(token), this.lines);
    const start = places.toText(0);
    this.startContent(token, start);
    const below = this.tokens[index + 3];
    const isDashed = below?.type === "hr" && this.isUnderline(token, below);
    const [title = "", underline] = content.split("\n", 3);
    if (start >= this.source.base && isDashed) {
      this.underline = below;
      this.heading(token, content, endLineOf(below), 2);
      return;
    }
    if (start >= this.source.base && endLineOf(token) - lineOf(token) === 2 && /^={3,}\s*$/.test(underline ?? "")) {
      this.heading(token, title, endLineOf(token), 1);
      return;
    }
    this.note(token, "paragraph");
    this.running(token, places);
  }

  /** Whether a line of dashes makes the one line above it a heading. */
  private isUnderline(paragraph: Token, rule: Token): boolean {
    const isNext = lineOf(rule) === endLineOf(paragraph) && rule.level === paragraph.level;
    return (
      isNext && endLineOf(paragraph) - lineOf(paragraph) === 1 && /^[\s>]*-{3,}\s*$/.test(this.lines.text(lineOf(rule)))
    );
  }

  private running(token: Token, places: ContentPlaces): void {
    const { source, context } = this;
    const [start, end] = [places.toText(0), places.toText(places.content.length)];
    const isItem = this.frames.at(-1)?.block.kind === "item" && this.frames.at(-1)?.line === lineOf(token);
    const [box = "", state] = (isItem ? TASK.exec(places.content) : null) ?? [];
    if (state !== undefined) {
      const words = context.vocabulary.say(state === " " ? "notDone" : "done");
      this.mark(token, { speech: words, braille: words });
    }
    const isOpen = source.goesOn && this.isAtEnd(endLineOf(token));
    const leaves = inlineLeaves(
      {
        content: places.content.slice(box.length),
        cuts: between(source.cuts, start, end).map((cut) => places.toContent(cut) - box.length),
        goesOn: isOpen,
        continues: source.open !== undefined && start < source.base,
      },
      context,
    );
    const waits = isOpen ? finalUpTo(places.content) : 0;
    const saidTo = start < source.base ? places.toContent(source.base) - box.length : 0;
    for (const { kind, from, to, speech, braille, endsSentence, textFrom = from } of leaves) {
      if (to <= saidTo) continue;
      const [first, behind] = [places.toText(from + box.length), places.toText(to + box.length)];
      // Words in front of the part were said; marks behind them may be its own.
      const isSaid = kind === "prose" && textFrom < saidTo;
      this.leaf(kind, first, behind, isSaid ? { speech: "", braille: "" } : { speech, braille });
      if (endsSentence && to + box.length <= waits) this.sentenceEnd = behind;
    }
  }

  /** Whether no blank line follows the block. */
  isAtEnd(endLine: number): boolean {
    const { text } = this.source;
    const feed = text.indexOf("\n", this.lines.end(endLine - 1));
    return feed < 0 || (text.indexOf("\n", feed + 1) < 0 && text.slice(feed).trim() === "");
  }

  private fence(token: Token): void {
    const { source, context, lines } = this;
    const from = source.text.indexOf(token.markup, lines.start(lineOf(token)));
    this.startContent(token, from);
    const blocks = [...this.blocks, this.ownBlock("code", token)];
    const goesOn = from < source.base;
    noteClosed(token, lines);
    this.note(token);
    const words = fenceWords(token, goesOn, this.saidLength(token), context.code, context.vocabulary);
    this.leaf("code", from, lines.end(endLineOf(token) - 1), words, blocks);
  }

  /** How much of a fence's first line of code stands in front of the part: the prefix has no line before it. */
  private saidLength(token: Token): number {
    const { base, text } = this.source;
    const first = lineOf(token) + 1;
    if (base <= this.lines.start(first) || first >= endLineOf(token)) return 0;
    const code = token.content.split("\n", 1)[0] ?? "";
    const feed = text.indexOf("\n", base);
    return Math.max(0, code.length - ((feed < 0 ? text.length : feed) - base));
  }

  private diff(token: Token): void {
    for (let line = lineOf(token); line < endLineOf(token); line += 1) {
      const text = this.lines.text(line);
      const [, sign, rest = ""] =
        /^([-+])(.*)$/.exec(text.startsWith("---") || text.startsWith("+++") ? "" : text) ?? [];
      const words = this.plainWords(text);
      const named = this.context.vocabulary.symbol(sign === "-" ? "−" : "+") ?? "";
      const speech = sign === undefined ? words.speech : `${named} ${this.plainWords(rest).speech}`;
      this.leaf("prose", this.lines.start(line), this.lines.end(line), { speech, braille: words.braille });
    }
    this.note(token);
  }

  private rule(token: Token): void {
    const line = lineOf(token);
    const text = this.lines.text(line);
    let from = text.length;
    for (let left = token.markup.length; left > 0; left -= 1) from = text.lastIndexOf(token.markup.charAt(0), from - 1);
    this.startContent(token, this.lines.start(line) + from);
    const speech = lineOfMarks(token.markup, this.context.vocabulary) ?? token.markup;
    const place = [this.lines.start(line) + from, this.lines.end(line)] as const;
    this.leaf("marks", ...place, { speech, braille: token.markup });
    this.note(token);
  }

  private plainWords(text: string): Words {
    return { speech: spoken(text, this.context.vocabulary), braille: text };
  }
}
