// The fences, lists and heads of tables that stand open where units end (R37). Where that is not remembered, the output is read back in the journal.

import { codePointCount } from "../../base/code-points.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { Journal } from "../../contracts/journal.js";
import type { OpenText } from "../../speakable/index.js";
import { outputKey, positionIn } from "../event/chunk-place.js";
import type { AgentEvent, Epoch } from "../event/event.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import { offsetOfCodePoint } from "../text/counted-text.js";

/** "lost": what stood in front is not known any more. Undefined at the beginning of an output. */
export type Opening = OpenText | "lost" | undefined;

interface Place {
  /** In code points from the start of the output. */
  readonly position: number;
  readonly opening: Opening;
}

/** Most outputs, and places of each: subscriptions with other terms get the text in other pieces. */
const MOST_OUTPUTS = 512;
const MOST_PLACES = 8;
/** Longest text that is read back, in UTF-16 units, and most events passed over on the way. */
const LONGEST_READ = 16_384;
const MOST_PASSED = 16_384;

export interface OpenTextServices {
  readonly journal: Pick<Journal, "at" | "oldest">;
  readonly steps: EpochSteps;
}

export class OpenTexts {
  private readonly journal: OpenTextServices["journal"];
  private readonly steps: EpochSteps;
  private readonly known = new Map<string, readonly Place[]>();

  constructor({ journal, steps }: OpenTextServices) {
    this.journal = journal;
    this.steps = steps;
  }

  /** The opening of a chunk, of which the first part was published at `epoch`. `read` reads a text that goes on from an opening. */
  before(chunk: AgentEvent, epoch: Epoch, read: (text: string, open: OpenText | undefined) => OpenText): Opening {
    const position = positionIn(chunk);
    let nearest: Place = { position: 0, opening: undefined };
    for (const place of this.known.get(outputKey(chunk)) ?? [])
      if (place.position <= position && place.position > nearest.position) nearest = place;
    if (nearest.position === position || nearest.opening === "lost") return nearest.opening;
    const text = this.textBetween(nearest.position, chunk, epoch);
    const opening = text === undefined ? "lost" : read(text, nearest.opening);
    this.note(chunk, position, opening);
    return opening;
  }

  note(chunk: AgentEvent, position: number, opening: Opening): void {
    const output = outputKey(chunk);
    const places = (this.known.get(output) ?? []).filter((place) => place.position !== position);
    this.known.delete(output);
    this.known.set(output, [...places, { position, opening }].slice(-MOST_PLACES));
    keepNewest(this.known, MOST_OUTPUTS);
  }

  /** The text of the chunk's output from a position to the chunk; undefined if it is too long, or not held any more. */
  private textBetween(from: number, chunk: AgentEvent, chunkEpoch: Epoch): string | undefined {
    const { journal, steps } = this;
    const { session_id: sessionId, output_id: id } = chunk;
    const only = { sessionId, kind: "output.streaming", outputId: typeof id === "string" ? id : "" } as const;
    const oldest = journal.oldest();
    let text = "";
    let start = positionIn(chunk);
    for (let epoch = chunkEpoch, passed = 0; epoch >= oldest && passed < MOST_PASSED; passed += 1) {
      const event = journal.at(epoch, only)?.event;
      epoch = steps.previous(epoch);
      if (event === undefined || positionIn(event) > start) continue;
      const published = String(event.chunk ?? "");
      const position = positionIn(event);
      if (position + codePointCount(published) < start) return undefined;
      const skipped = Math.max(0, from - position);
      text =
        published.slice(offsetOfCodePoint(published, skipped), offsetOfCodePoint(published, start - position)) + text;
      start = position;
      if (start <= from) return text;
      if (text.length > LONGEST_READ) return undefined;
    }
    return undefined;
  }
}
