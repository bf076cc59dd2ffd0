// What `aaepd speak` says by the clock: that a silent agent is still at work, how much time is left to answer, and that too much waits.
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import type { Mode } from "../../../src/cli/speak/narration-table.js";
import { Narrator } from "../../../src/cli/speak/narrator.js";
import { createSpokenQuestions } from "../../../src/cli/speak/spoken-questions.js";
import { SpeechQueue } from "../../../src/speak/speech-queue.js";
import { createScriptedVoice } from "../../speak/scripted-voice.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

function stage(mode: Mode) {
  const clock = createVirtualClock();
  const voice = createScriptedVoice();
  const tell = (): void => {};
  const queue = new SpeechQueue({ voice, clock, wordsPerMinute: 175, onSilent: tell, onHeard: tell, onParked: tell });
  const narrator = new Narrator({
    ...{ queue, clock, mode, aloud: "all", speakable: {} },
    questions: createSpokenQuestions(clock),
    placeOf: () => "",
  });
  const heard = (event: object): void =>
    narrator.heard({
      session_id: "s",
      producer: { agent_id: "sorter", agent_name: "Sorter" },
      ...event,
    } as unknown as Envelope);
  const finish = async (): Promise<void> => {
    while (voice.spoken() !== undefined) await voice.end("done");
  };
  return { clock, queue, narrator, heard, finish, said: () => voice.said.map(({ text }) => text) };
}

async function saidAfterHalfAMinute(mode: Mode): Promise<readonly string[]> {
  const { clock, narrator, heard, finish, said } = stage(mode);
  heard({ type: "aaep:agent.session.started", summary_normal: "Sorts." });
  await finish();
  await clock.advanceSettled(30_000);
  await finish();
  narrator.close();
  return said();
}

it("says it after 30 seconds in which nothing was said, except where questions alone are wanted", async () => {
  expect((await saidAfterHalfAMinute("sentence")).at(-1)).toBe("Sorter: still working, 30 seconds.");
  expect((await saidAfterHalfAMinute("done")).at(-1)).toBe("Sorter: still working, 30 seconds.");
  expect(await saidAfterHalfAMinute("questions")).toEqual([]);
});

it("a question that waited while the sound was off is asked with the time that is left", async () => {
  const { clock, queue, narrator, heard, finish, said } = stage("done");
  queue.hold("muted");
  heard({
    type: "aaep:agent.awaiting.confirmation",
    timestamp: new Date(clock.wallTime()).toISOString(),
    reply_token: "token",
    action: "Throw 40 books away",
    timeout_seconds: 600,
  });
  await clock.advanceSettled(420_000);
  narrator.askAgain();
  queue.resume();
  await finish();
  narrator.close();
  expect(said().filter((text) => text.includes("to answer"))).toEqual([
    "Answer accept or reject. 3 minutes to answer.",
  ]);
});

it("an agent with ten thousand errors is not heard for days, and what is left out is told", async () => {
  const { queue, narrator, heard, finish, said } = stage("questions");
  for (let index = 0; index < 10_000; index += 1)
    heard({ type: "aaep:agent.session.errored", event_id: `evt_${index}`, summary_normal: `Fault ${index}.` });
  await finish();
  narrator.close();
  expect(queue.current).toBeUndefined();
  expect(said().filter((text) => text.startsWith("Fault"))).toHaveLength(101);
  expect(said().filter((text) => text.startsWith("Errors and questions were left out"))).toHaveLength(1);
});

it("an agent that has failed is at work no more, whatever comes behind its end", async () => {
  const { clock, narrator, heard, finish, said } = stage("done");
  heard({ type: "aaep:agent.session.started", summary_normal: "Sorts." });
  heard({ type: "aaep:agent.session.errored", event_id: "evt_end", summary_normal: "The shelf is locked." });
  heard({ type: "aaep:agent.progress.updated", progress: { percent: 50 } });
  await finish();
  expect(narrator.sessions.size).toBe(0);
  await clock.advanceSettled(120_000);
  await finish();
  narrator.close();
  expect(said().join("\n")).not.toContain("still working");
});
