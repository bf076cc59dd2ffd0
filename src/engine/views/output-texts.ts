// The outputs that views follow: their text while a view may still need it, and its boundaries, in one record for all views (R10).
import { codePointCount } from "../../base/code-points.js";
import type { Millis } from "../../contracts/clock.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import { type AgentEvent, type JournaledEvent, type NewEvent, outputKey, positionIn } from "../event/event.js";
import { canonicalTag } from "../terms/language.js";
import { lastStartingBy } from "../text/retained-text.js";
import { TextBoundaries } from "../text/text-boundaries.js";
import { type CodeBlocks, isMarkdown } from "./code-blocks.js";
import type { RenderedEntry } from "./unit.js";

/** A published chunk and its place. Offsets are UTF-16 units from the start of the record. */
export interface Chunk {
  readonly rendered: RenderedEntry;
  readonly start: number;
  readonly end: number;
  /** Position after the chunk, in code points from the start of the output. */
  readonly endPosition: number;
  readonly at: Millis;
}

/** Most text of a sentence in progress that is kept for views that are still to come, in UTF-16 units. */
const MOST_KEPT_UNITS = 16_384;

export class OutputText {
  readonly key: string;
  readonly session: string;
  boundaries: TextBoundaries;
  /** Position after the last chunk, in code points from the start of the output. */
  endPosition: number;
  /** Length of the text up to which chunks were last forgotten, in UTF-16 units. */
  forgottenAt = 0;
  private readonly defaultLanguage: string;
  private readonly known: Chunk[] = [];
  // Offset and position of the oldest chunk, so that counting code points never begins before it.
  private anchor: { readonly offset: number; readonly position: number };

  /** Makes a record that begins with `first`. If that is not the first published chunk, `opening` leads to it. */
  constructor(first: AgentEvent, segmenter: Segmenter, defaultLanguage: string, opening: string) {
    this.key = outputKey(first);
    this.session = first.session_id;
    this.boundaries = new TextBoundaries(segmenter, opening);
    this.endPosition = positionIn(first);
    this.anchor = { offset: 0, position: this.endPosition };
    this.defaultLanguage = defaultLanguage;
  }

  /** The chunks that are not forgotten, in order. */
  get chunks(): readonly Chunk[] {
    return this.known;
  }

  /** The newest chunk; undefined before the first. */
  get newest(): Chunk | undefined {
    return this.chunks.at(-1);
  }

  /** The chunk of `rendered`; the first call appends it. Chunks come in order. */
  chunkOf(rendered: RenderedEntry, at: Millis): Chunk {
    const { newest, boundaries } = this;
    if (newest?.rendered === rendered) return newest;
    const { event } = rendered.entry;
    const start = newest?.end ?? 0;
    const text = textOf(event);
    // A text that was scanned ahead is appended already (ahead-scan.ts).
    if (boundaries.length === start) this.appendTo(boundaries, event);
    this.endPosition += codePointCount(text);
    const chunk: Chunk = { rendered, start, end: start + text.length, endPosition: this.endPosition, at };
    this.known.push(chunk);
    return chunk;
  }

  /** Appends a chunk of this output to its boundaries, or to a copy of them. */
  appendTo(boundaries: TextBoundaries, event: AgentEvent): void {
    const language =
      typeof event.language === "string"
        ? event.language
        : (event.localization_hints?.primary_language ?? this.defaultLanguage);
    boundaries.append(textOf(event), canonicalTag(language), { markdown: isMarkdown(event) });
    if (event.complete === true) boundaries.complete();
  }

  /** The chunk with the unit at `offset`; the last chunk for the end. */
  chunkAt(offset: number): Chunk | undefined {
    return this.chunks[lastStartingBy(this.chunks, offset)] ?? this.chunks[0];
  }

  /** Position of an offset that is not forgotten, in code points from the start of the output. */
  positionOf(offset: number): number {
    return this.anchor.position + codePointCount(this.boundaries.slice(this.anchor.offset, offset));
  }

  /** Forgets the text before `offset`, except the part of the sentence in progress that a new view needs. */
  forget(offset: number): void {
    const { known: chunks, boundaries } = this;
    const length = this.newest?.end ?? 0;
    const keep = Math.min(offset, Math.max(boundaries.last(length, "sentence"), length - MOST_KEPT_UNITS));
    let dead = 0;
    while (dead < chunks.length - 1 && (chunks[dead]?.end ?? 0) <= keep) dead += 1;
    const oldest = chunks[dead];
    if (dead === 0 || oldest === undefined) return;
    this.anchor = { offset: oldest.start, position: this.positionOf(oldest.start) };
    chunks.splice(0, dead);
    boundaries.forget(oldest.start);
  }
}

function textOf({ chunk }: AgentEvent): string {
  return typeof chunk === "string" ? chunk : "";
}

/** Text is dropped in steps of so many UTF-16 units, because finding its holders costs more than keeping a little. */
const FORGET_STEP_UNITS = 2048;
/** Chunks of which some may be empty, after which text is dropped too. */
const MOST_CHUNKS = 2048;

export class OutputTexts {
  private readonly segmenter: Segmenter;
  private readonly defaultLanguage: string;
  private readonly codeBlocks: CodeBlocks;
  private readonly records = new Map<string, OutputText>();

  constructor(segmenter: Segmenter, defaultLanguage: string, codeBlocks: CodeBlocks) {
    this.segmenter = segmenter;
    this.defaultLanguage = defaultLanguage;
    this.codeBlocks = codeBlocks;
  }

  /** Number of outputs that are followed. */
  get count(): number {
    return this.records.size;
  }

  all(): Iterable<OutputText> {
    return this.records.values();
  }

  /** The record of an output that views follow. */
  known(output: string): OutputText | undefined {
    return this.records.get(output);
  }

  /** The record of a chunk's output. After missing chunks (R27) a new one begins. */
  textFor(rendered: RenderedEntry): OutputText {
    const known = this.records.get(rendered.output);
    if (known?.newest?.rendered === rendered) return known;
    const record = this.recordBefore(rendered.entry);
    if (record !== known) this.records.set(rendered.output, record);
    return record;
  }

  /** The record that a chunk continues, which is a new one after missing chunks. */
  recordBefore(chunk: NewEvent | JournaledEvent): OutputText {
    const { event } = chunk;
    const known = this.records.get(outputKey(event));
    if (known !== undefined && known.endPosition === positionIn(event)) return known;
    return this.newRecord(chunk);
  }

  newRecord(chunk: NewEvent | JournaledEvent): OutputText {
    return new OutputText(chunk.event, this.segmenter, this.defaultLanguage, this.codeBlocks.openingOf(chunk));
  }

  /** Gives a record boundaries with text that was scanned ahead. */
  put(record: OutputText, boundaries: TextBoundaries): void {
    record.boundaries = boundaries;
    this.records.set(record.key, record);
  }

  /** Drops a record that no view followed, and text that no view holds. Call it when all views have taken a chunk. */
  settle(rendered: RenderedEntry, lowestHeld: (key: string) => number | undefined): void {
    const text = this.records.get(rendered.output);
    if (text === undefined) return;
    if (text.newest?.rendered !== rendered || rendered.entry.event.complete === true) {
      this.records.delete(text.key);
      return;
    }
    const length = text.newest.end;
    if (length - text.forgottenAt < FORGET_STEP_UNITS && text.chunks.length < MOST_CHUNKS) return;
    text.forgottenAt = length;
    text.forget(lowestHeld(text.key) ?? length);
  }
}
