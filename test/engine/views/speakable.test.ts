// R37: words beside each text, for subscriptions that ask for them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SpeakableChoices, Terms } from "../../../src/engine/terms/terms.js";
import type { SpeakableModule } from "../../../src/engine/views/shape-words.js";
import * as speakable from "../../../src/speakable/index.js";
import { casesOf } from "../../support/extent.js";
import {
  createEngineRig,
  cursorAfter,
  type EngineRig,
  type Listener,
  type Received,
  type RigOptions,
  session,
} from "../../support/rigs/engine-rig.js";

const SPEAKABLE: SpeakableChoices = { code: "announce", links: "host", emoji: "name" };
const ASKS: Partial<Terms> = { speakable: SPEAKABLE, maxChars: 2000 };
const FULL = 65_536;

interface Segment {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly speech: string;
  readonly in?: readonly { readonly kind: string; readonly index?: number }[];
}

/** The segments of a text. */
function segmentsOf({ event }: Pick<Received, "event">, field = "chunk"): readonly Segment[] {
  const words = event.extensions?.aaepd?.speakable as Readonly<Record<string, readonly Segment[]>> | undefined;
  return words?.[field] ?? [];
}

function speechOf(received: Pick<Received, "event">, field = "chunk"): string {
  return segmentsOf(received, field)
    .map(({ speech }) => speech)
    .join("");
}

/** A rig in which the words are there. */
async function rigWithWords(options: RigOptions = {}): Promise<EngineRig> {
  const rig = createEngineRig(options);
  rig.listen(ASKS, "first").subscription.close();
  await rig.engine.settled;
  await new Promise(setImmediate);
  return rig;
}

/** The module, and how often each text was put into words. */
function counting(): { readonly module: SpeakableModule; readonly calls: readonly string[] } {
  const calls: string[] = [];
  const count =
    <Rest extends readonly unknown[], Result>(work: (text: string, ...rest: Rest) => Result) =>
    (text: string, ...rest: Rest): Result => {
      calls.push(text);
      return work(text, ...rest);
    };
  const { speakable: whole, speakablePart, lastPart, revealed } = speakable;
  const module = {
    speakable: count(whole),
    speakablePart: count(speakablePart),
    lastPart: count(lastPart),
    revealed: count(revealed),
  };
  return { module, calls };
}

