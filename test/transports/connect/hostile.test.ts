import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { ServiceMessage } from "../../../src/contracts/service.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { isStill } from "../../support/patience.js";
import { sessionOver } from "../../support/peers/raw-http2.js";
import { allOf, rawSocket } from "../../support/peers/raw-socket.js";
import { createHandTimers } from "./hand-timers.js";
import { COUNTED, eventFrame, type Stage, type StageOptions, startStage } from "./stage.js";

const CALLS = "/aaep.v1.SubscriberService/";

function started(options: StageOptions = {}): Promise<Stage> {
  expectNothingLeftOpen();
  return startStage(options);
}

const socketTo = ({ path }: Stage): Socket => rawSocket(path);

const sessionTo = (stage: Stage): ClientHttp2Session => sessionOver(socketTo(stage));

function callOf(session: ClientHttp2Session, method: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  const stream = session.request({
    ":method": "POST",
    ":path": `${CALLS}${method}`,
    "content-type": "application/connect+proto",
    ...headers,
  });
  stream.on("error", () => {});
  return stream;
}

const EMPTY_ENVELOPE = Buffer.alloc(5);

async function expectOthersServed(stage: Stage): Promise<void> {
  for (const version of ["1.1", "2"] as const)
    expect((await stage.client("connect", version).reply({})).accepted).toBe(true);
}

describe("connections", () => {
  it("one that says nothing, or not which protocol, is closed after a time", async () => {
    const timers = createHandTimers();
    const stage = await started({ silentConnectionMs: () => 50, after: timers.after });
    const [silent, half] = [socketTo(stage), socketTo(stage)];
    half.write("PRI * HT");
    void timers.fire(50, 2);
    expect((await Promise.all([allOf(silent), allOf(half)])).map(({ length }) => length)).toEqual([0, 0]);
    await expectOthersServed(stage);
  });

  it("one that never ends its headers is closed after a time", async () => {
    const stage = await started({ silentConnectionMs: () => 50 });
    const socket = socketTo(stage);
    socket.write("POST /x HTTP/1.1\r\nHost: localhost\r\n");
    expect((await allOf(socket)).toString()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("bytes of no protocol are refused", async () => {
    const stage = await started();
    const socket = socketTo(stage);
    socket.write(Buffer.from([0xff, 0x00, 0x01, 0x02, 0x0d, 0x0a]));
    expect((await allOf(socket)).toString()).toMatch(/^HTTP\/1\.1 400 /);
    const broken = socketTo(stage);
    broken.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.alloc(500, 0xee)]));
    await allOf(broken);
    await expectOthersServed(stage);
  });

  it("floods of headers are refused, and the connection of HTTP/2 lives on", async () => {
    const stage = await started();
    const socket = socketTo(stage);
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${`${"X-Flood: ".padEnd(1000, "x")}\r\n`.repeat(20)}`);
    expect((await allOf(socket)).toString()).toMatch(/^HTTP\/1\.1 431 /);
    const session = sessionTo(stage);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-flood-${index}`, "x"]));
    const stream = callOf(session, "Listen", many);
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    const next = callOf(session, "Reply", { "content-type": "application/proto" });
    next.end();
    const [head] = await once(next, "response");
    expect(head[":status"]).toBe(200);
    next.resume();
    await expectOthersServed(stage);
  });
});

