// R39: a person asks an agent to stop, and the agent ends its session itself.
import { expect, it } from "vitest";
import { faultOf } from "../../support/fault-of.js";
import { session } from "../../support/rigs/engine-rig.js";
import { ABLE, started } from "../../support/rigs/question-rig.js";

it("asks the session's agent, at most once a second, and ends nothing", () => {
  const rig = started();
  const { subscription } = rig.listen(ABLE);
  rig.agent.setAbilities({ canStop: true, takesUserInput: false });
  for (let time = 0; time < 100; time++) subscription.listener.requestStop("sess_1");
  expect(rig.agent.stops).toEqual(["sess_1"]);
  rig.advance(1000);
  subscription.listener.requestStop("sess_1");
  expect(rig.agent.stops).toEqual(["sess_1", "sess_1"]);
  expect(rig.engine.status().openSessionCount).toBe(1);
  // AAEP §10 T3: who stopped it, as often as its agent was told.
  const { id: subscription_id, subscriberId: subscriber_id } = subscription;
  const line = { kind: "stop", session_id: "sess_1", subscription_id, subscriber_id };
  expect(rig.audit).toEqual([line, line]);
});

it("asks nobody but the owner of the session", () => {
  const rig = started();
  const { subscription } = rig.listen({ supportsClarificationReply: true });
  const other = rig.openAgent({ agent_id: "other" });
  other.setAbilities({ canStop: true, takesUserInput: false });
  expect(faultOf(() => subscription.listener.requestStop("sess_1"))).toMatchObject({
    code: "unsupported",
    rule: "R39",
  });
  other.publish([{ fields: session("sess_2").started() }], false);
  subscription.listener.requestStop("sess_2");
  expect([rig.agent.stops, other.stops]).toEqual([[], ["sess_2"]]);
  other.setAbilities({ canStop: false, takesUserInput: true });
  expect(faultOf(() => subscription.listener.requestStop("sess_2"))).toMatchObject({ code: "unsupported" });
  other.close();
  expect(faultOf(() => subscription.listener.requestStop("sess_2"))).toMatchObject({ code: "unsupported" });
});

it("refuses sessions that are not open, and subscriptions that may not reply", () => {
  const rig = started();
  rig.agent.setAbilities({ canStop: true, takesUserInput: false });
  const refused = (terms: Parameters<typeof rig.listen>[0], sessionId: string) =>
    faultOf(() => rig.listen(terms, "one").subscription.listener.requestStop(sessionId));
  expect(refused(ABLE, "sess_9")).toMatchObject({ code: "not_found", pointer: "/session_id", rule: "R39" });
  expect(refused({}, "sess_1")).toMatchObject({ code: "permission_denied", rule: "R39" });
  rig.publish(session().completed());
  expect(refused(ABLE, "sess_1")).toMatchObject({ code: "not_found" });
  expect(rig.agent.stops).toEqual([]);
  expect(rig.audit).toEqual([]);
});
