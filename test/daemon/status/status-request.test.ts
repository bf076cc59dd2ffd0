import { expect, it } from "vitest";
import { nextSession, requestOf, startRig } from "../../support/rigs/daemon-rig.js";

it("R33: aaepd.status is a request with a limit, and tells no text of events", async () => {
  const rig = await startRig();
  const agent = await rig.rpc();
  const session_id = nextSession();
  const secret = "What nobody else is to read.";
  await agent.publish(
    { type: "aaep:agent.session.started", session_id, summary_normal: secret },
    { type: "aaep:agent.output.streaming", session_id, chunk: secret, complete: false },
  );
  await (await rig.plain()).subscribe(requestOf());
  await agent.refusal("aaep.publish", {
    type: "aaep:agent.progress.updated",
    session_id: "sess_none",
    progress: { percent: 5 },
  });
  await agent.refusal("aaep.publish", [1]);
  const status = await agent.request("aaepd.status", { limit: 0 });
  expect(status.publish_faults).toEqual({ session_not_started: 1, invalid_event: 1 });
  expect(status).toMatchObject({ session_count: 1, sessions: [], subscription_count: 1, subscriptions: [] });
  expect(JSON.stringify(await agent.request("aaepd.status"))).not.toContain(secret);
  for (const limit of [-1, 1.5, "2", 10_001])
    expect(await agent.refusal("aaepd.status", { limit })).toMatchObject({ code: "invalid_params", pointer: "/limit" });
  agent.notify("aaepd.status");
  expect(await agent.errors.next()).toMatchObject({ code: "invalid_message", answers: "aaepd.status" });
});
