// R28: over a real socket, whoever missed a sentence asks for it by the id it was sent under.
import { expect, test } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";

const SESSION = "sess_1";
const TEXT = "One sentence is here. Another one follows it, and it is the last.";

test("R28: a published event is sent again, byte by byte, in both envelopes; a merged sentence and a sum are not (R12)", async () => {
  const rig = await startRig();
  const reader = await rig.plain();
  expect((await reader.subscribe(requestOf({ preferred_verbosity: "terse" }))).type).toBe("subscription.accepted");
  const agent = await rig.rpc();
  await agent.publish({ type: "aaep:agent.session.started", session_id: SESSION, summary_normal: "Begins." });
  const late = (await rig.rpc()).subscription();
  expect((await late.subscribe(requestOf({}, { subscriber_id: "late" }))).type).toBe("subscription.accepted");
  for (const chunk of TEXT.match(/.{1,6}/gs) ?? [])
    await agent.publish({ type: "aaep:agent.output.streaming", session_id: SESSION, chunk, complete: false });
  await agent.publish(
    { type: "aaep:agent.output.streaming", session_id: SESSION, chunk: "", complete: true },
    { type: "aaep:agent.session.completed", session_id: SESSION, summary_normal: "Done." },
  );
  for (const listener of [reader, late]) {
    const given: Message[] = [];
    do given.push(await listener.events.next("the events"));
    while (given.at(-1)?.type !== "aaep:agent.session.completed");
    expect(given.map(({ chunk }) => chunk)).toContain("One sentence is here. ");
    const sums = given.filter(({ type }) => type === "aaep:agent.state.changed");
    expect(sums).toHaveLength(listener === late ? 1 : 0);
    const isMade = ({ type, chunk }: Message): boolean => type === "aaep:agent.state.changed" || chunk !== undefined;
    const texts = listener.eventTexts.filter((_, index) => !isMade(given[index] ?? {}));
    for (const { event_id: id } of given.filter((one) => !isMade(one))) {
      expect(await listener.repeat(String(id))).toEqual({});
      expect(await listener.events.next("it again")).toMatchObject({ event_id: id });
    }
    expect(listener.eventTexts.slice(given.length)).toEqual(texts);
    for (const { event_id } of given.filter(isMade))
      expect(await listener.repeat(String(event_id))).toMatchObject({ code: "not_found", event_id });
  }
  const madeUp = `evt_${"0".repeat(40)}`;
  expect(await reader.repeat(madeUp)).toMatchObject({ type: "aaepd.error", code: "not_found", event_id: madeUp });
});
