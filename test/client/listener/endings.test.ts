// How a listener ends, and what is left when a daemon, a callback, a discovery or the loop goes wrong.
import { expect, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import type { SubscribeOptions } from "../../../src/client/listener/types.js";
import type { Connection } from "../../../src/contracts/transport.js";
import { settle } from "../../support/rigs/virtual-clock.js";
import { createFakeProducer, eventMessage, type FakeProducer } from "../fake-producer.js";
import { accepted, gate, listen, question, scriptedDiscovery, side, start } from "./listener-stage.js";

const rejected = {
  type: "subscription.rejected",
  reason_code: "capabilities_incompatible",
  reason_message: "Ask less.",
};
const ended = { type: "subscription.close", subscription_id: "sub_1", reason_code: "recording_ended" };
const refusal = { type: "aaepd.error", code: "invalid_message", message: "No.", pointer: "", rule: "R33" };

/** The producer's way, with connections that close when the test lets them. */
function slowlyClosing(producer: FakeProducer, opens: Promise<void>): () => Promise<Connection<Uint8Array>> {
  return async () => {
    const connection = await producer.connect();
    const close: typeof connection.close = async (...given) => {
      await opens;
      await connection.close(...given);
    };
    return { ...connection, close };
  };
}

const failure = new Error("The speakers are off.");
const fails = (): never => {
  throw failure;
};

test.each<[string, SubscribeOptions]>([
  ["onState", { onState: ({ kind }) => kind === "active" && fails() }],
  ["onError", { onError: fails }],
  ["onReplyNotTaken", { onReplyNotTaken: fails }],
  ["onCritical", { onCritical: fails }],
  ["onCursor", { onCursor: fails }],
  ["an asynchronous onState", { onState: async ({ kind }) => kind === "active" && fails() }],
  ["an asynchronous onError", { onError: async () => fails() }],
  ["an asynchronous onReplyNotTaken", { onReplyNotTaken: async () => fails() }],
  ["an asynchronous onCritical", { onCritical: async () => fails() }],
  ["an asynchronous onCursor", { onCursor: async () => fails() }],
])("an error thrown by %s ends the iteration with it, and no attempt follows", async (_, options) => {
  const producer = createFakeProducer();
  const { subscription, timers } = start(producer.connect, options);
  const { ended } = listen(subscription);
  await accepted(producer);
  side(producer).say(refusal, { type: "aaepd.reply_not_taken", reply_token: "rpl_1" }, question("rpl_1"));
  side(producer).reach("c1");
  expect(await ended).toBe(failure);
  await timers.advanceSettled(60_000);
  expect(producer.sides).toHaveLength(1);
});

test("a loop that throws closes the subscription, and the event in work is not reached", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  const { ended } = listen(subscription, fails);
  await accepted(producer);
  side(producer).say(eventMessage(1));
  side(producer).reach("c1");
  expect(await ended).toBe(failure);
  await settle();
  expect(side(producer).received.at(-1)).toMatchObject({ type: "subscription.close" });
  expect(told.at(-1)).toBe("1 ended");
  expect(told).not.toContain("1 reached c1");
});

test("the loop may close its own subscription and wait for that", async () => {
  const producer = createFakeProducer();
  const { subscription } = start(producer.connect);
  const { heard, ended } = listen(subscription, () => subscription.close());
  await accepted(producer);
  side(producer).say(eventMessage(1), eventMessage(2));
  expect(await ended).toBe("over");
  expect(heard).toEqual(["evt_1"]);
});

test("AAEP §5.7: a daemon that vanishes before it has answered gets the terms when it is back", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { subscription, timers } = start([one.connect, two.connect]);
  listen(subscription);
  await accepted(one, two);
  const answer = subscription.renegotiate({ pace_wpm: 200 });
  const pending = subscription.listPending();
  await settle();
  side(one).sever();
  side(two).accept("sub_1", { paused: false });
  side(two).say({ type: "aaepd.pending", questions: [question("rpl_2")] });
  expect(await answer).toMatchObject([{ honored_capabilities: { aaepd: { paused: false } } }]);
  expect(await pending).toMatchObject([{ reply_token: "rpl_2" }]);
  await timers.advanceSettled(100);
  expect(side(one, 1).received).toMatchObject([{ capabilities: { pace_wpm: 200 } }]);
});

