// Which protocol has a connection: each is asked, in order, and the first that recognizes the first message has the peer (R23).

import { describe, expect, it } from "vitest";
import type { AccessPolicy } from "../../src/contracts/access.js";
import type { FirstMessage } from "../../src/contracts/protocol.js";
import type { Connection } from "../../src/contracts/transport.js";
import { serveConnection } from "../../src/daemon/endpoint.js";
import { firstMessageOf } from "../../src/daemon/first-message.js";
import { createUtf8 } from "../../src/daemon/platform/utf8.js";
import type { ServedProtocol } from "../../src/daemon/protocols.js";
import { createJsonCodec } from "../../src/protocols/aaep/json/json-codec.js";
import { createMemoryPair } from "../../transports/memory/memory-pair.js";
import { takeFrames } from "../support/peers/frames.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { SILENT_LOG } from "../support/rigs/engine-rig.js";
import { createVirtualClock } from "../support/rigs/virtual-clock.js";

const utf8 = createUtf8();
const codec = createJsonCodec(utf8);

async function messageOf(text: string): Promise<FirstMessage> {
  const { first, second } = createMemoryPair<Uint8Array>();
  second.send(utf8.encode(text));
  return firstMessageOf(first, codec);
}

describe("the first message of a connection", () => {
  it("is known by its members", async () => {
    expect(await messageOf('{"type":"ping","id":1}')).toEqual({
      kind: "object",
      names: new Set(["type", "id"]),
      members: { type: "ping", id: 1 },
    });
  });

  it.each([
    ["an array", "[1]", "array", []],
    ["no object", "5", "other", []],
    ["an object with a name twice", '{"type":"a","type":"b","jsonrpc":"2.0"}', "object", ["type", "jsonrpc"]],
    [
      "an object that is cut off",
      '{"id": "7", "jsonrpc" : "2.0", "params": {"jsonrpc',
      "other",
      ["id", "jsonrpc", "params"],
    ],
    ["no JSON", "GET / HTTP/1.1", "other", []],
  ] as const)("R19, R23: %s has no members", async (_what, text, kind, names) => {
    expect(await messageOf(text)).toEqual({ kind, names: new Set(names), members: {} });
  });

  it("is none where the peer ends without any, or breaks off", async () => {
    const ended = createMemoryPair<Uint8Array>();
    void ended.second.close();
    const broken = createMemoryPair<Uint8Array>();
    broken.sever();
    const none = { kind: "other", names: new Set(), members: {} };
    expect(await firstMessageOf(ended.first, codec)).toEqual(none);
    expect(await firstMessageOf(broken.first, codec)).toEqual(none);
  });
});

describe("R23: a list of protocols", () => {
  interface Asked {
    readonly served: string[];
    readonly connections: Connection<Uint8Array>[];
  }

  function protocolNamed(name: string, asked: Asked, recognizes: ServedProtocol["recognizes"]): ServedProtocol {
    return {
      recognizes,
      serve: (connection) => {
        asked.served.push(name);
        asked.connections.push(connection);
        return { finish: async () => 0, inputEnded: Promise.resolve(), done: Promise.resolve() };
      },
    };
  }

  async function servedBy(text: string): Promise<Asked> {
    const asked: Asked = { served: [], connections: [] };
    const { first, second } = createMemoryPair<Uint8Array>();
    second.send(utf8.encode(text));
    const strangers = protocolNamed("strangers", asked, () => false);
    const protocols = {
      all: [
        protocolNamed("first", asked, ({ names }) => names.has("one")),
        protocolNamed("second", asked, ({ members }) => typeof members.type === "string" && members.type.includes("/")),
      ],
      strangers: () => strangers,
      nothingSaid: () => undefined,
    };
    const services = {
      protocols,
      codec,
      clock: createVirtualClock(),
      handshakeTimeoutMs: () => 1000,
      refused: () => {},
      log: SILENT_LOG,
    };
    await serveConnection(first, services, false).done;
    return asked;
  }

  it.each([
    ['{"one":1,"type":"a/b"}', "first"],
    ['{"type":"a/b"}', "second"],
    ['{"type":"a"}', "strangers"],
  ])("%s: %s", async (text, name) => {
    const { served, connections } = await servedBy(text);
    expect(served).toEqual([name]);
    // From its first frame on.
    const frames = connections[0]?.frames[Symbol.asyncIterator]();
    expect(frames && (await takeFrames(frames, 1)).map((frame) => utf8.decode(frame))).toEqual([text]);
  });
});

it("R36: a policy that throws costs its own connection, and no other", async () => {
  let isThrowing = true;
  const accessPolicy: AccessPolicy = {
    of: () => {
      if (isThrowing) throw new Error("the policy has no answer");
      return { may: () => true };
    },
  };
  const rig = await startRig({ accessPolicy, expectsErrors: true });
  const plain = await rig.plain();
  plain.say(requestOf());
  expect(await plain.closed).toMatchObject({ kind: "remote" });
  const rpc = await rig.rpc();
  await expect(rpc.request("aaep.ping", {})).rejects.toBeDefined();
  expect(rig.log.filter(({ level }) => level === "error")).toHaveLength(2);
  isThrowing = false;
  await rig.expectOthersServed();
});
