import { afterEach, expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { Fault } from "../../../src/base/errors.js";
import type { ReceivedEvent } from "../../../src/client/events.js";
import type { SubscriberOptions } from "../../../src/client/listener/requests.js";
import { Subscriber } from "../../../src/client/listener/subscriber.js";
import type { SubscriberState } from "../../../src/client/listener/types.js";
import { isClosedForm } from "../../support/oracles/closed-forms.js";
import { createVirtualClock, settle } from "../../support/rigs/virtual-clock.js";
import { chunkMessage, createFakeProducer, eventMessage, type FakeProducer } from "../fake-producer.js";

const opened: Subscriber[] = [];
afterEach(async () => {
  for (const subscriber of opened.splice(0)) await subscriber.close();
});

function start(producer: FakeProducer, options: Partial<SubscriberOptions> = {}) {
  const timers = createVirtualClock();
  const states: SubscriberState[] = [];
  const events: string[] = [];
  // Beside events, so that their order shows.
  const cursors: string[] = [];
  const subscriber = new Subscriber({
    connect: producer.connect,
    request: { subscriber_id: "reader", capabilities: { max_events_per_second: 3 } },
    onEvent: (event, isRepeated) => void events.push(`${isRepeated ? "repeated" : "new"} ${event.event_id}`),
    onCursor: (cursor) => cursors.push(`${cursor} after ${events.length}`),
    onState: (state) => states.push(state),
    timers,
    chance: () => 0,
    ...options,
  });
  opened.push(subscriber);
  return { subscriber, timers, states, events, cursors, kinds: () => states.map(({ kind }) => kind) };
}

function side(producer: FakeProducer, index = 0) {
  const found = producer.sides[index];
  if (found === undefined) throw new Error(`no connection ${index}`);
  return found;
}

test("R17, R18: closed as lagging, it comes back after the place of the close; repeats are not shown twice", async () => {
  const producer = createFakeProducer();
  const { events, states, timers } = start(producer);
  await settle();
  side(producer).accept();
  side(producer).say(eventMessage(1), chunkMessage(2, "One. ", 0), {
    type: "subscription.close",
    subscription_id: "sub_1",
    reason_code: "lagging",
    extensions: { aaepd: { cursor: "c1.a.2" } },
  });
  await settle();
  expect(states.at(-1)).toMatchObject({
    kind: "waiting",
    because: { kind: "closed", close: { reason_code: "lagging" } },
  });
  await timers.advanceSettled(250);
  expect(side(producer, 1).received[0]).toMatchObject({ extensions: { aaepd: { resume_after: "c1.a.2" } } });
  side(producer, 1).accept("sub_2", { resumed: "all" });
  side(producer, 1).say(chunkMessage(3, "One. Two. ", 0), eventMessage(1), eventMessage(4));
  await settle();
  expect(states.at(-1)).toMatchObject({ kind: "active", isResumed: true });
  expect(events).toEqual(["new evt_1", "new evt_2", "new evt_3", "new evt_4"]);
});

test("R17: each place is told once all that leads to it was handed on, and the last is what it comes back with", async () => {
  const producer = createFakeProducer();
  const { subscriber, cursors, timers } = start(producer);
  await settle();
  expect(side(producer).received[0]).not.toHaveProperty("extensions");
  side(producer).accept("sub_1", { cursor: "c1.a.0" });
  side(producer).say(eventMessage(1), eventMessage(2));
  side(producer).reach("c1.a.2");
  side(producer).say(eventMessage(3));
  await settle();
  expect(cursors).toEqual(["c1.a.0 after 0", "c1.a.2 after 2"]);
  expect(subscriber.cursor).toBe("c1.a.2");
  side(producer).sever();
  await settle();
  await timers.advanceSettled(250);
  expect(side(producer, 1).received[0]).toMatchObject({ extensions: { aaepd: { resume_after: "c1.a.2" } } });
  // One that tells no place leaves it where it was.
  side(producer, 1).accept("sub_2", { resumed: "gap" });
  await settle();
  expect(subscriber.cursor).toBe("c1.a.2");
});

test("R17: after it was closed no place is told and none is kept: what came since was not handed on", async () => {
  const producer = createFakeProducer();
  const cursors: string[] = [];
  const { subscriber } = start(producer, {
    onCursor: (cursor) => cursors.push(cursor),
    onEvent: async () => subscriber.close(),
  });
  await settle();
  side(producer).accept("sub_1", { cursor: "c1.a.0" });
  side(producer).say(eventMessage(1));
  side(producer).reach("c1.a.1");
  side(producer).say(eventMessage(2), {
    type: "subscription.close",
    subscription_id: "sub_1",
    reason_code: "producer_shutdown",
    extensions: { aaepd: { cursor: "c1.a.2" } },
  });
  await subscriber.ended;
  await settle();
  expect([cursors, subscriber.cursor]).toEqual([["c1.a.0"], "c1.a.0"]);
});

test.each(["all", "gap", "unknown"])(
  "R12, R17: met as %s, what it had heard is none the less a repeat, and other text in its place is news",
  async (resumed) => {
    const producer = createFakeProducer();
    const texts: unknown[] = [];
    const onEvent = (event: ReceivedEvent): void => {
      const { chunk, position } = event as Envelope;
      texts.push([chunk, position]);
    };
    const { timers } = start(producer, { cursor: "c1.a.7", onEvent });
    await settle();
    expect(side(producer).received[0]).toMatchObject({ extensions: { aaepd: { resume_after: "c1.a.7" } } });
    side(producer).accept();
    side(producer).say(chunkMessage(1, "Some text.", 0));
    side(producer).reach("c1.a.8");
    await settle();
    side(producer).sever();
    await settle();
    await timers.advanceSettled(250);
    side(producer, 1).accept("sub_2", { resumed });
    side(producer, 1).say(chunkMessage(2, "Some ", 0), chunkMessage(3, "Some other.", 0));
    await settle();
    expect(texts).toEqual([
      ["Some text.", 0],
      ["other.", 5],
    ]);
  },
);

test("R17: the request's own extensions stand beside the place", async () => {
  const producer = createFakeProducer();
  const extensions = { haptic: { on: true }, aaepd: { own: 1 } };
  start(producer, { cursor: "c1.a.0", request: { subscriber_id: "reader", capabilities: {}, extensions } });
  await settle();
  expect(side(producer).received[0]?.extensions).toEqual({
    haptic: { on: true },
    aaepd: { own: 1, resume_after: "c1.a.0" },
  });
});

test("the wait doubles up to its limit and starts again after a subscription that lasted", async () => {
  const producer = createFakeProducer();
  const { timers, states } = start(producer, { backOff: { firstMs: 100, longestMs: 400 }, stableAfterMs: 1000 });
  const waits = () => states.flatMap((state) => (state.kind === "waiting" ? [state.retryInMs] : []));
  producer.refuseWith = new Fault("not_found", "Nobody listens.");
  await settle();
  for (const wait of [50, 100, 200, 200]) await timers.advanceSettled(wait);
  expect(waits()).toEqual([50, 100, 200, 200, 200]);
  producer.refuseWith = undefined;
  await timers.advanceSettled(200);
  side(producer).accept();
  await settle();
  await timers.advanceSettled(1000);
  await side(producer).end();
  await settle();
  expect(waits().at(-1)).toBe(50);
  expect(states.at(-1)).toMatchObject({ because: { kind: "fault", fault: { code: "peer_gone" } } });
});

test("a subscription that is cut off at once does not reset the wait", async () => {
  const producer = createFakeProducer();
  const { timers, states } = start(producer, { backOff: { firstMs: 100 } });
  for (let time = 0; time < 3; time += 1) {
    await settle();
    side(producer, time).accept();
    await settle();
    side(producer, time).sever();
    await settle();
    await timers.advanceSettled(400);
  }
  const waits = states.flatMap((state) => (state.kind === "waiting" ? [state.retryInMs] : []));
  expect(waits).toEqual([50, 100, 200]);
});

test("a wrong address is told at once where that is asked for", async () => {
  const producer = createFakeProducer();
  producer.refuseWith = new Fault("not_found", "Nobody listens.");
  const { subscriber } = start(producer, { reconnect: "after-first" });
  expect(await subscriber.ended).toMatchObject({ because: { kind: "fault", fault: { code: "not_found" } } });
});

test("a producer that does not answer, or is none, counts as a broken connection", async () => {
  const producer = createFakeProducer();
  const { timers, states } = start(producer, { handshakeTimeoutMs: 500, backOff: { firstMs: 2 } });
  await settle();
  await timers.advanceSettled(501);
  expect(states.at(-1)).toMatchObject({ kind: "connecting", attempt: 2 });
  expect(states.at(-2)).toMatchObject({ because: { fault: { code: "timed_out" } } });
  side(producer, 1).say({ hello: "world" });
  await settle();
  expect(states.at(-1)).toMatchObject({ because: { fault: { code: "invalid_message" } } });
});

test("AAEP §5.7: renegotiation resolves with the new terms, and later connections ask for them", async () => {
  const producer = createFakeProducer();
  const { subscriber, timers } = start(producer, {
    request: { subscriber_id: "reader", capabilities: { languages: ["yo"], aaepd: { max_chars: 80 } } },
  });
  await settle();
  side(producer).accept();
  await settle();
  const terms = subscriber.renegotiate({ max_events_per_second: 1, aaepd: { paused: true } });
  await settle();
  expect(side(producer).received.at(-1)).toEqual({
    type: "subscription.renegotiate",
    subscription_id: "sub_1",
    capabilities: { max_events_per_second: 1, aaepd: { paused: true } },
  });
  side(producer).accept();
  expect(await terms).toMatchObject({ subscription_id: "sub_1" });
  side(producer).sever();
  await settle();
  await timers.advanceSettled(250);
  expect(side(producer, 1).received[0]?.capabilities).toEqual({
    languages: ["yo"],
    max_events_per_second: 1,
    aaepd: { checkpoints: true, reply_status: true, max_chars: 80, paused: true },
  });
});

test("R17, R19: a request that says otherwise is not overruled, by a renegotiation either", async () => {
  const producer = createFakeProducer();
  const aaepd = { checkpoints: false, reply_status: false };
  const { subscriber } = start(producer, { request: { subscriber_id: "reader", capabilities: { aaepd } } });
  await settle();
  expect(side(producer).received[0]?.capabilities).toEqual({ aaepd });
  side(producer).accept();
  await settle();
  const terms = subscriber.renegotiate({ supports_confirmation_reply: true });
  await settle();
  expect(side(producer).received.at(-1)?.capabilities).toEqual({ supports_confirmation_reply: true });
  side(producer).accept();
  await terms;
  const others = subscriber.renegotiate({ aaepd: { checkpoints: true, reply_status: true } });
  await settle();
  expect(side(producer).received.at(-1)?.capabilities).toEqual({ aaepd: { checkpoints: true, reply_status: true } });
  side(producer).accept();
  await others;
});

test("AAEP §6.3, §6.5: replies go out complete, with the listed members alone, and only while there is a subscription", async () => {
  const producer = createFakeProducer();
  const { subscriber } = start(producer, { wallTime: () => Date.UTC(2026, 0, 2) });
  expect(subscriber.reply({ reply_token: "rpl_1", decision: "accept" })).toBe(false);
  await settle();
  side(producer).accept();
  await settle();
  expect(subscriber.reply({ reply_token: "rpl_1", decision: "accept" })).toBe(true);
  subscriber.reply({ reply_token: "rpl_2", response: 3, decided_by: "Ada" });
  await settle();
  const sent = { subscription_id: "sub_1", timestamp: "2026-01-02T00:00:00.000Z" };
  const [, ...replies] = side(producer).received;
  expect(replies).toEqual([
    { type: "confirmation.reply", ...sent, reply_token: "rpl_1", decision: "accept" },
    { type: "clarification.reply", ...sent, reply_token: "rpl_2", response: 3, decided_by: "Ada" },
  ]);
  for (const reply of replies)
    expect(isClosedForm(reply.type as "confirmation.reply" | "clarification.reply", reply)).toBe(true);
});

test("R28: a list of several pages is asked for to its end, and a producer that never ends it is not asked for ever", async () => {
  const producer = createFakeProducer();
  const { subscriber } = start(producer);
  await settle();
  side(producer).accept();
  await settle();
  const pending = subscriber.listPending();
  side(producer).say({ type: "aaepd.pending", questions: [eventMessage(1), eventMessage(2)], next: "7" });
  await settle();
  side(producer).say({ type: "aaepd.pending", questions: [eventMessage(3)] });
  expect(await pending).toEqual([eventMessage(1), eventMessage(2), eventMessage(3)]);
  expect(side(producer).received.slice(1)).toEqual([
    { type: "aaepd.list_pending", subscription_id: "sub_1" },
    { type: "aaepd.list_pending", after: "7", subscription_id: "sub_1" },
  ]);
});

test.each(["acceptance", "checkpoint", "close"])(
  "a place that cannot be kept ends the subscriber, and it does not come back: that of the %s",
  async (where) => {
    const producer = createFakeProducer();
    const { subscriber } = start(producer, {
      onCursor: () => {
        throw new Error("full");
      },
    });
    const over = expect(subscriber.ended).rejects.toThrow("full");
    await settle();
    side(producer).accept("sub_1", where === "acceptance" ? { cursor: "c1.a.0" } : {});
    if (where === "checkpoint") side(producer).reach("c1.a.0");
    const extensions = { aaepd: { cursor: "c1.a.0" } };
    side(producer).say({ type: "subscription.close", subscription_id: "sub_1", reason_code: "lagging", extensions });
    await over;
    expect(producer.sides).toHaveLength(1);
  },
);

test("R33: an error is told to whoever asked for what it answers: a failed repeat rejects no new terms", async () => {
  const producer = createFakeProducer();
  const { events, subscriber } = start(producer);
  await settle();
  side(producer).accept();
  await settle();
  const error = (answers: string, event_id?: string) => ({
    type: "aaepd.error",
    code: "not_found",
    message: "Not here.",
    answers,
    ...(event_id === undefined ? {} : { event_id }),
  });
  subscriber.repeat("evt_9");
  const terms = subscriber.renegotiate({ max_events_per_second: 1 });
  const listed = expect(subscriber.listPending()).rejects.toMatchObject({ code: "not_found" });
  side(producer).say(error("aaepd.repeat", "evt_9"), error("aaepd.list_pending"));
  await listed;
  side(producer).accept();
  expect(await terms).toMatchObject({ subscription_id: "sub_1" });
  // Nobody waits for that one any more: when it comes, it is news.
  side(producer).say(eventMessage(9));
  await settle();
  expect(events).toEqual(["new evt_9"]);
});

test("R33: a producer that is about to end is tried again", async () => {
  const producer = createFakeProducer();
  const { kinds } = start(producer);
  await settle();
  side(producer).say({
    type: "subscription.rejected",
    reason_code: "transport_unavailable",
    reason_message: "The daemon is stopping.",
  });
  await settle();
  expect(kinds()).toEqual(["connecting", "waiting"]);
});
