// What is said next, over a voice that does what a test says, and in virtual time.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { LONGEST_UTTERANCE, piecesOf } from "../../src/speak/pieces.js";
import type { Part, Speech } from "../../src/speak/speech.js";
import { SpeechQueue } from "../../src/speak/speech-queue.js";
import { casesOf } from "../support/extent.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";
import { createScriptedVoice } from "./scripted-voice.js";

const part = (text: string, isOwn = false): Part => ({ text, language: "en", isOwn });
const REFUSAL = new Fault("peer_gone", "It is gone.");

function stage({ waits = false } = {}) {
  const clock = createVirtualClock();
  const voice = createScriptedVoice({ waits });
  const told: string[] = [];
  const queue = new SpeechQueue({
    voice,
    clock,
    onSilent: ({ sentence }) => told.push(`silent: ${sentence}`),
    onHeard: () => told.push("heard"),
    onParked: ({ source }) => told.push(`parked: ${source}`),
    onUnbegun: () => told.push("unbegun"),
  });
  const text = (source: string, words: string, rank: Speech["rank"] = "text"): boolean =>
    queue.add({ source, rank, isOutput: source.length === 1, parts: [part(words)] });
  const asks = (source: string, words: string, onSaid = (): void => {}): boolean =>
    queue.add({ source, rank: "critical", opening: part("Claude asks", true), parts: [part(words)], onSaid });
  /** Speaks on until nothing is left. */
  const finish = async (): Promise<void> => {
    for (let turn = 0; turn < 2000 && (voice.spoken() !== undefined || queue.current !== undefined); turn += 1) {
      if (voice.spoken() === undefined) await clock.advanceSettled(30_000);
      else await voice.end("done");
    }
  };
  return { clock, voice, queue, told, text, asks, finish, said: () => voice.said.map((one) => one.text) };
}

describe("the order", () => {
  it("one utterance is in flight, and the next follows its end", async () => {
    const { voice, text, said } = stage();
    text("a", "The first sentence is this one. The second sentence is that one.");
    text("b", "Another text.");
    expect(voice.begun.map((one) => [one.text, one.priority])).toEqual([["The first sentence is this one.", "text"]]);
    await voice.end("done");
    await voice.end("done");
    await voice.end("done");
    expect(said()).toEqual(["The first sentence is this one.", "The second sentence is that one.", "Another text."]);
  });

  it("a question begins at once, and what it interrupts is said again behind it", async () => {
    const { voice, text, asks, finish, said } = stage();
    text("a", "A sentence that is spoken.");
    asks("q", "May I?");
    expect(voice.begun.slice(-1)).toEqual([{ ...part("Claude asks", true), priority: "important" }]);
    await finish();
    expect(said()).toEqual(["Claude asks", "May I?", "A sentence that is spoken."]);
  });

  it("a question waits for the end of another, and progress for silence", async () => {
    const { asks, text, finish, said } = stage();
    asks("q1", "One?");
    asks("q2", "Two?");
    expect(text("p", "Half done.", "passing")).toBe(false);
    await finish();
    expect(text("p", "All done.", "passing")).toBe(true);
    await finish();
    expect(said()).toEqual(["Claude asks", "One?", "Claude asks", "Two?", "All done."]);
  });

  it("an answer to a key comes before everything", async () => {
    const { asks, text, finish, said } = stage();
    asks("q", "May I?");
    text("key", "Claude writes.", "answer");
    await finish();
    expect(said()).toEqual(["Claude writes.", "Claude asks", "May I?"]);
  });

  it("text makes progress give way, which is not said again", async () => {
    const { text, finish, said } = stage();
    text("p", "Half done.", "passing");
    text("a", "Here it is.");
    await finish();
    expect(said()).toEqual(["Here it is."]);
  });
});

describe("somebody else speaks", () => {
  it("what they cut off is said again after 0.7 s, three times, and then waits", async () => {
    const { voice, clock, text, told, queue, finish, said } = stage();
    text("a", "A sentence.");
    text("b", "Another output.");
    for (const _ of [1, 2, 3, 4]) {
      expect(voice.spoken()?.text).toBe("A sentence.");
      await voice.end("cancelled");
      await clock.advanceSettled(699);
      expect(voice.spoken()).toBeUndefined();
      await clock.advanceSettled(1);
    }
    expect(told).toEqual(["parked: a"]);
    expect(voice.spoken()?.text).toBe("Another output.");
    await voice.end("done");
    queue.resume();
    await finish();
    expect(said()).toEqual(["Another output.", "A sentence."]);
  });

  it("progress that they cut off is not said again", async () => {
    const { voice, text, finish, said } = stage();
    text("p", "Half done.", "passing");
    await voice.end("cancelled");
    await finish();
    expect(said()).toEqual([]);
  });

  it("hush leaves out what waits to be said again", async () => {
    const { voice, queue, text, finish, said } = stage();
    text("a", "A sentence. And another that is longer.");
    await voice.end("cancelled");
    expect(queue.hush()).toBe("a");
    await finish();
    expect(said()).toEqual([]);
  });

  it("a critical speech that was said lets what waits go on; itself, it is said again until it is whole", async () => {
    const { voice, clock, text, asks, finish, said } = stage();
    text("a", "A sentence.");
    for (const _ of [1, 2, 3, 4]) {
      await voice.end("cancelled");
      await clock.advanceSettled(700);
    }
    asks("q", "May I?");
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await voice.end("cancelled");
      await clock.advanceSettled(700);
    }
    await finish();
    expect(said()).toEqual(["Claude asks", "May I?", "A sentence."]);
  });
});

