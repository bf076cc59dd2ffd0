// A peer that asks much at once goes on reading: were it to wait until its requests are taken, and its peer until its answers are, both would wait for ever.

import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "../../../src/contracts/transport.js";
import { createRpcConnection } from "../../../transports/json-rpc/rpc-connection.js";
import { ONLY_ITERATED } from "../../support/peers/frames.js";

test("R34: a request is answered while the peer takes no more", async () => {
  let hear: (frames: readonly Uint8Array[]) => void = () => {};
  let end: () => void = () => {};
  const closed = new Promise<{ kind: "local" }>((resolve) => {
    end = () => resolve({ kind: "local" });
  });
  async function* frames() {
    // The first read is over before anything is asked.
    yield [] as readonly Uint8Array[];
    yield await new Promise<readonly Uint8Array[]>((resolve) => {
      hear = resolve;
    });
    await closed;
  }
  const connection: Connection<Uint8Array> = {
    ...ONLY_ITERATED,
    peer: { label: "full", trust: "same-user" },
    frames: frames(),
    send: (frame) => {
      const { id } = JSON.parse(new TextDecoder().decode(frame));
      setImmediate(() => hear([new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, result: "heard" }))]));
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
