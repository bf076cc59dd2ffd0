// Questions that the person answers in a window of the agent's own: the words in which listeners hear of it, and what it permits (R5a, R5b).
import { expect, it } from "vitest";
import { CATALOGUE_LANGUAGES } from "../../../src/engine/terms/language.js";
import { faultOf } from "../../support/fault-of.js";
import { session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give, started } from "../../support/rigs/question-rig.js";

const HOSTED = {
  "@context": ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"],
  extensions: { aaepd: { host_dialog: true } },
};

it("R5a, R5: a rejection there takes back what a reply has permitted of the same", () => {
  const rig = started();
  const able = rig.listen(ABLE);
  rig.publish(confirmation("rpl_1", { action: "Delete." }));
  give(rig, able, "rpl_1", "accept");
  rig.publish(confirmation("rpl_2", { action: "Delete." }));
  rig.agent.cancel("rpl_2", undefined, "reject");
  const call = { ...session().invoked("delete", "call_1"), irreversible: true };
  expect(faultOf(() => rig.publish(call)).code).toBe("confirmation_required");
});

it("R31: each listener hears in its language that it was answered there, and where to answer what was left", () => {
  const rig = started();
  const listeners = CATALOGUE_LANGUAGES.map((language) => rig.listen({ ...ABLE, languages: [language] }, language));
  rig.publish(confirmation("rpl_1"), confirmation("rpl_2", HOSTED), confirmation("rpl_3"));
  rig.agent.cancel("rpl_1", undefined, "accept");
  listeners[0]?.subscription.listener.leave("rpl_2");
  give(rig, listeners[0] ?? expect.fail("nobody listens"), "rpl_3", "accept");
  const heard = listeners.map(({ received }) =>
    received.flatMap(({ event }) =>
      event.extensions?.aaepd?.decision === undefined ? [] : [String(event.summary_normal)],
    ),
  );
  for (const index of [0, 1]) expect(new Set(heard.map((words) => words[index])).size).toBe(CATALOGUE_LANGUAGES.length);
  for (const [byHost = "", , byReply = ""] of heard)
    expect(byHost.replace("rpl_1", "").length).toBeGreaterThan(byReply.replace("rpl_3", "").length);
  expect(heard[0]?.slice(0, 2)).toEqual([
    "It was answered in the agent’s own window. Accepted. The question was: Do rpl_1.",
    "Answer it in the agent’s own window. The question was: Do rpl_2.",
  ]);
});