describe("keys", () => {
  it("a question interrupts a text that a key reads, which goes on behind it", async () => {
    const { queue, asks, finish, said } = stage();
    queue.add({ source: "key", rank: "reading", parts: [part("An old text is read again. It is long.")] });
    asks("q", "May I?");
    await finish();
    expect(said()).toEqual(["Claude asks", "May I?", "An old text is read again.", "It is long."]);
  });

  it("between two sentences of an output its source is known, while the sound is on", async () => {
    const { queue, text, voice } = stage();
    text("a", "First of a.");
    expect([queue.hush(), queue.lastOutput]).toEqual(["a", undefined]);
    text("b", "First of b.");
    await voice.end("done");
    text("key", "An answer.", "answer");
    await voice.end("done");
    for (const rank of ["passing", "text", "critical"] as const) {
      text("aaepd", "A sign of life, or a tool.", rank);
      await voice.end("done");
    }
    expect([queue.hush(), queue.lastOutput]).toEqual([undefined, "b"]);
    queue.hold("muted");
    expect(queue.lastOutput).toBeUndefined();
  });

  it("hush ends nothing that waits until the sound is on again", async () => {
    const { queue, asks, finish, said } = stage();
    queue.hold("muted");
    asks("q", "May I?");
    expect(queue.hush()).toBeUndefined();
    queue.resume();
    await finish();
    expect(said()).toEqual(["Claude asks", "May I?"]);
  });

  it("hush ends the output and what waits, and questions go on; skip goes on to the next output", async () => {
    const { queue, text, asks, finish, said, voice } = stage();
    text("a", "First of a.");
    text("b", "First of b.");
    asks("q", "May I?");
    await voice.end("done");
    await voice.end("done");
    expect(queue.hush()).toBe("a");
    await finish();
    text("c", "First of c.");
    text("c", "Second of c.");
    text("d", "First of d.");
    expect(queue.skip()).toBe("c");
    await finish();
    expect(said()).toEqual(["Claude asks", "May I?", "First of d."]);
  });

  it("pause keeps text and lets questions through; mute lets nothing through but answers, and keeps the questions", async () => {
    const { queue, text, asks, finish, said, voice } = stage();
    text("a", "A sentence.");
    expect(queue.hold("paused")).toBe(0);
    expect(voice.spoken()).toBeUndefined();
    asks("q1", "One?");
    for (const _ of [1, 2]) await voice.end("done");
    expect(queue.hold("muted")).toBe(1);
    asks("q2", "Two?");
    expect(text("b", "Lost to the ear.")).toBe(false);
    text("key", "Sound is off.", "answer");
    await voice.end("done");
    expect(voice.spoken()).toBeUndefined();
    queue.resume();
    await finish();
    expect(said()).toEqual(["Claude asks", "One?", "Sound is off.", "Claude asks", "Two?"]);
  });
});

describe("a voice that does not speak", () => {
  it("after three failures it is told, and tried every 30 s; then everything is said", async () => {
    const { voice, clock, text, told, finish, said } = stage();
    text("a", "A sentence.");
    for (const _ of [1, 2, 3]) await voice.end(REFUSAL);
    expect([told, voice.resetCount(), voice.spoken()]).toEqual([["silent: It is gone."], 3, undefined]);
    await clock.advanceSettled(30_000);
    await voice.end(REFUSAL);
    await clock.advanceSettled(29_999);
    expect([told.length, voice.spoken()]).toEqual([1, undefined]);
    await clock.advanceSettled(1);
    await finish();
    expect([told.slice(1), said()]).toEqual([["heard"], ["A sentence."]]);
  });

  it("without an end in a quarter of a second a character and 5 s, it is said once more over another connection", async () => {
    const { voice, clock, text, finish, said } = stage();
    text("a", "0123456789 0123456789 0123456789 0123456789");
    await clock.advanceSettled(43 * 250 + 4999);
    expect(voice.resetCount()).toBe(0);
    await clock.advanceSettled(1);
    expect([voice.resetCount(), voice.begun.length]).toEqual([1, 2]);
    await finish();
    expect(said()).toHaveLength(1);
  });

  it("an utterance that waits behind other speakers is not lost: its time counts from its begin, and so does a question's", async () => {
    const { voice, clock, queue, told } = stage({ waits: true });
    let begunAt: number | undefined;
    const onBegun = () => {
      begunAt = clock.now();
    };
    queue.add({ source: "q", rank: "critical", parts: [part("May I?")], onBegun });
    await clock.advanceSettled(29_999);
    expect(told).toEqual([]);
    await clock.advanceSettled(600_000);
    expect([voice.begun.length, voice.resetCount(), begunAt, told]).toEqual([1, 0, undefined, ["unbegun"]]);
    voice.begin();
    expect(begunAt).toBe(clock.now());
    const firstBegunAt = begunAt;
    await clock.advanceSettled(10_000);
    expect([voice.begun.length, voice.resetCount()]).toEqual([2, 1]);
    voice.begin();
    expect(begunAt).toBe(firstBegunAt);
  });

  it("holds its source back while much waits", async () => {
    const { queue, text, finish } = stage();
    expect(queue.room()).toBeUndefined();
    text("a", "word ".repeat(5000));
    let isThere = false;
    void queue.room()?.then(() => {
      isThere = true;
    });
    await settle();
    expect(isThere).toBe(false);
    await finish();
    expect([isThere, queue.room()]).toEqual([true, undefined]);
  });
});