describe("R37: words beside texts", () => {
  it("come to those that ask, with the second vocabulary, and change no text", async () => {
    const rig = await rigWithWords();
    const [plain, asks] = [rig.listen(), rig.listen(ASKS)];
    rig.publish(session().started(), session().chunk("Run `npm test`: **50%** done.", true));
    const [started, chunk] = asks.received as [Received, Received];
    expect(speechOf(started, "summary_normal")).toBe("Begins.");
    expect(speechOf(chunk)).toBe("Run npm test: 50 percent done.");
    expect(segmentsOf(chunk).map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["prose", 0, 4],
      ["inline-code", 4, 14],
      ["prose", 14, 29],
    ]);
    expect(chunk.event["@context"]).toEqual(["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"]);
    const { extensions, "@context": context, event_id: id, ...rest } = chunk.event;
    const { "@context": plainContext, event_id: plainId, ...same } = plain.received[1]?.event ?? {};
    expect(rest).toEqual(same);
    expect([context === plainContext, extensions === undefined, id === plainId]).toEqual([false, false, false]);
  });

  it("wait until the module is loaded, which the first that asks begins, and hold up nobody else", async () => {
    let loads = 0;
    let loaded: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => {
      loaded = resolve;
    });
    const rig = createEngineRig({
      loadSpeakable: async () => {
        loads += 1;
        await loading;
        return speakable;
      },
    });
    const plain = rig.listen();
    expect(loads).toBe(0);
    const asks = [rig.listen(ASKS), rig.listen({ ...ASKS, supportsConfirmationReply: true })];
    rig.publish(session().started(), session().confirmation("rpl_1"));
    expect([loads, plain.received.length, ...asks.map(({ received }) => received.length)]).toEqual([1, 2, 0, 0]);
    expect(asks[0]?.subscription.drain()).toEqual({ kind: "later" });
    loaded();
    await new Promise(setImmediate);
    rig.advance(0);
    const spoken = asks.map(({ received }) =>
      received.flatMap((one) => [...segmentsOf(one, "summary_normal"), ...segmentsOf(one, "action")]),
    );
    expect(spoken.map(([begins]) => begins?.speech)).toEqual(["Begins.", "Begins."]);
    expect(spoken[1]?.at(-1)?.speech).toBe("Delete the file.");
  });

  it("are missing where the module does not load", async () => {
    const rig = await rigWithWords({ loadSpeakable: () => Promise.reject(new Error("gone")) });
    const asks = rig.listen(ASKS);
    rig.publish(session().started());
    expect([asks.received.length, asks.received[0]?.event.extensions, rig.errors.length]).toEqual([1, undefined, 1]);
  });

  it("are made once for a hundred listeners of one shape", async () => {
    const { module, calls } = counting();
    const rig = await rigWithWords({ loadSpeakable: async () => module });
    const listeners = Array.from({ length: 100 }, () => rig.listen(ASKS));
    rig.publish(
      session().started(),
      session().chunk("One. "),
      session().chunk("Two. "),
      session().chunk("Three.", true),
    );
    expect(calls).toEqual(["Begins.", "One. ", "Two. ", "Three."]);
    expect(listeners.map(({ received }) => received.length)).toEqual(Array.from(listeners, () => 4));
    const others = rig.listen({ ...ASKS, speakable: { ...SPEAKABLE, links: "full" } });
    rig.publish(session().chunk("Four.", true, "out_2"));
    expect(calls.filter((text) => text === "Four.")).toHaveLength(2);
    expect(others.received.at(-1)?.event.chunk).toBe("Four.");
  });

  it("say a field that is asked about as it is, with what is not seen", async () => {
    const rig = await rigWithWords();
    const asks = rig.listen({ ...ASKS, supportsConfirmationReply: true });
    rig.publish(session().started(), session().confirmation("rpl_1", { action: "Open **\u202egnp.exe**" }));
    const question = asks.received.at(-1) as Received;
    expect(segmentsOf(question, "action")).toEqual([
      expect.objectContaining({ from: 0, to: 17, braille: "Open **[right-to-left override]gnp.exe**" }),
    ]);
    const [listed] = asks.subscription.listener.openQuestions().events;
    expect(listed?.extensions).toEqual(question.event.extensions);
    // Its summaries take nothing from it.
    const texts = { action: `Open ${"\u202e".repeat(300)}`, summary_normal: "x".repeat(4000) };
    rig.publish(session().confirmation("rpl_2", texts));
    const [action] = segmentsOf(asks.received.at(-1) as Received, "action");
    expect(String((action as { braille?: string } | undefined)?.braille).match(/override/g)).toHaveLength(300);
  });
});

describe("R37: after a place in the middle of an output", () => {
  const lines = Array.from({ length: 40 }, (_, line) => `let a${line} = ${line};\n`);
  const publishAll = (rig: EngineRig): void => {
    rig.publish(session().started(), session().chunk("Code:\n\n```js\n"));
    for (const line of lines) rig.publish(session().chunk(line));
  };
  /** The kinds of what a listener gets that resumes at the last line. */
  const kindsAtEnd = async (options: RigOptions): Promise<readonly string[]> => {
    const rig = await rigWithWords(options);
    publishAll(rig);
    const head = 1000 + lines.length + 1;
    const asks = rig.listen({ ...ASKS, coalesceBoundaries: ["none"] }, "late", cursorAfter(head - 1));
    rig.publish(session().chunk("last\n"));
    rig.advance(0);
    return asks.received.flatMap((one) => segmentsOf(one).map(({ kind }) => kind));
  };

  it("the output is read back", async () => {
    expect(await kindsAtEnd({})).toEqual(["code", "code"]);
  });

  it("its text is unknown where that is not held any more", async () => {
    expect(await kindsAtEnd({ journal: { maxEvents: 20 } })).toEqual(["unknown", "unknown"]);
  });
});

