import { get } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SseConnection } from "../../../transports/event-streams/sse-connection.js";
import type { Exchange } from "../../../transports/http/exchange.js";
import { listenHttp } from "../../../transports/http/listen.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const PEER = { label: "listener", trust: "same-user" } as const;
const frame = (text: string) => Buffer.from(`data: ${text}\n\n`);

/** A connection whose time stands still, and a listener that opens its stream over HTTP. */
async function stage() {
  const clock = createVirtualClock();
  const after = (ms: number, run: () => void) => clock.wakeAt(clock.now() + ms, run);
  const connection = new SseConnection(PEER, {
    closeTimeoutMs: 2000,
    after,
  });
  const path = join(temporaryDirectory(), "a.sock");
  let gone: Promise<void> = Promise.resolve();
  const serve = async (exchange: Exchange): Promise<void> => {
    gone = new Promise((resolve) => exchange.onceGone(resolve));
    connection.attach(exchange);
  };
  const service = {
    handlerAt: () => serve,
    refusalForm: () => undefined,
    cors: { methods: [], allowedHeaders: [], exposedHeaders: [] },
    endStreams: () => {},
  };
  const address = { kind: "unix", path } as const;
  const options = { address, pages: [], admit: () => undefined, log: SILENT, closeTimeoutMs: 0 };
  const server = await listenHttp(options, [service]);
  onTestFinished(async () => {
    await server.stop();
    await server.drain(0);
  });
  const listen = async () => {
    let came = "";
    const request = get({ socketPath: path, path: "/" });
    request.on("error", () => {});
    request.on("response", (response) =>
      response.on("data", (bytes: Buffer) => {
        came += String(bytes);
      }),
    );
    await expect.poll(() => came).toContain("retry: 1000");
    const leave = async () => {
      request.destroy();
      await gone;
    };
    return { came: () => came, leave };
  };
  return { connection, clock, listen };
}

it("holds what is handed over before its stream is open, and takes no more until then", async () => {
  const { connection, listen } = await stage();
  expect(connection.send(frame("1"))).toBe(false);
  const writable = connection.writable();
  const { came } = await listen();
  await writable;
  expect(connection.send(frame("2"))).toBe(true);
  expect(connection.sendBatch({ frames: [frame("3")], last: Buffer.from("id: c\n\n"), joined: new Map() })).toBe(true);
  await expect.poll(came).toBe(":\nretry: 1000\n\ndata: 1\n\ndata: 2\n\nid: c\ndata: 3\n\n");
});

it("N2: has a comment every 15 s, whatever else it says", async () => {
  const { connection, clock, listen } = await stage();
  const { came } = await listen();
  clock.advance(1000);
  connection.send(frame("1"));
  clock.advance(14_000);
  await expect.poll(came).toBe(":\nretry: 1000\n\ndata: 1\n\n:\n\n");
  clock.advance(15_000);
  await expect.poll(came).toBe(":\nretry: 1000\n\ndata: 1\n\n:\n\n:\n\n");
});

it("R6: stays for five seconds behind a stream that broke off, and takes nothing meanwhile", async () => {
  const { connection, clock, listen } = await stage();
  const { leave } = await listen();
  await leave();
  let isClosed = false;
  void connection.closed.then(() => {
    isClosed = true;
  });
  expect(connection.send(frame("1"))).toBe(false);
  clock.advance(4999);
  await Promise.resolve();
  expect(isClosed).toBe(false);
  clock.advance(1);
  expect((await connection.closed).kind).toBe("remote");
});

it("is over where nobody opens its stream in time, and where its listener has come back for another", async () => {
  const waiting = await stage();
  waiting.clock.advance(60_000);
  expect((await waiting.connection.closed).kind).toBe("remote");
  const left = await stage();
  const { leave } = await left.listen();
  left.connection.giveUp();
  expect(left.connection.send(frame("1"))).toBe(true);
  await leave();
  left.connection.giveUp();
  expect((await left.connection.closed).kind).toBe("remote");
});
