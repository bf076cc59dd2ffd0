// Turns the bytes of a frame into a message, or into the error that answers it. No message is dropped that its sender could wait for.
import { Fault, faultFrom } from "../../src/base/errors.js";
import { type JsonDocument, type JsonOutline, readJsonDocument } from "../../src/base/json-document.js";
import { namesIn, soleValue, textsOf } from "../../src/base/json-members.js";
import { isCarried } from "../../src/base/json-number.js";
import type { RpcCall } from "../../src/contracts/rpc.js";
import { CallSignal } from "./call-signal.js";

export type RpcId = string | number | null;

export type Incoming =
  | IncomingCall
  | IncomingAnswer
  | IncomingRefused
  /** `$/cancelRequest`. */
  | { readonly kind: "cancellation"; readonly id: string | number }
  /** A message that nobody waits for, and that must not be answered. */
  | { readonly kind: "ignored" };

/** A request, or a notification if it has no id. */
export class IncomingCall implements RpcCall {
  readonly kind = "call";
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: unknown;
  readonly text: string;
  readonly outline: JsonOutline;
  private made: CallSignal | undefined;

  constructor(id: string | number | undefined, method: string, params: unknown, text: string, outline: JsonOutline) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.text = text;
    this.outline = outline;
  }

  /** Made when the handler asks for it: nearly none of a busy agent's calls does. That of a notification is never aborted. */
  get signal(): CallSignal {
    this.made ??= new CallSignal();
    return this.made;
  }
}

/** An answer to a request of this side: a result, or the error of whatever form. */
export interface IncomingAnswer {
  readonly kind: "answer";
  readonly id: string | number;
  readonly result?: unknown;
  readonly error?: { readonly [member: string]: unknown };
}

export interface IncomingRefused {
  readonly kind: "refused";
  /** Null if the message has no id, or one that could be read in two ways. */
  readonly id: RpcId;
  readonly fault: Fault;
  /** The text of the message, if it is JSON. */
  readonly text: string | undefined;
  /** Whether the message is JSON without an id. */
  readonly isNotification: boolean;
}

const CANCEL_METHOD = "$/cancelRequest";

/** Fatal, so that no damaged character passes as another one. A byte order mark is no white space of JSON. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readIncoming(frame: Uint8Array): Incoming {
  let text: string | undefined;
  let document: JsonDocument;
  try {
    text = UTF8.decode(frame);
    document = readJsonDocument(text);
  } catch (caught) {
    const fault = faultFrom(caught);
    if (text !== undefined && fault.code !== "invalid_json") return classifyUnreadable(text, fault);
    const sentence = "The message is not JSON in UTF-8. Send one JSON-RPC 2.0 object a message.";
    const notJson = new Fault("invalid_json", sentence, { pointer: "", cause: caught });
    return { kind: "refused", id: null, fault: notJson, text: undefined, isNotification: false };
  }
  return classify(document, text);
}

/**
 * Classifies JSON that could be read as two messages, is nested too deep, has too many values, or has a number that would change. Its error has its
 * id; only an id with two values, or one that would change itself, counts as unreadable (JSON-RPC 2.0 §5).
 */
function classifyUnreadable(text: string, fault: Fault): Incoming {
  const names = namesIn(text);
  const id = soleId(textsOf(text, "id"));
  if (names.has("method") || !(names.has("result") || names.has("error"))) return refusedText(id, fault, text);
  return id === null ? { kind: "ignored" } : brokenAnswer(id, `The peer's answer cannot be read: ${fault.sentence}`);
}

/** The id of a message in which the member has these texts; null if they differ, or if it is a number that would change. */
function soleId(texts: readonly string[]): RpcId {
  const given = soleValue(texts);
  const isId = typeof given === "string" || (typeof given === "number" && texts.every(isCarried));
  return isId ? given : null;
}

function classify({ value, outline }: JsonDocument, text: string): Incoming {
  const refused = (id: RpcId, pointer: string, sentence: string): Incoming =>
    refusedText(id, new Fault("invalid_message", sentence, { pointer, rule: "R33" }), text);
  if (Array.isArray(value)) {
    return refused(null, "", "Batches of JSON-RPC messages are not taken. Send the messages one after the other.");
  }
  if (typeof value !== "object" || value === null) return refused(null, "", "A JSON-RPC message is an object.");
  const message = value as Readonly<Record<string, unknown>>;
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
  return new IncomingCall(answersTo ?? undefined, method, params, text, outline);
}

function classifyCancellation(params: object | undefined): Incoming {
  const id = params !== undefined && "id" in params ? params.id : undefined;
  if (typeof id !== "string" && typeof id !== "number") return { kind: "ignored" };
  return { kind: "cancellation", id };
}

/** An answer is never answered, or two peers could go on for ever. */
function classifyAnswer(message: Readonly<Record<string, unknown>>): Incoming {
  const { id, result, error } = message;
  if (typeof id !== "string" && typeof id !== "number") return { kind: "ignored" };
  if (typeof error === "object" && error !== null) return { kind: "answer", id, error: { ...error } };
  if ("result" in message) return { kind: "answer", id, result };
  return brokenAnswer(id, "The peer's answer has neither a result nor an error.");
}

/** Rejects the caller, which would otherwise wait for ever. */
function brokenAnswer(id: string | number, message: string): Incoming {
  return { kind: "answer", id, error: { code: -32600, message } };
}

function refusedText(id: RpcId, fault: Fault, text: string): Incoming {
  return { kind: "refused", id, fault, text, isNotification: textsOf(text, "id").length === 0 };
}

/** Finds the id of a message of which only the beginning arrived, as long as only plain members precede it. */
export function idFromHead(head: Uint8Array): RpcId {
  const text = Buffer.from(head).toString("latin1");
  const found =
    /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(?:(-?[0-9]+)[\s,}]|("[\x20\x21\x23-\x5b\x5d-\x7e]*"))/.exec(
      text,
    );
  const id = found?.[1] ?? found?.[2];
  return id === undefined ? null : soleId([id]);
}
