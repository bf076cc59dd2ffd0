// Every message that the Field sends is as its schema says, and has a typed form that loses nothing.
import { envelopeOf, textOfEnvelope } from "../../../src/protocols/akashik/services/akashik-service.js";
import { canonicalJson } from "../../support/canonical-json.js";
import { published } from "../../support/published-schemas.js";
import type { AkashikDocument } from "./messages/envelopes.js";

/** A message of the Field. */
export interface Message extends AkashikDocument {
  readonly id: string | null;
  readonly operation: string | null;
  readonly agent_id: string | null;
  readonly session_id: string | null;
  readonly epoch: number;
  readonly payload: AkashikDocument;
}

/** The schema of each operation's answer. */
const ANSWERS: Readonly<Record<string, string>> = {
  REGISTER: "AkashikRegisterAnswer",
  DEREGISTER: "AkashikDeregisterAnswer",
  RECORD: "AkashikRecordAnswer",
  ATTUNE: "AkashikAttuneAnswer",
  DETECT: "AkashikDetectAnswer",
  MERGE: "AkashikMergeAnswer",
  SUBSCRIBE: "AkashikSubscribeAnswer",
};

/** Whether a message is a notification. */
export const isPush = ({ payload }: Message): boolean => "event" in payload;

function schemaOf(message: Message): string {
  const { operation, payload } = message;
  if (payload.status === "error") return "AkashikError";
  if (isPush(message)) return "AkashikNotification";
  if ("subscriptions" in payload) return "AkashikListAnswer";
  return ANSWERS[operation ?? ""] ?? `of an answer to ${operation}`;
}

/** The message that a text of the Field is. Throws if it has another form than its schema, or than its typed form. */
export function checked(text: string): Message {
  const message = JSON.parse(text) as Message;
  for (const [title, value] of [
    ["AkashikAnswer", message],
    [schemaOf(message), message.payload],
  ] as const) {
    const validate = published("akashik", title);
    if (!validate(value)) throw new Error(`${text}: ${JSON.stringify(validate.errors)}`);
  }
  const typed = envelopeOf(text);
  if (canonicalJson(withoutNulls(JSON.parse(textOfEnvelope(typed)))) !== canonicalJson(withoutNulls(message)))
    throw new Error(`${text} changes in its typed form`);
  return message;
}

/** A value without what protobuf has no word for: members that are null, and empty lists. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutNulls(member)] as const);
  return Object.fromEntries(
    members.filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0)),
  );
}
