// More streams, more metadata and more events than anybody takes, and clients that are suddenly gone. What one of them does costs the others nothing.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type SubscribeResponse,
  SubscriberService,
  SubscriberServiceGetManifestRequestSchema,
} from "#gen/aaep/v1/subscriber_service_pb.js";
import { connectIpc } from "../../transports/ipc/connect.js";
import { SERVICE_NAMES } from "../../transports/ways.js";
import { ensureBuilt } from "../support/built.js";
import { isWhole, itInFull } from "../support/extent.js";
import { CLIENT_WAYS, DUPLEX, serviceClient } from "../support/lanes.js";
import { createWireSniffer, type Message } from "../support/oracles/wire-sniffer.js";
import { plainPeer, rpcPeer } from "../support/peers/peers.js";
import { fixture, startProgram } from "../support/peers/program.js";
import { type DaemonRig, nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { metric, startBystander } from "../support/services/bystander.js";
import { createConnectClient } from "../support/services/connect-client.js";
import { byConverter } from "../support/services/converting.js";
import { createGrpcClient } from "../support/services/grpc-client.js";
import { refusalOf } from "../support/services/refusals.js";
import { ServiceRefusal } from "../support/services/service-client.js";
import { listenListener, type ServiceListener, streamListener } from "../support/services/service-peers.js";
import { openListening, openSubscribe, requesting, startServices } from "../support/services/service-stage.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const MIB = 1024 * 1024;
const EVERYTHING = { coalesce_boundaries: ["none"] };
/** The default of `maxConcurrentSubscriptions`. */
const MOST_SUBSCRIPTIONS = 256;

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

describe.each(isWhole ? DUPLEX : DUPLEX.slice(0, 1))("many streams: %s", (_, way) => {
  itInFull(
    "of 1,000 on one connection those beyond the limit are rejected in words, and all are gone with it",
    async () => {
      const rig = await startServices();
      const bystander = await startBystander(rig);
      const client = serviceClient(rig, way);
      const streams = Array.from({ length: 1000 }, (_unused, index) => {
        const stream = openSubscribe(client);
        stream.send(requesting(`many${index}`));
        return stream;
      });
      const answers: SubscribeResponse[] = [];
      for (const { responses } of streams) answers.push(await responses.next("an answer"));
      const casesOf = (name: string) => answers.filter(({ message }) => message.case === name);
      expect(casesOf("accepted")).toHaveLength(MOST_SUBSCRIPTIONS - 1);
      expect(casesOf("rejected")).toHaveLength(1000 - MOST_SUBSCRIPTIONS + 1);
      for (const { message } of casesOf("rejected")) expect(message.value).toMatchObject({ reasonCode: 4 });
      expect(await subscriptionCount(rig)).toBe(MOST_SUBSCRIPTIONS);
      await bystander.noticedNothing();
      client.abandon();
      await vi.waitFor(async () => expect(await subscriptionCount(rig)).toBe(1), { timeout: 60_000, interval: 20 });
      await bystander.noticedNothing();
    },
  );
});

describe.each(isWhole ? CLIENT_WAYS : CLIENT_WAYS.slice(0, 1))(
  "metadata that floods, and listeners that do not read: %s",
  (_, way) => {
    it("more metadata than is taken ends its call alone, whatever is in it", async () => {
      const rig = await startServices();
      const bystander = await startBystander(rig);
      const { method } = SubscriberService;
      const asked = create(SubscriberServiceGetManifestRequestSchema);
      const floods = [
        Object.fromEntries(Array.from({ length: 500 }, (_unused, index) => [`x-flood-${index}`, "v".repeat(100)])),
        { "x-long": "v".repeat(200_000) },
      ];
      for (const headers of floods) {
        const ended: unknown = await serviceClient(rig, way)
          .unary(method.getManifest, asked, { headers })
          .catch((caught: unknown) => caught);
        expect(ended).toBeInstanceOf(ServiceRefusal);
        const answer = await serviceClient(rig, way).unary(method.getManifest, asked);
        expect(answer.manifest?.agentId).toBe("aaepd");
      }
      await bystander.noticedNothing();
    });

    itInFull(
      "G1, R18: a listener that stops reading is told that it lags, with a status, and others hear everything meanwhile",
      async () => {
        const rig = await startRig({
          clock: "hands",
          services: { grpc: "unix", http: "unix" },
          configuration: { maxLagSeconds: 30 },
        });
        const quick = await rig.plain();
        await quick.subscribe(requestOf(EVERYTHING, { subscriber_id: "quick" }));
        // What comes is only kept: whoever is slow at reading on is cut off.
        const slow = openListening(serviceClient(rig, way), way.httpVersion === "2", "slow");
        expect((await slow.responses.next("accepted")).message.case).toBe("accepted");
        slow.stopReading();
        const agent = await rig.rpc();
        const session_id = nextSession();
        await agent.publish(started(session_id));
        const count = 1200;
        for (let index = 0; index < count; index += 20) {
          await agent.publish(...Array.from({ length: 20 }, (_unused, one) => chunkOf(session_id, index + one)));
          const heard = await quick.events.take(index === 0 ? 21 : 20);
          expect(heard.at(-1)).toMatchObject({ position: (index + 19) * TEXT.length });
        }
        await rig.advance(29_000);
        expect(await subscriptionCount(rig)).toBe(2);
        // It reads on when it is too late, and in time to read why.
        slow.readOn();
        rig.leap(62_000);
        expect(refusalOf(await slow.ended)).toMatchObject({ code: "lagging", status: "RESOURCE_EXHAUSTED" });
        const messages = slow.responses.rest();
        expect(messages.at(-1)?.message).toMatchObject({
          case: "close",
          value: {
            reasonCode: "lagging",
            // P1: what it may, how far it lagged, and where to go on; as in JSON.
            extensions: { aaepd: { cursor: expect.stringMatching(/^c1\./), limits: { max_lag_seconds: 30 }, lag: {} } },
          },
        });
        expect(messages.reduce((sum, { events }) => sum + events.length, 0)).toBeLessThan(count);
        expect(await subscriptionCount(rig)).toBe(1);
        await rig.expectOthersServed();
      },
    );
  },
);

describe("clients that are killed", () => {
  it.each(SERVICE_NAMES)(
    "C6, G8: %s: the subscription of a client that is killed in mid-stream is gone",
    async (kind) => {
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
    },
  );
});

describe("listeners that do not read, of a daemon of its own", () => {
  beforeAll(ensureBuilt);

  itInFull("G1, R18: while 100 MB go by, they cost bounded memory and nobody's time", async () => {
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
      for (let batch = 0; batch < batches; batch++) {
        await agent.publish(...Array.from({ length: 50 }, () => chunkOf(session_id, index++)));
        const heard = await quick.events.take(50);
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
      slow.push(streamListener({ client: overGrpc, convert: byConverter, sniffer, label: "gRPC" }));
      slow.push(listenListener({ client: overHttp1, convert: byConverter, sniffer, label: "HTTP/1.1" }));
      slow.push(streamListener({ client: overHttp2, convert: byConverter, sniffer, label: "HTTP/2" }));
      for (const client of [overGrpc, overHttp1, overHttp2]) onTestFinished(client.close);
    }
    for (const [place, listener] of slow.entries()) {
      await listener.subscribe(requestOf(EVERYTHING, { subscriber_id: `slow${place}` }));
      listener.stopReading();
    }
    let most = before;
    for (let part = 0; part < 25; part++) {
      await publish(5);
      most = Math.max(most, residentBytes(program.child.pid));
    }
    // 100 MB were published, kept for twelve listeners more than a gigabyte. What is allowed is the platform's garbage.
    expect((index - 30 * 50) * TEXT.length).toBeGreaterThanOrEqual(100_000_000);
    expect(most - before).toBeLessThan(256 * MIB);
    for (const listener of slow) listener.readOn();
    for (const listener of slow) expect((await listener.ended()).status).not.toBe("OK");
    expect(sniffer.violations()).toEqual([]);
  });
});

function residentBytes(pid: number | undefined): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) * 1024;
}
