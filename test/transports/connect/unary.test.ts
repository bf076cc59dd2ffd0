import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { ReplyRequestSchema, SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { Fault } from "../../../src/base/errors.js";
import type { AbortSignalLike } from "../../../src/contracts/rpc.js";
import { isWhole } from "../../support/extent.js";
import { patiently } from "../../support/patience.js";
import { openWire } from "../../support/services/connect-client.js";
import { enveloped } from "../../support/services/raw-calls.js";
import { COUNTED, detailOf, startStage, WAYS } from "./stage.js";

async function thrownBy(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(
    await call.then(
      () => undefined,
      (caught: unknown) => caught,
    ),
  );
}

/** A method that answers when its call has ended, and tells why that was. */
function waiting() {
  let tellStarted = (): void => {};
  let tellReason: (reason: AbortSignalLike["reason"]) => void = () => {};
  const started = new Promise<void>((resolve) => {
    tellStarted = resolve;
  });
  const reason = new Promise<AbortSignalLike["reason"]>((resolve, reject) => {
    const cancel = patiently(() => reject(new Error("the call never ended")));
    tellReason = (told) => {
      cancel();
      resolve(told);
    };
  });
  const reply = (_: unknown, { signal }: { readonly signal: AbortSignalLike }): Promise<Uint8Array> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        tellReason(signal.reason);
        resolve(COUNTED);
      });
      tellStarted();
    });
  return { reply, started, reason };
}

for (const [protocol, version] of WAYS) {
  for (const useBinaryFormat of isWhole ? [true, false] : [version === "2"]) {
    describe(`single calls over ${protocol}, HTTP/${version}, ${useBinaryFormat ? "binary" : "JSON"}`, () => {
      it("hands over the bytes of the request and who asks, and answers", async () => {
        const seen: unknown[] = [];
        const stage = await startStage({
          reply: (request, { peer }) => {
            seen.push(fromBinary(ReplyRequestSchema, request).key, peer.trust);
            return COUNTED;
          },
        });
        const client = stage.client(protocol, version, { useBinaryFormat });
        expect((await client.reply({ key: "k" })).accepted).toBe(true);
        expect(seen).toEqual(["k", "same-user"]);
      });

      it("answers an empty message", async () => {
        const stage = await startStage({ reply: () => new Uint8Array() });
        expect((await stage.client(protocol, version, { useBinaryFormat }).reply({})).accepted).toBe(false);
      });

      it("R20: a fault is a status with its detail, whatever it quotes", async () => {
        const quoted = `half a pair: \ud800, and ${"ü".repeat(3000)}`;
        const stage = await startStage({
          reply: () => {
            throw new Fault("not_found", quoted);
          },
        });
        const error = await thrownBy(stage.client(protocol, version, { useBinaryFormat }).reply({}));
        expect([error.code, detailOf(error)]).toEqual([Code.NotFound, "not_found"]);
        expect(error.rawMessage).toContain("half a pair: \ufffd, and üüü");
      });

      it("an accident is internal, without its insides, and logged", async () => {
        const stage = await startStage({ reply: () => Promise.reject(new Error("secret insides")) });
        const error = await thrownBy(stage.client(protocol, version, { useBinaryFormat }).reply({}));
        expect([error.code, detailOf(error)]).toEqual([Code.Internal, "internal"]);
        expect(error.message).not.toContain("secret");
        expect(stage.log.map(({ level }) => level)).toEqual(["error"]);
      });

      it("a call that is taken back is cancelled over HTTP/2; over HTTP/1.1 its connection is lost", async () => {
        const { reply, started, reason } = waiting();
        const stage = await startStage({ reply });
        const abort = new AbortController();
        const call = stage
          .client(protocol, version, { useBinaryFormat })
          .reply({}, { signal: abort.signal, timeoutMs: 3_600_000 });
        const thrown = thrownBy(call);
        await started;
        abort.abort();
        expect(await reason).toBe(version === "2" ? "cancelled" : "ended");
        await thrown;
      });

      it("refuses a message above the limit", async () => {
        const stage = await startStage({ maxMessageBytes: 1000 });
        const error = await thrownBy(
          stage.client(protocol, version, { useBinaryFormat }).reply({ key: "k".repeat(2000) }),
        );
        expect([error.code, detailOf(error)]).toEqual([Code.ResourceExhausted, "message_too_large"]);
      });
    });
  }
}

