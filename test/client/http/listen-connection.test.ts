// The conversation over HTTP with a daemon that says, or does not say, exactly what a test tells it to.
import { expect, onTestFinished, test } from "vitest";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { enveloped } from "../../../src/client/http/envelopes.js";
import { httpConnector } from "../../../src/client/http/listen-connection.js";
import type { SubscribeOptions } from "../../../src/client/listener/types.js";
import { encodeDocument } from "../../../src/protocols/aaep/protobuf/encode.js";
import { settle } from "../../support/rigs/virtual-clock.js";
import { gate, listen, start } from "../listener/listener-stage.js";

interface Call {
  readonly method: string;
  readonly body: unknown;
  readonly answer: (json: object | string) => void;
  readonly fail: () => void;
}

interface Stream {
  /** What the listener asked for. */
  readonly request: unknown;
  readonly write: (bytes: Uint8Array) => void;
  readonly say: (message: object) => void;
  readonly end: (last?: object) => void;
}

/** The daemon's side: one stream for each `Listen`, and calls that wait for the test. */
function fakeDaemon() {
  const streams: Stream[] = [];
  const calls: Call[] = [];
  let pullCount = 0;
  const send: typeof fetch = (url, init) => {
    const method = String(url).split("/").at(-1) ?? "";
    return new Promise((resolve, reject) => {
      const { body, signal } = init ?? {};
      signal?.addEventListener("abort", () => reject(new DOMException("Aborted.", "AbortError")));
      if (method !== "Listen") {
        const answer: Call["answer"] = (json) =>
          resolve(new Response(typeof json === "string" ? json : JSON.stringify(json)));
        if (method === "Close") return answer({});
        calls.push({ method, body: JSON.parse(String(body)), answer, fail: () => reject(new TypeError("Failed.")) });
        return;
      }
      const stream = new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            signal?.addEventListener("abort", () => controller.error(new DOMException("Aborted.", "AbortError")));
            streams.push({
              request: JSON.parse(new TextDecoder().decode((body as Uint8Array).subarray(5))),
              write: (bytes) => controller.enqueue(bytes),
              say: (message) => controller.enqueue(enveloped(message)),
              end: (last = {}) => {
                const bytes = enveloped(last);
                bytes[0] = 2;
                controller.enqueue(bytes);
                controller.close();
              },
            });
          },
          pull: () => {
            pullCount += 1;
          },
        },
        { highWaterMark: 0 },
      );
      resolve(new Response(stream, { headers: { "content-type": "application/connect+json" } }));
    });
  };
  return { streams, calls, fetch: send, pullCount: () => pullCount };
}

const accepted = (given: object = {}) => ({
  accepted: {
    subscriptionId: "sub_1",
    aaepVersion: "1.0.0",
    producer: { agentId: "fake" },
    honoredCapabilities: { aaepd: { key: "key_1", heartbeatSeconds: 15, ...given } },
  },
});
const event = (number: number) => ({
  type: "aaep:agent.progress.updated",
  eventId: `evt_${number}`,
  sessionId: "sess_1",
  progressUpdated: { progress: { percent: number } },
});

function begin(options: SubscribeOptions = {}, work?: Parameters<typeof listen>[1]) {
  const daemon = fakeDaemon();
  // The connector takes the time from where the subscription does.
  const connect = { current: httpConnector("http://daemon", { token: "t", fetch: daemon.fetch }) };
  const stage = start(() => connect.current(), options);
  connect.current = httpConnector("http://daemon", { token: "t", fetch: daemon.fetch, timers: stage.timers });
  return { daemon, ...stage, ...listen(stage.subscription, work) };
}

/** The stream of that number. */
function streamOf({ streams }: ReturnType<typeof fakeDaemon>, index = 0) {
  const found = streams[index];
  if (found === undefined) throw new Error(`no stream ${index}`);
  return found;
}

test("a stream that is silent for two and a half intervals is given up; heartbeats keep it", async () => {
  const { daemon, timers, told, heard } = begin();
  await settle();
  streamOf(daemon).say(accepted());
  await settle();
  for (let count = 0; count < 4; count += 1) {
    await timers.advanceSettled(37_000);
    streamOf(daemon).say({ heartbeat: {} });
    await settle();
  }
  expect(told).toEqual(["1 connecting", "1 active"]);
  await timers.advanceSettled(37_400);
  expect(told).toHaveLength(2);
  await timers.advanceSettled(100);
  await timers.advanceSettled(100);
  expect(told).toEqual(["1 connecting", "1 active", "1 waiting", "1 connecting"]);
  streamOf(daemon, 1).say(accepted());
  streamOf(daemon, 1).say({ events: [event(1), event(2)] });
  await settle();
  expect(heard).toEqual(["evt_1", "evt_2"]);
});

test("without heartbeats a silent stream stays", async () => {
  const { daemon, timers, told } = begin();
  await settle();
  streamOf(daemon).say(accepted({ heartbeatSeconds: undefined }));
  await settle();
  await timers.advanceSettled(1_000_000);
  expect(told).toEqual(["1 connecting", "1 active"]);
});

