// R5b: a question that its host asks in a window of its own too. Only a reply decides it here; everything else leaves it to that window.
import { describe, expect, it } from "vitest";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";
import { type EngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import {
  ABLE,
  audited,
  clarification,
  confirmation,
  fates,
  give,
  resultOf,
  started,
} from "../../support/rigs/question-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

const VOCABULARIES = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];
const HOSTED = { "@context": VOCABULARIES, extensions: { aaepd: { host_dialog: true } } };
const LEFT = { decision: "cancelled", decided_by: "host_window" };

const hosted = (token: string, more: Record<string, unknown> = {}) => confirmation(token, { ...HOSTED, ...more });

const marksIn = ({ received }: Listener) =>
  received.flatMap(({ event }) => (event.extensions?.aaepd?.decision === undefined ? [] : [event.extensions.aaepd]));

function expectLeft(rig: EngineRig, listener: Listener): void {
  expect(resultOf(rig)).toMatchObject({ resolvedBy: "cancelled", decision: undefined, response: undefined });
  expect(marksIn(listener)).toMatchObject([LEFT]);
  expect(audited(rig, "outcome").map(({ outcome }) => [outcome.resolved_by, outcome.decision])).toEqual([
    ["cancelled", undefined],
  ]);
  expect(rig.engine.status().openQuestionCount).toBe(0);
}

function leave(rig: EngineRig, { subscription }: Listener, token: string): void {
  subscription.leave(token);
  rig.clock.settle();
}

describe("R5b: no default is announced or applied", () => {
  it("after its time", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(hosted("rpl_1"));
    rig.advance(600_000);
    expectLeft(rig, able);
  });

  it("where nobody can be asked, at once", () => {
    const rig = started();
    const deaf = rig.listen({});
    rig.publish(hosted("rpl_1"));
    expectLeft(rig, deaf);
  });

  it("where nobody is left, and graces hold", () => {
    const rig = started({ engine: { reconnectGraceMs: 3000 } });
    const [able, other] = [rig.listen(ABLE), rig.listen({}, "other")];
    rig.publish(hosted("rpl_1"));
    able.subscription.close();
    rig.advance(2999);
    expect(rig.engine.status().openQuestionCount).toBe(1);
    rig.advance(1);
    expectLeft(rig, other);
  });

  it("for a clarification with a default answer", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(clarification("rpl_1", { ...HOSTED, default_response: "the first" }));
    rig.advance(60_000);
    expectLeft(rig, able);
    expect(JSON.stringify(able.received.at(-1)?.event)).not.toContain("taken to be");
  });

  it("when the daemon ends the session of an agent that is gone (R8a)", async () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(hosted("rpl_1"), confirmation("rpl_2"));
    const ended = rig.engine.endSessions(true);
    rig.clock.settle();
    await ended;
    expect(marksIn(able)).toMatchObject([LEFT, { decision: "cancelled", decided_by: "agent" }]);
  });

  it("not when its agent takes it back or goes on: that is no matter of a window", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(hosted("rpl_1"));
    rig.agent.cancel("rpl_1");
    rig.publish(hosted("rpl_2"), { ...session().state("awaiting_input", "thinking") });
    rig.publish(hosted("rpl_3"), session().completed());
    rig.clock.settle();
    expect(marksIn(able).map(({ decided_by }) => decided_by)).toEqual(["agent", "agent", "agent"]);
  });

  it("over a restart, after which its time is over", async () => {
    const runs = createRuns();
    const run = runs.start();
    run.listen(ABLE);
    const { resumeToken } = run.agent.publish([{ fields: session().started() }], false);
    run.publish(hosted("rpl_1"));
    await run.flush();
    const second = runs.start(120_000);
    second.agent.resumeSession("sess_1", String(resumeToken));
    await second.flush();
    expect(second.agent.outcomes.map(({ result }) => [result.resolvedBy, result.decision])).toEqual([
      ["cancelled", undefined],
    ]);
  });
});

describe("R5b: it is decided by a reply, or left by a listener", () => {
  it("a reply decides it, and permits the call (R5)", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(hosted("rpl_1", { extra_context: { tool: "delete" } }));
    expect(give(rig, able, "rpl_1", "accept")).toBe(true);
    expect(resultOf(rig)).toMatchObject({ resolvedBy: "reply", decision: "accept" });
    expect(() => rig.publish({ ...session().invoked("delete", "call_1"), irreversible: true })).not.toThrow();
  });

  it("whoever may answer it may leave it, and it permits nothing", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(hosted("rpl_1", { extra_context: { tool: "delete" } }));
    leave(rig, able, "rpl_1");
    expectLeft(rig, able);
    expect(give(rig, able, "rpl_1", "accept")).toBe(false);
    expect(fates(rig)).toEqual(["already_resolved"]);
    expect(() => rig.publish({ ...session().invoked("delete", "call_1"), irreversible: true })).toThrow(
      "[confirmation_required]",
    );
  });

  it("AAEP §10 T3: the audit log says who left it, before the outcome", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(hosted("rpl_1"));
    leave(rig, able, "rpl_1");
    const { id: subscription_id, subscriberId: subscriber_id } = able.subscription;
    expect(rig.audit.map(({ kind }) => kind)).toEqual(["asked", "shown", "left", "outcome"]);
    expect(rig.audit.filter(({ kind }) => kind === "left")).toEqual([
      { kind: "left", event_id: expect.stringMatching(/^evt_/), reply_token: "rpl_1", subscription_id, subscriber_id },
    ]);
  });

  it.each([
    ["a question that no host asks", "rpl_1", "invalid_params"],
    ["a token of no question", "rpl_9", "not_found"],
  ])("%s is refused, and stays open", (_, token, code) => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    expect(() => leave(rig, able, token)).toThrow(`[${code}]`);
    expect(rig.engine.status().openQuestionCount).toBe(1);
  });

  it("R6: who was not asked cannot leave it, and R5: nor can the connection that asks", () => {
    const rig = started();
    const [able, deaf] = [rig.listen(ABLE), rig.listen({}, "deaf")];
    const connection = {};
    const own = rig.listen(ABLE, "own", undefined, connection);
    rig.engine
      .openAgent({ agent_id: "asker" }, undefined, connection)
      .publish(
        [{ fields: session("sess_2").started() }, { fields: { ...hosted("rpl_1"), session_id: "sess_2" } }],
        true,
      );
    rig.clock.settle();
    for (const one of [deaf, own]) expect(() => leave(rig, one, "rpl_1")).toThrow("[not_found]");
    expect(() => leave(rig, able, "rpl_1")).not.toThrow();
    expect(() => leave(rig, able, "rpl_1")).toThrow("[not_found]");
  });

  it("R31: listeners hear in their language where to answer, and not that it is withdrawn", () => {
    const rig = started();
    const listeners = CATALOGUE_LANGUAGES.map((language) => rig.listen({ ...ABLE, languages: [language] }, language));
    rig.publish(hosted("rpl_1"));
    leave(rig, listeners[0] ?? expect.fail("nobody listens"), "rpl_1");
    const heard = listeners.map(({ received }) => String(received.at(-1)?.event.summary_normal));
    expect(new Set(heard).size).toBe(CATALOGUE_LANGUAGES.length);
    expect(heard[0]).toBe("Answer it in the agent’s own window. The question was: Do rpl_1.");
  });
});
