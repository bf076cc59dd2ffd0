import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import { join } from "../../../transports/framing/framings.js";
import {
  type After,
  type ByteConnectionOptions,
  resolveByteConnectionOptions,
} from "../../../transports/framing/options.js";
import { drain } from "../../support/peers/frames.js";

const PEER = { label: "test", trust: "in-process" } as const;
const turn = () => new Promise(setImmediate);

/** Timers that run when told to. */
function handTimers() {
  const timers = new Map<number, () => void>();
  let count = 0;
  const after: After = (milliseconds, run) => {
    const key = milliseconds + count++ / 1000;
    timers.set(key, run);
    return () => timers.delete(key);
  };
  const due = () => [...timers.keys()].map(Math.floor);
  const runAll = () => {
    for (const run of [...timers.values()]) run();
  };
  return { after, due, runAll };
}

/** A peer whose writes finish only when told to. */
function slowWritable() {
  const written: Buffer[] = [];
  const finishers: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 10,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      finishers.push(done);
    },
  });
  return { stream, written, finishOne: () => finishers.shift()?.() };
}

function connectionOver(writable: Writable, options: ByteConnectionOptions = {}) {
  const readable = new PassThrough();
  return {
    readable,
    connection: createByteConnection({ readable, writable }, PEER, { framing: "newline", ...options }),
  };
}

