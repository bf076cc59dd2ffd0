// From the bytes of a frame to a message, or to the error that answers it. Nothing is dropped that could be waited for (V2).
import type { ResponseMessage } from "vscode-jsonrpc/node";
import { Fault } from "../../src/base/errors.js";

export type RpcId = string | number | null;

export type Incoming =
  /** A request, or where it has no id a notification. */
  | {
      readonly kind: "call";
      readonly id: string | number | undefined;
      readonly method: string;
      readonly params: unknown;
      /** What it was parsed from (R2). */
      readonly text: string;
    }
  /** An answer to a request of ours. */
  | { readonly kind: "answer"; readonly message: ResponseMessage }
  /** `$/cancelRequest`: goes ahead of what waits (V7). */
  | { readonly kind: "cancellation"; readonly id: string | number }
  | { readonly kind: "refused"; readonly id: RpcId; readonly fault: Fault }
  /** Nothing that anybody waits for, and nothing that may be answered. */
  | { readonly kind: "ignored" };

const CANCEL_METHOD = "$/cancelRequest";

/** Fatal, so that no damaged character gets through as another one (S12); a byte order mark is no white space of JSON. */
export function createIncomingParser(): (frame: Uint8Array) => Incoming {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (frame) => {
    let text: string;
    let parsed: unknown;
    try {
      text = decoder.decode(frame);
      parsed = JSON.parse(text);
    } catch (caught) {
      const sentence = "The message is not JSON in UTF-8. Send one JSON-RPC 2.0 object a message.";
      return { kind: "refused", id: null, fault: new Fault("invalid_json", sentence, { pointer: "", cause: caught }) };
    }
    return classify(parsed, text);
  };
}

function classify(parsed: unknown, text: string): Incoming {
  if (Array.isArray(parsed)) {
    return refused(null, "", "Batches of JSON-RPC messages are not taken. Send the messages one after the other.");
  }
  if (typeof parsed !== "object" || parsed === null) return refused(null, "", "A JSON-RPC message is an object.");
  const message = parsed as Readonly<Record<string, unknown>>;
  const { id, method } = message;
  const answersTo = typeof id === "string" || typeof id === "number" ? id : null;
  if (method === undefined && ("result" in message || "error" in message)) return classifyAnswer(message);
  if (message.jsonrpc !== "2.0") return refused(answersTo, "/jsonrpc", 'The member "jsonrpc" is not "2.0".');
  if (typeof method !== "string")
    return refused(answersTo, "/method", "A JSON-RPC request names its method with a string.");
  if (id !== undefined && answersTo === null)
    return refused(null, "/id", "The id of a request is a string or a number.");
  const { params } = message;
  if (params !== undefined && (typeof params !== "object" || params === null)) {
    return refused(answersTo, "/params", "The params of a request are an object or an array.");
  }
  if (method === CANCEL_METHOD && id === undefined) return classifyCancellation(params);
  return { kind: "call", id: answersTo ?? undefined, method, params, text };
}

function classifyCancellation(params: object | undefined): Incoming {
  const id = params !== undefined && "id" in params ? params.id : undefined;
  if (typeof id !== "string" && typeof id !== "number") return { kind: "ignored" };
  return { kind: "cancellation", id };
}

/** An answer is never answered, or two peers could go on for ever. */
function classifyAnswer(message: Readonly<Record<string, unknown>>): Incoming {
  const { id, error } = message;
  if (typeof id !== "string" && typeof id !== "number") return { kind: "ignored" };
  if ("result" in message || (typeof error === "object" && error !== null)) {
    return { kind: "answer", message: message as unknown as ResponseMessage };
  }
  // The caller is told in place of waiting for ever.
  const broken = {
    jsonrpc: "2.0",
    id,
    error: { code: -32600, message: "The peer's answer has neither a result nor an error." },
  };
  return { kind: "answer", message: broken };
}

function refused(id: RpcId, pointer: string, sentence: string): Incoming {
  return { kind: "refused", id, fault: new Fault("invalid_message", sentence, { pointer, rule: "R33" }) };
}

/** The id of a message of which only the beginning is there: found only while nothing but plain members stands before it (V5). */
export function idFromHead(head: Uint8Array): RpcId {
  const text = Buffer.from(head).toString("latin1");
  const found =
    /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(?:(-?[0-9]+)[\s,}]|("[\x20\x21\x23-\x5b\x5d-\x7e]*"))/.exec(
      text,
    );
  const id = found?.[1] ?? found?.[2];
  return id === undefined ? null : (JSON.parse(id) as string | number);
}
