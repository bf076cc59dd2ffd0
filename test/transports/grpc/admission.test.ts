import { statSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { Admit, CallHead } from "../../../src/contracts/service.js";
import { HEALTH_PATHS } from "../../../transports/grpc/health.js";
import { STATUS } from "../../../transports/rpc-status.js";
import { drain } from "../../support/peers/frames.js";
import {
  callConnection,
  callOnce,
  createGrpcClient,
  refusalOf,
  statusDetails,
} from "../../support/peers/grpc-client.js";
import { rawCall, rawSession } from "../../support/peers/raw-http2.js";
import { GET_MANIFEST, LISTEN, SUBSCRIBE, stageOf } from "./stage.js";

const CHECK = "/grpc.health.v1.Health/Check";
const WATCH = "/grpc.health.v1.Health/Watch";
const REFLECT = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const token = { authorization: "Bearer secret" };

const admit: Admit = ({ host, authorization, path }) => {
  if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host ?? ""))
    return new Fault("permission_denied", "Not for that host.");
  return HEALTH_PATHS.includes(path) || authorization === "Bearer secret"
    ? undefined
    : new Fault("unauthenticated", "Send the token.");
};

async function tcpStage() {
  const heads: CallHead[] = [];
  const stage = await stageOf({
    address: { kind: "tcp", host: "127.0.0.1", port: 0 },
    admit: (head) => {
      heads.push(head);
      return admit(head);
    },
  });
  const clientTo = (authority?: string) => {
    const client = createGrpcClient(
      stage.address,
      authority === undefined ? {} : { "grpc.default_authority": authority },
    );
    onTestFinished(() => client.close());
    return client;
  };
  return { ...stage, heads, clientTo };
}

describe("over TCP", () => {
  it("serves who shows the token, and knows who it is", async () => {
    const { clientTo, bidi, address, heads } = await tcpStage();
    const client = clientTo();
    expect((await callOnce(client, GET_MANIFEST, Buffer.from("x"), { headers: token }).answer).toString()).toBe("x");
    const call = callConnection(client, SUBSCRIBE, { headers: token });
    const server = await bidi.next();
    expect(server.peer).toEqual({ label: `${address}#1`, trust: "token-holder" });
    await Promise.all([server.close(), drain(call)]);
    // The one of no path tells whether the connection has shown its token.
    expect(heads).toEqual([GET_MANIFEST, "", SUBSCRIBE].map((path) => ({ host: address, ...token, path })));
  });

  it("refuses calls of every kind without the token, or with another", async () => {
    const { clientTo } = await tcpStage();
    const client = clientTo();
    for (const headers of [{}, { authorization: "Bearer other" }]) {
      const error = await refusalOf(callOnce(client, GET_MANIFEST, Buffer.alloc(0), { headers }));
      expect([error.code, error.details]).toEqual([STATUS.UNAUTHENTICATED, "Send the token."]);
      expect(statusDetails(error)?.details).toEqual([["type.googleapis.com/test.Fault", "unauthenticated -"]]);
      for (const path of [SUBSCRIBE, LISTEN, REFLECT]) {
        const call = callConnection(clientTo(), path, { headers });
        call.call.end(Buffer.alloc(0));
        expect((await call.ended)?.code).toBe(STATUS.UNAUTHENTICATED);
      }
    }
  });

  it("refuses another Host", async () => {
    const { clientTo } = await tcpStage();
    const error = await refusalOf(
      callOnce(clientTo("evil.example"), GET_MANIFEST, Buffer.alloc(0), { headers: token }),
    );
    expect([error.code, error.details]).toEqual([STATUS.PERMISSION_DENIED, "Not for that host."]);
  });

  it("answers health checks without the token, and under no other host's name", async () => {
    const { clientTo } = await tcpStage();
    // A HealthCheckResponse whose status, field 1, is SERVING.
    expect([...(await callOnce(clientTo(), CHECK, Buffer.alloc(0)).answer)]).toEqual([8, 1]);
    const evil = clientTo("evil.example");
    for (const headers of [{}, token]) {
      const error = await refusalOf(callOnce(evil, CHECK, Buffer.alloc(0), { headers }));
      expect([error.code, error.details]).toEqual([STATUS.PERMISSION_DENIED, "Not for that host."]);
    }
    const watch = callConnection(evil, WATCH);
    watch.call.end(Buffer.alloc(0));
    expect((await watch.ended)?.code).toBe(STATUS.PERMISSION_DENIED);
  });

  it("logs what it refuses: who, what and why", async () => {
    const { clientTo, address, refused } = await tcpStage();
    await refusalOf(callOnce(clientTo(), GET_MANIFEST, Buffer.alloc(0)));
    await refusalOf(callOnce(clientTo("evil.example"), CHECK, Buffer.alloc(0)));
    await callOnce(clientTo(), GET_MANIFEST, Buffer.alloc(0), { headers: token }).answer;
    expect(refused).toEqual([
      { peer: `${address}#1`, path: GET_MANIFEST, code: "unauthenticated" },
      { peer: `${address}#2`, path: CHECK, code: "permission_denied" },
    ]);
  });

  it("AAEP §8.2.8: listens on loopback only", async () => {
    const fault = await stageOf({ address: { kind: "tcp", host: "0.0.0.0", port: 0 } }).catch(
      (caught: unknown) => caught,
    );
    expect(fault).toMatchObject({ code: "address_invalid" });
  });
});

describe("over a Unix socket", () => {
  it("is private to its user", async () => {
    const { path } = await stageOf();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["localhost", "localhost"],
    ["the path, percent-encoded, as of Python and C++", "%2Ftmp%2Faaepd%2Fa.sock"],
    ["a name", "aaepd"],
    ["none", undefined],
  ])("serves any :authority: %s", async (_name, authority) => {
    const hosts: unknown[] = [];
    const { path } = await stageOf({ admit: ({ host }) => void hosts.push(host) });
    // Without `:authority`, the library gives `host`.
    const headers = authority === undefined ? { host: "a" } : { ":authority": authority };
    expect(await rawCall(await rawSession(path), GET_MANIFEST, headers)).toMatchObject({ grpcStatus: 0, resetCode: 0 });
    expect(hosts).toHaveLength(1);
  });

  it("answers UNIMPLEMENTED for what it does not have", async () => {
    const { address } = await stageOf();
    const client = createGrpcClient(address);
    onTestFinished(() => client.close());
    for (const path of ["/aaep.v1.AaepService/Nothing", "/aaep.v2.AaepService/GetManifest", "/", "/nothing"]) {
      expect((await refusalOf(callOnce(client, path, Buffer.alloc(0)))).code).toBe(STATUS.UNIMPLEMENTED);
    }
  });
});
