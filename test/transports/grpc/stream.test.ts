import type { Client } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { Connection } from "../../../src/contracts/transport.js";
import { STATUS } from "../../../transports/rpc-status.js";
import { isStill } from "../../support/patience.js";
import { drain, takeFrames } from "../../support/peers/frames.js";
import { asIs, callConnection, createGrpcClient, metadataOf, statusDetails } from "../../support/peers/grpc-client.js";
import { createHandTimers } from "../connect/hand-timers.js";
import { LISTEN, type StageOptions, SUBSCRIBE, stageOf } from "./stage.js";

const KIB = 1024;

function clientAt(address: string): Client {
  const client = createGrpcClient(address);
  onTestFinished(() => client.close());
  return client;
}

async function callOf(options: StageOptions = {}) {
  const stage = await stageOf(options);
  const client = callConnection(clientAt(stage.address), SUBSCRIBE);
  return { stage, client, server: await stage.bidi.next() };
}

/** A call of `LISTEN`: what came, and its status. */
function listen(client: Client, request: string) {
  const call = client.makeServerStreamRequest(LISTEN, asIs, asIs, Buffer.from(request), metadataOf());
  const received: string[] = [];
  const ended = new Promise<number>((resolve) => {
    call.on("error", ({ code }: { code: number }) => resolve(code));
    call.on("end", () => resolve(0));
  });
  call.on("data", (bytes: Buffer) => received.push(bytes.toString()));
  return { call, received, ended };
}

/** Hands frames over until the connection says that it is full. */
function fill(connection: Connection<Uint8Array>, frame: Uint8Array): number {
  let bytes = frame.length;
  while (connection.send(frame)) bytes += frame.length;
  return bytes;
}

/** Hands over until the peer's windows are full as well, which takes turns. */
async function fillAll(connection: Connection<Uint8Array>, frame: Uint8Array): Promise<number> {
  let bytes = 0;
  let isStuck = false;
  while (!isStuck) {
    bytes += fill(connection, frame);
    isStuck = await isStill(connection.writable());
  }
  return bytes;
}

describe("how a stream ends", () => {
  it("R20: with a fault's status and detail after what was handed over", async () => {
    const { client, server } = await callOf();
    const received = takeFrames(client.frames[Symbol.asyncIterator](), 1);
    server.send(Buffer.from("subscription.close"));
    const fault = new Fault("shutting_down", "The daemon shuts down. Connect again later.", { origin: "local" });
    await server.close(fault);
    expect((await received).map(String)).toEqual(["subscription.close"]);
    const error = await client.ended;
    expect([error?.code, error?.details]).toEqual([STATUS.UNAVAILABLE, "The daemon shuts down. Connect again later."]);
    expect(error && statusDetails(error)?.details).toEqual([["type.googleapis.com/test.Fault", "shutting_down -"]]);
    expect(await server.closed).toEqual({ kind: "local", fault });
  });

  it("with a fault's status before anything was sent", async () => {
    const { client, server } = await callOf();
    await server.close(new Fault("handshake_required", "Send a subscription.request first."));
    expect((await client.ended)?.code).toBe(STATUS.FAILED_PRECONDITION);
  });

  it("R20: tells nothing of the inside of an accident", async () => {
    const { client, server } = await callOf();
    await server.close(new Fault("internal", "secret of the inside", { origin: "local" }));
    const error = await client.ended;
    expect(error?.code).toBe(STATUS.INTERNAL);
    expect(error?.details).not.toContain("secret");
  });

  it("is closed once, however often it is asked for", async () => {
    const { client, server } = await callOf();
    await Promise.all([server.close(), server.close(new Fault("lagging", "Too slow.")), server.close()]);
    expect([await client.ended, await server.closed]).toEqual([undefined, { kind: "local" }]);
  });

  it("an accident where a call is taken ends that call", async () => {
    const accept = vi.fn(() => {
      throw new TypeError("secret of the inside");
    });
    const stage = await stageOf();
    const broken = await stageOf({
      address: { kind: "unix", path: `${stage.directory}/b.sock` },
      methods: [{ ...(stage.subscribe as typeof stage.subscribe & { kind: "stream" }), accept }],
    });
    const client = callConnection(clientAt(broken.address), SUBSCRIBE);
    const error = await client.ended;
    expect([accept.mock.calls.length, error?.code, broken.logged.length]).toEqual([1, STATUS.INTERNAL, 1]);
    expect(error?.details).not.toContain("secret");
  });
});

