// What `aaepd speak` says by the clock: that a silent agent is still at work, how much time is left to answer, and that too much waits.
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import type { BrailleDisplay } from "../../../src/braille/braille-display.js";
import { KeyActions } from "../../../src/cli/speak/key-actions.js";
import type { KeyName } from "../../../src/cli/speak/key-names.js";
import type { Mode } from "../../../src/cli/speak/narration-table.js";
import { Narrator } from "../../../src/cli/speak/narrator.js";
import { createSpokenQuestions } from "../../../src/cli/speak/spoken-questions.js";
import type { Subscription } from "../../../src/client/listener/types.js";
import { SpeechQueue } from "../../../src/speak/speech-queue.js";
import { createScriptedVoice } from "../../speak/scripted-voice.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

function stage(mode: Mode, aloud: "all" | "names" | "none" = "all") {
  const clock = createVirtualClock();
  const voice = createScriptedVoice();
  const tell = (): void => {};
  const told = { onSilent: tell, onHeard: tell, onParked: tell, onUnbegun: tell };
  const queue = new SpeechQueue({ voice, clock, ...told });
  const questions = createSpokenQuestions(clock);
  const narrator = new Narrator({
    ...{ queue, clock, mode, aloud, questions, speakable: {} },
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
  return { clock, queue, questions, narrator, heard, finish, said: () => voice.said.map(({ text }) => text) };
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

it("hush means no output whose session has failed, though the output has no end", async () => {
  const { narrator, heard, finish } = stage("sentence");
  heard({ type: "aaep:agent.output.streaming", output_id: "o", chunk: "One is said. Two is not" });
  expect(narrator.isOpen("output\ns\no")).toBe(true);
  heard({ type: "aaep:agent.session.errored", event_id: "evt_end", summary_normal: "The shelf is locked." });
  expect(narrator.isOpen("output\ns\no")).toBe(false);
  await finish();
  narrator.close();
});

const QUESTION = {
  type: "aaep:agent.awaiting.clarification",
  reply_token: "token",
  question: "Which shelf?",
  default_response: "The third",
  timeout_seconds: 600,
};

it("nothing of an agent's is said where only answers to keys are wanted", async () => {
  const { narrator, heard, finish, said } = stage("sentence", "none");
  heard({ type: "aaep:agent.session.started", summary_normal: "Sorts." });
  heard({ type: "aaep:agent.session.errored", event_id: "evt_end", summary_normal: "The shelf is locked." });
  await finish();
  narrator.close();
  expect(said()).toEqual([]);
});

it("a question that has ended unheard is not said on", async () => {
  const { clock, queue, questions, narrator, heard, finish, said } = stage("done");
  queue.hold("muted");
  heard({ ...QUESTION, timestamp: new Date(clock.wallTime()).toISOString() });
  for (const one of questions.open()) narrator.endUnheard(one);
  queue.resume();
  await finish();
  narrator.close();
  expect([said(), questions.open()]).toEqual([[], []]);
});

it("where agents' words are left out, a label ends as a sentence does", async () => {
  const { clock, narrator, heard, finish, said } = stage("done", "names");
  heard({ ...QUESTION, timestamp: new Date(clock.wallTime()).toISOString() });
  await finish();
  narrator.close();
  expect(said().join(" ")).toContain("Without an answer, the answer is taken to be. Answer");
});

function keysOf(
  all: ReturnType<typeof stage>,
  display?: Pick<BrailleDisplay, "isTaken" | "take" | "giveBack" | "answer">,
) {
  const subscription = { renegotiate: async () => [] } as unknown as Subscription;
  const keys = new KeyActions({
    ...all,
    subscription,
    display: display as BrailleDisplay | undefined,
    isReadOnly: false,
  });
  return (key: KeyName, ...words: readonly string[]) => keys.pressed({ key, words, variables: [] });
}

it("the key of the braille display takes it, and gives it back", () => {
  let isTaken = false;
  const take = () => {
    isTaken = true;
    return true;
  };
  const giveBack = () => {
    isTaken = false;
  };
  const press = keysOf(stage("done"), { isTaken: false, take, giveBack, answer: () => {} });
  expect([press("braille"), isTaken]).toEqual([{ said: "The braille display shows aaepd." }, true]);
  expect([press("braille", "release"), isTaken]).toEqual([{ said: "The braille display is given back." }, false]);
  expect(press("braille", "keep")).toEqual({ said: "Say take or release.", isRefused: true });
});

it.each([
  ["resume", "no"],
  ["pause", "paused"],
  ["mute", "muted"],
] as const)("a mute of some minutes ends by itself, and is forgotten once %s is pressed", async (key, held) => {
  const all = stage("done");
  const { clock, queue, narrator, finish, said } = all;
  const press = keysOf(all);
  press("mute", "30");
  await finish();
  await clock.advanceSettled(30 * 60_000 - 1);
  expect(queue.held).toBe("muted");
  await clock.advanceSettled(1);
  await finish();
  expect([queue.held, said().at(-1)]).toEqual(["no", "The sound is on again."]);
  press("mute", "30");
  press(key);
  await finish();
  // An answer takes the place of the one before.
  const saidBefore = said();
  expect(saidBefore).toHaveLength(3);
  await clock.advanceSettled(31 * 60_000);
  await finish();
  narrator.close();
  expect([queue.held, said()]).toEqual([held, saidBefore]);
});

const OUTCOME = { type: "state.changed", to_state: "thinking", summary_normal: "Nobody has answered." };

it.each([
  [
    { type: "tool.completed", tool: "count", status: "error", error_message: "No shelf." },
    "A tool has failed: No shelf.",
  ],
  [{ type: "tool.completed", tool: "count", status: "success" }, ""],
  [{ type: "tool.invoked", tool: "count" }, "count"],
  [{ type: "state.changed", to_state: "calling_tool" }, "calling tool."],
  [{ type: "progress.updated", progress: { percent: 40, description: "Sorts." } }, "40 percent. Sorts."],
  [{ type: "progress.updated", progress: { step: 2, total_steps: 5 } }, "Step 2 of 5."],
  [{ type: "progress.updated", progress: { step: 2 }, summary_normal: "Sorts." }, "Step 2. Sorts."],
  [{ ...OUTCOME, extensions: { aaepd: { decision: "accept", decided_by: "reply" } } }, "The question: accept."],
  [
    { ...OUTCOME, extensions: { aaepd: { decision: "reject", decided_by: "default" } } },
    "The question: reject. Nobody has answered.",
  ],
  [{ type: "awaiting.handoff", reason: "The shelf is locked." }, "Sorter hands over. The shelf is locked."],
] as const)("of %j is said: %s", async (event, words) => {
  const { narrator, heard, finish, said } = stage("sentence");
  heard({ ...event, type: `aaep:agent.${event.type}` });
  await finish();
  narrator.close();
  expect(
    said()
      .join(" ")
      .replace(/^Sorter\. /, ""),
  ).toBe(words);
});

it("what is done is told by the last text, where the agent's own words for it say nothing", async () => {
  const { narrator, heard, finish, said } = stage("done");
  heard({
    type: "aaep:agent.output.streaming",
    output_id: "o",
    chunk: "The books are sorted. By colour.",
    complete: true,
  });
  heard({ type: "aaep:agent.session.completed", summary_normal: "Done." });
  await finish();
  narrator.close();
  expect(said().join(" ")).toMatch(/^Sorter is done\. The books are sorted\. /);
});

it("that an answer did not count is said with the number of its question, and that one is over", async () => {
  const { clock, questions, narrator, heard, finish, said } = stage("done");
  heard({ ...QUESTION, timestamp: new Date(clock.wallTime()).toISOString() });
  await finish();
  const before = said().length;
  narrator.tellNotTaken("token");
  narrator.tellNotTaken("token of another");
  for (const one of questions.open()) narrator.endUnheard(one);
  await finish();
  narrator.close();
  const notCounted = "The answer did not count.";
  expect(said().slice(before)).toEqual(["Question 1:", notCounted, "A question:", notCounted, "Question 1 is over."]);
});

it("the same words of a state are said once in ten seconds, and those of a text each time", async () => {
  const { clock, narrator, heard, finish, said } = stage("sentence");
  const state = { type: "aaep:agent.state.changed", to_state: "thinking", summary_normal: "Reads." };
  for (const event of [state, state]) heard(event);
  for (const output_id of ["a", "b"])
    heard({ type: "aaep:agent.output.streaming", output_id, chunk: "Yes.", complete: true });
  await finish();
  await clock.advanceSettled(10_000);
  heard(state);
  await finish();
  narrator.close();
  expect(said()).toEqual(["Sorter.", "Reads.", "Yes.", "Yes.", "Reads."]);
});
