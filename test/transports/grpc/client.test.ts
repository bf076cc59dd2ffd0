import { expect, onTestFinished, test } from "vitest";
import { createGrpcCalls } from "../../../transports/grpc/client.js";
import { GET_MANIFEST, stageOf } from "./stage.js";

test("an answer of more than 16 MiB is not taken", async () => {
  const { path } = await stageOf({ answer: async () => new Uint8Array(17 * 1024 * 1024) });
  const calls = createGrpcCalls({ address: `unix:${path}` }, () => undefined);
  onTestFinished(() => calls.close());
  await expect(calls.unary(GET_MANIFEST, new Uint8Array())).rejects.toMatchObject({ code: "rate_limit" });
});
