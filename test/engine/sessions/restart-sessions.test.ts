// What sessions are after a restart: as their agents were told, with nothing counted twice (R3, R5, R8, R29).
import { describe, expect, it } from "vitest";
import { session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation } from "../../support/rigs/question-rig.js";
import { createRuns, type Run, told } from "../../support/rigs/restart-rig.js";
import { begin, S } from "../../support/rigs/restart-session.js";

const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (caught) {
    return (caught as { code: string }).code;
  }
  return "accepted";
};

const publishOf = (run: Run, fields: Record<string, unknown>) => () => run.agent.publish([{ fields }], false);

describe("R8, R29: a session after a kill", () => {
  it("has its grace from the start on, and is then closed as any other that was abandoned", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    first.publish(session().invoked("search", "call_1"), session().chunk("Half\ud83d"));
    await first.flush();
    const second = runs.start(60_000);
    const { received } = second.listen();
    second.advance(4999);
    expect(second.engine.status().openSessionCount).toBe(1);
    second.advance(1);
    expect(second.engine.status().openSessionCount).toBe(0);
    expect(received.slice(-3).map(({ event }) => [event.type, event.error_code ?? event.position])).toEqual([
      ["aaep:agent.tool.completed", undefined],
      ["aaep:agent.output.streaming", 4],
      ["aaep:agent.session.errored", "AGENT_DISCONNECTED"],
    ]);
    // R25: the half of a character that waited for its other half.
    expect(received.at(-2)?.event.chunk).toBe("\ufffd");
    await second.flush();
    const third = runs.start();
    expect(third.engine.status().openSessionCount).toBe(0);
    expect(refusal(publishOf(third, session().started()))).toBe("session_ended");
    expect([...runs.disk.state("session").keys()]).toEqual([]);
  });

  it("AAEP §6.2: remembers reply tokens with their outcomes after its end too, and nothing else", async () => {
    const runs = createRuns();
    const first = runs.start();
    const token = begin(first);
    first.listen(ABLE);
    first.publish(confirmation("rpl_1"));
    first.advance(60_000);
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, token);
    second.publish(session().completed());
    await second.flush();
    const third = runs.start();
    third.publish(session("sess_2").started());
    expect(refusal(publishOf(third, { ...confirmation("rpl_1"), session_id: "sess_2" }))).toBe("reply_token_reused");
    expect([...runs.disk.state("past").keys()]).toEqual([]);
  });

  it("R16, R3b: goes on with its numbers and its time", async () => {
    const runs = createRuns();
    const first = runs.start();
    const receipt = first.agent.publish([{ fields: { ...session().started(), sequence_number: 0 } }], false);
    first.publish({ ...session().progress(1), sequence_number: 1 });
    await first.flush();
    const second = runs.start();
    second.agent.resumeSession(S, String(receipt.resumeToken));
    expect(refusal(publishOf(second, { ...session().progress(2), sequence_number: 1 }))).toBe("sequence_mismatch");
    const early = new Date(second.clock.wallTime() - 30_000).toISOString();
    const late = { ...session().progress(2), sequence_number: 5 };
    expect(refusal(publishOf(second, { ...late, timestamp: early }))).toBe("timestamp_out_of_order");
    expect(refusal(publishOf(second, late))).toBe("accepted");
  });

  it("R17: ended sessions are told to those who come back, and forgotten in time with all that was kept of them", async () => {
    const runs = createRuns();
    const first = runs.start();
    begin(first);
    const listener = first.listen();
    const place = listener.subscription.cursor();
    first.publish(session().chunk("Some text.", true), session().completed());
    await first.flush();
    first.advance(1500);
    listener.subscription.close();
    await first.flush();
    const second = runs.start(1000);
    const back = second.listen({}, "another", place);
    expect(back.received.map(({ event }) => event.type)).toContain("aaep:agent.session.completed");
    second.advance(25 * 3600 * 1000);
    back.subscription.close();
    second.advance(25 * 3600 * 1000);
    await second.flush();
    expect([...runs.disk.state().keys()].filter((key) => !key.startsWith('["boot"'))).toEqual([]);
  });
});

describe("R29: what is acknowledged is safe", () => {
  it("R3: an event that is sent again before it is safe waits for that too", async () => {
    const runs = createRuns();
    const run = runs.start();
    begin(run);
    await run.flush();
    await run.flush();
    const fields = { ...session().progress(1), event_id: "evt_again" };
    const first = run.agent.publish([{ fields }], false);
    const again = run.agent.publish([{ fields }], false);
    expect([first.durable, again.durable]).toEqual([expect.any(Promise), expect.any(Promise)]);
    let settledCount = 0;
    for (const { durable } of [first, again]) void durable?.then(() => (settledCount += 1));
    await told();
    expect(settledCount).toBe(0);
    await run.flush();
    expect(settledCount).toBe(2);
    expect(run.agent.publish([{ fields }], false).durable).toBeUndefined();
  });

  it("a flush that fails is told to whoever waits, and to nobody else; what was accepted is delivered, and safe in the end", async () => {
    const runs = createRuns();
    const run = runs.start();
    const { received } = run.listen();
    run.publish(session().started());
    await run.flush();
    runs.disk.setFailing(true);
    const receipt = run.agent.publish([{ fields: { ...session().progress(1), event_id: "evt_owed" } }], false);
    const heard = receipt.durable?.then(
      () => "safe",
      (fault: { code: string }) => fault.code,
    );
    // Nobody waits for this one.
    run.publish(session().progress(2));
    await run.flush();
    expect(await heard).toBe("storage_unavailable");
    expect(refusal(publishOf(run, session().progress(3)))).toBe("storage_unavailable");
    expect(refusal(() => run.agent.whenDurable())).toBe("storage_unavailable");
    expect(refusal(publishOf(run, { ...session().progress(1), event_id: "evt_owed" }))).toBe("storage_unavailable");
    expect(received.map(({ event }) => event.progress)).toContainEqual({ percent: 2 });
    runs.disk.setFailing(false);
    await run.flush();
    expect(refusal(publishOf(run, { ...session().progress(1), event_id: "evt_owed" }))).toBe("accepted");
    expect(runs.disk.events().map(({ event }) => event.progress)).toContainEqual({ percent: 2 });
  });
});
