import { describe, expect, it } from "vitest";
import { FAULT_CODES, Fault, faultFrom } from "../../../src/base/errors.js";
import { idFromHead } from "../../../transports/json-rpc/incoming.js";
import { RpcPeer } from "../../../transports/json-rpc/rpc-peer.js";
import { faultFromRpcError, rpcErrorFromFault } from "../../../transports/json-rpc/status.js";
import { createMemoryPair } from "../../../transports/memory/memory-pair.js";
import { drain } from "../../support/peers/frames.js";
import { notification, rawAgainst, request } from "./peers.js";

function errorOf(code: number, id: unknown = null) {
  return expect.objectContaining({ jsonrpc: "2.0", id, error: expect.objectContaining({ code }) });
}

describe("what comes in", () => {
  it("R2: reaches its handler parsed, with the text as it was received", async () => {
    const peer = rawAgainst({ request: ({ params }) => params });
    const text = '{ "id":7,"jsonrpc":"2.0", "params":{"b":1.0,"a":"\\u4e2d"},"method":"m" }';
    peer.say(text, notification("n", { x: 1 }));
    expect(await peer.hear(1)).toEqual([{ jsonrpc: "2.0", id: 7, result: { b: 1, a: "中" } }]);
    expect(peer.calls.map(({ method, params, text: received }) => [method, params, received])).toEqual([
      ["m", { b: 1, a: "中" }, text],
      ["n", { x: 1 }, notification("n", { x: 1 })],
    ]);
  });

  it("hands arrays and missing params over untouched", async () => {
    const peer = rawAgainst();
    peer.say(request(1, "m", [[1], { a: 2 }]), request("two", "m"), notification("n", [3]), notification("n"));
    expect(await peer.hear(2)).toEqual([
      { jsonrpc: "2.0", id: 1, result: null },
      { jsonrpc: "2.0", id: "two", result: null },
    ]);
    expect(peer.calls.map(({ params }) => params)).toEqual([[[1], { a: 2 }], undefined, [3], undefined]);
  });

  it("answers every one of two requests with one id in one read", async () => {
    const peer = rawAgainst({ request: ({ method }) => method });
    peer.say(request(1, "a"), request(1, "b"));
    expect(await peer.hear(2)).toEqual([
      { jsonrpc: "2.0", id: 1, result: "a" },
      { jsonrpc: "2.0", id: 1, result: "b" },
    ]);
  });

  it.each([
    ["no JSON", '{"jsonrpc":"2.0",', -32700, null],
    ["a batch", `[${request(1, "m")}]`, -32600, null],
    ["a number", "5", -32600, null],
    ["an empty object", "{}", -32600, null],
    ["another version", '{"jsonrpc":"1.0","id":4,"method":"m"}', -32600, 4],
    ["a method that is no string", '{"jsonrpc":"2.0","id":5,"method":5}', -32600, 5],
    ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"m"}', -32600, null],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"m"}', -32600, null],
    ["params that are a string", '{"jsonrpc":"2.0","id":6,"method":"m","params":"p"}', -32600, 6],
  ])("%s is answered, and the connection goes on", async (_what, text, code, id) => {
    const peer = rawAgainst({ request: () => "still here" });
    peer.say(text, request(99, "m"));
    const heard = await peer.hear(2);
    expect(heard).toContainEqual(errorOf(code, id));
    expect(heard).toContainEqual({ jsonrpc: "2.0", id: 99, result: "still here" });
  });

  it("R34: the answer to a request of too many values has the request's id, even behind them", async () => {
    const peer = rawAgainst();
    const many = `[${"0,".repeat(40_000)}0]`;
    peer.say(`{"jsonrpc":"2.0","method":"m","params":${many},"id":8}`, request(99, "m"));
    const [first] = await peer.hear(2);
    expect(first).toMatchObject({ id: 8, error: { data: { code: "message_too_large" } } });
  });

  it("damaged UTF-8 is refused, never replaced", async () => {
    const peer = rawAgainst();
    peer.connection.send(
      Buffer.from([...Buffer.from('{"jsonrpc":"2.0","method":"'), 0xe4, 0xb8, ...Buffer.from('"}')]),
    );
    expect(await peer.hear(1)).toEqual([errorOf(-32700)]);
    expect(peer.calls).toEqual([]);
  });

  it("never answers an answer", async () => {
    const peer = rawAgainst();
    peer.say(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
      '{"jsonrpc":"2.0","id":12,"result":1}',
    );
    // R19: nor one in which a member stands twice.
    peer.say('{"jsonrpc":"2.0","id":13,"result":1,"result":2}', '{"jsonrpc":"2.0","id":14,"id":15,"error":{}}');
    peer.say('{"jsonrpc":"2.0","id":null,"result":1}', '{"jsonrpc":"2.0","method":"$/cancelRequest"}', request(1, "m"));
    expect(await peer.hear(1)).toEqual([{ jsonrpc: "2.0", id: 1, result: null }]);
  });
});

