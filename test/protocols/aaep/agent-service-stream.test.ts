// The stream of AgentService: an agent that is known by its stream (R3, R8, R29).
import { describe, expect, it } from "vitest";
import { createAgentServiceRig } from "../../support/agent-service-rig.js";
import { session, typesOf } from "../../support/engine-rig.js";
import { ABLE, confirmation, give } from "../../support/question-rig.js";

const publish = (request_id: string, ...events: readonly object[]) => ({ request_id, publish: { events } });

describe("Publish", () => {
  it("answers each request in order, with the ids and places of its events", async () => {
    const { rig, stream, settle } = createAgentServiceRig();
    const listener = rig.listen();
    const agent = stream();
    agent.send(publish("a", session().started()), publish("b", session().chunk("Hello."), session().progress(5)));
    await settle();
    expect(agent.heard()).toEqual([
      {
        request_id: "a",
        receipt: {
          events: [{ event_id: expect.stringMatching(/^evt_/), epoch: 1000 }],
          resume_token: expect.stringMatching(/^rst_/),
        },
      },
      {
        request_id: "b",
        receipt: {
          events: [
            { event_id: expect.any(String), epoch: 1001 },
            { event_id: expect.any(String), epoch: 1002 },
          ],
        },
      },
    ]);
    expect(typesOf(listener.received)).toContain("session.started");
  });

  it("tells the outcome of a question that was published on it, and that a person is waited for, after its receipt", async () => {
    const { rig, stream, settle } = createAgentServiceRig();
    const listener = rig.listen(ABLE);
    const agent = stream();
    agent.send(publish("a", session().started()), publish("b", confirmation("rpl_1")));
    await settle();
    give(rig, listener, "rpl_1", "accept");
    await settle();
    expect(agent.heard().map((one) => Object.keys(one).at(-1))).toEqual([
      "receipt",
      "receipt",
      "waiting",
      "waiting",
      "outcome",
    ]);
    expect(agent.heard().at(-1)).toMatchObject({
      outcome: { decision: "accept", resolved_by: "reply", reply_token: "rpl_1" },
    });
  });
});
