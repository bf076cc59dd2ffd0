import { Metadata } from "@grpc/grpc-js";
import { expect, onTestFinished, test } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { createGrpcCalls } from "../../../transports/grpc/client.js";
import { detailIn, statusOf } from "../../../transports/grpc/status.js";
import { GET_MANIFEST, stageOf } from "./stage.js";

test("an answer of more than 16 MiB is not taken", async () => {
  const { path } = await stageOf({ answer: async () => new Uint8Array(17 * 1024 * 1024) });
  const calls = createGrpcCalls({ address: `unix:${path}` }, () => undefined);
  onTestFinished(() => calls.close());
  await expect(calls.unary(GET_MANIFEST, new Uint8Array())).rejects.toMatchObject({ code: "rate_limit" });
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
