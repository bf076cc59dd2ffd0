// Clients of services that are suddenly gone, that read nothing, or whose calls never get whole. What one of them does costs the others nothing.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { SubscribeRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { stopTimes } from "../../src/daemon/orderly-stop.js";
import { connectIpc } from "../../transports/ipc/connect.js";
import { SERVICE_NAMES } from "../../transports/ways.js";
import { eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";
import { createWireSniffer, type Message } from "../support/oracles/wire-sniffer.js";
import { type PlainPeer, plainPeer, rpcPeer } from "../support/peers/peers.js";
import { fixture, startProgram } from "../support/peers/program.js";
import { sessionOver } from "../support/peers/raw-http2.js";
import { rawSocket } from "../support/peers/raw-socket.js";
import { type DaemonRig, nextSession, requestOf } from "../support/rigs/daemon-rig.js";
import { metric, startBystander } from "../support/services/bystander.js";
import { createConnectClient } from "../support/services/connect-client.js";
import { createGrpcClient } from "../support/services/grpc-client.js";
import { enveloped } from "../support/services/raw-calls.js";
import { listenListener, type ServiceListener, streamListener } from "../support/services/service-peers.js";
import { requesting, startServices } from "../support/services/service-stage.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const MIB = 1024 * 1024;
const EVERYTHING = { coalesce_boundaries: ["none"] };

const subscriptionCount = (rig: DaemonRig): Promise<number> => metric(rig, "aaepd_subscriptions");

/** Text of 16,000 characters, which no listener may have cut. */
const TEXT = "word ".repeat(3200);
const chunkOf = (session_id: string, index: number): Message => ({
  type: "aaep:agent.output.streaming",
  session_id,
  chunk: TEXT,
  position: index * TEXT.length,
  complete: false,
});
const started = (session_id: string): Message => ({
  type: "aaep:agent.session.started",
  session_id,
  summary_normal: "Begins.",
});

describe("clients that are killed", () => {
  it.each(SERVICE_NAMES)("%s: the subscription of a client that is killed in mid-stream is gone", async (kind) => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const client = startProgram([kind, rig.serviceAddress(kind)], { entry: fixture("service-listener.mjs") });
    expect(await client.stdoutLines(1)).toEqual(["accepted"]);
    expect(await subscriptionCount(rig)).toBe(2);
    await bystander.noticedNothing();
    expect(await client.stdoutLines(2)).toEqual(["accepted", "events"]);
    client.child.kill("SIGKILL");
    await client.ended;
    await vi.waitFor(async () => expect(await subscriptionCount(rig)).toBe(1), { timeout: 60_000, interval: 5 });
    await bystander.noticedNothing();
  });
});

