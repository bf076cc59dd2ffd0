// R3: a question that was published as an event, and is then asked by a call with the same members, is the same publish.
import { expect, it } from "vitest";
import { AgentHandler } from "../../../../src/protocols/aaep/agent/agent-handler.js";
import { createEngineRig, session } from "../../../support/rigs/engine-rig.js";

it("is asked once, whatever stands first in it", async () => {
  const rig = createEngineRig();
  rig.listen({ supportsConfirmationReply: true });
  rig.publish(session().started());
  const asked = {
    action: "Pays the bill.",
    consequence: "Money leaves.",
    default_decision: "reject",
    timeout_seconds: 60,
    type: "aaep:agent.awaiting.confirmation",
    event_id: "evt_00000000000000000000000000000001",
    reply_token: "rpl_00000000000000000000000000000001",
    session_id: "sess_1",
  };
  rig.publish({ ...asked });
  const handler = new AgentHandler({
    engine: { openAgent: () => rig.agent, publishRefused: () => {} },
    access: { may: () => true },
    languages: { changed: () => {} },
  });
  const outcome = handler.ask("confirmation", { ...asked }, { signal: new AbortController().signal });
  rig.agent.cancel(asked.reply_token, undefined, undefined);
  rig.clock.settle();
  expect(await outcome).toMatchObject({ result: { resolvedBy: "cancelled" } });
});
