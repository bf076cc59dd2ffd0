// R10: how much of a text that is held back is read while it grows. Characters are counted where they are read: none may be read again with
// every token that follows it.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { RetainedText } from "../../../src/engine/text/retained-text.js";
import { CodeBlocks } from "../../../src/engine/views/code-blocks.js";
import { HeldTexts } from "../../../src/engine/views/held-texts.js";
import { type OutputText, OutputTexts } from "../../../src/engine/views/output-texts.js";
import { type InternedShape, RenderedEntry, type TextUnit } from "../../../src/engine/views/unit.js";
import type { ViewTerms } from "../../../src/engine/views/view-terms.js";
import { segmenter } from "../text/text-boundaries-support.js";

interface Stage {
  readonly texts: HeldTexts;
  readonly given: TextUnit[];
  /** Characters handed out to be read, or to be searched for a place to cut. */
  readonly readCount: () => number;
  /** How often the other fields of the text's events were read as a whole, which is what an encoding of them does. */
  readonly fieldReadCount: () => number;
  readonly push: (chunk: string, complete?: boolean) => void;
}

function chunkEvent(epoch: number, position: number, chunk: string, complete: boolean, output = "out_1"): AgentEvent {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:agent.output.streaming",
    event_id: `evt_${epoch}`,
    session_id: "sess_1",
    timestamp: "2026-05-24T14:00:00.000Z",
    producer: { agent_id: "agent" },
    output_id: output,
    position,
    chunk,
    complete,
  };
}

function renderedOf(event: AgentEvent, epoch: number): RenderedEntry {
  return new RenderedEntry({
    event,
    kind: "output.streaming",
    source: undefined,
    at: 0,
    ordinal: epoch,
    made: undefined,
    epoch,
  });
}

/** Half a sentence of each of many outputs, and how often it is looked up whose they are, or which chunk stands somewhere in them. */
function manyOutputs(): {
  readonly texts: HeldTexts;
  readonly given: TextUnit[];
  readonly lookCount: () => number;
  readonly pushTo: (output: number) => void;
} {
  let looks = 0;
  let epoch = 0;
  const given: TextUnit[] = [];
  const counting = (record: OutputText): OutputText => {
    const { session } = record;
    const chunkAt = record.chunkAt.bind(record);
    return Object.defineProperties(record, {
      chunkAt: {
        value: (offset: number) => {
          looks += 1;
          return chunkAt(offset);
        },
      },
      session: {
        get: () => {
          looks += 1;
          return session;
        },
      },
    });
  };
  const texts = heldTexts(termsOf("sentence", 16_384), counting, given);
  return {
    texts,
    given,
    lookCount: () => looks,
    pushTo: (output) => {
      epoch += 1;
      const id = `out_${output}`;
      texts.push(renderedOf(chunkEvent(epoch, 0, "Half", false, id), epoch), 0);
    },
  };
}

const CODE_BLOCKS = new CodeBlocks({ at: () => undefined, oldest: () => 1, head: () => 0 });

/** Held text of which each record is changed by `change` when it begins. */
function heldTexts(terms: ViewTerms, change: (record: OutputText) => OutputText, given: TextUnit[]): HeldTexts {
  const outputs = new OutputTexts(segmenter, "en-US", CODE_BLOCKS);
  const begun = outputs.newRecord.bind(outputs);
  outputs.newRecord = (chunk) => change(begun(chunk));
  const services = { outputs, wakeUps: { at: () => () => undefined }, maxHoldMs: () => 5000 };
  return new HeldTexts(terms, services, { epoch: 0, timestamps: new Map() }, (unit) => void given.push(unit));
}

function termsOf(level: ViewTerms["level"], maxChars: number): ViewTerms {
  const shape: InternedShape = {
    key: "plain",
    verbosity: "normal",
    languages: [],
    defaultLanguage: "en",
    words: undefined,
  };
  return {
    key: "view",
    shape,
    wants: () => true,
    passThrough: false,
    level,
    maxChars,
    carriesExtensions: () => false,
  };
}

function stage(level: ViewTerms["level"], maxChars: number): Stage {
  let reads = 0;
  let fieldReads = 0;
  let epoch = 0;
  let position = 0;
  const given: TextUnit[] = [];
  const slice = RetainedText.prototype.slice;
  vi.spyOn(RetainedText.prototype, "slice").mockImplementation(function (this: RetainedText, from, to) {
    const text = slice.call(this, from, to);
    reads += text.length;
    return text;
  });
  const texts = heldTexts(termsOf(level, maxChars), (record) => record, given);
  return {
    texts,
    given,
    readCount: () => reads,
    fieldReadCount: () => fieldReads,
    push: (chunk, complete = false) => {
      epoch += 1;
      const event: AgentEvent = {
        ...chunkEvent(epoch, position, chunk, complete),
        get note() {
          fieldReads += 1;
          return "read with all other fields";
        },
      };
      position += chunk.length;
      texts.push(renderedOf(event, epoch), 0);
    },
  };
}

/** Every character is read a few times: when it comes, when it is measured, when a place to cut is looked for, and when its piece is made. */
const MOST_READS_PER_CHARACTER = 6;

afterEach(() => vi.restoreAllMocks());

describe("R10: the work on text that is held back", () => {
  for (const level of [undefined, "sentence"] as const) {
    const name = level ?? "completion";
    it(`reads each character of a text without a sentence end a few times, however many tokens follow it: ${name}`, () => {
      const { push, given, readCount, fieldReadCount } = stage(level, 16_384);
      const token = "again and ";
      const count = 16_000;
      for (let index = 0; index < count; index += 1) push(token, index === count - 1);
      expect(given.map((unit) => unit.text).join("")).toBe(token.repeat(count));
      expect(given.length).toBeGreaterThan(9);
      expect(readCount()).toBeLessThan(MOST_READS_PER_CHARACTER * token.length * count);
      // An encoding is made once an event that is given, not once a token.
      expect(fieldReadCount()).toBeLessThanOrEqual(2 * given.length);
    });
  }
});

describe("R34: text that no view holds any more", () => {
  it("is forgotten in steps, but for the sentence that goes on", () => {
    const outputs = new OutputTexts(segmenter, "en", CODE_BLOCKS);
    const oldest = Array.from({ length: 8 }, (_, index) => {
      const rendered = renderedOf(chunkEvent(index + 1, index * 1030, "It is so. ".repeat(103), false), index + 1);
      const text = outputs.textFor(rendered);
      text.boundaries.scanTo(text.chunkOf(rendered, 0).end);
      outputs.settle(rendered, () => undefined);
      return text.chunkAt(0)?.start;
    });
    expect(oldest).toEqual([0, 1030, 1030, 3090, 3090, 5150, 5150, 7210]);
  });
});

describe("R17: the work on an event while much text of others is held back", () => {
  const COUNT = 2_000;

  it("looks at a few of them for each that comes, and for each that is released at once", () => {
    const { texts, given, lookCount, pushTo } = manyOutputs();
    for (let index = 0; index < COUNT; index += 1) pushTo(index);
    expect(texts.lowestEpoch()).toBe(1);
    const other = chunkEvent(COUNT, 0, "", false);
    for (let come = 0; come < COUNT; come += 1)
      texts.releaseFor(renderedOf({ ...other, session_id: "sess_2" }, COUNT), 0);
    expect(given).toHaveLength(0);
    texts.releaseAll(0);
    expect(given).toHaveLength(COUNT);
    expect(given.map(({ firstEpoch }) => firstEpoch)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    expect(lookCount()).toBeLessThan(20 * COUNT);
  });
});
