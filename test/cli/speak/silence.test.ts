// `aaepd speak` says that a silent agent is still at work.
import { expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import type { Mode } from "../../../src/cli/speak/narration-table.js";
import { Narrator } from "../../../src/cli/speak/narrator.js";
import { createSpokenQuestions } from "../../../src/cli/speak/spoken-questions.js";
import { SpeechQueue } from "../../../src/speak/speech-queue.js";
import { createScriptedVoice } from "../../speak/scripted-voice.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

async function saidAfterHalfAMinute(mode: Mode): Promise<readonly string[]> {
  const clock = createVirtualClock();
  const voice = createScriptedVoice();
  const tell = (): void => {};
  const queue = new SpeechQueue({ voice, clock, wordsPerMinute: 175, onSilent: tell, onHeard: tell, onParked: tell });
  const narrator = new Narrator({
    ...{ queue, clock, mode, aloud: "all", speakable: {} },
    questions: createSpokenQuestions(clock),
    placeOf: () => "",
  });
  narrator.heard({
    type: "aaep:agent.session.started",
    session_id: "s",
    producer: { agent_id: "sorter", agent_name: "Sorter" },
    summary_normal: "Sorts.",
  } as unknown as Envelope);
  while (voice.spoken() !== undefined) await voice.end("done");
  await clock.advanceSettled(30_000);
  while (voice.spoken() !== undefined) await voice.end("done");
  narrator.close();
  return voice.said.map(({ text }) => text);
}

it("says it after 30 seconds in which nothing was said, except where questions alone are wanted", async () => {
  expect((await saidAfterHalfAMinute("sentence")).at(-1)).toBe("Sorter: still working, 30 seconds.");
  expect((await saidAfterHalfAMinute("done")).at(-1)).toBe("Sorter: still working, 30 seconds.");
  expect(await saidAfterHalfAMinute("questions")).toEqual([]);
});
