// Peers of WebSocket and of Server-Sent Events that break off, fall silent or read nothing. What one of them does costs the others nothing.
import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { eventually } from "../cli/command-stage.js";
import { isWhole } from "../support/extent.js";
import { rawSocket, textOf } from "../support/peers/raw-socket.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { metric, startBystander } from "../support/services/bystander.js";
import { startServices } from "../support/services/service-stage.js";

const HEAD = "GET /aaep/v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
const UPGRADE = Buffer.from(`${HEAD}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n\r\n`);
const SSE = "GET /aaep/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** A frame of text as a client sends it, with a mask of zeros. */
function frameOf(message: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x81fe);
  head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

const REQUEST = frameOf(requestOf({ coalesce_boundaries: ["none"] }));

const subscriptions = (rig: DaemonRig): Promise<number> => metric(rig, "aaepd_subscriptions");

/** A listener that has a subscription. What comes is read, until it is paused. */
async function listening(rig: DaemonRig, kind: "WebSocket" | "SSE"): Promise<Socket> {
  const socket = rawSocket(rig.serviceAddress("http"));
  socket.write(kind === "SSE" ? SSE : Buffer.concat([UPGRADE, REQUEST]));
  await textOf(socket, kind === "SSE" ? /id: / : /subscription\.accepted/);
  return socket;
}

it("a WebSocket that is cut off, at whichever byte of its handshake or of its first frame, leaves nothing", async () => {
  const rig = await startServices();
  const bystander = await startBystander(rig);
  const all = Buffer.concat([UPGRADE, REQUEST]);
  for (let from = 0; from < all.length; from += 32) {
    const cuts = Array.from({ length: Math.min(32, all.length - from) }, async (_, at) => {
      const socket = rawSocket(rig.serviceAddress("http"));
      await once(socket, "connect");
      socket.end(all.subarray(0, from + at + 1));
      socket.resume();
      await once(socket, "close");
    });
    await Promise.all(cuts);
  }
  await eventually(async () => expect(await subscriptions(rig)).toBe(1));
  await bystander.noticedNothing();
});

it.each(["WebSocket", "SSE"] as const)(
  "R18: a listener over %s that reads nothing is closed, and nobody waits for it",
  async (kind) => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const socket = await listening(rig, kind);
    socket.pause();
    const agent = await rig.rpc();
    const session_id = nextSession();
    await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Talks." });
    for (let index = 0; index < 100; index += 1)
      await agent.publish({
        type: "aaep:agent.output.streaming",
        session_id,
        chunk: "word ".repeat(3000),
        complete: false,
      });
    await bystander.noticedNothing();
    expect(await subscriptions(rig)).toBe(2);
    // Longer than `max_lag_seconds`, and than its absence.
    for (const ms of [61_000, 5000]) await rig.advance(ms);
    await eventually(async () => expect(await subscriptions(rig)).toBe(1));
    await bystander.noticedNothing();
  },
);

const SILENT = isWhole ? 2000 : 200;

it(`${SILENT} connections that never say anything whole are closed, and nobody notices`, async () => {
  const rig = await startRig({ services: { http: "tcp" }, configuration: { handshakeTimeoutSeconds: 1 } });
  const bystander = await startBystander(rig);
  const upgrade = String(UPGRADE).replace(
    "localhost\r\n",
    `localhost\r\nAuthorization: ${rig.authorization().authorization}\r\n`,
  );
  // Nothing, half a head, and a WebSocket without a message.
  const beginnings = ["", upgrade.slice(0, 60), upgrade];
  const sockets: Socket[] = [];
  for (let from = 0; from < SILENT; from += 100) {
    const some = Array.from({ length: 100 }, () => rawSocket(rig.serviceAddress("http")));
    await Promise.all(some.map((socket) => once(socket, "connect")));
    sockets.push(...some);
    some.forEach((socket, at) => void socket.resume().write(beginnings[at % 3] ?? ""));
  }
  await bystander.noticedNothing();
  const closed = Promise.all(sockets.map((socket) => socket.closed || once(socket, "close")));
  await closed;
  await bystander.noticedNothing();
});