describe("R33: errors", () => {
  it.each(FAULT_CODES)("%s arrives as it was thrown", (code) => {
    const fault = new Fault(code, "Do this.", { pointer: "/a", rule: "R3", eventId: "evt_1", retryAfterSeconds: 2 });
    const error = rpcErrorFromFault(fault);
    expect(error.code === -32000 || (error.code <= -32600 && error.code >= -32700)).toBe(true);
    expect(error.data).toEqual({ code, pointer: "/a", rule: "R3", event_id: "evt_1", retry_after_seconds: 2 });
    const { pointer, rule, eventId, retryAfterSeconds, sentence, ...back } = faultFromRpcError({ ...error });
    expect([back.code, sentence, pointer, rule, eventId, retryAfterSeconds]).toEqual([
      code,
      "Do this.",
      "/a",
      "R3",
      "evt_1",
      2,
    ]);
  });

  it("gives standard codes to standard faults, and understands those of strangers", () => {
    const codeOf = (code: (typeof FAULT_CODES)[number]) => rpcErrorFromFault(new Fault(code, "x")).code;
    expect([
      codeOf("invalid_json"),
      codeOf("invalid_message"),
      codeOf("unknown_method"),
      codeOf("invalid_params"),
    ]).toEqual([-32700, -32600, -32601, -32602]);
    expect(codeOf("position_mismatch")).toBe(-32000);
    expect(faultFromRpcError({ code: -32601, message: "x" }).code).toBe("unknown_method");
    expect(faultFromRpcError({ code: {}, message: { toString: "x" }, data: null })).toMatchObject({ code: "internal" });
    expect(faultFromRpcError({ code: -32099, message: "x", data: { code: "theirs" } }).code).toBe("internal");
  });

  it("answers what a handler throws or rejects with, and keeps what is not a Fault to itself", async () => {
    const peer = rawAgainst({
      request: ({ method }) => {
        if (method === "throws")
          throw new Fault("position_mismatch", "Send position 3.", { pointer: "/position", rule: "R13" });
        if (method === "rejects") return Promise.reject(new Fault("invalid_params", "No."));
        if (method === "circular") {
          const circular: unknown[] = [];
          circular.push(circular);
          return circular;
        }
        // An error on its way through a part that gives every fault its place.
        if (method === "placed") throw faultFrom(new Error("secret place")).with({ pointer: "/0" });
        throw new Error("secret path");
      },
    });
    const methods = ["throws", "rejects", "breaks", "circular", "placed"];
    peer.say(...methods.map((method, index) => request(index + 1, method)));
    const heard = await peer.hear(5);
    expect(heard).toContainEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32000,
        message: "Send position 3.",
        data: { code: "position_mismatch", pointer: "/position", rule: "R13" },
      },
    });
    expect(heard).toContainEqual(errorOf(-32602, 2));
    expect(heard).toContainEqual(errorOf(-32603, 3));
    expect(heard).toContainEqual(errorOf(-32603, 4));
    expect(heard).toContainEqual(errorOf(-32603, 5));
    expect(JSON.stringify(heard)).not.toContain("secret");
  });
});

