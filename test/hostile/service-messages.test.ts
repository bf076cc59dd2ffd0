// A message of services that grows when it is read is told what is wrong, and a subscriber on the Unix socket notices nothing.
import { expect, it } from "vitest";
import { startBystander } from "../support/services/bystander.js";
import { openRawGrpc, rawHttp } from "../support/services/raw-calls.js";
import { refusalOf } from "../support/services/refusals.js";
import { startServices } from "../support/services/service-stage.js";

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
