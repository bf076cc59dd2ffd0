// A peer that asks much at once goes on reading: were it to wait until its requests are taken, and its peer until its answers are, both would wait for ever.

import { expect, onTestFinished, test } from "vitest";
import type { Connection, FrameReader } from "../../../src/contracts/transport.js";
import { createRpcConnection } from "../../../transports/json-rpc/rpc-peer.js";

test("R34: a request is answered while the peer takes no more", async () => {
  let reader: FrameReader<Uint8Array> | undefined;
  let end: () => void = () => {};
  const closed = new Promise<{ kind: "local" }>((resolve) => {
    end = () => resolve({ kind: "local" });
  });
  const connection: Connection<Uint8Array> = {
    peer: { label: "full", trust: "same-user" },
    read: (given) => {
      reader = given;
    },
    readOn: () => {},
    frames: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) },
    send: (frame) => {
      const { id } = JSON.parse(new TextDecoder().decode(frame));
      const answer = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result: "heard" }));
      setImmediate(() => reader?.take(answer));
      return false;
    },
    sendBatch: () => false,
    writable: () => new Promise(() => {}),
    close: async () => end(),
    closed,
  };
  onTestFinished(end);
  const rpc = createRpcConnection(connection, { request: () => ({}), notification: () => {} });
  expect(await rpc.request("m", {})).toBe("heard");
});
