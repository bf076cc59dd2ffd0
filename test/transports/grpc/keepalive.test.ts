import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { itInFull } from "../../support/extent.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { drain, takeFrames } from "../../support/peers/frames.js";
import { callConnection, createGrpcClient } from "../../support/peers/grpc-client.js";
import { rawSession } from "../../support/peers/raw-http2.js";
import { allOf, rawSocket } from "../../support/peers/raw-socket.js";
import { type Stage, SUBSCRIBE, stageOf } from "./stage.js";

const CHILD = fileURLToPath(new URL("../children/grpc-client.mjs", import.meta.url));
const SOON = { limits: { keepaliveIntervalMs: 100, keepaliveTimeoutMs: 500 } };

/** A stream that a process of its own holds open. */
async function heldByChild({ address, bidi }: Stage) {
  const child = spawn(process.execPath, [CHILD, address, SUBSCRIBE], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const server = await bidi.next();
  const frames = server.frames[Symbol.asyncIterator]();
  await takeFrames(frames, 1);
  server.send(Buffer.from("hello"));
  await once(child.stdout, "data");
  return { child, server };
}

describe("a client that is gone without a word", () => {
  it("is noticed when it is killed in mid-stream, and its connection let go of", async () => {
    expectNothingLeftOpen();
    const { child, server } = await heldByChild(await stageOf());
    const frame = Buffer.alloc(16 * 1024);
    for (let index = 0; index < 16; index++) server.send(frame);
    child.kill("SIGKILL");
    expect(await server.closed).toMatchObject({ kind: "abrupt", fault: { code: "peer_gone" } });
    await server.writable();
    expect(server.send(frame)).toBe(false);
  });

  it("is noticed by keepalive when it is stopped, though its socket stays open", async () => {
    const { child, server } = await heldByChild(await stageOf(SOON));
    child.kill("SIGSTOP");
    expect(await server.closed).toMatchObject({ kind: "abrupt", fault: { code: "peer_gone" } });
  });

  itInFull("is noticed where it never spoke at all", async () => {
    const { path } = await stageOf(SOON);
    const socket = rawSocket(path);
    await allOf(socket);
    expect(socket.destroyed).toBe(true);
  });
});

describe("a client that is there", () => {
  it("keeps an idle stream through many pings of the server", async () => {
    const { address, bidi } = await stageOf({ limits: { keepaliveIntervalMs: 10, keepaliveTimeoutMs: 60_000 } });
    const client = callConnection(createGrpcClient(address), SUBSCRIBE);
    const server = await bidi.next();
    // The pings go by a timer inside the library, and its client tells of none.
    await new Promise((resolve) => setTimeout(resolve, 200));
    server.send(Buffer.from("still there"));
    expect((await takeFrames(client.frames[Symbol.asyncIterator](), 1)).map(String)).toEqual(["still there"]);
    await Promise.all([server.close(), drain(client)]);
  });

  it("is not struck for its pings, however many and without streams", async () => {
    const { path } = await stageOf();
    const session = await rawSession(path);
    const goneAway: unknown[] = [];
    session.on("goaway", (code) => goneAway.push(code));
    for (let count = 0; count < 200; count++) {
      await new Promise<void>((resolve, reject) => {
        session.ping((error) => (error === null ? resolve() : reject(error)));
      });
    }
    expect([goneAway, session.destroyed]).toEqual([[], false]);
  });
});