describe("R10, R34: limits", () => {
  it.each([
    ["names", "🎉".repeat(2000)],
    ["nesting", `${"> ".repeat(90)}${"a b. ".repeat(300)}`],
    ["odd characters", "\u202e".repeat(2000)],
  ])("the event keeps to 64 KiB: %s", async (_, text) => {
    const rig = await rigWithWords();
    const asks = rig.listen({ ...ASKS, supportsConfirmationReply: true });
    rig.publish(session().started(), session().chunk(text, true), session().confirmation("rpl_1", { action: text }));
    for (const { event } of asks.received) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(FULL);
    const chunks = asks.received.filter(({ event }) => event.chunk !== undefined);
    expect(chunks.map(({ event }) => event.chunk).join("")).toBe(text);
    for (const one of chunks) covers(one, "chunk");
    covers(asks.received.at(-1) as Received, "action");
  });
});

function covers(received: Received, field: string): void {
  const text = received.event[field];
  let at = 0;
  for (const { from, to } of segmentsOf(received, field)) {
    expect([from, to > from]).toEqual([at, true]);
    at = to;
  }
  expect(at).toBe(Array.from(String(text)).length);
}

describe("R37: however text is cut, merged, skipped and read back", () => {
  const PIECES = [
    "# A\n",
    "\n",
    "- x\n",
    "1. y\n",
    "> ",
    "```\n",
    "`",
    "**",
    "| a | b |\n",
    "|---|---|\n",
    "[t](u) ",
    "Word. ",
    "One, two; ",
    "🎉",
    "漢字。",
    "\u001b[1m",
    "a_b ",
    "\r\n",
    "![[](",
  ];
  const chunks = fc.array(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join("")),
    { minLength: 1, maxLength: 12 },
  );
  const boundaries = fc.constantFrom<Terms["coalesceBoundaries"]>(
    ["none"],
    ["word", "completion"],
    ["sentence", "completion"],
    ["completion"],
  );
  const terms = fc.record({
    coalesceBoundaries: boundaries,
    maxEventsPerSecond: fc.constantFrom(undefined, 1, 20),
    maxChars: fc.constantFrom(80, 2000),
  });
  const steps = fc.array(fc.constantFrom("advance", "retune", "block", "unblock", "resume", "nothing"), {
    minLength: 12,
    maxLength: 12,
  });

  it("the leaves cover each delivered text", async () => {
    await fc.assert(
      fc.asyncProperty(chunks, terms, terms, steps, async (texts, first, second, walk) => {
        const rig = await rigWithWords();
        const listeners: Listener[] = [rig.listen({ ...ASKS, ...first }, "a")];
        rig.publish(session().started());
        for (const [index, text] of texts.entries()) {
          rig.publish(session().chunk(text, index === texts.length - 1));
          const [listener] = listeners as [Listener];
          const step = walk[index];
          if (step === "advance") rig.advance(1500);
          else if (step === "retune") listener.subscription.retune({ ...listener.subscription.terms, ...second });
          else if (step === "block" || step === "unblock") listener.block(step === "block");
          else if (step === "resume")
            listeners.push(rig.listen({ ...ASKS, ...second }, "b", listener.places.at(-1)?.cursor));
        }
        rig.advance(60_000);
        for (const { received } of listeners)
          for (const one of received) if (typeof one.event.chunk === "string") covers(one, "chunk");
        expect(rig.errors).toEqual([]);
      }),
      { numRuns: casesOf(2000) },
    );
  });
});
