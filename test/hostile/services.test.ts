// Streams and calls of services that no client should make. Each ends in a typed answer, a status or a rejection, and a subscriber on the Unix socket
// notices nothing.
import { once } from "node:events";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { AgentService } from "#gen/aaep/v1/agent_service_pb.js";
import { SubscribeRequestSchema, SubscribeResponseSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import { stopTimes } from "../../src/daemon/config/stop-times.js";
import { SERVICE_NAMES } from "../../transports/ways.js";
import { eventually } from "../cli/command-stage.js";
import { DUPLEX, serviceClient } from "../support/lanes.js";
import { sessionOver } from "../support/peers/raw-http2.js";
import { rawSocket } from "../support/peers/raw-socket.js";
import { type DaemonRig, nextSession } from "../support/rigs/daemon-rig.js";
import { metric, startBystander } from "../support/services/bystander.js";
import { endOfStream, enveloped, openRawGrpc, rawHttp } from "../support/services/raw-calls.js";
import { refusalOf } from "../support/services/refusals.js";
import { streamAgent } from "../support/services/service-peers.js";
import { openSubscribe, partyOf, requesting, startServices } from "../support/services/service-stage.js";

const servedCount = (rig: DaemonRig): Promise<number> => metric(rig, 'aaepd_connections{transport="services"}');

/** Field 31, cut off in its middle. */
const NO_PROTOBUF = Buffer.from("fa0110ffffff", "hex");

describe("bytes that are no message", () => {
  it("gRPC: are told on a stream, which goes on, and end a call", async () => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const address = rig.serviceAddress("grpc");
    const call = openRawGrpc(address, "/aaep.v1.SubscriberService/Subscribe");
    call.write(NO_PROTOBUF);
    const told = fromBinary(SubscribeResponseSchema, await call.messages.next("the error"));
    expect(told.message).toMatchObject({ case: "error", value: { code: "invalid_message" } });
    call.write(toBinary(SubscribeRequestSchema, requesting()));
    const accepted = fromBinary(SubscribeResponseSchema, await call.messages.next("accepted"));
    expect(accepted.message.case).toBe("accepted");

    for (const path of [
      "/aaep.v1.SubscriberService/Listen",
      "/aaep.v1.SubscriberService/Renegotiate",
      "/aaep.v1.SubscriberService/ListPending",
      "/aaep.v1.AgentService/PublishBatch",
      "/aaep.v1.AgentService/Confirm",
    ]) {
      const one = openRawGrpc(address, path);
      one.write(NO_PROTOBUF);
      one.halfClose();
      expect(refusalOf(await one.ended)).toMatchObject({ code: "invalid_message", status: "INVALID_ARGUMENT" });
    }
    await bystander.noticedNothing();
  });

  it("Connect: end a stream and a call, and are no reason to end anything else", async () => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const address = rig.serviceAddress("http");
    const listen = await rawHttp(address, "/aaep.v1.SubscriberService/Listen", {
      headers: { "content-type": "application/connect+proto", "connect-protocol-version": "1" },
      body: enveloped(NO_PROTOBUF),
    });
    expect(endOfStream(listen.body).error).toMatchObject({ code: "invalid_argument", message: expect.any(String) });
    const truncated = await rawHttp(address, "/aaep.v1.SubscriberService/Listen", {
      headers: { "content-type": "application/connect+proto", "connect-protocol-version": "1" },
      body: enveloped(NO_PROTOBUF).subarray(0, 8),
    });
    expect(endOfStream(truncated.body).error).toMatchObject({ code: "invalid_argument" });
    for (const [type, body] of [
      ["application/proto", NO_PROTOBUF],
      ["application/json", Buffer.from('{"publish":')],
      ["application/json", Buffer.from('{"publish":{"events":7}}')],
      ["application/json", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ] as const) {
      const answer = await rawHttp(address, "/aaep.v1.AgentService/PublishBatch", {
        headers: { "content-type": type, "connect-protocol-version": "1" },
        body,
      });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ code: "invalid_argument" });
    }
    await bystander.noticedNothing();
  });
});

describe.each(DUPLEX)("the order of messages on a stream: %s", (_, way) => {
  it("half-closed: before a word, after a rejection, after nonsense, and with a subscription, which lasts", async () => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const client = serviceClient(rig, way);
    const silent = openSubscribe(client);
    silent.halfClose();
    expect(refusalOf(await silent.ended)).toMatchObject({ code: "handshake_required", status: "FAILED_PRECONDITION" });

    const rejected = openSubscribe(client);
    rejected.send(requesting("old", { aaep_version: "2.0.0" }));
    rejected.halfClose();
    expect((await rejected.responses.next("rejected")).message.case).toBe("rejected");
    expect((await rejected.ended).status).toBe("OK");

    const confused = openSubscribe(client);
    confused.send(create(SubscribeRequestSchema));
    confused.halfClose();
    expect((await confused.responses.next("the error")).message.case).toBe("error");
    expect(refusalOf(await confused.ended)).toMatchObject({ code: "invalid_message" });

    const lasting = openSubscribe(client);
    lasting.send(requesting());
    lasting.halfClose();
    expect((await lasting.responses.next("accepted")).message.case).toBe("accepted");
    expect(await metric(rig, "aaepd_subscriptions")).toBe(2);
    await bystander.noticedNothing();
    const [first] = (await lasting.responses.next("events")).events;
    expect(first?.payload.case).toBe("sessionStarted");
    lasting.cancel();
    await lasting.ended;
    const agent = streamAgent(partyOf(rig, serviceClient(rig, way)));
    const session_id = nextSession();
    const publishing = agent.publish({
      type: "aaep:agent.progress.updated",
      session_id,
      progress: { percent: 5 },
    });
    // What was asked before the half-close is answered.
    await Promise.all([expect(publishing).rejects.toThrow("session_not_started"), agent.close()]);
    await bystander.noticedNothing();
    expect(await metric(rig, "aaepd_subscriptions")).toBe(1);
  });

  it("R22: opened and left silent, it ends when it may no longer be, with the reason", async () => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const client = serviceClient(rig, way);
    const silent = openSubscribe(client);
    const agent = client.stream(AgentService.method.publish, () => {});
    // Both are known before time goes on.
    await vi.waitFor(async () => expect(await servedCount(rig)).toBe(2), { timeout: 60_000, interval: 5 });
    await rig.advance(59_000);
    expect(await servedCount(rig)).toBe(2);
    await rig.advance(1000);
    for (const stream of [silent, agent]) {
      const end = refusalOf(await stream.ended);
      expect(end).toMatchObject({ code: "timed_out", status: "DEADLINE_EXCEEDED", rule: "R22" });
    }
    await bystander.noticedNothing();
  });
});

it("R8a, G3: peers that read nothing and calls that never get whole hold up no stop for ever", async () => {
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
