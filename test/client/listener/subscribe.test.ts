// The loop of a listener, with producers that say exactly what a test tells them to.
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import type { SubscriberReply } from "../../../src/client/listener/types.js";
import { faultOf } from "../../support/fault-of.js";
import { settle } from "../../support/rigs/virtual-clock.js";
import { chunkMessage, createFakeProducer, eventMessage, type FakeProducer } from "../fake-producer.js";
import { accepted, gate, listen, question, scriptedDiscovery, side, start } from "./listener-stage.js";

test("AAEP §5.2: the terms go into the request, and events come in order, each once", async () => {
  const producer = createFakeProducer();
  const { subscription, told, timers } = start(producer.connect, { name: "A reader" }, { max_events_per_second: 3 });
  const { heard, ended } = listen(subscription);
  await accepted(producer);
  expect(side(producer).received).toEqual([
    {
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: "reader",
      subscriber_name: "A reader",
      capabilities: { max_events_per_second: 3, aaepd: { checkpoints: true, reply_status: true } },
    },
  ]);
  side(producer).say(eventMessage(1), eventMessage(2), eventMessage(1));
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2"]);
  expect(told).toEqual(["1 connecting", "1 active"]);
  expect(subscription.sources()).toMatchObject([{ name: "1", label: "1" }]);
  expect(timers.pending()).toBe(0);
  await subscription.close("Good night.");
  expect(await ended).toBe("over");
  expect(side(producer).received.at(-1)).toEqual({
    type: "subscription.close",
    subscription_id: "sub_1",
    reason_code: "subscriber_shutdown",
    reason_message: "Good night.",
  });
});

test("a listener without a name has its own", async () => {
  const producers = [createFakeProducer(), createFakeProducer()] as const;
  for (const { connect } of producers) {
    const subscription = subscribe(connect);
    onTestFinished(() => subscription.close());
  }
  await settle();
  const names = producers.map((producer) => side(producer).received[0]?.subscriber_id);
  expect(names[0]).toMatch(/^listener-[0-9a-f]{32}$/);
  expect(names[1]).not.toBe(names[0]);
});

test("a busy loop holds the stream, and a cursor waits until every event before it is finished (R17)", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  const gates = [gate(), gate()] as const;
  const { heard } = listen(subscription, (event) => gates[event.event_id === "evt_1" ? 0 : 1].opens);
  await accepted(producer);
  side(producer).say(eventMessage(1));
  side(producer).reach("c1");
  side(producer).say(eventMessage(2));
  side(producer).reach("c2");
  // More than the pair of connections holds: the producer sees that nobody reads.
  for (let number = 3; number < 200; number += 1) side(producer).say(eventMessage(number));
  await settle();
  expect(heard).toEqual(["evt_1"]);
  expect(told).not.toContain("1 reached c1");
  expect(subscription.sources()[0]?.cursor()).toBeUndefined();
  gates[0].open();
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2"]);
  expect(told).toContain("1 reached c1");
  expect(told).not.toContain("1 reached c2");
  expect(subscription.sources()[0]?.cursor()).toBe("c1");
  gates[1].open();
  await settle();
  expect(heard).toHaveLength(199);
  expect(subscription.sources()[0]?.cursor()).toBe("c2");
});

test("AAEP §5.7: the loop may wait for an answer, though events stand before it", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  let answer: unknown;
  const { heard } = listen(subscription, async (event) => {
    if (event.event_id !== "evt_1") return;
    answer = await subscription.renegotiate({ pace_wpm: 200 });
  });
  await accepted(producer);
  side(producer).say(eventMessage(1));
  await settle();
  for (let number = 2; number <= 50; number += 1) side(producer).say(eventMessage(number));
  side(producer).reach("c50");
  await settle();
  // Read ahead, but neither handed over nor reached.
  expect(heard).toEqual(["evt_1"]);
  expect(told).not.toContain("1 reached c50");
  side(producer).accept("sub_1", { paused: false });
  await settle();
  expect(answer).toMatchObject([{ honored_capabilities: { aaepd: { paused: false } } }]);
  expect(heard).toHaveLength(50);
  expect(told).toContain("1 reached c50");
});

