// The outputs that views follow, by key. A record that no view asks a chunk for is dropped, so that no record has holes.
import type { Segmenter } from "../../contracts/segmenter.js";
import type { CodeBlocks } from "./code-blocks.js";
import { OutputText, positionIn } from "./output-text.js";
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

  all(): Iterable<OutputText> {
    return this.records.values();
  }

  /** The record of a chunk's output. After missing chunks (R27) a new one begins. */
  textFor(rendered: RenderedEntry): OutputText {
    const known = this.records.get(rendered.output);
    if (known?.newest?.rendered === rendered) return known;
    if (known !== undefined && known.endPosition === positionIn(rendered.entry.event)) return known;
    const text = this.textOfOne(rendered);
    this.records.set(rendered.output, text);
    return text;
  }

  /** A record of one chunk alone, for a chunk that is too long to leave whole. */
  textOfOne(rendered: RenderedEntry): OutputText {
    const opening = this.codeBlocks.openingOf(rendered.entry);
    return new OutputText(rendered, this.segmenter, this.defaultLanguage, opening);
  }

  /** Drops a record that no view followed, and text that no view holds. Call it when all views have taken a chunk. */
  settle(rendered: RenderedEntry, lowestHeld: (key: string) => number | undefined): void {
    const text = this.records.get(rendered.output);
    if (text === undefined) return;
    if (text.newest?.rendered !== rendered || rendered.entry.event.complete === true) {
      this.records.delete(text.key);
      return;
    }
    const length = text.boundaries.length();
    if (length - text.forgottenAt < FORGET_STEP_UNITS && text.chunks.length < MOST_CHUNKS) return;
    text.forgottenAt = length;
    text.forget(lowestHeld(text.key) ?? length);
  }
}