describe("half-close", () => {
  it("before the first message ends the frames and not the connection", async () => {
    const { client, server } = await callOf();
    const received = takeFrames(client.frames[Symbol.asyncIterator](), 1);
    client.call.end();
    expect(await takeFrames(server.frames[Symbol.asyncIterator](), 1)).toEqual([]);
    server.send(Buffer.from("still there"));
    expect((await received).map(String)).toEqual(["still there"]);
    await server.close();
    expect([await client.ended, await server.closed]).toEqual([undefined, { kind: "remote" }]);
  });

  it("that nobody has read yet does not keep a close from its status", async () => {
    const { client, server } = await callOf();
    client.send(Buffer.from("unread"));
    client.call.end();
    await server.close(new Fault("timed_out", "No subscription.request came."));
    expect((await client.ended)?.code).toBe(STATUS.DEADLINE_EXCEEDED);
  });

  it("of a call that has one request comes after it", async () => {
    const stage = await stageOf();
    const { received, ended } = listen(clientAt(stage.address), "request");
    const server = await stage.serverStream.next();
    expect((await takeFrames(server.frames[Symbol.asyncIterator](), 2)).map(String)).toEqual(["request"]);
    server.send(Buffer.from("event"));
    await server.close();
    expect([await ended, received]).toEqual([0, ["event"]]);
    expect((await server.closed).kind).toBe("remote");
  });
});

describe("a client that goes", () => {
  it("ends frames and connection where it cancels", async () => {
    const { client, server } = await callOf();
    const done = drain(server);
    client.send(Buffer.from("one"));
    client.call.cancel();
    expect(await done).toBeUndefined();
    expect(await server.closed).toEqual({ kind: "remote" });
    expect(server.send(Buffer.from("late"))).toBe(false);
    expect((await client.ended)?.code).toBe(STATUS.CANCELLED);
  });

  it("likewise where the call has one request", async () => {
    const stage = await stageOf();
    const { call, ended } = listen(clientAt(stage.address), "request");
    const server = await stage.serverStream.next();
    call.cancel();
    expect(await server.closed).toEqual({ kind: "remote" });
    expect(await ended).toBe(STATUS.CANCELLED);
  });

  it("ends the connection with timed_out when its deadline passes", async () => {
    const stage = await stageOf();
    const begun = stage.bidi.next();
    let server: Connection<Uint8Array> | undefined;
    // On a busy machine a deadline can pass before its call has begun.
    for (let deadlineMs = 200; server === undefined; deadlineMs *= 2) {
      const { ended } = callConnection(clientAt(stage.address), SUBSCRIBE, { deadlineMs });
      server = await Promise.race([begun, ended.then(() => undefined)]);
      server?.send(Buffer.from("one"));
      expect((await ended)?.code).toBe(STATUS.DEADLINE_EXCEEDED);
    }
    // The library's client half-closes before it resets a call, so that the frames may have ended as if it had said all.
    expect(await server.closed).toMatchObject({ kind: "abrupt", fault: { code: "timed_out" } });
  });
});

describe("a client that does not read", () => {
  it("is cut off after closeTimeoutMs, and what waited for it with it", async () => {
    const timers = createHandTimers();
    const { client, server } = await callOf({ after: timers.after });
    await fillAll(server, Buffer.alloc(64 * KIB));
    const closing = server.close(new Fault("lagging", "Too slow."));
    await timers.fire(2000);
    await closing;
    expect(await server.closed).toMatchObject({ kind: "local", fault: { code: "lagging" } });
    await drain(client);
    expect((await client.ended)?.code).toBe(STATUS.UNAVAILABLE);
  });

  it("loses its connection where its sender goes on after a false, and another connection is not touched", async () => {
    const stage = await stageOf();
    const slow = callConnection(clientAt(stage.address), SUBSCRIBE);
    const toSlow = await stage.bidi.next();
    const other = callConnection(clientAt(stage.address), SUBSCRIBE);
    const toOther = await stage.bidi.next();
    for (let index = 0; index < 32; index++) toSlow.send(Buffer.alloc(1024 * KIB));
    expect(await toSlow.closed).toMatchObject({ kind: "abrupt", fault: { code: "peer_gone" } });
    toOther.send(Buffer.from("well"));
    expect((await takeFrames(other.frames[Symbol.asyncIterator](), 1)).map(String)).toEqual(["well"]);
    for await (const _ of slow.frames);
    expect((await slow.ended)?.code).toBe(STATUS.UNAVAILABLE);
    await toOther.close();
  });
});

it("reads no further ahead than a little while nobody asks for frames", async () => {
  const { client, server } = await callOf();
  let sent = 0;
  let isStuck = false;
  while (!isStuck) {
    sent += 1;
    if (client.send(Buffer.alloc(32 * KIB))) continue;
    isStuck = await isStill(client.writable());
  }
  expect(sent * 32).toBeLessThan(4096);
  const received = await takeFrames(server.frames[Symbol.asyncIterator](), sent);
  expect(received.length).toBe(sent);
  await Promise.all([server.close(), drain(client)]);
});
