import { onTestFinished } from "vitest";
import type { RpcCall, RpcConnection, RpcHandlers } from "../../../src/contracts/rpc.js";
import type { Connection } from "../../../src/contracts/transport.js";
import { createRpcConnection, type RpcOptions } from "../../../transports/json-rpc/rpc-peer.js";
import { createMemoryPair, type MemoryOptions } from "../../../transports/memory/memory-pair.js";

interface RawPeer {
  readonly connection: Connection<Uint8Array>;
  /** Sends text as it is. */
  readonly say: (...texts: readonly string[]) => void;
  /** The next messages that came, parsed. */
  readonly hear: (count: number) => Promise<unknown[]>;
}

export interface RawAndRpc extends RawPeer {
  readonly rpc: RpcConnection;
  readonly calls: RpcCall[];
  readonly sever: () => void;
}

/** Our end of JSON-RPC, and a peer that can say anything at all. Without `request`, every request is answered with null. */
export function rawAgainst(handlers: Partial<RpcHandlers> = {}, options: RpcOptions & MemoryOptions = {}): RawAndRpc {
  const { first, second, sever } = createMemoryPair<Uint8Array>(options);
  const calls: RpcCall[] = [];
  const rpc = createRpcConnection(first, recording(calls, handlers), options);
  onTestFinished(() => Promise.all([rpc.close(), second.close()]).then(() => {}));
  return { ...rawPeer(second), rpc, calls, sever };
}

function recording(calls: RpcCall[], handlers: Partial<RpcHandlers>): RpcHandlers {
  return {
    request: (call) => {
      calls.push(call);
      return handlers.request?.(call);
    },
    notification: (call) => {
      calls.push(call);
      handlers.notification?.(call);
    },
  };
}

function rawPeer(connection: Connection<Uint8Array>): RawPeer {
  const iterator = connection.frames[Symbol.asyncIterator]();
  const heard: Uint8Array[] = [];
  return {
    connection,
    say: (...texts) => {
      connection.sendBatch({ frames: texts.map((text) => Buffer.from(text)), joined: new Map() });
    },
    hear: async (count) => {
      while (heard.length < count) {
        const { done, value } = await iterator.next();
        if (done === true) throw new Error(`the peer ended after ${heard.length} of ${count} messages`);
        heard.push(...value);
      }
      return heard.splice(0, count).map((frame) => JSON.parse(Buffer.from(frame).toString()) as unknown);
    },
  };
}

export function request(id: unknown, method: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function notification(method: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** A promise and what settles it. */
export function gate<Value>(): { readonly promise: Promise<Value>; readonly open: (value: Value) => void } {
  let open: (value: Value) => void = () => {};
  const promise = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