describe("what can be told apart", () => {
  it.each(["connect", "grpc", "grpc-web"] as const)("a lost connection of %s is no cancellation", async (protocol) => {
    const { reply, started, reason } = waiting();
    const stage = await startStage({ reply });
    const { transport, destroy } = openWire({ address: `unix:${stage.path}`, protocol, httpVersion: "2" });
    const thrown = thrownBy(createClient(SubscriberService, transport).reply({}));
    await started;
    destroy();
    expect(await reason).toBe("ended");
    await thrown;
  });

  const replyWithin = (baseUrl: string, ms: string) =>
    fetch(`${baseUrl}/aaep.v1.SubscriberService/Reply`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-timeout-ms": ms },
      body: "{}",
    });

  it("the deadline holds where the client does not see to it", async () => {
    const { reply, reason } = waiting();
    const stage = await startStage({ reply, kind: "tcp" });
    const answer = await replyWithin(stage.baseUrl, "50");
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ code: "deadline_exceeded" });
    expect(await reason).toBe("ended");
  });

  it("a call that comes after its deadline is not begun", async () => {
    let isBegun = false;
    const reply = () => {
      isBegun = true;
      return new Uint8Array();
    };
    const stage = await startStage({ reply, kind: "tcp" });
    expect((await replyWithin(stage.baseUrl, "0")).status).toBe(504);
    expect(isBegun).toBe(false);
  });
});

