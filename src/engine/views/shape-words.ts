// The words beside each text of an event, for speech and braille, in the form that a shape asks for (R37): the module that finds them, and the
// fences, lists and heads of tables that stand open where units end.
import { codePointCount, encodedBytes } from "../../base/code-points.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type {
  Leaf,
  lastPart,
  OpenText,
  revealed,
  SpeakableOptions,
  speakable,
  speakablePart,
} from "../../speakable/index.js";
import { type AgentEvent, type Epoch, isQuestionKind, outputKey, positionIn, topicKind } from "../event/event.js";
import { withOwnMark } from "../event/own-members.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import { readableTexts, SUMMARY_FIELDS } from "../terms/readable-fields.js";
import type { SpeakableChoices } from "../terms/terms.js";
import { offsetOfCodePoint } from "../text/counted-text.js";
import { chunksBackFrom } from "./code-blocks.js";
import { roomBeside } from "./text-room.js";

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
/** Longest text that is read back, in UTF-16 units. */
const LONGEST_READ = 16_384;

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
    let text = "";
    let start = positionIn(chunk);
    for (const { event } of chunksBackFrom(chunkEpoch, chunk, this.journal, this.steps)) {
      if (positionIn(event) > start) continue;
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

/** The functions of `src/speakable` that the engine needs. */
export interface SpeakableModule {
  readonly speakable: typeof speakable;
  readonly speakablePart: typeof speakablePart;
  readonly lastPart: typeof lastPart;
  readonly revealed: typeof revealed;
}

export interface SpeakerServices extends OpenTextServices {
  readonly log: Log;
  /** Called when the first subscription asks for words: most daemons never need the module. */
  readonly loadSpeakable: () => Promise<SpeakableModule>;
}

export class Speaker {
  /** Undefined until it is loaded, and if that failed. */
  module: SpeakableModule | undefined;
  readonly openTexts: OpenTexts;
  private readonly services: SpeakerServices;
  private loaded: "no" | "yes" | Promise<void> = "no";

  constructor(services: SpeakerServices) {
    this.services = services;
    this.openTexts = new OpenTexts(services);
  }

  /** Resolves when words can be had; undefined if they can. Texts that leave before get none. If the module does not load, none ever do. */
  loading(): Promise<void> | undefined {
    if (this.loaded === "no") this.loaded = this.load();
    return this.loaded === "yes" ? undefined : this.loaded;
  }

  private async load(): Promise<void> {
    const { loadSpeakable, log } = this.services;
    try {
      this.module = await loadSpeakable();
    } catch (caught) {
      log.error({ err: caught }, "the words of speakable text could not be loaded; texts are delivered without");
    }
    this.loaded = "yes";
  }
}

/** A leaf as it is delivered: `in` only where there is something. */
type Segment = Omit<Leaf, "in"> & Partial<Pick<Leaf, "in">>;

/** Most text of one event that gets words, in UTF-16 units; longer texts are said as they are. A text of 2,000 takes some milliseconds (R34). */
const MOST_DESCRIBED = 4_000;
/** Text that gets words within one turn, in UTF-16 units; what is under way is finished. */
export const MOST_WORK_AT_ONCE = 2_000;
/** Code points shown of a question's text whose characters are nearly all named. */
const FEW_REVEALED = 200;

export class ShapeWords {
  /** UTF-16 units that got words so far. */
  work = 0;
  private readonly speaker: Speaker;
  private readonly choices: SpeakableChoices;
  private readonly defaultLanguage: string;

  constructor(speaker: Speaker, choices: SpeakableChoices, defaultLanguage: string) {
    this.speaker = speaker;
    this.choices = choices;
    this.defaultLanguage = defaultLanguage;
  }

  /** The event with words beside its texts. `epoch`: of its first chunk. A text gets none where they do not fit into the event's 64 KiB (R10). */
  beside(event: AgentEvent, epoch: Epoch): AgentEvent {
    const texts = this.speaker.module === undefined ? [] : [...readableTexts(event)];
    if (texts.length === 0) return event;
    // A person must hear what is asked, whatever room its summaries take.
    if (isQuestionKind(topicKind(event.type)))
      texts.sort(([one], [other]) => Number(SUMMARY_FIELDS.has(one)) - Number(SUMMARY_FIELDS.has(other)));
    const speakable: Record<string, readonly Segment[]> = {};
    let room = roomBeside(withOwnMark(event, { speakable }));
    let left = MOST_DESCRIBED;
    for (const [name, text] of texts) {
      for (const segments of this.forms(name, text, left, event, epoch)) {
        const bytes = encodedBytes(JSON.stringify({ [name]: segments }), false);
        if (bytes > room) continue;
        room -= bytes;
        speakable[name] = segments;
        break;
      }
      left = Math.max(0, left - text.length);
    }
    this.work += MOST_DESCRIBED - left;
    return withOwnMark(event, { speakable });
  }

  /** The words for a text, and shorter ones. At most `left` of it is described. */
  private *forms(
    name: string,
    text: string,
    left: number,
    event: AgentEvent,
    epoch: Epoch,
  ): Iterable<readonly Segment[]> {
    const { module } = this.speaker;
    const primary = event.localization_hints?.primary_language ?? this.defaultLanguage;
    const language = name === "chunk" && typeof event.language === "string" ? event.language : primary;
    const options = { ...this.choices, language };
    if (module === undefined) return;
    if (isQuestionKind(topicKind(event.type))) {
      // Consent is shown, not cleaned.
      for (const limit of [Math.max(left, FEW_REVEALED), FEW_REVEALED]) {
        const shown = module.revealed(text, { language, limit });
        yield [whole("prose", text, shown.speech, shown.text)];
      }
      return;
    }
    if (text.length <= left)
      yield (name === "chunk" ? this.chunk(event, text, epoch, options, module) : module.speakable(text, options)).map(
        segmentOf,
      );
    yield [whole("unknown", text, text, text)];
  }

  /** The leaves of a chunk, which goes on from what stands open in front of it. Their places are those in the chunk. */
  private chunk(
    event: AgentEvent,
    text: string,
    epoch: Epoch,
    options: SpeakableOptions,
    module: SpeakableModule,
  ): readonly Leaf[] {
    const { openTexts } = this.speaker;
    const opening = openTexts.before(event, epoch, (before, open) => {
      this.work += before.length;
      return module.speakablePart(before, options, open).open;
    });
    const end = positionIn(event) + codePointCount(text);
    if (opening === "lost") {
      openTexts.note(event, end, opening);
      return [{ ...whole("unknown", text, text, text), in: [] }];
    }
    const from = opening?.position ?? 0;
    const part = event.complete === true ? undefined : module.speakablePart(text, options, opening);
    if (part !== undefined) openTexts.note(event, end, part.open);
    const leaves = part?.leaves ?? module.lastPart(text, options, opening);
    return from === 0 ? leaves : leaves.map((leaf) => ({ ...leaf, from: leaf.from - from, to: leaf.to - from }));
  }
}

function whole(kind: "prose" | "unknown", text: string, speech: string, braille: string): Segment {
  return { kind, from: 0, to: codePointCount(text), speech, braille };
}

function segmentOf({ in: blocks, ...leaf }: Leaf): Segment {
  return blocks.length === 0 ? leaf : { ...leaf, in: blocks };
}