describe("a stream both ways over HTTP/1.1", () => {
  it.each([
    ["application/connect+proto", 200, /unimplemented.*needs HTTP\/2.*Listen, Reply/],
    ["application/grpc-web+proto", 200, /needs%20HTTP%2F2/i],
    ["text/plain", 505, /needs HTTP\/2.*Listen, Reply/],
  ])("is refused in words, and closed, while its client of %s goes on sending", async (type, status, words) => {
    const stage = await started();
    const socket = socketTo(stage);
    const head = `POST ${CALLS}Subscribe HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`;
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n\0\0\0\0\0\r\n`);
    const text = (await allOf(socket)).toString();
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toMatch(words);
    expect(text.toLowerCase()).toContain("connection: close");
    await expectOthersServed(stage);
  });
});

describe("streams", () => {
  it("bytes that are no message end the frames with a fault, which is the status", async () => {
    const stage = await started();
    for (const [sent, code, words] of [
      [Buffer.from([0, 0, 0, 0, 2, 0x0a, 0xff]), "invalid_message", "cannot be read"],
      [Buffer.from([1, 0, 0, 0, 1, 0]), "invalid_message", "cannot be read"],
      [Buffer.from([0, 0x7f, 0, 0, 0]), "message_too_large", "too large"],
    ] as const) {
      const stream = callOf(sessionTo(stage), "Subscribe");
      stream.write(sent);
      const all = allOf(stream);
      const server = await stage.subscribes.next();
      await expect(server.frames[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code });
      await server.close();
      expect((await server.closed).fault?.code).toBe(code);
      expect((await all).toString()).toContain(words);
    }
    await expectOthersServed(stage);
  });

  it.each(["application/connect+json", "application/grpc+json", "application/grpc-web+json"])(
    "a member that is unknown in JSON is a message of %s with a fault that names it",
    async (type) => {
      const stage = await started();
      const json = Buffer.from('{"request":{"aaepVersion":"1.0","verbosty":"brief"}}');
      for (const method of ["Subscribe", "Listen"] as const) {
        const stream = callOf(sessionTo(stage), method, { "content-type": type });
        const trailers: string[] = [];
        stream.on("trailers", (headers) => {
          trailers.push(`grpc-status: ${headers["grpc-status"]} ${headers["grpc-message"]}`);
        });
        stream.end(Buffer.concat([Uint8Array.from([0, 0, 0, 0, json.length]), json]));
        const all = allOf(stream);
        const server = await stage[method === "Listen" ? "listens" : "subscribes"].next();
        const read: IteratorResult<readonly ServiceMessage[]> = await server.frames[Symbol.asyncIterator]().next();
        const [message] = read.value ?? [];
        expect(message).toHaveLength(0);
        const fault = message?.fault;
        expect(fault).toMatchObject({ code: "invalid_message", sentence: expect.stringContaining("verbosty") });
        await server.close(fault);
        const words = (await all).toString() + trailers.join();
        expect(words).toMatch(/"invalid_argument"|grpc-status: 3\b/);
        expect(words).toContain("verbosty");
      }
      await expectOthersServed(stage);
    },
  );

  it("two messages where one is taken are refused", async () => {
    const stage = await started();
    const stream = callOf(sessionTo(stage), "Listen");
    stream.end(Buffer.concat([EMPTY_ENVELOPE, EMPTY_ENVELOPE]));
    const frames = (await stage.listens.next()).frames[Symbol.asyncIterator]();
    expect((await frames.next()).value).toHaveLength(1);
    await expect(frames.next()).rejects.toMatchObject({ code: "invalid_message" });
    stream.destroy();
  });

  it("a silent single call is refused after a time; a silent stream is its owner's to end", async () => {
    let answered = 0;
    const reply = (): Uint8Array => {
      answered += 1;
      return COUNTED;
    };
    const timers = createHandTimers();
    const stage = await started({ silentConnectionMs: () => 60_000, reply, after: timers.after });
    const session = sessionTo(stage);
    const call = callOf(session, "Reply", { "content-type": "application/proto" });
    const answer = allOf(call);
    // The connection's own timer has gone by the time that the call has one.
    await once(session, "remoteSettings");
    await timers.fire(60_000);
    const [head] = await once(call, "response");
    expect(head[":status"]).toBe(504);
    // Too late.
    call.end();
    expect((await answer).toString()).toContain("did not come in time");
    const stream = callOf(session, "Listen");
    const all = allOf(stream);
    const closing = (await stage.listens.next()).close();
    await once(stream, "end");
    stream.end();
    await Promise.all([closing, all]);
    expect(answered).toBe(0);
  });

  it("one whose client never ends its side is let go of soon after its end", async () => {
    const stage = await started();
    const stream = callOf(sessionTo(stage), "Subscribe");
    stream.write(EMPTY_ENVELOPE);
    stream.resume();
    const server = await stage.subscribes.next();
    await server.close();
    await once(stream, "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  it.each(["1.1", "2"])(
    "a client that vanishes over HTTP/%s before its message is whole is noticed",
    async (version) => {
      const stage = await started();
      const socket = socketTo(stage);
      if (version === "2") {
        callOf(sessionOver(socket), "Listen").write(Buffer.alloc(3));
      } else {
        const head = `POST ${CALLS}Listen HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/connect+proto\r\n`;
        socket.write(`${head}Content-Length: 5\r\n\r\n\0\0\0`);
      }
      const server = await stage.listens.next();
      const read = server.frames[Symbol.asyncIterator]().next();
      socket.destroy();
      await expect(read).rejects.toMatchObject({ code: "peer_gone" });
      expect((await server.closed).kind).toBe("abrupt");
      await expectOthersServed(stage);
    },
  );

  it("on a Unix socket any authority will do that Node itself takes", async () => {
    const stage = await started();
    for (const authority of ["%2Frun%2Fuser%2F1000%2Fa.http", "unix:a.http", "[", "localhost:x"]) {
      const call = callOf(sessionTo(stage), "Reply", { ":authority": authority, "content-type": "application/proto" });
      call.end();
      const [head] = await once(call, "response");
      expect([authority, head[":status"]]).toEqual([authority, 200]);
      call.resume();
    }
  });

  it.each([
    ["lagging", constants.NGHTTP2_ENHANCE_YOUR_CALM],
    ["shutting_down", constants.NGHTTP2_CANCEL],
  ] as const)("a client that does not read is reset where it can read no status: %s", async (code, reset) => {
    const stage = await started({ closeTimeoutMs: 50 });
    const stream = callOf(sessionTo(stage), "Listen");
    stream.end(EMPTY_ENVELOPE);
    stream.pause();
    const server = await stage.listens.next();
    for (let sent = 0; sent < 100; sent++) server.send(eventFrame("evt_1", "x".repeat(16_000)));
    const closed = new Promise((resolve) => stream.once("close", resolve));
    await server.close(new Fault(code, "It ends."));
    await closed;
    expect(stream.rstCode).toBe(reset);
    await expectOthersServed(stage);
  });

  it("a sender that goes on after a false is cut off at the limit", async () => {
    const stage = await started();
    const stream = callOf(sessionTo(stage), "Listen");
    stream.end(EMPTY_ENVELOPE);
    stream.pause();
    const server = await stage.listens.next();
    for (let sent = 0; sent < 200; sent++) server.send(eventFrame("evt_1", "x".repeat(100_000)));
    const { kind, fault } = await server.closed;
    expect([kind, fault?.code]).toEqual(["abrupt", "peer_gone"]);
    await expectOthersServed(stage);
  });

  it("a client that floods while nobody reads is not read from", async () => {
    const stage = await started();
    const stream = callOf(sessionTo(stage), "Subscribe");
    const server = await stage.subscribes.next();
    let sent = 0;
    const flood = Buffer.alloc(64 * 1024);
    while (sent < 64 * 1024 * 1024) {
      sent += flood.length;
      if (stream.write(flood)) continue;
      if (await isStill(once(stream, "drain"))) break;
    }
    expect(sent).toBeLessThan(4 * 1024 * 1024);
    stream.destroy();
    expect((await server.closed).kind).not.toBe("local");
  });
});
