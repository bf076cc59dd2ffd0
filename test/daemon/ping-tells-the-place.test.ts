import { expect, it } from "vitest";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";

it("P7, R17: aaep.ping tells a subscription that hears nothing which place it has reached; several are named", async () => {
  const rig = await startRig();
  const peer = await rig.rpc();
  expect(await peer.request("aaep.ping")).toEqual({});
  const quiet = peer.subscription();
  const critical = { event_filters: { include: [] } };
  await quiet.subscribe(requestOf(critical, { subscriber_id: "quiet" }));
  const first = await peer.request("aaep.ping");
  expect(first).toEqual({ cursor: quiet.cursor() });
  const agent = await rig.rpc();
  const session_id = nextSession();
  const published = await agent.publish(
    { type: "aaep:agent.session.started", session_id, summary_normal: "Begins." },
    { type: "aaep:agent.progress.updated", session_id, progress: { percent: 50 } },
  );
  const last = (published.events as readonly Message[]).at(-1)?.epoch;
  const place = await peer.request("aaep.ping");
  expect(place).toEqual({ cursor: String(first.cursor).replace(/\d+$/, String(last)) });
  const second = peer.subscription();
  await second.subscribe(requestOf(critical, { subscriber_id: "second" }));
  expect(await peer.request("aaep.ping")).toEqual({});
  expect(await peer.request("aaep.ping", { subscription_id: quiet.id() })).toEqual(place);
  expect(await peer.refusal("aaep.ping", { subscription_id: "sub_nobody" })).toMatchObject({
    code: "unknown_subscription",
  });
  const back = (await rig.rpc()).subscription();
  expect(
    await back.subscribe(
      requestOf({}, { subscriber_id: "quiet", extensions: { aaepd: { resume_after: place.cursor } } }),
    ),
  ).toMatchObject({
    honored_capabilities: { aaepd: { resumed: "all", cursor: place.cursor } },
  });
  await agent.publish({ type: "aaep:agent.session.completed", session_id, summary_normal: "Done." });
  expect(await back.events.next()).toMatchObject({ type: "aaep:agent.session.completed" });
});