describe("what goes out", () => {
  it("requests are answered, refused or ended, each once", async () => {
    const peer = rawAgainst();
    const answers = [peer.rpc.request("a", { x: 1 }), peer.rpc.request("b", [1, 2]), peer.rpc.request("c", {})];
    const settled = Promise.allSettled(answers);
    const asked = (await peer.hear(3)) as { readonly id: number; readonly method: string; readonly params: unknown }[];
    expect(asked.map(({ method, params }) => [method, params])).toEqual([
      ["a", { x: 1 }],
      ["b", [1, 2]],
      ["c", {}],
    ]);
    const [a, b, c] = asked.map(({ id }) => id);
    peer.say(
      JSON.stringify({ jsonrpc: "2.0", id: a, result: { y: 2 } }),
      JSON.stringify({
        jsonrpc: "2.0",
        id: b,
        error: { code: -32000, message: "No.", data: { code: "session_ended", rule: "R3" } },
      }),
      JSON.stringify({ jsonrpc: "2.0", id: c }),
      JSON.stringify({ jsonrpc: "2.0", id: c, error: null }),
    );
    const [first, second, third] = await settled;
    expect(first).toEqual({ status: "fulfilled", value: { y: 2 } });
    expect(second).toMatchObject({
      status: "rejected",
      reason: { code: "session_ended", sentence: "No.", rule: "R3" },
    });
    expect(third).toMatchObject({ status: "rejected", reason: { code: "invalid_message" } });
  });

  it("R14: a run is spliced once for all connections, each frame unchanged", async () => {
    const pairs = [1, 2].map(() => createMemoryPair<Uint8Array>());
    const rpcs = pairs.map(({ first }) => new RpcPeer(first, { request: () => null, notification: () => {} }));
    const frames = ['{"a": 1.0}', '{"text":"中"}'].map((text) => Buffer.from(text));
    const run = { frames, joined: new Map<string, unknown>() };
    for (const rpc of rpcs) rpc.notifyBatch("aaep.event", run, { subscription_id: 'sub "1"' });
    expect(run.joined.size).toBe(1);
    rpcs[0]?.notifyBatch("aaep.event", run);
    expect(run.joined.size).toBe(2);
    const received: Uint8Array[][] = await Promise.all(
      pairs.map(async ({ second }) => {
        const got: Uint8Array[] = [];
        const done = drain(second, (batch) => got.push(...batch));
        await Promise.all(rpcs.map((rpc) => rpc.close()));
        await done;
        return got;
      }),
    );
    const head = '{"jsonrpc":"2.0","method":"aaep.event","subscription_id":"sub \\"1\\"","params":';
    expect(received[1]?.map((frame) => Buffer.from(frame).toString())).toEqual([
      `${head}{"a": 1.0}}`,
      `${head}{"text":"中"}}`,
    ]);
    expect(received[0]?.length).toBe(4);
    expect(received[0]?.[0]?.buffer).toBe(received[1]?.[0]?.buffer);
  });
});

describe("the id of a message of which only the beginning is there", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":12,"method":"m","params":{"id":13', 12],
    ['{"jsonrpc":"2.0","method":"aaep.publish","id":"a-1","params"', "a-1"],
    [' { "id" : 3 , "jsonrpc"', 3],
    ['{"jsonrpc":"2.0","method":"m","params":{"id":13', null],
    ['{"jsonrpc":"2.0","id":12', null],
    ["", null],
  ])("%j", (head, id) => {
    expect(idFromHead(Buffer.from(head))).toBe(id);
  });
});
