// The outputs that views follow, by key. A record that no view asks a chunk for is dropped, so that no record has holes.

import type { Segmenter } from "../../contracts/segmenter.js";
import { outputKey, positionIn } from "../event/chunk-place.js";
import type { JournaledEvent, NewEvent } from "../event/event.js";
import type { TextBoundaries } from "../text/text-boundaries.js";
import type { CodeBlocks } from "./code-blocks.js";
import { OutputText } from "./output-text.js";
import type { RenderedEntry } from "./rendered-entry.js";

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
