// Every message that the Field sends is as its schema says, and has a typed form that loses nothing.
import * as diagnosis from "#gen/akashik/diagnosis.js";
import { envelopeOf, textOfEnvelope } from "../../../src/protocols/akashik/services/typed-envelope.js";
import { canonicalJson } from "../../support/canonical-json.js";
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

type Diagnose = (payload: unknown) => readonly unknown[];

/** The schema of each operation's answer. */
const ANSWERS: Readonly<Record<string, Diagnose>> = {
  REGISTER: diagnosis.diagnoseAkashikRegisterAnswer,
  DEREGISTER: diagnosis.diagnoseAkashikDeregisterAnswer,
  RECORD: diagnosis.diagnoseAkashikRecordAnswer,
  ATTUNE: diagnosis.diagnoseAkashikAttuneAnswer,
  DETECT: diagnosis.diagnoseAkashikDetectAnswer,
  MERGE: diagnosis.diagnoseAkashikMergeAnswer,
  SUBSCRIBE: diagnosis.diagnoseAkashikSubscribeAnswer,
};

/** Whether a message is a notification. */
export const isPush = ({ payload }: Message): boolean => "event" in payload;

function schemaOf(message: Message): Diagnose {
  const { operation, payload } = message;
  if (payload.status === "error") return diagnosis.diagnoseAkashikError;
  if (isPush(message)) return diagnosis.diagnoseAkashikNotification;
  if ("subscriptions" in payload) return diagnosis.diagnoseAkashikListAnswer;
  return ANSWERS[operation ?? ""] ?? (() => [`there is no answer to ${operation}`]);
}

/** The message that a text of the Field is. Throws if it has another form than its schema, or than its typed form. */
export function checked(text: string): Message {
  const message = JSON.parse(text) as Message;
  const faults = [...diagnosis.diagnoseAkashikAnswer(message), ...schemaOf(message)(message.payload)];
  if (faults.length > 0) throw new Error(`${text}: ${JSON.stringify(faults)}`);
  const typed = envelopeOf(text);
  if (typed === undefined) throw new Error(`${text} has no typed form`);
  if (canonicalJson(JSON.parse(textOfEnvelope(typed))) !== canonicalJson(message))
    throw new Error(`${text} changes in its typed form`);
  return message;
}