test("AAEP §5.7: nobody waits for a daemon that hangs: the others have answered", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { subscription, timers } = start([one.connect, two.connect], { handshakeTimeoutMs: 2000 });
  listen(subscription);
  await accepted(one, two);
  const answer = subscription.renegotiate({ pace_wpm: 200 });
  const pending = subscription.listPending();
  await settle();
  side(two).accept("sub_1", { paused: false });
  side(two).say({ type: "aaepd.pending", questions: [question("rpl_2")] });
  await timers.advanceSettled(2000);
  expect(await answer).toMatchObject([{ honored_capabilities: { aaepd: { paused: false } } }]);
  expect(await pending).toMatchObject([{ reply_token: "rpl_2" }]);
  expect(timers.pending()).toBe(0);
  // Its next connection asks for them.
  side(one).sever();
  await settle();
  await timers.advanceSettled(100);
  expect(side(one, 1).received).toMatchObject([{ capabilities: { pace_wpm: 200 } }]);
});

test("calls that come while a lost connection is being closed are settled", async () => {
  const producer = createFakeProducer();
  const { opens, open } = gate();
  const { subscription, timers } = start(slowlyClosing(producer, opens));
  listen(subscription);
  await accepted(producer);
  await side(producer).end();
  await settle();
  expect(await subscription.renegotiate({ pace_wpm: 200 })).toEqual([]);
  expect(await subscription.listPending()).toEqual([]);
  expect(subscription.skip()).toBe(false);
  open();
  await settle();
  await timers.advanceSettled(100);
  expect(side(producer, 1).received).toMatchObject([{ capabilities: { pace_wpm: 200 } }]);
});

test("closing does not wait for a connection that is being made, and closes it when it is", async () => {
  const producer = createFakeProducer();
  const { opens, open } = gate();
  const { subscription, told } = start(async () => {
    await opens;
    return producer.connect();
  });
  const { ended } = listen(subscription);
  await settle();
  await subscription.close();
  expect(await ended).toBe("over");
  expect(told).toEqual(["1 connecting", "1 ended"]);
  open();
  await settle();
  expect(side(producer).received).toEqual([]);
  expect(producer.sides).toHaveLength(1);
});

test("closed at once, no connection is made", async () => {
  const producer = createFakeProducer();
  const { subscription, told } = start(producer.connect);
  await subscription.close();
  expect([told, producer.sides]).toEqual([["1 ended"], []]);
});

test.each([
  [7, 7000],
  // AAEP §5.5 has no longer delay, and the platform's timers have none as long as this.
  [1e12, 86_400_000],
  ["soon", 50],
  [{ toString: 5, valueOf: 5 }, 50],
])(
  "a delay of %j is one of %i ms; closing from a callback does not wait for the next attempt",
  async (delay, retryInMs) => {
    const producer = createFakeProducer();
    const waits: number[] = [];
    const { subscription, timers } = start(producer.connect, {
      onState: (state) => {
        if (state.kind !== "waiting") return;
        waits.push(state.retryInMs);
        void subscription.close();
      },
    });
    const { ended } = listen(subscription);
    await settle();
    side(producer).say({ ...rejected, reason_code: "rate_limit", retry_after_seconds: delay });
    expect(await ended).toBe("over");
    expect(waits).toEqual([retryInMs]);
    expect(timers.pending()).toBe(0);
  },
);

test("an acceptance without terms is an interruption, and no end", async () => {
  const producer = createFakeProducer();
  const { subscription, timers, told } = start(producer.connect);
  const { heard } = listen(subscription);
  await settle();
  side(producer).say({ type: "subscription.accepted", subscription_id: "sub_1" });
  await settle();
  expect(told).toEqual(["1 connecting", "1 waiting"]);
  await timers.advanceSettled(100);
  side(producer, 1).accept();
  side(producer, 1).say(eventMessage(1));
  await settle();
  expect(heard).toEqual(["evt_1"]);
});

test("§8.2.7: wrong credentials end the iteration, unless the connector names a delay", async () => {
  const producer = createFakeProducer();
  const sentence = "This is not the token of this daemon.";
  producer.refuseWith = new Fault("unauthenticated", sentence, { retryAfterSeconds: 5 });
  const { subscription, timers, told } = start(producer.connect);
  const { ended } = listen(subscription);
  await settle();
  await timers.advanceSettled(4999);
  expect(told).toEqual(["1 connecting", "1 waiting"]);
  producer.refuseWith = new Fault("unauthenticated", sentence);
  await timers.advanceSettled(1);
  expect(await ended).toMatchObject({ code: "unauthenticated", sentence });
});

test("a function for cursors that throws ends the iteration, and closes what was begun", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { subscription } = start([one.connect, two.connect], {
    cursor: ({ name }) => (name === "2" ? fails() : undefined),
  });
  expect(await listen(subscription).ended).toBe(failure);
  expect([one.sides, two.sides]).toEqual([[], []]);
});

