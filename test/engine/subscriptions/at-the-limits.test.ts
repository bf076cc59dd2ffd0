// R5, R17, R18, R26, R28, R34: what a subscription still gets where its queue, its view or the daemon's limits are full.
import { expect, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { faultOf } from "../../support/fault-of.js";
import { createEngineRig, type Listener, session, typesOf } from "../../support/rigs/engine-rig.js";
import { createFailingView } from "../../support/rigs/failing-view.js";
import { confirmation, decision } from "../../support/rigs/question-rig.js";

const { started, chunk } = session();
const alarm = (id: string): Record<string, unknown> => ({
  type: "example:alarm",
  session_id: id,
  urgency: "critical",
  "@context": ["https://aaep-protocol.org/context/v1", "https://example.org/vocabulary/v1"],
});
const retune = ({ subscription }: Listener, terms: Partial<Terms>) =>
  subscription.retune({ ...subscription.terms, ...terms });
const heardOf = ({ received }: Listener, id: string) =>
  received.filter(({ event }) => event.session_id === id && event.type === "example:alarm").length;

it("R26: what waited in a pause arrives coalesced, without a rate too", () => {
  const rig = createEngineRig();
  const listener = rig.listen({});
  rig.publish(started());
  retune(listener, { paused: true });
  for (let index = 0; index < 10; index += 1) rig.publish(chunk(`Sentence ${index} here. `));
  rig.advance(1000);
  retune(listener, { paused: false });
  rig.advance(0);
  expect(typesOf(listener.received)).toEqual(["session.started", "output.streaming"]);
});

it("R5: an agent that opens on its listener's connection is not answered by it, also where no set of terms is left", () => {
  const rig = createEngineRig({ engine: { maxTermSets: 2 } });
  const connection = {};
  const own = rig.listen({ supportsConfirmationReply: true }, "own", undefined, connection);
  rig.listen({ supportsConfirmationReply: true }, "same");
  rig.listen({ maxChars: 200 });
  const agent = rig.engine.openAgent(undefined, undefined, connection);
  for (const fields of [started(), confirmation("rpl_1")]) agent.publish([{ fields }], false);
  rig.clock.settle();
  expect(typesOf(own.received)).not.toContain("awaiting.confirmation");
  expect(own.subscription.listener.reply(decision(rig, "rpl_1", "accept"), {})).toBe(false);
});

it("R34: one connection has 16 subscriptions at most, and others still find sets of terms", () => {
  const rig = createEngineRig({ engine: { maxTermSets: 64 } });
  const connection = {};
  const listen = (index: number, on?: object) => rig.listen({ maxChars: 200 + index }, `own${index}`, undefined, on);
  for (let index = 0; index < 16; index += 1) listen(index, connection);
  expect(faultOf(() => listen(16, connection))).toMatchObject({ code: "rate_limit", rule: "R34" });
  expect(listen(17, {}).subscription.terms.maxChars).toBe(217);
  const replacing = {
    subscriberId: "again",
    terms: listen(18, {}).subscription.terms,
    connection,
    isReplacing: true,
    resumeAfter: undefined,
  };
  expect(() =>
    rig.engine.subscribe({ ...replacing, outlet: { wake: () => {}, ended: () => {} } as never }),
  ).not.toThrow();
});

it("R4, R18: a critical event that stands where a slow listener begins to read is not lost behind a thousand others", () => {
  const rig = createEngineRig({ engine: { viewWindowCount: 16 } });
  const listener = rig.listen({});
  rig.publish(started(), session("sess_2").started());
  listener.block(true);
  rig.publish(alarm("sess_1"));
  for (let index = 0; index < 1100; index += 1) rig.publish(alarm("sess_2"));
  listener.block(false);
  rig.advance(1000);
  expect([heardOf(listener, "sess_1"), heardOf(listener, "sess_2")]).toEqual([1, 1100]);
});

it("R17: sums of quiet sessions are told beside a busy one, so that a place is told", () => {
  const rig = createEngineRig();
  for (let index = 0; index < 5; index += 1) rig.publish(session(`sess_${index}`).started());
  rig.publish(session("sess_busy").started());
  const listener = rig.listen({ maxEventsPerSecond: 1 });
  for (let index = 0; index < 600; index += 1) {
    rig.publish(session("sess_busy").chunk(`Word ${index} goes. `));
    rig.advance(200);
  }
  expect(listener.received.filter(({ event }) => event.extensions?.aaepd?.summary)).toHaveLength(5);
  expect(listener.subscription.cursor()).toBeDefined();
});

it("R28: an event that waits to be sent again waits once, and only so many wait", () => {
  const rig = createEngineRig();
  const listener = rig.listen({});
  rig.publish(started());
  const ids = Array.from({ length: 257 }, () => rig.publish(alarm("sess_1")));
  listener.block(true);
  const again = (index: number) => listener.subscription.repeat(ids[index]?.[0]?.eventId ?? "");
  for (let index = 0; index < 256; index += 1) for (let twice = 0; twice < 2; twice += 1) again(index);
  expect(listener.subscription.status().rememberedCount).toBe(256);
  expect(faultOf(() => again(256)).code).toBe("rate_limit");
});

it("R4, R18: where more critical events wait than are remembered, a slow listener still gets them in their order", () => {
  const rig = createEngineRig({ engine: { viewWindowCount: 16 } });
  const listener = rig.listen({});
  rig.publish(session("sess_2").started());
  listener.block(true);
  const published = Array.from({ length: 1100 }, () => rig.publish(alarm("sess_2"))[0]?.eventId);
  listener.takeRuns(3);
  published.push(rig.publish(alarm("sess_2"))[0]?.eventId);
  listener.block(false);
  rig.advance(1000);
  expect(listener.received.slice(1).map(({ event }) => event.event_id)).toEqual(published);
});

it("R34: terms that fail while they are applied end their subscription, and leave no view behind", () => {
  const rig = createEngineRig();
  const { terms, arm } = createFailingView();
  const listener = rig.listen({ maxEventsPerSecond: 1 });
  rig.publish(started(), chunk("One.", true));
  arm(true);
  expect(() => retune(listener, terms)).toThrow("no filter");
  arm(false);
  rig.advance(0);
  expect(listener.ended).toEqual(["producer_error"]);
  expect(rig.engine.status()).toMatchObject({ viewCount: 0, subscriptionCount: 0 });
});

it("R26: an output that has ended is not remembered as skipped because something else waits", () => {
  const rig = createEngineRig();
  const listener = rig.listen({});
  rig.publish(started(), chunk("Said. ", true));
  listener.block(true);
  rig.publish(session("sess_2").started());
  const { subscription } = listener;
  subscription.skip("sess_1", "out_1");
  expect(subscription.status().rememberedCount).toBe(0);
  listener.block(false);
  rig.advance(0);
  expect(typesOf(listener.received)).toEqual(["session.started", "output.streaming", "session.started"]);
});

it("R6, R28: a question that is asked for again before it was put is put once, and a reply to it counts", () => {
  const rig = createEngineRig();
  const listener = rig.listen({ supportsConfirmationReply: true });
  rig.publish(started());
  listener.block(true);
  rig.publish(confirmation("rpl_1", { event_id: "evt_asked" }));
  listener.subscription.repeat("evt_asked");
  listener.block(false);
  rig.advance(0);
  expect(typesOf(listener.received)).toEqual(["session.started", "awaiting.confirmation", "state.changed"]);
  expect(listener.subscription.listener.reply(decision(rig, "rpl_1", "accept"), {})).toBe(true);
});

it("R34, AAEP §5.9: a subscription that cannot fall behind is ended alone", () => {
  let isBroken = false;
  const rig = createEngineRig({ engine: { viewWindowCount: 16 } });
  const [first, second] = [rig.listen({}, "first"), rig.listen({}, "second")];
  rig.publish(started());
  second.block(true);
  const { subscription } = second;
  const placeIn = subscription.placeIn.bind(subscription);
  subscription.placeIn = (...where) => {
    if (isBroken) throw new Error("it cannot");
    return placeIn(...where);
  };
  isBroken = true;
  for (let index = 0; index < 100; index += 1) rig.publish(chunk(`Sentence ${index}. `));
  expect([first.ended, second.ended]).toEqual([[], ["producer_error"]]);
  rig.advance(6000);
  expect(first.received).toHaveLength(101);
});
