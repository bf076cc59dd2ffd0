// The words beside each text of an event, for speech and braille, in the form that a shape asks for (R37).

import { codePointCount } from "../../base/code-points.js";
import type { Leaf, SpeakableOptions } from "../../speakable/index.js";
import { positionIn } from "../event/chunk-place.js";
import { type AgentEvent, type Epoch, isQuestionKind, topicKind } from "../event/event.js";
import { withOwnMark } from "../event/own-members.js";
import { readableTexts, SUMMARY_FIELDS } from "../terms/readable-fields.js";
import type { SpeakableChoices } from "../terms/terms.js";
import type { SpeakableModule, Speaker } from "./speaker.js";
import { encodedBytes, roomBeside } from "./text-room.js";

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
