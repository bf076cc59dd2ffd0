// What a person finds who knows only the address: health checks and reflection, with the client that is usual for it.
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { isStill } from "../support/patience.js";
import { takeFrames } from "../support/peers/frames.js";
import { callConnection, createGrpcClient } from "../support/peers/grpc-client.js";
import { ensureGrpcurl, type Output, runGrpcurl } from "../support/peers/grpcurl.js";
import { type StageOptions, stageOf } from "../transports/grpc/stage.js";

let program = "";
// Compiling it takes a while on a machine that never had it.
beforeAll(() => {
  program = ensureGrpcurl();
}, 1_800_000);

async function staged(options: StageOptions = {}) {
  const stage = await stageOf(options);
  /** `flags` before the address, `words` after it. */
  const grpcurl = (flags: readonly string[], ...words: readonly string[]): Promise<Output> =>
    runGrpcurl(program, "-plaintext", ...flags, "-unix", stage.path, ...words);
  return { ...stage, grpcurl };
}

function lines({ stdout }: Output): readonly string[] {
  return stdout.split("\n").map((line) => line.trim());
}

describe("reflection", () => {
  it("lists the services", async () => {
    const { grpcurl } = await staged();
    const output = await grpcurl([], "list");
    expect(output).toMatchObject({ exitCode: 0, stderr: "" });
    expect(lines(output).filter(Boolean)).toEqual([
      "aaep.v1.AaepService",
      "aaep.v1.SubscriberService",
      "grpc.health.v1.Health",
    ]);
  });

  it("describes services as they were written", async () => {
    const { grpcurl } = await staged();
    expect(lines(await grpcurl([], "describe", "aaep.v1.AaepService"))).toContain(
      "rpc Subscribe ( stream .aaep.v1.AaepMessage ) returns ( stream .aaep.v1.AaepMessage );",
    );
    expect(lines(await grpcurl([], "describe", "grpc.health.v1.Health"))).toContain(
      "rpc Watch ( .grpc.health.v1.HealthCheckRequest ) returns ( stream .grpc.health.v1.HealthCheckResponse );",
    );
  });

  it("describes messages with what they import: presence, names of JSON, oneofs", async () => {
    const { grpcurl } = await staged();
    const event = lines(await grpcurl([], "describe", "aaep.v1.Event"));
    expect(event).toContain('optional .google.protobuf.Value context = 1 [json_name = "@context"];');
    expect(event).toContain("optional uint64 sequence_number = 10;");
    expect(event).toContain("oneof payload {");
    expect((await grpcurl([], "describe", "google.protobuf.Struct")).exitCode).toBe(0);
  });

  it("says what it does not know", async () => {
    const { grpcurl } = await staged();
    const { exitCode, stderr } = await grpcurl([], "describe", "aaep.v1.Nothing");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("not found");
  });

  it("answers v1alpha as well, which older clients ask", async () => {
    const { address } = await stageOf();
    const client = createGrpcClient(address);
    onTestFinished(() => client.close());
    const call = callConnection(client, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");
    // ServerReflectionRequest: list_services = 7.
    call.send(Buffer.from([58, 1, 42]));
    const [answer] = await takeFrames(call.frames[Symbol.asyncIterator](), 1);
    expect(String(answer)).toContain("aaep.v1.SubscriberService");
    await call.close();
  });

  it("reads no more from who asks and does not read", async () => {
    const { address } = await stageOf();
    const client = createGrpcClient(address);
    onTestFinished(() => client.close());
    const call = callConnection(client, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    // ServerReflectionRequest: host = 1, which comes back with the answer; list_services = 7.
    const request = Buffer.concat([Buffer.from([10, 128, 64]), Buffer.alloc(8192, "h"), Buffer.from([58, 1, 42])]);
    let sent = 0;
    let isStuck = false;
    while (!isStuck && sent < 10_000) {
      sent += 1;
      if (call.send(request)) continue;
      isStuck = await isStill(call.writable());
    }
    expect(isStuck).toBe(true);
    expect(sent * request.length).toBeLessThan(4 * 1024 * 1024);
    call.call.cancel();
    expect((await call.ended)?.code).toBe(1);
  });
});

describe("health", () => {
  it("is SERVING for the daemon and each of its services", async () => {
    const { grpcurl } = await staged();
    for (const service of ["", "aaep.v1.AaepService", "aaep.v1.SubscriberService"]) {
      const { stdout } = await grpcurl(["-d", JSON.stringify({ service })], "grpc.health.v1.Health/Check");
      expect(JSON.parse(stdout)).toEqual({ status: "SERVING" });
    }
    const { exitCode, stderr } = await grpcurl(["-d", '{"service":"nothing"}'], "grpc.health.v1.Health/Check");
    expect([exitCode === 0, stderr.includes("NotFound")]).toEqual([false, true]);
    expect(JSON.parse((await grpcurl([], "grpc.health.v1.Health/List")).stdout).statuses).toHaveProperty([
      "aaep.v1.SubscriberService",
      "status",
    ]);
  });
});

describe("calls", () => {
  it("R20: that are refused show status, sentence and detail", async () => {
    const { grpcurl } = await staged({
      answer: () => {
        throw new Fault("not_found", "There is no manifest. Set one.");
      },
    });
    const { exitCode, stderr } = await grpcurl([], "aaep.v1.AaepService/GetManifest");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("Code: NotFound");
    expect(stderr).toContain("Message: There is no manifest. Set one.");
    expect(stderr).toContain("type.googleapis.com/test.Fault");
  });

  it("over TCP with the token", async () => {
    const { address } = await stageOf({
      address: { kind: "tcp", host: "127.0.0.1", port: 0 },
      admit: ({ authorization }) =>
        authorization === "Bearer secret" ? undefined : new Fault("unauthenticated", "Send the token."),
    });
    const refused = await runGrpcurl(program, "-plaintext", address, "list");
    expect(refused.stderr).toContain("Send the token.");
    const served = await runGrpcurl(program, "-plaintext", "-H", "authorization: Bearer secret", address, "list");
    expect(served.stdout).toContain("aaep.v1.AaepService");
    const health = await runGrpcurl(
      program,
      "-plaintext",
      "-H",
      "authorization: Bearer secret",
      address,
      "grpc.health.v1.Health/Check",
    );
    expect(JSON.parse(health.stdout)).toEqual({ status: "SERVING" });
  });
});