test("R17: the cursor of one daemon is not taken for several", () => {
  const { connect } = createFakeProducer();
  expect(() => subscribe([connect, connect], {}, { cursor: "c1.a.1" })).toThrow(/belongs to one daemon/);
  expect(() => subscribe(scriptedDiscovery().discovery, {}, { cursor: "c1.a.1" })).toThrow(/belongs to one daemon/);
});

test("a discovery that fails while it begins is stopped", async () => {
  let stopCount = 0;
  const { subscription } = start({
    watch: ({ failed }) => {
      failed(failure);
      return () => {
        stopCount += 1;
      };
    },
  });
  expect(await listen(subscription).ended).toBe(failure);
  expect(stopCount).toBe(1);
});

test("a discovery that cannot be stopped keeps no connection open", async () => {
  const producer = createFakeProducer();
  const subscription = subscribe([producer.connect, { watch: () => fails }]);
  await accepted(producer);
  await expect(subscription.close()).rejects.toBe(failure);
  await settle();
  expect(side(producer).received.at(-1)).toMatchObject({ type: "subscription.close" });
});

test.each([
  [rejected, "Ask less."],
  [{ ...rejected, reason_message: undefined }, "capabilities_incompatible"],
  [{ ...rejected, reason_message: { toString: 5 } }, "capabilities_incompatible"],
])("R20: terms that the first daemon of a discovery rejects end the iteration: %j", async (rejection, sentence) => {
  const producer = createFakeProducer();
  const { discovery, appear, stopCount } = scriptedDiscovery();
  const { subscription } = start(discovery);
  const { ended } = listen(subscription);
  await settle();
  appear("a", producer.connect);
  await settle();
  side(producer).say(rejection);
  expect(await ended).toMatchObject({ code: "capabilities_incompatible", sentence });
  expect(stopCount()).toBe(1);
});

test("R17: terms that others accepted go on, and a daemon that is followed again goes on at its place", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { discovery, appear } = scriptedDiscovery();
  const { subscription, told } = start(discovery, { cursor: () => "c0" });
  const { heard } = listen(subscription);
  await settle();
  appear("a", one.connect);
  await accepted(one);
  side(one).say(eventMessage(1));
  side(one).reach("c1");
  side(one).say(ended);
  appear("b", two.connect);
  await settle();
  side(two).say(rejected);
  await settle();
  expect(told).toContain("a ended");
  expect(told.at(-1)).toBe("b ended");
  expect(subscription.sources()).toEqual([]);
  appear("a", one.connect);
  await settle();
  expect(side(one, 1).received).toMatchObject([{ extensions: { aaepd: { resume_after: "c1" } } }]);
  side(one, 1).accept("sub_2");
  side(one, 1).say(eventMessage(2));
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2"]);
});

test("a daemon that has left with its connection standing is forgotten once that has ended, like the others", async () => {
  const producer = createFakeProducer();
  const { discovery, appear, leave } = scriptedDiscovery();
  const { subscription } = start(discovery);
  listen(subscription);
  await settle();
  appear("standing", producer.connect);
  await accepted(producer);
  leave("standing");
  const depart = async (from: number): Promise<void> => {
    for (let number = from; number < from + 40; number += 1) {
      appear(`${number}`, () => Promise.reject(new Fault("not_found", "None.")));
      leave(`${number}`);
    }
    await settle();
  };
  await depart(0);
  expect(subscription.sources().map(({ name }) => name)).toContain("standing");
  await side(producer).end();
  await settle();
  await depart(40);
  expect(subscription.sources().map(({ name }) => name)).not.toContain("standing");
  expect(subscription.sources()).toHaveLength(32);
});

test("R32: of changes that are asked for together, a daemon that is found later gets those that were not refused", async () => {
  const [one, two] = [createFakeProducer(), createFakeProducer()];
  const { discovery, appear } = scriptedDiscovery();
  const { subscription } = start(discovery);
  listen(subscription);
  await settle();
  appear("a", one.connect);
  await accepted(one);
  const answers = Promise.allSettled([
    subscription.renegotiate({ pace_wpm: 1 }),
    subscription.renegotiate({ preferred_verbosity: "terse" }),
  ]);
  await settle();
  side(one).say({ ...refusal, answers: "subscription.renegotiate" });
  side(one).accept();
  expect((await answers).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  appear("b", two.connect);
  await settle();
  const [{ capabilities } = {}] = side(two).received;
  expect(capabilities).toEqual({ preferred_verbosity: "terse", aaepd: { checkpoints: true, reply_status: true } });
});
