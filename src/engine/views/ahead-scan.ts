// Text that is scanned for boundaries before its chunks are pushed, in steps, so that a long text makes no turn long (R34). The scan works on a copy
// of the boundaries of its output, which takes their place when the chunks are pushed. Until then no view sees it.

import { type NewEvent, outputKey } from "../event/event.js";
import type { CutLevel, TextBoundaries } from "../text/text-boundaries.js";
import type { OutputText, OutputTexts } from "./output-texts.js";

/** UTF-16 units of a step. */
const STEP_UNITS = 256;

export class AheadScan {
  private readonly texts: readonly AheadText[];

  /** `events` are as they will be pushed. */
  constructor(events: readonly NewEvent[], outputs: OutputTexts) {
    this.texts = Array.from(chunksOf(events), ([output, chunks]) => new AheadText(output, chunks, outputs));
  }

  /** Scans a step, for views that cut at this level. Returns whether text is left. */
  step(level: CutLevel | undefined): boolean {
    return this.texts.some((text) => text.step(level));
  }

  /**
   * Gives the records their scanned boundaries; call it before the events are pushed. An output gets nothing if other text was pushed there, or other
   * text is to be pushed.
   */
  moveIn(events: readonly NewEvent[]): void {
    const pushed = chunksOf(events);
    for (const text of this.texts) text.moveIn(pushed.get(text.output) ?? []);
  }
}

function chunksOf(events: readonly NewEvent[]): ReadonlyMap<string, readonly NewEvent[]> {
  const byOutput = new Map<string, NewEvent[]>();
  for (const one of events) {
    if (one.kind !== "output.streaming") continue;
    const output = outputKey(one.event);
    const chunks = byOutput.get(output);
    if (chunks === undefined) byOutput.set(output, [one]);
    else chunks.push(one);
  }
  return byOutput;
}

/** The chunks of one output. */
class AheadText {
  readonly output: string;
  private readonly chunks: readonly NewEvent[];
  private readonly outputs: OutputTexts;
  // The record that the chunks continue, the one that was known then, and the length of its text when the scan began.
  private record: OutputText | undefined;
  private known: OutputText | undefined;
  private start = 0;
  private boundaries: TextBoundaries | undefined;
  private level: CutLevel | undefined;
  private scannedTo = 0;

  constructor(output: string, chunks: readonly NewEvent[], outputs: OutputTexts) {
    this.output = output;
    this.chunks = chunks;
    this.outputs = outputs;
  }

  step(level: CutLevel | undefined): boolean {
    // Words are searched for beside sentences, so the text is read anew for the first view that cuts at them.
    const isNewLevel = level === "word" && this.level !== "word";
    const boundaries = this.isCurrent() && !isNewLevel ? this.boundaries : this.begin(level);
    if (boundaries === undefined) return false;
    this.scannedTo = Math.min(this.scannedTo + STEP_UNITS, boundaries.length);
    boundaries.scanTo(this.scannedTo, level);
    return this.scannedTo < boundaries.length;
  }

  moveIn(pushed: readonly NewEvent[]): void {
    const { record, boundaries, chunks, outputs } = this;
    const isSame = pushed.length === chunks.length && pushed.every((chunk, index) => isAlike(chunk, chunks[index]));
    if (record !== undefined && boundaries !== undefined && isSame && this.isCurrent()) outputs.put(record, boundaries);
  }

  private isCurrent(): boolean {
    const { record, known, outputs } = this;
    return record?.boundaries.length === this.start && outputs.known(this.output) === known;
  }

  private begin(level: CutLevel | undefined): TextBoundaries | undefined {
    this.level = level;
    const [first] = this.chunks;
    if (first === undefined) return undefined;
    const record = this.outputs.recordBefore(first);
    const boundaries = record.boundaries.copy();
    for (const { event } of this.chunks) record.appendTo(boundaries, event);
    this.record = record;
    this.known = this.outputs.known(this.output);
    this.start = record.boundaries.length;
    this.scannedTo = this.start;
    this.boundaries = boundaries;
    return boundaries;
  }
}

/** Whether two chunks are scanned alike at the same place. */
function isAlike({ event: one }: NewEvent, other: NewEvent | undefined): boolean {
  const members = ["chunk", "position", "complete", "content_type", "language"] as const;
  return (
    other !== undefined &&
    members.every((member) => one[member] === other.event[member]) &&
    one.localization_hints?.primary_language === other.event.localization_hints?.primary_language
  );
}
