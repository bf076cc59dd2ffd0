// What takes the place of a subscription on its stream (R33). What its peer sees of that is in test/scenarios.
import { describe, expect, it } from "vitest";
import { SubscriptionHandler } from "../../../../src/protocols/aaep/subscriber/subscription-handler.js";
import { SAME_USER_MAY_ALL } from "../../../../src/security/access.js";
import { type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { type RigOptions, session } from "../../../support/rigs/engine-rig.js";
import { createStreamRig } from "../../../support/rigs/stream-rig.js";

const ACCESS = SAME_USER_MAY_ALL.of({ label: "peer", trust: "same-user" });

const EVERYTHING = { coalesce_boundaries: ["none"] };

function stage(options: RigOptions = {}, capabilities: Document = {}) {
  const ends: string[] = [];
  const rig = createStreamRig(options);
  const stream = new SubscriptionHandler(rig.services, {
    wake: () => undefined,
    access: ACCESS,
    terminated: (reason) => ends.push(reason),
  });
  const request = (others = {}) => stream.request(requestOf({ ...EVERYTHING, ...capabilities }, others));
  const taken = () => {
    const { kind, ...rest } = stream.take();
    return kind === "batch" && "batch" in rest ? rest.batch.deliveries.map(({ event }) => event.event_id) : [];
  };
  return { rig, stream, request, taken, ends };
}

describe("R33: a request that takes a stream over", () => {
  it("inherits that the transport takes nothing, and nothing that was held for the one before", () => {
    const { rig, stream, request, taken } = stage();
    request();
    stream.setBlocked(true);
    rig.publish({ ...session().started(), event_id: "evt_before" });
    expect(request().kind).toBe("accepted");
    const [only, ...others] = rig.engine.report().subscriptions;
    expect([only?.isBlocked, others]).toEqual([true, []]);
    stream.setBlocked(false);
    rig.publish({ ...session().state("idle", "thinking"), event_id: "evt_after" });
    const heard = taken();
    expect(heard.at(-1)).toBe("evt_after");
    expect(heard).not.toContain("evt_before");
  });

  it("goes on where the one before it was, as from another connection (R17)", () => {
    const { rig, stream, request, taken } = stage();
    const again = () => {
      const place = stream.subscription?.cursor();
      return request({ extensions: { aaepd: { resume_after: place } } }).message;
    };
    const met = { honored_capabilities: { aaepd: { resumed: "all" } } };
    request();
    rig.publish({ ...session().started(), event_id: "evt_first" });
    expect(taken()).toEqual(["evt_first"]);
    rig.publish({ ...session().state("idle", "thinking"), event_id: "evt_second" });
    expect(again()).toMatchObject(met);
    expect(taken()).toEqual(["evt_second"]);
    rig.publish({ ...session().chunk("Half a "), event_id: "evt_half" });
    expect(taken()).toEqual(["evt_half"]);
    expect(again()).toMatchObject(met);
    // The open output is not begun again.
    expect(taken()).toEqual([]);
  });

  it("is put the questions that are open, which are not decided by the end of the one before (R7)", () => {
    const { rig, request, taken } = stage({}, { supports_confirmation_reply: true });
    request();
    rig.publish(session().started(), { ...session().confirmation("rpl_1"), event_id: "evt_q" });
    expect(taken()).toContain("evt_q");
    request();
    expect(taken()).toContain("evt_q");
    expect(rig.engine.status().openQuestionCount).toBe(1);
  });

  it("is not ended for what the one before it did", () => {
    const { rig, stream, request, ends } = stage({ engine: { lag: { maxMs: 1000, maxEvents: 1_000_000 } } });
    const lagAnd = (then: () => void): void => {
      stream.setBlocked(true);
      // It has lagged too much by then, and hears of it a turn later.
      rig.clock.wakeAt(rig.clock.now() + 1000, () => {
        stream.setBlocked(false);
        then();
      });
      rig.clock.advance(1000);
    };
    request();
    lagAnd(request);
    expect(ends).toEqual([]);
    lagAnd(() => undefined);
    expect(ends).toEqual(["lagging"]);
    expect(rig.engine.status().subscriptionCount).toBe(1);
  });

  it("is rejected without a loss to the one before it", () => {
    const { rig, request, taken } = stage();
    request();
    rig.publish({ ...session().started(), event_id: "evt_first" });
    expect(request({ aaep_version: "7.0.0" })).toMatchObject({
      kind: "rejected",
      message: { type: "subscription.rejected", reason_code: "version_unsupported" },
    });
    expect(rig.engine.status().subscriptionCount).toBe(1);
    expect(taken()).toEqual(["evt_first"]);
  });

  it("is rejected while the one before it is handed over what it is owed (R8a)", () => {
    const { rig, stream, request } = stage();
    request();
    const id = stream.id;
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
  expect(request({ subscriber_name: "A reader", extensions: {} }).message).not.toHaveProperty("negotiation_notes");
});
