import type { Socket } from "node:net";
import { Metadata } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { withResolvers } from "../../../src/base/with-resolvers.js";
import { createGrpcCalls } from "../../../transports/grpc/client.js";
import { detailIn, statusOf } from "../../../transports/grpc/status.js";
import { rawSocket } from "../../support/peers/raw-socket.js";
import { GET_MANIFEST, SUBSCRIBE, stageOf } from "./stage.js";

test("an answer of more than 16 MiB is not taken", async () => {
  const { path } = await stageOf({ answer: async () => new Uint8Array(17 * 1024 * 1024) });
  const calls = createGrpcCalls({ address: `unix:${path}` }, () => undefined);
  onTestFinished(() => calls.close());
  await expect(calls.unary(GET_MANIFEST, new Uint8Array())).rejects.toMatchObject({ code: "rate_limit" });
});

test("no socket of a program's own counts as one of its client, though it is made where a message is taken", async () => {
  const { address, bidi } = await stageOf();
  const calls = createGrpcCalls({ address }, () => undefined);
  onTestFinished(() => calls.close());
  const { promise: made, resolve: tell } = withResolvers<Socket>();
  calls.stream(SUBSCRIBE, () => tell(rawSocket(address))).write(Buffer.from("one"));
  (await bidi.next()).send(Buffer.from("one"));
  const own = await made;
  calls.unref();
  expect(Object.hasOwn(own, "ref")).toBe(false);
});

test("R20: the typed detail of a status is read back; one that is not there, or cannot be read, is none", () => {
  const detail = { typeName: "test.Fault", bytes: Buffer.from("why") };
  const fault = new Fault("not_found", "There is none.");
  const { code, details, metadata } = statusOf(fault, () => detail);
  expect([code, details]).toEqual([5, "There is none."]);
  const read = detailIn(metadata);
  expect([read?.typeName, Buffer.from(read?.bytes ?? []).toString()]).toEqual(["test.Fault", "why"]);
  expect(detailIn(statusOf(fault, () => ({ ...detail, bytes: Buffer.alloc(10_000) })).metadata)).toBeUndefined();
  for (const hex of ["0805", "1aff"]) {
    const other = new Metadata();
    other.set("grpc-status-details-bin", Buffer.from(hex, "hex"));
    expect(detailIn(other)).toBeUndefined();
  }
});