describe("bytes on the wire", () => {
  const path = "/aaep.v1.SubscriberService/Reply";

  async function post(
    contentType: string,
    body: Uint8Array,
    options: Parameters<typeof startStage>[0] = {},
    more = {},
  ) {
    const stage = await startStage({ kind: "tcp", ...options });
    return fetch(`${stage.baseUrl}${path}`, {
      method: "POST",
      headers: { "content-type": contentType, ...more },
      body,
    });
  }

  it("an answer is written as exactly the bytes that were given, known fields or not, in any order", async () => {
    // accepted = true twice, around an unknown field 15 and a fixed64.
    const bytes = Uint8Array.from([0x08, 1, 0x7a, 2, 0xff, 0xfe, 0x08, 1, 0x71, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const given of [bytes, bytes.subarray(2), new Uint8Array()]) {
      const answer = await post("application/proto", new Uint8Array(), { reply: () => given });
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(given);
      const web = await post("application/grpc-web+proto", new Uint8Array(5), { reply: () => given });
      expect(new Uint8Array(await web.arrayBuffer()).subarray(0, 5 + given.length)).toEqual(
        Uint8Array.from([0, 0, 0, 0, given.length, ...given]),
      );
    }
  });

  it("takes JSON from whoever can post", async () => {
    const answer = await post("application/json", Buffer.from('{"key":"k"}'));
    expect([answer.status, await answer.json()]).toEqual([200, { accepted: true }]);
  });

  it("refuses bytes that are no message, and JSON that is none, with the detail that every refusal has", async () => {
    for (const [type, body] of [
      ["application/proto", Uint8Array.from([0x0a, 0xff])],
      ["application/json", Buffer.from("{")],
    ] as const) {
      const answer = await post(type, body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("cannot be read"),
        details: [{ type: "aaep.v1.AaepdError" }],
      });
    }
    const web = await post("application/grpc-web+proto", Uint8Array.from([0, 0, 0, 0, 2, 0x0a, 0xff]));
    expect(await web.text()).toContain("grpc-status: 3");
  });

  it("refuses members and names of enums that are unknown in JSON, and names them", async () => {
    for (const [body, unknown] of [
      ['{"keey":"k"}', "keey"],
      ['{"clarificationReply":{"response":"x","urgent":true}}', "urgent"],
      ['{"confirmationReply":{"decision":"DECISION_ACEPT"}}', "DECISION_ACEPT"],
    ] as const) {
      let asked = 0;
      const options = {
        reply: () => {
          asked += 1;
          return COUNTED;
        },
      };
      const answer = await post("application/json", Buffer.from(body), options);
      expect(answer.status).toBe(400);
      const status = (await answer.json()) as { readonly details: readonly { readonly value: string }[] };
      expect(status).toMatchObject({ code: "invalid_argument", message: expect.stringContaining(unknown) });
      const detail = fromBinary(AaepdErrorSchema, Buffer.from(status.details[0]?.value ?? "", "base64"));
      expect([detail.code, detail.message]).toEqual(["invalid_message", expect.stringContaining(unknown)]);
      const envelope = Buffer.concat([Uint8Array.from([0, 0, 0, 0, body.length]), Buffer.from(body)]);
      const web = await (await post("application/grpc-web+json", envelope, options)).text();
      expect(web).toContain("grpc-status: 3");
      expect(decodeURIComponent(/grpc-message: (.*)\r/.exec(web)?.[1] ?? "")).toContain(unknown);
      expect(asked).toBe(0);
    }
  });

  it("refuses no message, and two", async () => {
    const one = toBinary(ReplyRequestSchema, create(ReplyRequestSchema, { key: "k" }));
    const envelope = Buffer.concat([Uint8Array.from([0, 0, 0, 0, one.length]), one]);
    for (const body of [new Uint8Array(), Buffer.concat([envelope, envelope]), envelope.subarray(0, 6)])
      expect(await (await post("application/grpc-web+proto", body)).text()).toContain("grpc-status: 3");
  });

  it("refuses other content, other methods, and compression, in words", async () => {
    const other = await post("text/plain", Buffer.from("{}"));
    expect([other.status, await other.text()]).toEqual([415, expect.stringContaining("application/json")]);
    const packed = await post("application/json", Buffer.from("{}"), {}, { "content-encoding": "gzip" });
    expect([packed.status, await packed.json()]).toEqual([501, expect.objectContaining({ code: "unimplemented" })]);
    const stage = await startStage({ kind: "tcp" });
    const got = await fetch(`${stage.baseUrl}${path}`);
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("R34: counts the fields of a message whatever its headers say of compression", async () => {
    const fields = Buffer.alloc(2 * 40_000, Uint8Array.of(0x78, 0));
    const refused = expect.objectContaining({ code: "resource_exhausted" });
    for (const [encoding, body] of [
      ["identity", fields],
      ["gzip", gzipSync(fields)],
    ] as const) {
      const headers = { "content-encoding": encoding };
      const answer = await post("application/proto", body, { compression: true }, headers);
      expect([encoding, await answer.json()]).toEqual([encoding, refused]);
    }
    for (const [flags, message] of [
      [0, fields],
      [1, gzipSync(fields)],
    ] as const) {
      const headers = { "content-encoding": "gzip", "grpc-encoding": "gzip" };
      const body = Buffer.from(enveloped(message, flags));
      const answer = await post("application/grpc-web+proto", body, { compression: true }, headers);
      expect([flags, await answer.text()]).toEqual([flags, expect.stringContaining("grpc-status: 8")]);
    }
  });

  it("compresses nothing unless configured", async () => {
    const long = Buffer.concat([Uint8Array.from([0x08, 1, 0x7a, 0x80, 0x20]), Buffer.alloc(4096)]);
    for (const compression of [false, true]) {
      const options = { reply: () => long, compression };
      const answer = await post("application/proto", new Uint8Array(), options, { "accept-encoding": "gzip" });
      expect(answer.headers.get("content-encoding")).toBe(compression ? "gzip" : null);
      expect(Buffer.from(await answer.arrayBuffer()).equals(long)).toBe(true);
    }
  });
});
