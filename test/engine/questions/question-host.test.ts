// R5a: a question that the person answered in a dialog of the agent's own is closed, and is no consent that the daemon knows of.
import { describe, expect, it } from "vitest";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";
import type { EngineRig, Listener } from "../../support/rigs/engine-rig.js";
import { session } from "../../support/rigs/engine-rig.js";
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

const marksIn = ({ received }: Listener) =>
  received.flatMap(({ event }) => (event.extensions?.aaepd?.decision === undefined ? [] : [event.extensions.aaepd]));

function close(rig: EngineRig, token: string, decision: "accept" | "reject"): boolean {
  const closed = rig.agent.cancel(token, undefined, decision);
  rig.clock.settle();
  return closed;
}

const run = (rig: EngineRig): void =>
  void rig.publish({ ...session().invoked("delete", "call_1"), irreversible: true });

describe("R5a: a host's own dialog", () => {
  it.each(["accept", "reject"] as const)(
    "%s: the agent is told so, and so are all who saw the question",
    (decision) => {
      const rig = started();
      const [able, other] = [rig.listen(ABLE), rig.listen({}, "other")];
      rig.publish(confirmation("rpl_1"));
      expect(close(rig, "rpl_1", decision)).toBe(true);
      expect(resultOf(rig)).toMatchObject({ resolvedBy: "host", decision, decidedBy: "host" });
      for (const listener of [able, other])
        expect(marksIn(listener)).toMatchObject([{ decision: `${decision}ed`, decided_by: "host" }]);
      expect(audited(rig, "outcome").map(({ outcome }) => outcome)).toMatchObject([
        { resolved_by: "host", decided_by: "host", decision },
      ]);
      expect(rig.engine.status().openQuestionCount).toBe(0);
    },
  );

  it("R5: it never permits what cannot be undone", () => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", { extra_context: { tool: "delete" } }));
    close(rig, "rpl_1", "accept");
    expect(() => run(rig)).toThrow("[confirmation_required]");
    const reversible = session().invoked("delete", "call_1");
    expect(() => rig.publish(reversible)).not.toThrow();
  });

  it("R5: a rejection there takes back what a reply has permitted of the same", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", { action: "Delete." }));
    give(rig, able, "rpl_1", "accept");
    rig.publish(confirmation("rpl_2", { action: "Delete." }));
    close(rig, "rpl_2", "reject");
    expect(() => run(rig)).toThrow("[confirmation_required]");
  });

  it("H2: the first answer wins, whichever it is", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"), confirmation("rpl_2"));
    close(rig, "rpl_1", "accept");
    expect(give(rig, able, "rpl_1", "reject")).toBe(false);
    expect(give(rig, able, "rpl_2", "reject")).toBe(true);
    expect(close(rig, "rpl_2", "accept")).toBe(false);
    expect(fates(rig)).toEqual(["already_resolved", "counted"]);
    expect([resultOf(rig, 0)?.resolvedBy, resultOf(rig, 1)?.resolvedBy]).toEqual(["host", "reply"]);
  });

  it("a clarification has nothing to decide: it is refused, and stays open", () => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(clarification("rpl_1"));
    expect(() => close(rig, "rpl_1", "accept")).toThrow("[invalid_params]");
    expect(rig.engine.status().openQuestionCount).toBe(1);
    expect(rig.agent.cancel("rpl_1")).toBe(true);
  });

  it("only its agent says so", () => {
    const rig = started();
    rig.listen(ABLE);
    rig.publish(confirmation("rpl_1"));
    expect(rig.openAgent().cancel("rpl_1", undefined, "accept")).toBe(false);
    expect(rig.engine.status().openQuestionCount).toBe(1);
  });

  it("R31: it is told in the listener's language, and by no words of a reply", () => {
    const rig = started();
    const listeners = CATALOGUE_LANGUAGES.map((language) => rig.listen({ ...ABLE, languages: [language] }, language));
    rig.publish(confirmation("rpl_1"), confirmation("rpl_2"));
    close(rig, "rpl_1", "accept");
    give(rig, listeners[0] ?? expect.fail("nobody listens"), "rpl_2", "accept");
    const heard = listeners.map(({ received }) =>
      received.flatMap(({ event }) =>
        event.extensions?.aaepd?.decision === undefined ? [] : [String(event.summary_normal)],
      ),
    );
    expect(new Set(heard.map(([byHost]) => byHost)).size).toBe(CATALOGUE_LANGUAGES.length);
    for (const [byHost = "", byReply = ""] of heard)
      expect(byHost.replace("rpl_1", "").length).toBeGreaterThan(byReply.replace("rpl_2", "").length);
    expect(heard[0]?.[0]).toBe("It was answered in the agent’s own window. Accepted. The question was: Do rpl_1.");
  });
});
