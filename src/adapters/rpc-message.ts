// A line of a host that speaks JSON-RPC 2.0: a message, with its id as it is written. An id that was parsed and written again may have changed.
import { parseJsonDocument } from "../base/json-document.js";
import { textsOf } from "../base/json-members.js";
import { type Members, membersOf, someText } from "../base/members.js";

export interface MessageId {
  /** As it is written. */
  readonly text: string;
  /** Equal for ids that one side may send and the other may return. */
  readonly key: string;
}

export type RpcMessage =
  | { readonly kind: "request"; readonly method: string; readonly id: MessageId; readonly params: Members }
  | { readonly kind: "notification"; readonly method: string; readonly params: Members }
  | {
      readonly kind: "response";
      readonly id: MessageId;
      readonly result: Members;
      readonly error: Members | undefined;
    };

export type RpcRequest = Extract<RpcMessage, { readonly kind: "request" }>;
export type RpcResponse = Extract<RpcMessage, { readonly kind: "response" }>;

/** Undefined for what is no message, or could be read in two ways: it passes, and nothing is made of it. */
export function readMessage(text: string): RpcMessage | undefined {
  const message = membersOf(parsed(text));
  const params = membersOf(message.params);
  const method = someText(message.method);
  if (message.id === undefined) return method === undefined ? undefined : { kind: "notification", method, params };
  const [written, ...others] = textsOf(text, "id");
  if (written === undefined || others.length > 0) return undefined;
  const id = { text: written, key: idKey(message.id) };
  if (method !== undefined) return { kind: "request", method, id, params };
  const error = message.error === undefined || message.error === null ? undefined : membersOf(message.error);
  return { kind: "response", id, result: membersOf(message.result), error };
}

/**
 * Whether a person hears what the agent means: a doubled member (R19) or a number that a parser changes (R41) could be read in two ways. The id of
 * the request goes back as it is written.
 */
export function isClear(text: string): boolean {
  const [params, ...others] = textsOf(text, "params");
  if (params === undefined || others.length > 0 || textsOf(text, "method").length > 1) return false;
  try {
    parseJsonDocument(params);
    return true;
  } catch {
    return false;
  }
}

/** 1 and "1" are two ids. */
export function idKey(id: unknown): string {
  return `${typeof id} ${String(id)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
