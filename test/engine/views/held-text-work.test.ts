// R10: how much of a text that is held back is read while it grows. Characters are counted where they are read: none may be read again with
// every token that follows it.
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { finish } from "../../../src/engine/time/steps.js";
import { createWakeUps } from "../../../src/engine/time/wake-ups.js";
import { createHeldTexts } from "../../../src/engine/views/held-text.js";
import type { HeldTexts } from "../../../src/engine/views/held-text-spec.js";
import { createOutputBuffers } from "../../../src/engine/views/output-buffers.js";
import { createOutputText, type OutputText } from "../../../src/engine/views/output-text.js";
import {
  createSharedRendering,
  type InternedShape,
  type SharedRendering,
} from "../../../src/engine/views/shared-rendering.js";
import type { TextUnit } from "../../../src/engine/views/unit.js";
import type { ViewTerms } from "../../../src/engine/views/view-spec.js";
import { segmenter } from "../text/text-boundaries-support.js";

const KEY = "sess_1/out_1";

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

function liveOf(event: AgentEvent, epoch: number): SharedRendering {
  return createSharedRendering({
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
  const opened = (live: SharedRendering, key: string): OutputText => {
    const record = createOutputText(key, live, segmenter, "en-US", "");
    const chunkAt = (offset: number): ReturnType<OutputText["chunkAt"]> => {
      looks += 1;
      return record.chunkAt(offset);
    };
    return {
      ...record,
      chunkAt,
      get session() {
        looks += 1;
        return record.session;
      },
    };
  };
  const texts = createHeldTexts({
    terms: termsOf("sentence", 16_384),
    services: {
      outputText: opened,
      chunkOf: (record, live, at) => record.append(live, at),
      textOfOne: opened,
      wakeUps: { at: () => () => undefined },
      isBehind: () => false,
      maxHoldMs: 5000,
      renderText: (unit) => unit.base,
    },
    epoch: () => epoch,
    lastTimestamp: () => undefined,
    standsAt: (_session, timestamp) => timestamp,
    append: (unit) => void given.push(unit),
    passedBy: () => undefined,
  });
  return {
    texts,
    given,
    lookCount: () => looks,
    pushTo: (output) => {
      epoch += 1;
      const id = `out_${output}`;
      texts.push(liveOf(chunkEvent(epoch, 0, "Half", false, id), epoch), `sess_1/${id}`, 0);
    },
  };
}

function termsOf(level: ViewTerms["level"], maxChars: number): ViewTerms {
  const shape: InternedShape = { key: "plain", apply: (event) => event };
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
  let text: OutputText | undefined;
  const given: TextUnit[] = [];
  const counting = (record: OutputText): OutputText => {
    const { slice, cutWithin } = record.boundaries;
    const boundaries: OutputText["boundaries"] = {
      ...record.boundaries,
      slice: (from, to) => {
        reads += to - from;
        return slice(from, to);
      },
      cutWithin: (from, to, maxCodePoints, maxBytes) => {
        // It reads no more than can fit, with some characters behind that (see text-boundaries.ts).
        reads += Math.min(to - from, 2 * maxCodePoints + 100);
        return cutWithin(from, to, maxCodePoints, maxBytes);
      },
    };
    return { ...record, boundaries };
  };
  const texts = createHeldTexts({
    terms: termsOf(level, maxChars),
    services: {
      outputText: (live) => {
        text ??= counting(createOutputText(KEY, live, segmenter, "en-US", ""));
        return text;
      },
      chunkOf: (record, live, at) => record.append(live, at),
      textOfOne: (live) => createOutputText(KEY, live, segmenter, "en-US", ""),
      wakeUps: { at: () => () => undefined },
      isBehind: () => false,
      maxHoldMs: 5000,
      renderText: (unit) => unit.base,
    },
    epoch: () => epoch,
    lastTimestamp: () => undefined,
    standsAt: (_session, timestamp) => timestamp,
    append: (unit) => void given.push(unit),
    passedBy: () => undefined,
  });
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
      finish(texts.push(liveOf(event, epoch), KEY, 0));
    },
  };
}

/** Every character is read a few times: when it comes, when a place to cut is looked for, when its piece is made, and when it goes. */
const MOST_READS_PER_CHARACTER = 6;

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
    const buffers = createOutputBuffers(segmenter, "en", { openingOf: () => "", rememberedCount: () => 0 });
    const oldest = Array.from({ length: 8 }, (_, index) => {
      const live = liveOf(chunkEvent(index + 1, index * 1030, "It is so. ".repeat(103), false), index + 1);
      const text = buffers.textFor(live, KEY);
      text.boundaries.scanTo(buffers.chunkOf(text, live, 0).end);
      buffers.settle(live, KEY, () => undefined);
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
    for (let asked = 0; asked < COUNT; asked += 1) expect(texts.lowestEpoch(COUNT + 1)).toBe(1);
    const other = chunkEvent(COUNT, 0, "", false);
    for (let come = 0; come < COUNT; come += 1) texts.releaseFor(liveOf({ ...other, session_id: "sess_2" }, COUNT), 0);
    expect(given).toHaveLength(0);
    texts.releaseAll(0);
    expect(given).toHaveLength(COUNT);
    expect(given.map(({ firstEpoch }) => firstEpoch)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    expect(lookCount()).toBeLessThan(20 * COUNT);
  });
});

describe("R10, R34: text that is due while its view is behind", () => {
  it("is not taken for an output that fell silent: it waits until the view has taken what was published", () => {
    const wakeUps = createWakeUps();
    let isBehind = true;
    const given: TextUnit[] = [];
    let record: OutputText | undefined;
    const opened = (live: SharedRendering): OutputText => {
      record ??= createOutputText(KEY, live, segmenter, "en", "");
      return record;
    };
    const texts = createHeldTexts({
      terms: termsOf("sentence", 16_384),
      services: {
        outputText: opened,
        chunkOf: (text, live, at) => text.append(live, at),
        textOfOne: opened,
        wakeUps,
        isBehind: () => isBehind,
        maxHoldMs: 5000,
        renderText: (unit) => unit.base,
      },
      epoch: () => 1,
      lastTimestamp: () => undefined,
      standsAt: (_session, timestamp) => timestamp,
      append: (unit) => void given.push(unit),
      passedBy: () => undefined,
    });
    texts.push(liveOf(chunkEvent(1, 0, "Half a sen", false), 1), KEY, 0);
    wakeUps.advance(5000);
    wakeUps.advance(7000);
    expect(given).toEqual([]);
    isBehind = false;
    wakeUps.advance(8000);
    expect(given.map(({ text }) => text)).toEqual(["Half a sen"]);
  });
});