test("a busy loop holds the stream, and its silence is not the daemon's", async () => {
  const { opens, open } = gate();
  const { daemon, timers, told, heard } = begin({}, () => opens);
  await settle();
  streamOf(daemon).say(accepted());
  streamOf(daemon).say({ events: [event(1), event(2)] });
  await settle();
  const pulled = daemon.pullCount();
  for (let number = 3; number < 50; number += 1) streamOf(daemon).say({ events: [event(number)] });
  await settle();
  await timers.advanceSettled(100_000);
  expect([heard, daemon.pullCount()]).toEqual([["evt_1"], pulled]);
  open();
  await settle();
  expect(heard).toHaveLength(49);
  expect(told).toEqual(["1 connecting", "1 active"]);
});

test("calls go one after another, with the key; an acceptance that answers one reports no place", async () => {
  const { daemon, subscription, told, heard } = begin();
  await settle();
  streamOf(daemon).say(accepted({ cursor: "c0" }));
  await settle();
  const terms = subscription.renegotiate({ pace_wpm: 200 });
  expect(subscription.skip()).toBe(true);
  await settle();
  expect(daemon.calls.map(({ method, body }) => ({ method, body }))).toEqual([
    {
      method: "Renegotiate",
      body: {
        key: "key_1",
        renegotiate: { additional: { capabilities: { pace_wpm: 200 }, subscription_id: "sub_1" } },
      },
    },
  ]);
  // These events are before the place in the answer, and have not been read.
  daemon.calls[0]?.answer(accepted({ cursor: "c9" }));
  streamOf(daemon).say({ events: [event(1)] });
  streamOf(daemon).say({ checkpoint: { cursor: "c9" } });
  expect(await terms).toMatchObject([{ honored_capabilities: { aaepd: { key: "key_1" } } }]);
  await settle();
  expect(heard).toEqual(["evt_1"]);
  expect(told.filter((line) => line.includes("reached"))).toEqual(["1 reached c0", "1 reached c9"]);
  expect(daemon.calls.slice(1).map(({ method, body }) => ({ method, body }))).toEqual([
    { method: "Skip", body: { key: "key_1", skip: { subscription_id: "sub_1" } } },
  ]);
  daemon.calls[1]?.answer({});
});

test.each<[string, (call: Call) => void]>([
  ["does not reach the daemon", (call) => call.fail()],
  ["is answered by somebody else", (call) => call.answer("<!doctype html>")],
])("a call that %s breaks the connection, and the terms go with the next one", async (_, happen) => {
  const { daemon, subscription, timers, told } = begin();
  await settle();
  streamOf(daemon).say(accepted());
  await settle();
  const terms = subscription.renegotiate({ pace_wpm: 200 });
  await settle();
  happen(daemon.calls[0] as Call);
  expect(await terms).toEqual([]);
  await settle();
  expect(told.at(-1)).toBe("1 waiting");
  await timers.advanceSettled(100);
  expect(streamOf(daemon, 1).request).toMatchObject({
    request: { additional: { subscriber_id: "reader", capabilities: { pace_wpm: 200 } } },
  });
});

test("a message that comes in pieces is read to its end", async () => {
  const { daemon, heard } = begin();
  await settle();
  streamOf(daemon).say(accepted());
  const bytes = enveloped({ events: [event(1)] });
  for (const byte of bytes) {
    streamOf(daemon).write(Uint8Array.of(byte));
    await settle();
  }
  expect(heard).toEqual(["evt_1"]);
});

test("closing waits for calls under way for a second, and no longer", async () => {
  const { daemon, subscription, timers, ended } = begin();
  await settle();
  streamOf(daemon).say(accepted());
  await settle();
  expect(subscription.skip()).toBe(true);
  await settle();
  let isClosed = false;
  const closing = subscription.close().then(() => {
    isClosed = true;
  });
  await timers.advanceSettled(999);
  expect(isClosed).toBe(false);
  await timers.advanceSettled(1);
  await closing;
  expect(await ended).toBe("over");
  expect(daemon.calls.map(({ method }) => method)).toEqual(["Skip"]);
});

test("the end of a stream is told: a close with its place, then an error of the call", async () => {
  const { daemon, told } = begin();
  await settle();
  streamOf(daemon).say(accepted());
  const close = { subscriptionId: "sub_1", reasonCode: "producer_shutdown", extensions: { aaepd: { cursor: "c7" } } };
  streamOf(daemon).say({ close });
  streamOf(daemon).end({ error: { code: "unavailable", message: "Stops." } });
  await settle();
  expect(told).toEqual(["1 connecting", "1 active", "1 reached c7", "1 waiting"]);
});

const told = {
  code: "lagging",
  message: "Read faster.",
  pointer: "",
  rule: "R18",
  event_id: "evt_9",
  answers: "subscription.renegotiate",
  retry_after_seconds: 300,
};

test.each([
  ["in its own words", [], { code: "rate_limit", sentence: "Too many." }],
  [
    "with every member of its detail",
    [{ value: Buffer.from(encodeDocument(AaepdErrorSchema, told)).toString("base64") }],
    { code: "lagging", sentence: "Read faster.", pointer: "", rule: "R18", eventId: "evt_9", retryAfterSeconds: 300 },
  ],
])("an error of the call is told %s", async (_, details, fault) => {
  const states: unknown[] = [];
  const { daemon } = begin({ onState: (state) => void states.push(state) });
  onTestFinished(() => expect(daemon.streams).toHaveLength(1));
  await settle();
  streamOf(daemon).end({ error: { code: "resource_exhausted", message: "Too many.", details } });
  await settle();
  expect(states.at(-1)).toMatchObject({ kind: "waiting", because: { fault } });
});
