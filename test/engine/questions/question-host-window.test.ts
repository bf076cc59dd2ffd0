// R5b: a question that its host asks in a window of its own too. Only a reply decides it here; everything else leaves it to that window.
import { describe, expect, it } from "vitest";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";
import type { EngineRig, Listener } from "../../support/rigs/engine-rig.js";
import { ABLE, audited, clarification, confirmation, resultOf, started } from "../../support/rigs/question-rig.js";

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
  it("for a clarification with a default answer", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(clarification("rpl_1", { ...HOSTED, default_response: "the first" }));
    rig.advance(60_000);
    expectLeft(rig, able);
    expect(JSON.stringify(able.received.at(-1)?.event)).not.toContain("taken to be");
  });
});

describe("R5b: it is decided by a reply, or left by a listener", () => {
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