test("R17: the answer to no change brings the newest place, before it resolves", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  const { heard } = listen(subscription);
  await accepted(producer);
  side(producer).say(eventMessage(1));
  await settle();
  const places: unknown[] = [];
  const answer = subscription.renegotiate({}).then(() => places.push(told.at(-1), subscription.sources()[0]?.cursor()));
  await settle();
  expect(side(producer).received.at(-1)).toMatchObject({ type: "subscription.renegotiate", capabilities: {} });
  side(producer).accept("sub_1", { cursor: "c1" });
  await answer;
  expect(heard).toEqual(["evt_1"]);
  expect(places).toEqual(["1 reached c1", "c1"]);
});

test("an answer behind more events than are kept is given up, and the stream is held again", async () => {
  const producer = createFakeProducer();
  const { subscription } = start(producer.connect);
  let refusal: unknown;
  const { heard } = listen(subscription, async (event) => {
    if (event.event_id === "evt_0") refusal = await subscription.listPending().catch((caught: unknown) => caught);
  });
  await accepted(producer);
  for (let number = 0; number < 16_500; number += 1) side(producer).say(eventMessage(number));
  while (refusal === undefined) await settle();
  expect(refusal).toMatchObject({ code: "lagging" });
  while (heard.length < 16_500) await settle();
  expect(heard.at(-1)).toBe("evt_16499");
});

test("R17: back after a break at the place it reached, with the newest terms, and nothing twice", async () => {
  const producer = createFakeProducer();
  const { subscription, timers, told } = start(producer.connect);
  const { heard } = listen(subscription);
  await accepted(producer);
  side(producer).say(eventMessage(1));
  side(producer).reach("c1");
  side(producer).say(eventMessage(2));
  await settle();
  side(producer).sever();
  await settle();
  expect(await subscription.renegotiate({ preferred_verbosity: "terse" })).toEqual([]);
  // Between two connections nothing is asked.
  expect([await subscription.listPending(), subscription.skip()]).toEqual([[], false]);
  await timers.advanceSettled(100);
  expect(side(producer, 1).received).toMatchObject([
    { capabilities: { preferred_verbosity: "terse" }, extensions: { aaepd: { resume_after: "c1" } } },
  ]);
  side(producer, 1).accept("sub_2");
  side(producer, 1).say(eventMessage(2), eventMessage(3));
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2", "evt_3"]);
  expect(side(producer, 1).received).toHaveLength(1);
  expect(told).toEqual(["1 connecting", "1 active", "1 reached c1", "1 waiting", "1 connecting", "1 active"]);
});

test("R32: terms that change while the request is on its way are asked for behind it", async () => {
  const producer = createFakeProducer();
  const { subscription } = start(producer.connect);
  await settle();
  expect(await subscription.renegotiate({ pace_wpm: 200 })).toEqual([]);
  await accepted(producer);
  expect(side(producer).received).toMatchObject([
    { type: "subscription.request", capabilities: { aaepd: { checkpoints: true } } },
    { type: "subscription.renegotiate", capabilities: { pace_wpm: 200 } },
  ]);
});

