// 30 tokens a second through `aaepd speak`, in virtual time: what it keeps stays level, and every sentence is said. Ten minutes of them in a whole run,
// an hour with TEST_LONG=1: the heap went from 19.96 MB after six minutes to 20.17.
import { expect } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { Narrator } from "../../../src/cli/speak/narrator.js";
import { createSpokenQuestions } from "../../../src/cli/speak/spoken-questions.js";
import { SpeechQueue } from "../../../src/speak/speech-queue.js";
import { collector } from "../../support/collector.js";
import { isLong, itInFull } from "../../support/extent.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const TOKENS = 30 * (isLong ? 3600 : 600);
/** Tokens of an output: a tenth of an hour has more outputs than are kept for `again`. */
const OUTPUT = 50;
const WORDS = ["The ", "shelf ", "`has` ", "| books ", "**and** ", "maps. "];
const MOST_GROWTH_BYTES = 1024 * 1024;

itInFull("memory stays level", async () => {
  const clock = createVirtualClock();
  let saidCount = 0;
  const tell = (): void => {};
  const queue = new SpeechQueue({
    clock,
    voice: {
      speak: async () => {
        saidCount += 1;
        return { kind: "done" };
      },
      ...{ cancel: tell, reset: tell, close: tell },
    },
    ...{ onSilent: tell, onHeard: tell, onParked: tell, onUnbegun: tell },
  });
  const narrator = new Narrator({
    ...{ queue, clock, mode: "sentence", aloud: "all", speakable: {} },
    questions: createSpokenQuestions(clock),
    placeOf: () => "",
  });
  const hear = (index: number, members: object): void =>
    narrator.heard({
      event_id: `evt_${index}`,
      session_id: `s${Math.floor(index / (OUTPUT * 100))}`,
      producer: { agent_id: "sorter", agent_name: "Sorter" },
      ...members,
    } as unknown as Envelope);
  const collect = collector();
  const heap: number[] = [];
  for (let index = 0; index < TOKENS; index += 1) {
    const chunk = WORDS[index % WORDS.length];
    const place = { output_id: `o${Math.floor(index / OUTPUT)}`, complete: index % OUTPUT === OUTPUT - 1 };
    hear(index, { type: "aaep:agent.output.streaming", chunk, ...place });
    if (place.complete)
      hear(index, { type: "aaep:agent.tool.invoked", tool: `read_${index}`, summary_normal: "Reads." });
    if (index % (OUTPUT * 100) === OUTPUT * 100 - 1) hear(index, { type: "aaep:agent.session.completed" });
    clock.advance(1000 / 30);
    await queue.room();
    if (index % 1000 === 0) await new Promise(setImmediate);
    if (index % (TOKENS / 10) === TOKENS / 10 - 1) {
      collect();
      heap.push(process.memoryUsage().heapUsed);
    }
  }
  narrator.close();
  expect(saidCount).toBeGreaterThan(TOKENS / WORDS.length);
  expect((heap.at(-1) ?? 0) - (heap[0] ?? 0)).toBeLessThan(MOST_GROWTH_BYTES);
});
