// What takes the place of a subscription on its stream (R33). What its peer sees of that is in test/scenarios.
import { describe, expect, it } from "vitest";
import { Turns } from "../../../../src/engine/time/turns.js";
import { SubscriptionHandler } from "../../../../src/protocols/aaep/subscriber/subscription-handler.js";
import { Pump } from "../../../../src/runtime/pump.js";
import { SAME_USER_MAY_ALL } from "../../../../src/security/access.js";
import { type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { type RigOptions, session } from "../../../support/rigs/engine-rig.js";
import { createStreamRig } from "../../../support/rigs/stream-rig.js";

const ACCESS = SAME_USER_MAY_ALL.of({ label: "peer", trust: "same-user" });

const EVERYTHING = { coalesce_boundaries: ["none"] };

function stage(options: RigOptions = {}, capabilities: Document = {}) {
  const ends: string[] = [];
  const rig = createStreamRig(options);
  const { clock } = rig;
  let sent: string[] = [];
  let isTaking = true;
  let takeAgain = (): void => {};
  const pump = new Pump(
    {
      send: ({ deliveries }) => {
        sent.push(...deliveries.map(({ event }) => event.event_id));
        return isTaking;
      },
      writable: () =>
        new Promise((resolve) => {
          takeAgain = resolve;
        }),
      failed: () => undefined,
      ended: (reason) => ends.push(reason),
    },
    { clock, sendingTurns: new Turns(clock) },
  );
  const stream = new SubscriptionHandler(rig.services, { stream: pump, access: ACCESS });
  const request = (others = {}) => stream.request(requestOf({ ...EVERYTHING, ...capabilities }, others));
  const taken = () => {
    rig.clock.settle();
    const since = sent;
    sent = [];
    return since;
  };
  /** From the next delivery on, the transport takes nothing. */
  const block = (): void => {
    isTaking = false;
  };
  const unblock = async (): Promise<void> => {
    isTaking = true;
    takeAgain();
    await rig.settle();
  };
  return { rig, stream, pump, request, taken, ends, block, unblock };
}

describe("R33: a request that takes a stream over", () => {
  it("inherits that the transport takes nothing, and nothing that was held for the one before", async () => {
    const { rig, request, taken, block, unblock } = stage();
    request();
    block();
    rig.publish(session().started());
    taken();
    rig.publish({ ...session().state("idle", "thinking"), event_id: "evt_before" });
    expect(request().kind).toBe("accepted");
    const [only, ...others] = rig.engine.report().subscriptions;
    expect([only?.blockedSince !== undefined, others]).toEqual([true, []]);
    await unblock();
    rig.publish({ ...session().state("thinking", "deciding"), event_id: "evt_after" });
    const heard = taken();
    expect(heard.at(-1)).toBe("evt_after");
    expect(heard).not.toContain("evt_before");
  });

  it("is not ended for what the one before it did", async () => {
    const { rig, request, taken, ends, block, unblock } = stage({
      engine: { lag: { maxMs: 1000, maxEvents: 1_000_000 } },
    });
    const states = ["idle", "thinking", "deciding"];
    const lagAnd = async (then: () => void): Promise<void> => {
      block();
      rig.publish(session().state(states.shift() ?? "", states[0] ?? ""));
      taken();
      // It has lagged too much by then, and hears of it a turn later.
      rig.clock.wakeAt(rig.clock.now() + 1000, then);
      rig.clock.advance(1000);
      await unblock();
    };
    rig.publish(session().started());
    request();
    await lagAnd(request);
    expect(ends).toEqual([]);
    await lagAnd(() => undefined);
    expect(ends).toEqual(["lagging"]);
    expect(rig.engine.status().subscriptionCount).toBe(1);
  });

  it("is rejected while the one before it is handed over what it is owed (R8a)", () => {
    const { rig, stream, pump, request } = stage();
    request();
    const id = stream.id;
    pump.stop();
    rig.publish({ ...session().started(), event_id: "evt_first" });
    const { pendingDeliveries, messages } = stream.lastWords("producer_shutdown");
    expect(request()).toMatchObject({
      kind: "rejected",
      message: { type: "subscription.rejected", reason_code: "transport_unavailable" },
    });
    const drained = pendingDeliveries.drain();
    expect(drained.kind === "batch" && drained.batch.deliveries.map(({ event }) => event.event_id)).toEqual([
      "evt_first",
    ]);
    expect(messages()).toMatchObject([{ type: "subscription.close", subscription_id: id }]);
  });
});

it("R20: members of a request that resemble known ones, and all unknown ones of the daemon's own extension, are noted with the nearest name", () => {
  const { request } = stage();
  const extensions = { aaepd: { resume_afer: "c1.x", later: 1 }, medai: { deep: {} } };
  expect(request({ subscriber_nmae: "A reader", haptics: 1, extensions }).message).toMatchObject({
    negotiation_notes: [
      '"subscriber_nmae" is not known here and has no effect. Did you mean subscriber_name?',
      '"extensions.aaepd.resume_afer" is not known here and has no effect. Did you mean resume_after?',
      '"extensions.aaepd.later" is not known here and has no effect.',
    ].join(" "),
  });
  const { negotiation_notes: notes } = request({ subscriber_name: "A reader", extensions: {} }).message;
  expect(notes).toBeUndefined();
});