test("leaving the loop closes the subscription; the event in work is not reached", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  await accepted(producer);
  side(producer).say(eventMessage(1));
  side(producer).reach("c1");
  for await (const event of subscription) {
    expect(event.event_id).toBe("evt_1");
    break;
  }
  await settle();
  expect(side(producer).received.at(-1)).toMatchObject({ type: "subscription.close" });
  expect(told.at(-1)).toBe("1 ended");
  expect(told).not.toContain("1 reached c1");
  expect(await subscription[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
});

test("await using closes", async () => {
  const producer = createFakeProducer();
  {
    await using subscription = subscribe(producer.connect);
    await accepted(producer);
    expect(subscription.sources()).toHaveLength(1);
  }
  expect(side(producer).received.at(-1)).toMatchObject({ type: "subscription.close" });
});

test("an address that can never work ends the iteration, after what the others have to say", async () => {
  const [good, bad] = [createFakeProducer(), createFakeProducer()];
  bad.refuseWith = new Fault("address_invalid", "The path is too long.");
  const { subscription, told } = start([
    { name: "good", connect: good.connect },
    { name: "bad", connect: bad.connect },
  ]);
  const { heard, ended } = listen(subscription);
  await accepted(good);
  expect(told).toContain("bad ended");
  side(good).say(eventMessage(1));
  side(good).say({ type: "subscription.close", subscription_id: "sub_1", reason_code: "recording_ended" });
  expect(await ended).toMatchObject({ code: "address_invalid" });
  expect(heard).toEqual(["evt_1"]);
});

test("a recording that is over ends the loop in order", async () => {
  const producer = createFakeProducer();
  const { subscription } = start(producer.connect);
  const { ended } = listen(subscription);
  await accepted(producer);
  side(producer).say({ type: "subscription.close", subscription_id: "sub_1", reason_code: "recording_ended" });
  expect(await ended).toBe("over");
});

test("R5b, R19, R39: replies, leaves, stops, skips and repeats go to the daemon that they mean", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { subscription, told } = start([
    { name: "one", connect: one.connect },
    { name: "two", label: "The second", connect: two.connect },
  ]);
  const events: ReceivedEvent[] = [];
  listen(subscription, (event) => void events.push(event));
  await accepted(one, two);
  side(one).say(question("rpl_one"));
  await settle();
  side(two).say(question("rpl_two"), chunkMessage(2, "Long", 0));
  await settle();
  expect(events.map((event) => subscription.sourceOf(event)?.label)).toEqual(["one", "The second", "The second"]);
  const [, , text] = events;
  if (text === undefined) throw new Error("no text");
  expect(subscription.reply({ reply_token: "rpl_one", decision: "accept" })).toBe(true);
  expect(subscription.reply({ reply_token: "rpl_two", decision: "reject" })).toBe(true);
  expect(subscription.reply({ reply_token: "rpl_nobodys", decision: "accept" })).toBe(false);
  expect(subscription.leave({ reply_token: "rpl_nobodys" })).toBe(false);
  expect([subscription.leave({ reply_token: "rpl_one" }), subscription.stop(text)]).toEqual([true, true]);
  expect(subscription.skip(text)).toBe(true);
  expect(subscription.repeat(text)).toBe(true);
  const unheard = { ...text, session_id: "sess_nobodys" };
  expect([subscription.stop(unheard), subscription.skip(unheard), subscription.repeat(unheard)]).not.toContain(true);
  await settle();
  const subscription_id = "sub_1";
  const timestamp = expect.any(String);
  const replied = { type: "confirmation.reply", subscription_id, timestamp };
  expect(side(one).received.slice(1)).toEqual([
    { ...replied, reply_token: "rpl_one", decision: "accept" },
    { type: "aaepd.leave", subscription_id, reply_token: "rpl_one" },
  ]);
  expect(side(two).received.slice(1)).toMatchObject([
    { ...replied, reply_token: "rpl_two", decision: "reject" },
    { type: "aaepd.stop", subscription_id, session_id: "sess_1" },
    { type: "aaepd.skip", session_id: "sess_1" },
    { type: "aaepd.repeat", event_id: "evt_2" },
  ]);
  expect(subscription.isRepeated(text)).toBe(false);
  const long = chunkMessage(2, "Long", 0);
  side(two).say(long, long, { type: "aaepd.reply_not_taken", reply_token: "rpl_two" });
  await settle();
  // What was asked for once comes once.
  expect(events.slice(3).map((event) => subscription.isRepeated(event))).toEqual([true]);
  expect(told).toContain("two did not take rpl_two");
  // Of everything: each daemon.
  expect(subscription.skip()).toBe(true);
  await settle();
  for (const producer of [one, two]) expect(side(producer).received.at(-1)).toMatchObject({ type: "aaepd.skip" });
});

test("AAEP §6.3: a reply to no question that was heard goes to nobody, also beside one daemon; what is no reply is refused", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  listen(subscription);
  await accepted(producer);
  expect(subscription.reply({ reply_token: "rpl_1", decision: "accept" })).toBe(false);
  side(producer).say(question("rpl_1"));
  await settle();
  for (const reply of [
    { reply_token: "rpl_1", decision: "banana" },
    { decision: "accept" },
    { reply_token: "rpl_1" },
    { reply_token: "rpl_1", decision: "accept", response: "x" },
    { reply_token: "rpl_1", response: null },
    "accept",
  ])
    expect(faultOf(() => subscription.reply(reply as SubscriberReply)).code).toBe("usage");
  expect(subscription.reply({ reply_token: "rpl_1", decision: "accept" })).toBe(true);
  side(producer).say({ type: "aaepd.reply_not_taken", reply_token: "rpl_1" });
  await settle();
  expect(side(producer).received.map(({ type }) => type)).toEqual(["subscription.request", "confirmation.reply"]);
  expect(told).toContain("1 did not take rpl_1");
});

