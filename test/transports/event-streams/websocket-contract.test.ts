import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Fault, type FaultCode } from "../../../src/base/errors.js";
import type { PeekableConnection } from "../../../src/contracts/transport.js";
import { WebSocketConnection } from "../../../transports/event-streams/websocket-connection.js";
import { WebSockets, type WebSocketsOptions } from "../../../transports/event-streams/websockets.js";
import { platformAfter } from "../../../transports/framing/options.js";
import type { HttpService } from "../../../transports/http/http-service.js";
import { listenHttp } from "../../../transports/http/listen.js";
import { type Pair, transportContract } from "../../contract/transport-contract.js";
import { createChance } from "../../support/chance.js";
import { createVirtualClock, settle } from "../../support/rigs/virtual-clock.js";
import { masked } from "../../support/services/web-socket.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const MAX_MESSAGE_BYTES = 1024 * 1024 + 1000;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const OPTIONS: WebSocketsOptions = {
  maxMessageBytes: MAX_MESSAGE_BYTES,
  closeTimeoutMs: 2000,
  after: platformAfter,
};

async function open(after = platformAfter, autoPong = true): Promise<Pair & { readonly socket: WebSocket }> {
  const path = join(temporaryDirectory(), "a.sock");
  const sockets = new WebSockets({ ...OPTIONS, after });
  let accept: (connection: PeekableConnection<Uint8Array>) => void = () => {};
  const accepted = new Promise<PeekableConnection<Uint8Array>>((resolve) => {
    accept = resolve;
  });
  const service: HttpService = {
    handlerAt: () => async (exchange, refuse) => sockets.take(exchange, refuse, accept),
    refusalForm: () => undefined,
    cors: { methods: [], allowedHeaders: [], exposedHeaders: [] },
    endStreams: () => {},
  };
  const address = { kind: "unix", path } as const;
  const listener = await listenHttp({ address, pages: [], admit: () => undefined, log: SILENT, closeTimeoutMs: 0 }, [
    service,
  ]);
  const socket = new WebSocket(`ws+unix:${path}:/`, { autoPong });
  await new Promise((resolve) => socket.once("open", resolve));
  const client = new WebSocketConnection(socket, masked(socket), { label: "client", trust: "same-user" }, OPTIONS);
  const server = await accepted;
  return { server, peekable: server, client, killClient: () => socket.terminate(), stop: listener.stop, socket };
}

/** Text, since WebSockets of binary messages are refused. */
function frameOf(bytes: number, seed: number): Uint8Array {
  const { next } = createChance(seed);
  return Uint8Array.from({ length: bytes }, () => 32 + Math.floor(next() * 94));
}

transportContract({
  name: "websocket",
  maxFrameBytes: MAX_MESSAGE_BYTES,
  frameOf,
  smallestFrameBytes: 0,
  onTheWire: { notBecause: "the library finds frames; kosoku's cases cut them at every position" },
  trust: "same-user",
  open: () => open(),
  listenTwice: { notBecause: "the HTTP server listens, and is tested for that" },
});

it("is given up where its peer answers no ping for two and a half intervals", async () => {
  const clock = createVirtualClock();
  const after = (ms: number, run: () => void) => clock.wakeAt(clock.now() + ms, run);
  const { server, stop } = await open(after, false);
  onTestFinished(() => stop());
  let isClosed = false;
  void server.closed.then(() => {
    isClosed = true;
  });
  clock.advance(37_499);
  await settle();
  expect(isClosed).toBe(false);
  clock.advance(1);
  expect((await server.closed).kind).toBe("abrupt");
});

it.each<[FaultCode | undefined, number]>([
  [undefined, 4000],
  ["shutting_down", 1001],
  ["internal", 1011],
  ["handshake_required", 4001],
  ["timed_out", 4001],
  ["unauthenticated", 4002],
  ["permission_denied", 4003],
  ["lagging", 4004],
])("AAEP app. B.2.6: its end because of %s has the code %i", async (code, expected) => {
  const { server, socket, stop } = await open();
  onTestFinished(() => stop());
  const told = once(socket, "close");
  await server.close(code && new Fault(code, "It is over."));
  expect((await told).map(String)).toEqual([String(expected), code === undefined ? "" : "It is over."]);
});

it("breaks off from a peer for which more waits than the limit", async () => {
  const { server, stop } = await open();
  onTestFinished(() => stop());
  for (let count = 0; count < 17; count++) server.send(Buffer.alloc(1_000_000, "a"));
  expect(await server.closed).toMatchObject({
    kind: "abrupt",
    fault: { code: "peer_gone", sentence: expect.stringContaining("does not read") },
  });
});
