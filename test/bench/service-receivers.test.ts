// The services' receivers and the bare servers that they are measured against: both sides count every event, whatever the protocol.
import { afterEach, beforeAll, expect, test } from "vitest";
import { createStage } from "../../bench/children.mjs";
import { ensureBuilt } from "../support/built.js";

const stages: { close: () => Promise<void> }[] = [];
beforeAll(ensureBuilt);
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

test("every receiver of a service gets every event of a bare server, in order, over each protocol", async () => {
  const stage = createStage();
  stages.push(stage);
  const [receivers, bare] = await Promise.all([stage.role("service-receivers"), stage.role("bare-services")]);
  const paths = { grpcPath: stage.path("grpc"), http2Path: stage.path("http2"), http1Path: stage.path("http1") };
  await bare.call("listen", paths);
  const cases = [
    { rpc: "grpc-json", path: paths.grpcPath },
    { rpc: "grpc-typed", path: paths.grpcPath },
    { rpc: "connect-http2", path: paths.http2Path },
    { rpc: "connect-http1", path: paths.http1Path },
  ];
  for (const { rpc, path } of cases) {
    const overGrpc = rpc.startsWith("grpc");
    await bare.call("prepare", { count: 300, json: rpc === "grpc-json" });
    await receivers.call("connect", { path, rpc, count: 3 });
    await bare.call("accepted", { count: 3, overGrpc });
    await receivers.call("expect", { count: 300 });
    await Promise.all([bare.call("send", { overGrpc }), receivers.call("reached")]);
    expect(await receivers.call("counts"), rpc).toEqual({ least: 300, most: 300 });
  }
}, 120_000);