test("AAEP §5.7: a change of terms is no change of state, and its refusal is told once", async () => {
  const producer = createFakeProducer();
  const errors: unknown[] = [];
  const { subscription, told } = start(producer.connect, { onError: (error) => void errors.push(error) });
  listen(subscription);
  await settle();
  // Asked for while the request is on its way: nobody waits for its answer.
  await subscription.renegotiate({ pace_wpm: 7 });
  side(producer).accept();
  const refusal = {
    type: "aaepd.error",
    code: "invalid_params",
    message: "Give 50 or more.",
    pointer: "",
    rule: "R32",
    event_id: "evt_1",
    retry_after_seconds: 7,
    answers: "subscription.renegotiate",
  };
  side(producer).say(refusal);
  await settle();
  expect(errors).toEqual([refusal]);
  const answers = [subscription.renegotiate({ pace_wpm: 200 }), subscription.renegotiate({ pace_wpm: 1 })];
  await settle();
  side(producer).accept("sub_1", { paused: false });
  side(producer).say(refusal);
  await expect(Promise.all(answers)).rejects.toMatchObject({ code: "invalid_params", retryAfterSeconds: 7 });
  expect(told).toEqual(["1 connecting", "1 active"]);
  expect(errors).toEqual([refusal]);
  expect(subscription.sources()[0]?.state()).toMatchObject({
    kind: "active",
    accepted: { honored_capabilities: { aaepd: { paused: false } } },
  });
});

test("R28: the open questions of all daemons, which can then be answered", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { subscription } = start([one.connect, two.connect]);
  listen(subscription);
  await accepted(one, two);
  const pending = subscription.listPending();
  await settle();
  side(one).say({ type: "aaepd.pending", questions: [question("rpl_1", 1)] });
  side(two).say({ type: "aaepd.pending", questions: [question("rpl_2", 2)] });
  expect((await pending).map((event) => event.event_id)).toEqual(["evt_1", "evt_2"]);
  expect(subscription.reply({ reply_token: "rpl_2", decision: "accept" })).toBe(true);
  await settle();
  expect(side(two).received.at(-1)).toMatchObject({ reply_token: "rpl_2" });
});

test("a discovery adds daemons; one that has left waits with its place until it is back", async () => {
  const producers = new Map(["a", "b", "c"].map((name) => [name, createFakeProducer()]));
  const made = (name: string): FakeProducer => producers.get(name) as FakeProducer;
  const { discovery, appear: found, leave, stopCount } = scriptedDiscovery();
  const { subscription, timers, told } = start(discovery);
  const { heard, ended } = listen(subscription);
  await settle();
  const appear = (name: string): void => found(name, made(name).connect);
  appear("a");
  appear("a");
  await accepted(made("a"));
  side(made("a")).say(eventMessage(1));
  side(made("a")).reach("c1");
  await settle();
  // The connection still stands: it is read to its end.
  leave("a");
  side(made("a")).say(eventMessage(2));
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2"]);
  await side(made("a")).end();
  await settle();
  await timers.advanceSettled(60_000);
  expect(told.at(-1)).toBe("a connecting");
  expect(made("a").sides).toHaveLength(1);
  appear("b");
  await accepted(made("b"));
  side(made("b")).say(eventMessage(7));
  // One that does not answer keeps the terms from nobody else.
  subscription.renegotiate({ pace_wpm: 200 }).catch(() => {});
  appear("a");
  appear("c");
  await settle();
  expect(side(made("a"), 1).received).toMatchObject([
    { capabilities: { pace_wpm: 200 }, extensions: { aaepd: { resume_after: "c1" } } },
  ]);
  expect(side(made("c")).received).toMatchObject([{ capabilities: { pace_wpm: 200 } }]);
  side(made("a"), 1).accept("sub_2");
  side(made("a"), 1).say(eventMessage(2), eventMessage(3));
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2", "evt_7", "evt_3"]);
  expect(told).not.toContain("a ended");
  await subscription.close();
  expect(stopCount()).toBe(1);
  expect(await ended).toBe("over");
});

test("of many daemons that have left, the longest absent is forgotten", async () => {
  const { discovery, appear, leave } = scriptedDiscovery();
  const { subscription } = start(discovery);
  await settle();
  const connect = createFakeProducer().connect;
  for (let number = 0; number < 40; number += 1) {
    appear(`${number}`, () => Promise.reject(new Fault("not_found", "None.")));
    leave(`${number}`);
  }
  await settle();
  expect(subscription.sources().map(({ name }) => name)).toEqual(
    Array.from({ length: 32 }, (_, index) => `${index + 8}`),
  );
  appear("0", connect);
  expect(subscription.sources()).toHaveLength(33);
});
