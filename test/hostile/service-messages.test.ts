// Messages of services that are too much, or not the sender's to send. Each is told what is wrong, and a subscriber on the Unix socket notices nothing.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AaepMessageSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { AgentService, PublishBatchRequestSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { EventSchema } from "#gen/aaep/v1/event_pb.js";
import { CLIENT_WAYS, serviceClient } from "../support/lanes.js";
import { nextSession, requestOf } from "../support/rigs/daemon-rig.js";
import { startBystander } from "../support/services/bystander.js";
import { openRawGrpc, rawHttp } from "../support/services/raw-calls.js";
import { refusalOf } from "../support/services/refusals.js";
import { callingAgent } from "../support/services/service-peers.js";
import { partyOf, startServices } from "../support/services/service-stage.js";

const MIB = 1024 * 1024;

describe.each(CLIENT_WAYS)("what is not taken: %s", (_, way) => {
  it("a message that is too large ends its call alone", async () => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const client = serviceClient(rig, way);
    const agent = callingAgent(partyOf(rig, client));
    const session_id = nextSession();
    await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
    const events = [create(EventSchema, { sessionId: session_id, correlationId: "x".repeat(3 * MIB) })];
    const large = create(PublishBatchRequestSchema, { publish: { events } });
    const ended: unknown = await client
      .unary(AgentService.method.publishBatch, large)
      .catch((caught: unknown) => caught);
    expect(ended).toMatchObject({ end: { status: "RESOURCE_EXHAUSTED", message: expect.stringMatching(/\d/) } });
    await agent.publish({
      type: "aaep:agent.session.cancelled",
      session_id,
      cancelled_by: "user",
      summary_normal: "Off.",
    });
    await bystander.noticedNothing();
  });
});

describe("messages that grow when they are read", () => {
  it("JSON bombs in the bytes of AaepService are told, and a request may follow", async () => {
    const rig = await startServices();
    const bystander = await startBystander(rig);
    const call = openRawGrpc(rig.serviceAddress("grpc"), "/aaep.v1.AaepService/Subscribe");
    const head = '{"type":"subscription.request","aaep_version":"1.0.0","subscriber_id":"a","capabilities":';
    const bombs: readonly (string | Buffer)[] = [
      "[".repeat(500_000),
      `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
      `${head}{"x":${"[".repeat(5000)}${"]".repeat(5000)}}}`,
      `[${"{},".repeat(300_000)}{}]`,
      `${head}${"9".repeat(500_000)}}`,
      "",
      "null",
      Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
    ];
    for (const bomb of bombs) {
      call.write(toBinary(AaepMessageSchema, create(AaepMessageSchema, { json: Buffer.from(bomb) })));
      const { json } = fromBinary(AaepMessageSchema, await call.messages.next("an answer"));
      expect(JSON.parse(Buffer.from(json).toString())).toMatchObject({
        type: expect.stringMatching(/^(aaepd\.error|subscription\.rejected)$/),
      });
    }
    const json = Buffer.from(JSON.stringify(requestOf()));
    call.write(toBinary(AaepMessageSchema, create(AaepMessageSchema, { json })));
    const accepted = fromBinary(AaepMessageSchema, await call.messages.next("accepted"));
    expect(accepted.messageType).toBe("subscription.accepted");
    await bystander.noticedNothing();
  });

  it.each([90, 5000])(
    "a Struct nested %i levels deep is refused with its event, in binary and in JSON",
    async (levels) => {
      const rig = await startServices();
      const bystander = await startBystander(rig);
      const type = "aaep:agent.session.started";
      const events = delimited(1, nestedEvent(type, levels));
      const batch = delimited(1, events);
      const path = "/aaep.v1.AgentService/PublishBatch";
      const call = openRawGrpc(rig.serviceAddress("grpc"), path);
      call.write(batch);
      call.halfClose();
      const invalid = expect.stringMatching(/^invalid_(event|message)$/);
      expect(refusalOf(await call.ended)).toMatchObject({ status: "INVALID_ARGUMENT", code: invalid });

      const stream = openRawGrpc(rig.serviceAddress("grpc"), "/aaep.v1.AgentService/Publish");
      stream.write(delimited(2, events));
      const told = Buffer.from(await stream.messages.next("the error")).toString("latin1");
      expect(told).toMatch(/invalid_(event|message)/);

      const deep = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
      const json = `{"publish":{"events":[{"type":"${type}","sessionId":"sess_d","extensions":{"x":${deep}}}]}}`;
      for (const [contentType, body] of [
        ["application/proto", batch],
        ["application/json", Buffer.from(json)],
      ] as const) {
        const headers = { "content-type": contentType, "connect-protocol-version": "1" };
        const answer = await rawHttp(rig.serviceAddress("http"), path, { headers, body });
        expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([400, { code: "invalid_argument" }]);
      }
      await bystander.noticedNothing();
    },
  );
});

/** A field with its length. */
function delimited(number: number, bytes: Uint8Array): Buffer {
  const head = [(number << 3) | 2];
  let rest = bytes.length;
  while (rest > 127) {
    head.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.concat([Buffer.from([...head, rest]), bytes]);
}

/** An event whose extensions hold a Struct in a Struct, that many times. */
function nestedEvent(type: string, levels: number): Buffer {
  const key = delimited(1, Buffer.from("a"));
  let struct: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) {
    // An entry of Struct.fields has key = 1 and value = 2; Value.struct_value = 5.
    struct = delimited(1, Buffer.concat([key, delimited(2, delimited(5, struct))]));
  }
  const summary = delimited(2, Buffer.from("Begins."));
  // The tag of field 16 takes two bytes.
  const started = Buffer.concat([Buffer.from([0x82, 0x01, summary.length]), summary]);
  const members = [
    delimited(2, Buffer.from(type)),
    delimited(4, Buffer.from("sess_d")),
    delimited(12, struct),
    started,
  ];
  return Buffer.concat(members);
}