describe("listeners that do not read, of a daemon of its own", () => {
  beforeAll(ensureBuilt);

  itInFull("R18: while 40 MB go by, they cost bounded memory and nobody's time", async () => {
    const directory = temporaryDirectory();
    const [socket, grpc, http] = ["a.sock", "a.grpc", "a.http"].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    const program = startProgram([
      ...[
        "serve",
        "--producer-id",
        "test-agent",
        "--socket",
        socket,
        "--grpc",
        `unix:${grpc}`,
        "--http",
        `unix:${http}`,
      ],
      ...["--journal-max-bytes", String(8 * MIB), "--max-lag-events", "2000"],
    ]);
    const sniffer = createWireSniffer();
    await vi.waitFor(async () => (await connectIpc(http, {})).close(), { timeout: 60_000, interval: 20 });
    const agent = rpcPeer(await connectIpc(socket, { framing: "newline" }), sniffer);
    const quick = plainPeer(await connectIpc(socket, { framing: "length-prefixed" }), sniffer);
    onTestFinished(async () => {
      await Promise.all([agent.close(), quick.peer.close()]);
    });
    await quick.subscribe(requestOf(EVERYTHING, { subscriber_id: "quick" }));
    const session_id = nextSession();
    await agent.publish(started(session_id));
    await quick.events.next("the session");
    let index = 0;
    const publish = async (batches: number): Promise<void> => {
      // A publish has room for four of them.
      for (let batch = 0; batch < batches * 13; batch++) {
        await agent.publish(...Array.from({ length: 4 }, () => chunkOf(session_id, index++)));
        const heard = await quick.events.take(4);
        expect(heard.at(-1)).toMatchObject({ position: (index - 1) * TEXT.length });
      }
    };
    // What it needs for itself, and a full journal.
    await publish(30);
    const before = residentBytes(program.child.pid);

    const slow: ServiceListener[] = [];
    for (let one = 0; one < 4; one++) {
      const overGrpc = createGrpcClient(`unix:${grpc}`);
      const overHttp1 = createConnectClient({ address: `unix:${http}`, protocol: "connect", httpVersion: "1.1" });
      const overHttp2 = createConnectClient({ address: `unix:${http}`, protocol: "connect", httpVersion: "2" });
      slow.push(streamListener({ client: overGrpc, sniffer, label: "gRPC" }));
      slow.push(listenListener({ client: overHttp1, sniffer, label: "HTTP/1.1" }));
      slow.push(streamListener({ client: overHttp2, sniffer, label: "HTTP/2" }));
      for (const client of [overGrpc, overHttp1, overHttp2]) onTestFinished(client.close);
    }
    const overSockets: PlainPeer[] = [];
    for (let one = 0; one < 4; one++)
      overSockets.push(plainPeer(await connectIpc(socket, { framing: "length-prefixed" }), sniffer, "slow"));
    for (const [place, listener] of [...slow, ...overSockets].entries()) {
      await listener.subscribe(requestOf(EVERYTHING, { subscriber_id: `slow${place}` }));
      listener.stopReading();
    }
    let most = before;
    for (let part = 0; part < 10; part++) {
      await publish(5);
      most = Math.max(most, residentBytes(program.child.pid));
    }
    // 40 MB were published, kept for sixteen listeners more than half a gigabyte. What is allowed is the platform's garbage.
    expect((index - 30 * 52) * TEXT.length).toBeGreaterThanOrEqual(40_000_000);
    expect(most - before).toBeLessThan(256 * MIB);
    for (const listener of [...slow, ...overSockets]) listener.readOn();
    for (const listener of slow) expect((await listener.ended()).status).not.toBe("OK");
    for (const { closed } of overSockets) expect((await closed).kind).not.toBe("local");
    expect(sniffer.violations()).toEqual([]);
  });
});

function residentBytes(pid: number | undefined): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) * 1024;
}

it("R8a: peers that read nothing and calls that never get whole hold up no stop for ever", async () => {
  const rig = await startServices();
  for (const kind of SERVICE_NAMES) {
    // No window: nothing of an answer can leave.
    const session = sessionOver(rawSocket(rig.serviceAddress(kind)), { settings: { initialWindowSize: 0 } });
    const stream = session.request({
      ":method": "POST",
      ":path": "/aaep.v1.SubscriberService/Subscribe",
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", () => {});
    stream.write(enveloped(toBinary(SubscribeRequestSchema, requesting())));
    await once(stream, "response");
  }
  const half = rawSocket(rig.serviceAddress("http"));
  const head = ["POST /aaep.v1.SubscriberService/GetManifest HTTP/1.1", "Host: localhost", "Content-Length: 100"];
  half.write(`${head.join("\r\n")}\r\n\r\n{`);

  let hasStopped = false;
  void rig.daemon.stop("signal").then(() => {
    hasStopped = true;
  });
  await rig.advance(stopTimes({ stopTimeoutSeconds: 1 }, false).handOverMs);
  await eventually(async () => {
    // What was begun since is due too.
    await rig.advance(0);
    expect(hasStopped).toBe(true);
  });
});
