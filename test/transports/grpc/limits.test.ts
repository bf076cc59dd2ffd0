import { gzipSync } from "node:zlib";
import type { Client } from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenGrpc } from "../../../transports/grpc/listen.js";
import { STATUS } from "../../../transports/rpc-status.js";
import { drain, takeFrames } from "../../support/peers/frames.js";
import { callConnection, callOnce, createGrpcClient, refusalOf } from "../../support/peers/grpc-client.js";
import { rawCall, rawSession } from "../../support/peers/raw-http2.js";
import { enveloped } from "../../support/services/raw-calls.js";
import { describeFault, GET_MANIFEST, type StageOptions, SUBSCRIBE, stageOf } from "./stage.js";

const KIB = 1024;

async function clientOf(options: StageOptions = {}) {
  const stage = await stageOf(options);
  const client: Client = createGrpcClient(stage.address);
  onTestFinished(() => client.close());
  return { ...stage, client };
}

describe("messages", () => {
  it("takes one of exactly the limit, and refuses a larger one with both sizes", async () => {
    const { client } = await clientOf({ maxMessageBytes: 100 * KIB });
    expect((await callOnce(client, GET_MANIFEST, Buffer.alloc(100 * KIB)).answer).length).toBe(100 * KIB);
    const error = await refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(100 * KIB + 1)));
    expect(error.code).toBe(STATUS.RESOURCE_EXHAUSTED);
    expect(error.details).toContain("102401");
    expect(error.details).toContain("102400");
  });

  it("ends a stream for one that is too large, and no other call of its connection", async () => {
    const { client, bidi } = await clientOf({ maxMessageBytes: 100 * KIB });
    const other = callConnection(client, SUBSCRIBE);
    const toOther = await bidi.next();
    const call = callConnection(client, SUBSCRIBE);
    const server = await bidi.next();
    const frames = server.frames[Symbol.asyncIterator]();
    call.send(Buffer.alloc(100 * KIB));
    expect((await takeFrames(frames, 1)).map((frame) => (frame as Uint8Array).length)).toEqual([100 * KIB]);
    call.send(Buffer.alloc(100 * KIB + 1));
    // The library tells its client why, and the server that the call is over.
    expect(await frames.next()).toMatchObject({ done: true });
    expect(await server.closed).toEqual({ kind: "remote" });
    expect((await call.ended)?.code).toBe(STATUS.RESOURCE_EXHAUSTED);
    toOther.send(Buffer.from("well"));
    expect((await takeFrames(other.frames[Symbol.asyncIterator](), 1)).map(String)).toEqual(["well"]);
    await Promise.all([toOther.close(), drain(other)]);
  });

  it("sends more than it takes", async () => {
    const { client } = await clientOf({ maxMessageBytes: KIB, answer: () => Buffer.alloc(8192 * KIB) });
    expect((await callOnce(client, GET_MANIFEST, Buffer.alloc(0)).answer).length).toBe(8192 * KIB);
  });

  it("takes compressed ones up to the limit that they unpack to, and never compresses an answer", async () => {
    const { path } = await clientOf({ maxMessageBytes: 100 * KIB });
    const session = await rawSession(path);
    const gzip = { "grpc-encoding": "gzip", "grpc-accept-encoding": "gzip" };
    const small = await rawCall(session, GET_MANIFEST, gzip, enveloped(gzipSync(Buffer.alloc(100 * KIB)), 1));
    expect([small.grpcStatus, small.headers["grpc-encoding"]]).toEqual([0, "identity"]);
    const bomb = await rawCall(session, GET_MANIFEST, gzip, enveloped(gzipSync(Buffer.alloc(20_000 * KIB)), 1));
    expect(bomb.grpcStatus).toBe(STATUS.RESOURCE_EXHAUSTED);
    const unknown = await rawCall(session, GET_MANIFEST, { "grpc-encoding": "br" }, enveloped(Buffer.alloc(4), 1));
    expect(unknown.grpcStatus).toBe(STATUS.UNIMPLEMENTED);
  });

  it("ends the stream of a message that cannot be unpacked", async () => {
    const { path, bidi } = await clientOf();
    const answer = rawCall(
      await rawSession(path),
      SUBSCRIBE,
      { "grpc-encoding": "gzip" },
      enveloped(Buffer.from("no gzip"), 1),
    );
    const server = await bidi.next();
    await drain(server);
    expect((await answer).grpcStatus).toBe(STATUS.INTERNAL);
    expect(await server.closed).toEqual({ kind: "remote" });
  });
});

describe("what a connection may do", () => {
  it("makes streams beyond its limit wait, or refuses them where Node's own client sends them all the same", async () => {
    const { client, bidi } = await clientOf({ limits: { maxStreams: 2 } });
    const calls = Array.from({ length: 3 }, () => callConnection(client, SUBSCRIBE));
    const servers = [await bidi.next(), await bidi.next()];
    await servers[0]?.close();
    // On Node 26 the client does not wait.
    const refused = Promise.any(
      calls.map(async ({ ended }) => {
        const error = await ended;
        if (error === undefined) throw new Error("it was served");
        return error;
      }),
    );
    const third = await Promise.race([bidi.next(), refused]);
    await servers[1]?.close();
    if ("close" in third) await third.close();
    else expect(third.code).toBe(STATUS.RESOURCE_EXHAUSTED);
    const statuses = (await Promise.all(calls.map(({ ended }) => ended))).map((error) => error?.code);
    expect(statuses.filter((code) => code === undefined).length).toBe("close" in third ? 3 : 2);
  });

  it("is refused floods of metadata, and nobody else notices", async () => {
    const { path, client } = await clientOf();
    const session = await rawSession(path);
    for (const headers of [{ "x-long": "y".repeat(60_000) }, { "x-long": "y".repeat(17_000) }]) {
      const refused = await rawCall(session, GET_MANIFEST, headers);
      expect([refused.grpcStatus, refused.resetCode]).toEqual([STATUS.RESOURCE_EXHAUSTED, 0]);
      expect(String(refused.headers["grpc-message"])).toContain("16384");
      expect((await rawCall(session, GET_MANIFEST, { "x-long": "y".repeat(15_000) })).grpcStatus).toBe(0);
    }
    // The platform's own limit.
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x-${index}`, "1"]));
    expect((await rawCall(session, GET_MANIFEST, many)).grpcStatus).toBeUndefined();
    expect((await callOnce(client, GET_MANIFEST, Buffer.from("well")).answer).toString()).toBe("well");
  });

  it("is refused bodies that are no gRPC", async () => {
    const { path } = await clientOf();
    const answer = await rawCall(await rawSession(path), GET_MANIFEST, { "content-type": "application/json" });
    expect(answer.httpStatus).toBe(415);
  });
});

describe("options", () => {
  const given = {
    address: { kind: "unix", path: "/x" },
    methods: [],
    describeFault,
    log: { error: () => {}, debug: () => {} },
  } as const;

  it("refuse a method that is of another kind than its descriptor", async () => {
    const { subscribe } = await stageOf();
    const fault = await listenGrpc({
      ...given,
      methods: [{ kind: "unary", descriptor: subscribe.descriptor, answer: () => Buffer.alloc(0) }],
    }).catch((caught: unknown) => caught);
    expect(fault).toMatchObject({ code: "usage", sentence: expect.stringContaining("aaep.v1.AaepService.Subscribe") });
  });
});