type Step =
  | { readonly do: "add"; readonly rank: Speech["rank"]; readonly source: string; readonly count: number }
  | { readonly do: "end"; readonly how: "done" | "cancelled" | "failed" }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "hush" | "skip" | "pause" | "mute" | "resume" };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("add" as const),
    rank: fc.constantFrom("answer", "critical", "text", "text", "text", "passing"),
    source: fc.constantFrom("a", "b", "c"),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ do: fc.constant("end" as const), how: fc.constantFrom("done", "done", "cancelled", "failed") }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(100, 700, 31_000, 90_000) }),
  fc.record({ do: fc.constantFrom("hush", "skip", "pause", "mute", "resume") }),
);

describe("whatever happens", () => {
  it("nothing is lost but what a person has ended, each source keeps its order, and nothing is said over a wait", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { maxLength: 40 }), async (steps) => {
        const { clock, voice, queue, finish, said } = stage();
        const owed = new Map<string, { readonly rank: string; readonly source: string }>();
        let number = 0;
        for (const step of steps) {
          const before = voice.begun.length;
          switch (step.do) {
            case "add": {
              number += 1;
              const sentences = Array.from(
                { length: step.count },
                (_, n) => `This is sentence ${n} of number ${number}.`,
              );
              const speech = { source: step.source, rank: step.rank, parts: [part(sentences.join(" "))] };
              const isTaken = queue.add(speech);
              if (isTaken && step.rank !== "passing") for (const one of sentences) owed.set(one, step);
              break;
            }
            case "end":
              await voice.end(step.how === "failed" ? REFUSAL : step.how);
              // No rank but those that go first begins in the 0.7 s behind another speaker's words.
              if (step.how === "cancelled") expect(voice.begun.length).toBe(before);
              break;
            case "pass":
              await clock.advanceSettled(step.ms);
              break;
            case "hush":
            case "skip": {
              const ended = step.do === "hush" ? queue.hush() : queue.skip();
              for (const [sentence, { rank, source }] of owed)
                if (source === ended || (ended !== undefined && step.do === "hush" && rank !== "critical"))
                  owed.delete(sentence);
              break;
            }
            case "pause":
              queue.hold("paused");
              break;
            case "mute":
              queue.hold("muted");
              for (const [sentence, { rank }] of owed) if (rank === "text") owed.delete(sentence);
              break;
            case "resume":
              queue.resume();
              break;
          }
          await settle();
        }
        queue.resume();
        await finish();
        const heard = said();
        expect([...owed.keys()].filter((sentence) => !heard.includes(sentence))).toEqual([]);
        for (const rank of ["text", "critical"])
          for (const source of ["a", "b", "c"]) {
            const own = [...owed].filter(([, one]) => one.rank === rank && one.source === source).map(([text]) => text);
            expect(heard.filter((text) => own.includes(text))).toEqual(own);
          }
      }),
      { numRuns: casesOf(2000) },
    );
  });
});

describe("pieces", () => {
  it.each([
    ["Yes. No. It costs 3.50 euros.", ["Yes. No. It costs 3.50 euros."]],
    [
      "The first is long enough. The second?! “Quoted.” Then",
      ["The first is long enough.", "The second?! “Quoted.” Then"],
    ],
    [
      "これは一つ目の文です。これは二つ目の文ですよ、そうです。",
      ["これは一つ目の文です。これは二つ目の文ですよ、そうです。"],
    ],
    ["one line\nanother line", ["one line", "another line"]],
    [" \n ", []],
  ])("%j", (text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
  });

  it("leave nothing out, are at most 500 units long, and divide no character", () => {
    const word = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(". ", "\n", ", ", "🎉", "a".repeat(600), "、"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const text = Buffer.from(words.join("")).toString();
        const pieces = piecesOf(text);
        expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        expect(
          pieces.filter((one) => one.length > LONGEST_UTTERANCE || one === "" || one !== Buffer.from(one).toString()),
        ).toEqual([]);
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
