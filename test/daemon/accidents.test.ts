// Errors of the daemon itself: peers are told that there was one, and only the log is told which (R20).
import { expect, it } from "vitest";
import { createIdSource } from "../../src/daemon/platform/ids.js";
import { type DaemonRig, requestOf, startRig } from "../support/rigs/daemon-rig.js";

const SECRET = "/home/somebody/secret is broken";

/** A daemon whose ids fail from `breakIds` on, after so many more. */
async function fragileRig(): Promise<{ readonly rig: DaemonRig; readonly breakIds: (after?: number) => void }> {
  const ids = createIdSource();
  let remaining = Number.POSITIVE_INFINITY;
  const rig = await startRig({
    expectsErrors: true,
    ids: {
      hex: (bytes) => {
        remaining -= 1;
        if (remaining < 0) throw new Error(SECRET);
        return ids.hex(bytes);
      },
    },
  });
  return {
    rig,
    breakIds: (after = 0) => {
      remaining = after;
    },
  };
}

const errorsOf = (rig: DaemonRig) => rig.log.filter(({ level }) => level === "error");

it.each([0, 1])("R20: an accident in a request (after %i ids) is not described to the subscriber", async (after) => {
  const { rig, breakIds } = await fragileRig();
  const peer = await rig.plain();
  breakIds(after);
  const rejected = await peer.subscribe(requestOf());
  expect(rejected).toMatchObject({ type: "subscription.rejected", reason_code: "unknown" });
  expect(JSON.stringify(rejected)).not.toContain("secret");
  expect(errorsOf(rig).map(({ fields }) => String(fields.err))).toEqual([`Error: ${SECRET}`]);
  breakIds(Number.POSITIVE_INFINITY);
  // Nothing of it is left that would take what is published, and the same connection can try again.
  expect(await peer.subscribe(requestOf({ coalesce_boundaries: ["none"] }))).toMatchObject({
    type: "subscription.accepted",
  });
  await rig.expectOthersServed();
});

it("R20: what is left of a request that failed counts for nobody", async () => {
  const ids = createIdSource();
  let isBroken = false;
  const rig = await startRig({
    expectsErrors: true,
    configuration: { maxConcurrentSubscriptions: 1 },
    // The key of an acceptance is made once the engine has the subscription.
    ids: {
      hex: (bytes) => {
        if (isBroken && /hex.*\n.*SubscriptionHandler\.request/.test(new Error("who asks?").stack ?? ""))
          throw new Error(SECRET);
        return ids.hex(bytes);
      },
    },
  });
  const peer = await rig.plain();
  isBroken = true;
  expect(await peer.subscribe(requestOf())).toMatchObject({ type: "subscription.rejected" });
  isBroken = false;
  expect(await peer.subscribe(requestOf())).toMatchObject({ type: "subscription.accepted" });
});

it("R20: an accident in a notification is not described to the agent", async () => {
  const { rig, breakIds } = await fragileRig();
  const agent = await rig.rpc();
  await agent.request("aaep.ping");
  breakIds();
  agent.notify("aaep.publish", { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." });
  const error = await agent.errors.next();
  breakIds(Number.POSITIVE_INFINITY);
  expect(error).toMatchObject({ code: "internal", answers: "aaep.publish" });
  expect(JSON.stringify(error)).not.toContain("secret");
  expect(errorsOf(rig).map(({ fields }) => String(fields.err))).toEqual([`Error: ${SECRET}`]);
});

it("R33: an error names the message that it answers", async () => {
  const rig = await startRig();
  const peer = await rig.plain();
  await peer.subscribe(requestOf());
  peer.say({ type: "aaepd.repeat", event_id: "evt_unknown" });
  expect(await peer.answers.next()).toMatchObject({ answers: "aaepd.repeat", event_id: "evt_unknown" });
  peer.say({ type: "aaepd.list_pending", subscription_id: "sub_other" });
  expect(await peer.answers.next()).toMatchObject({ answers: "aaepd.list_pending" });
});

it.each([{}, { a: 1 }, { type: 5 }, { type: null, session_id: "sess_1" }])(
  "R20: an event without a type, %j, is the agent's mistake and no accident",
  async (event) => {
    const rig = await startRig();
    const agent = await rig.rpc();
    expect(await agent.refusal("aaep.publish", event)).toMatchObject({ code: "invalid_event" });
    expect(await agent.refusal("aaep.publish", [event])).toMatchObject({ code: "invalid_event" });
  },
);
