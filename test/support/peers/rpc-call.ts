import { readJsonDocument } from "../../../src/base/json-document.js";
import type { AbortSignalLike, RpcCall } from "../../../src/contracts/rpc.js";

/** A call as the transport hands it over. */
export function rpcCall(method: string, params: unknown, signal: AbortSignalLike): RpcCall {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return { method, params, text, outline: readJsonDocument(text).outline, signal };
}