describe("createByteConnection", () => {
  it("sends what is handed over in one turn with one write", async () => {
    const { stream, written } = slowWritable();
    const { connection } = connectionOver(stream);
    for (const text of ["{1}", "{2}", "{3}"]) expect(connection.send(Buffer.from(text))).toBe(true);
    expect(connection.sendBatch({ frames: [Buffer.from("{4}")], joined: new Map() })).toBe(true);
    await turn();
    expect(written.map(String)).toEqual(["{1}\n{2}\n{3}\n{4}\n"]);
  });

  it("R23: answers in the framing it was spoken to in", async () => {
    const { stream, written } = slowWritable();
    const { connection, readable } = connectionOver(stream);
    const reading = connection.frames[Symbol.asyncIterator]().next();
    readable.write(join("content-length", [Buffer.from("{}")]));
    await reading;
    connection.send(Buffer.from("{}"));
    await turn();
    expect(String(written[0])).toBe("Content-Length: 2\r\n\r\n{}");
  });

  it("reads no further while its consumer is busy", async () => {
    const { stream } = slowWritable();
    const { connection, readable } = connectionOver(stream);
    const frames = connection.frames[Symbol.asyncIterator]();
    readable.write("{1}\n");
    await frames.next();
    readable.write("{2}\n");
    await turn();
    for (let index = 0; index < 1000; index++) readable.write(`{${"x".repeat(1000)}}\n`);
    await turn();
    expect(readable.readableLength).toBeGreaterThan(10_000);
    expect(readable.readableFlowing).toBe(false);
  });

  it("hands over no more than a few hundred frames of one read at a time, and loses none", async () => {
    const { stream } = slowWritable();
    const { connection, readable } = connectionOver(stream);
    readable.end(Array.from({ length: 10_000 }, (_, index) => `{${index}}\n`).join(""));
    const heard: string[] = [];
    let most = 0;
    for await (const frames of connection.frames) {
      most = Math.max(most, frames.length);
      heard.push(...frames.map(String));
    }
    expect(heard).toEqual(Array.from({ length: 10_000 }, (_, index) => `{${index}}`));
    expect(most).toBe(256);
  });

  it("what is left of a read is thrown away by close", async () => {
    const { stream } = slowWritable();
    const { connection, readable } = connectionOver(stream);
    readable.write("{}\n".repeat(1000));
    const frames = connection.frames[Symbol.asyncIterator]();
    expect((await frames.next()).value).toHaveLength(256);
    const closing = connection.close();
    expect((await frames.next()).done).toBe(true);
    readable.end();
    await closing;
  });

  it("lets who waits to send go on when the connection closes, and answers false from then on", async () => {
    const { stream } = slowWritable();
    const { connection } = connectionOver(stream);
    expect(connection.send(Buffer.alloc(100_000))).toBe(false);
    const waiting = connection.writable();
    stream.destroy(Object.assign(new Error("broken"), { code: "EPIPE" }));
    await waiting;
    const { kind, fault } = await connection.closed;
    expect([kind, fault?.code]).toEqual(["abrupt", "peer_gone"]);
    expect(connection.send(Buffer.alloc(1))).toBe(false);
    await connection.writable();
  });

  it("R8a: from close on nothing more is taken, though what was handed over is still on its way", async () => {
    const { stream, written, finishOne } = slowWritable();
    const { connection } = connectionOver(stream);
    expect(connection.send(Buffer.from("{1}"))).toBe(true);
    const closing = connection.close();
    expect(connection.send(Buffer.from("{2}"))).toBe(false);
    expect(connection.sendBatch({ frames: [Buffer.from("{3}")], joined: new Map() })).toBe(false);
    await turn();
    finishOne();
    await closing;
    expect(written.map(String)).toEqual(["{1}\n"]);
  });

  it("R8a: close lets all leave that was handed over, in its order, and then ends", async () => {
    const { stream, written, finishOne } = slowWritable();
    const { connection } = connectionOver(stream);
    for (const text of ["{1}", "{2}", "{3}", "{4}"]) connection.send(Buffer.from(text));
    void connection.close();
    for (let index = 0; index < 4; index += 1) {
      await turn();
      finishOne();
    }
    await turn();
    expect(written.map(String).join("")).toBe("{1}\n{2}\n{3}\n{4}\n");
    expect(stream.writableEnded).toBe(true);
  });

  it("close flushes, and gives up at its deadline", async () => {
    const timers = handTimers();
    const { stream, written } = slowWritable();
    const { connection } = connectionOver(stream, { after: timers.after, closeTimeoutMs: 1234 });
    connection.send(Buffer.from("{1}"));
    const closing = connection.close();
    expect(written.map(String)).toEqual(["{1}\n"]);
    expect(timers.due()).toEqual([1234]);
    timers.runAll();
    await closing;
    expect(await connection.closed).toEqual({ kind: "local", isCutShort: true });
    expect(stream.destroyed).toBe(true);
  });

  it("closes orderly when all has left and the peer has ended too", async () => {
    const timers = handTimers();
    const { stream, finishOne } = slowWritable();
    const { connection, readable } = connectionOver(stream, { after: timers.after });
    const done = drain(connection);
    connection.send(Buffer.from("{1}"));
    readable.end();
    await turn();
    finishOne();
    expect(await done).toBeUndefined();
    expect(await connection.closed).toEqual({ kind: "remote" });
    expect(timers.due()).toEqual([]);
  });

  it("ends with an output that closes, unless everything has left: then it waits for the peer's end", async () => {
    const broken = connectionOver(slowWritable().stream.destroy());
    expect(await broken.connection.closed).toMatchObject({ kind: "abrupt", fault: { code: "peer_gone" } });
    const { connection, readable } = connectionOver(new PassThrough().resume(), { after: handTimers().after });
    let isClosed = false;
    const closing = connection.close().then(() => {
      isClosed = true;
    });
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(isClosed).toBe(false);
    readable.end();
    await closing;
  });

  it("R33: after lost framing the answer still goes out before close", async () => {
    const { stream, written, finishOne } = slowWritable();
    const { connection, readable } = connectionOver(stream);
    readable.write("nonsense\n");
    const fault = await connection.frames[Symbol.asyncIterator]()
      .next()
      .catch((caught: unknown) => caught as Fault);
    expect(fault).toBeInstanceOf(Fault);
    connection.send(Buffer.from('{"error":1}'));
    const closing = connection.close(fault as Fault);
    await turn();
    finishOne();
    await closing;
    expect(written.map(String)).toEqual(['{"error":1}\n']);
    const info = await connection.closed;
    expect([info.kind, info.fault?.code]).toEqual(["abrupt", "framing_lost"]);
  });

  it("breaks off from a peer for which more waits than the limit", async () => {
    const { stream } = slowWritable();
    const { connection } = connectionOver(stream);
    for (let index = 0; index < 17; index++) connection.send(Buffer.alloc(1_000_000));
    const info = await connection.closed;
    expect([info.kind, info.fault?.code]).toEqual(["abrupt", "peer_gone"]);
    expect(info.fault?.sentence).toContain("16777216 bytes");
  });

  it("pins its defaults and refuses what is out of range", () => {
    const { after, ...defaults } = resolveByteConnectionOptions({});
    expect(typeof after).toBe("function");
    expect(defaults).toEqual({
      framing: "length-prefixed",
      isLinesOnly: false,
      maxFrameBytes: 1_064_960,
      closeTimeoutMs: 2000,
    });
    expect(() => resolveByteConnectionOptions({ maxFrameBytes: 0 })).toThrow(/maxFrameBytes is 0/);
    expect(() => resolveByteConnectionOptions({ maxFrameBytes: 2 ** 24 })).toThrow(/16777215/);
    expect(() => resolveByteConnectionOptions({ closeTimeoutMs: -1 })).toThrow(/closeTimeoutMs/);
  });
});
