// Reads the messages of calls of services, and the requests of agents, as documents. A fault goes out as the typed detail of a status (R20).
import type { DescMessage } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { PublishRequestSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { Fault, faultFrom } from "../../../base/errors.js";
import { someText } from "../../../base/members.js";
import type { DescribeFault, ServiceMessage } from "../../../contracts/service.js";
import { type QuestionKind, topicKind } from "../../../engine/event/event.js";
import type { Message } from "../json/message.js";
import { decodeDocument } from "../protobuf/decode.js";
import { encodeDocument } from "../protobuf/encode.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";

/** An aaep.v1.AaepdError, with the members of `aaepd.error` in JSON. */
export const describeFault: DescribeFault = (fault) => ({
  typeName: AaepdErrorSchema.typeName,
  bytes: encodeDocument(AaepdErrorSchema, errorMessage(fault)),
});

/** Throws if the client's JSON is no message of the method. Called before a message is decoded. */
export function assertMessage({ fault }: ServiceMessage): void {
  if (fault !== undefined) throw fault;
}

/**
 * Returns the document of a call: its message of AAEP, and the members beside it. Pointers of faults are relative to the message of AAEP, as on a
 * stream.
 * @throws Fault "invalid_message", or "invalid_event" if it concerns an event; nothing else
 */
export function documentIn(descriptor: DescMessage, frame: ServiceMessage): Message {
  assertMessage(frame);
  try {
    return decodeDocument(descriptor, frame);
  } catch (caught) {
    const pointer = caught instanceof Fault ? caught.pointer : undefined;
    const [, field = ""] = pointer?.split("/") ?? [];
    const isWithin = descriptor.fields.some(({ name, message }) => name === field && message !== undefined);
    throw isWithin ? (caught as Fault).with({ pointer: pointer?.slice(field.length + 1) }) : caught;
  }
}

/** One request of the stream: exactly one action, and the id, which is empty if the request has none. */
export type PublishRequest = { readonly id: string } & PublishAction;

type PublishAction =
  | ({ readonly kind: "publish" } & EventBatch)
  | { readonly kind: "manifest"; readonly manifest: Message }
  | { readonly kind: "resume"; readonly claim: Message };

export interface EventBatch {
  readonly events: readonly unknown[];
  readonly resumeToken: string | undefined;
}

/** @throws Fault "invalid_message", or "invalid_event"; pointers of events begin with an index */
export function publishRequestIn(frame: ServiceMessage): PublishRequest {
  const { request_id: requestId, publish, manifest, resume } = agentDocument(PublishRequestSchema, frame);
  // In protobuf an empty text means absence.
  const id = someText(requestId) ?? "";
  if (manifest !== undefined) return { id, kind: "manifest", manifest: manifest as Message };
  if (resume !== undefined) return { id, kind: "resume", claim: resume as Message };
  if (publish !== undefined) return { id, kind: "publish", ...batchIn(publish) };
  throw new Fault("invalid_message", "Send one of `publish`, `manifest` and `resume`.", { pointer: "", rule: "R20" });
}

/** Reads the id of a request that is otherwise unreadable; "" if it does not stand first, where every library writes it. */
export function requestIdIn(frame: ServiceMessage): string {
  try {
    const reader = new BinaryReader(frame);
    const [number] = reader.tag();
    return number === PublishRequestSchema.field.requestId.number ? reader.string() : "";
  } catch {
    return "";
  }
}

/**
 * Returns a call of an agent as a document. Pointers of events in a batch begin with an index.
 * @throws Fault "invalid_message", or "invalid_event"
 */
export function agentDocument(descriptor: DescMessage, frame: ServiceMessage): Message {
  try {
    return documentIn(descriptor, frame);
  } catch (caught) {
    const fault = faultFrom(caught);
    throw fault.with({ pointer: fault.pointer?.replace(/^\/events(?=\/)/, "") });
  }
}

/** @throws Fault "invalid_message" if there is no batch */
export function batchIn(publish: unknown): EventBatch {
  if (publish === undefined) throw missing("publish", "with the events");
  const { events, resume_token } = publish as Message;
  return { events: (events as readonly Message[]).map(withCompletion), resumeToken: someText(resume_token) };
}

/** In protobuf an absent truth value means false, so a chunk without `complete` is not the last of its output. */
function withCompletion(event: Message): Message {
  const { type, complete } = event;
  if (complete !== undefined || topicKind(type) !== "output.streaming") return event;
  return { ...event, complete: false };
}

/** The fields of a question. @throws Fault "invalid_message" if there is none, or another event */
export function questionIn(event: unknown, kind: QuestionKind): Message {
  if (event === undefined) throw missing("event", `with session_id and awaiting_${kind}`);
  const fields = event as Message;
  if (fields.type === undefined || topicKind(fields.type) === `awaiting.${kind}`) return fields;
  const sentence = `Ask with an event whose payload is awaiting_${kind}; publish others by Publish or PublishBatch.`;
  throw new Fault("invalid_message", sentence, { pointer: "/type", rule: "AAEP §6.1" });
}

/** The fault of a message without its main field. */
export function missing(field: string, rest: string): Fault {
  return new Fault("invalid_message", `Give \`${field}\`, ${rest}.`, { pointer: `/${field}`, rule: "R20" });
}
