// R5a: a question that the person answered in a dialog of the agent's own is closed, and is no consent that the daemon knows of.
import { describe, expect, it } from "vitest";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";
import type { EngineRig } from "../../support/rigs/engine-rig.js";
import { session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give, started } from "../../support/rigs/question-rig.js";

function close(rig: EngineRig, token: string, decision: "accept" | "reject"): boolean {
  const closed = rig.agent.cancel(token, undefined, decision);
  rig.clock.settle();
  return closed;
}

const run = (rig: EngineRig): void =>
  void rig.publish({ ...session().invoked("delete", "call_1"), irreversible: true });

describe("R5a: a host's own dialog", () => {
  it("R5: a rejection there takes back what a reply has permitted of the same", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    rig.publish(confirmation("rpl_1", { action: "Delete." }));
    give(rig, able, "rpl_1", "accept");
    rig.publish(confirmation("rpl_2", { action: "Delete." }));
    close(rig, "rpl_2", "reject");
    expect(() => run(rig)).toThrow("[confirmation_required]");
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
