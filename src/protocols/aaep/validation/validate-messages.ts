// Checks the form of messages other than events: the handshake, replies, the manifest, and the daemon's own messages. Each function narrows its
// argument or throws a Fault of the first mistake, whose sentence names the others too. Unknown fields pass in the protocol's messages (AAEP §12),
// and are refused in the daemon's own, where a misspelt member would change the meaning of the request.
import * as schemas from "#gen/aaep/schemas.js";
import type * as types from "#gen/aaep/types.js";
import * as validators from "#gen/aaep/validators.js";
import { Fault, type FaultCode } from "../../../base/errors.js";
import { ownMember } from "../../../base/members.js";
import { sentenceOf } from "../../../base/schema/fault-words.js";
import { type Schema, type SchemaFault, schemaFaults } from "../../../base/schema/schema-faults.js";
import { isCalendarDate } from "./calendar.js";
import { type Capabilities, withoutUnknownWords } from "./capability-words.js";
import { severalSentences } from "./fault-words.js";

/** One kind of message: its name in sentences, its paragraph, and its schema. */
interface MessageKind {
  readonly name: string;
  readonly rule: string;
  readonly schema: Schema;
}

/** Throws a Fault if the value is no such message. */
type Assertion<Message> = (value: unknown) => asserts value is Message;

function assertion<Message>(accepts: (value: unknown) => value is Message, kind: MessageKind): Assertion<Message> {
  return (value) => {
    if (!accepts(value)) throw firstFault(value, kind);
  };
}

/** As `assertion`, but unknown words of capabilities are no mistake: a later version may define them (AAEP §12.6, R32). */
function termsAssertion<Message>(accepts: (value: unknown) => value is Message, kind: MessageKind): Assertion<Message> {
  return (value) => {
    if (accepts(value)) return;
    const known = withKnownWords(value);
    if (known === value || !accepts(known)) throw firstFault(known, kind);
  };
}

function withKnownWords(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("capabilities" in value)) return value;
  const { capabilities } = value;
  if (typeof capabilities !== "object" || capabilities === null) return value;
  const known = withoutUnknownWords(capabilities as Capabilities);
  return known === capabilities ? value : { ...value, capabilities: known };
}

/** @throws Fault `capabilities_incompatible` for a capability, `version_unsupported` for an unreadable version, else `invalid_message` */
export const assertSubscriptionRequest: Assertion<types.SubscriptionRequest> = termsAssertion(
  validators.isSubscriptionRequest,
  { name: "subscription.request", rule: "AAEP §5.2", schema: schemas.SubscriptionRequest },
);

/** @throws Fault `capabilities_incompatible` for a capability, else `invalid_message` */
export const assertRenegotiate: Assertion<types.SubscriptionRenegotiate> = termsAssertion(
  validators.isSubscriptionRenegotiate,
  { name: "subscription.renegotiate", rule: "AAEP §5.7.1", schema: schemas.SubscriptionRenegotiate },
);

export const assertSubscriptionAccepted: Assertion<types.SubscriptionAccepted> = assertion(
  validators.isSubscriptionAccepted,
  { name: "subscription.accepted", rule: "AAEP §5.4", schema: schemas.SubscriptionAccepted },
);

export const assertSubscriptionRejected: Assertion<types.SubscriptionRejected> = assertion(
  validators.isSubscriptionRejected,
  { name: "subscription.rejected", rule: "AAEP §5.5", schema: schemas.SubscriptionRejected },
);

export const assertSubscriptionClose: Assertion<types.SubscriptionClose> = assertion(validators.isSubscriptionClose, {
  name: "subscription.close",
  rule: "AAEP §5.8.1",
  schema: schemas.SubscriptionClose,
});

export function assertConfirmationReply(value: unknown): asserts value is types.ConfirmationReply {
  const kind = { name: "confirmation.reply", rule: "AAEP §6.3", schema: schemas.ConfirmationReply };
  if (!validators.isConfirmationReply(value)) throw firstFault(value, kind);
  assertCalendarDate(value.timestamp, kind);
}

export function assertClarificationReply(value: unknown): asserts value is types.ClarificationReply {
  const kind = { name: "clarification.reply", rule: "AAEP §6.3", schema: schemas.ClarificationReply };
  if (!validators.isClarificationReply(value)) throw firstFault(value, kind);
  assertCalendarDate(value.timestamp, kind);
}

/** A complete manifest; also the params of `aaep.set_manifest`. */
export const assertManifest: Assertion<types.ProducerManifest> = assertion(validators.isProducerManifest, {
  name: "aaep:producer.manifest",
  rule: "AAEP §5.10.1",
  schema: schemas.ProducerManifest,
});

/** `aaepd.skip`, or the params of `aaep.skip` or `aaepd.skip` in JSON-RPC. `output_id` needs `session_id` (R26). */
export const assertSkip: Assertion<types.AaepdSkip> = assertion(validators.isAaepdSkip, {
  name: "aaepd.skip",
  rule: "R26",
  schema: schemas.AaepdSkip,
});

/** `aaepd.list_pending`, or the params of `aaep.list_pending` (R28). */
export const assertListPending: Assertion<types.AaepdListPending> = assertion(validators.isAaepdListPending, {
  name: "aaepd.list_pending",
  rule: "R28",
  schema: schemas.AaepdListPending,
});

/** `aaepd.repeat`, or the params of `aaep.repeat` (R28). */
export const assertRepeat: Assertion<types.AaepdRepeat> = assertion(validators.isAaepdRepeat, {
  name: "aaepd.repeat",
  rule: "R28",
  schema: schemas.AaepdRepeat,
});

/** `aaepd.leave` (R5b). */
export const assertLeave: Assertion<types.AaepdLeave> = assertion(validators.isAaepdLeave, {
  name: "aaepd.leave",
  rule: "R5b",
  schema: schemas.AaepdLeave,
});

/** `aaepd.stop` (R39). */
export const assertStop: Assertion<types.AaepdStop> = assertion(validators.isAaepdStop, {
  name: "aaepd.stop",
  rule: "R39",
  schema: schemas.AaepdStop,
});

/** The params of `aaep.resume_session` (R8). */
export const assertResumeSession: Assertion<types.ResumeSessionParams> = assertion(validators.isResumeSessionParams, {
  name: "aaep.resume_session",
  rule: "R8",
  schema: schemas.ResumeSessionParams,
});

/** The paragraph of each capability; for all others, §5.3 in general. */
export const CAPABILITY_RULES: Readonly<Record<string, string>> = {
  max_events_per_second: "AAEP §5.3.1.1",
  preferred_verbosity: "AAEP §5.3.1.2",
  languages: "AAEP §5.3.1.3",
  supports_confirmation_reply: "AAEP §5.3.1.4",
  supports_clarification_reply: "AAEP §5.3.1.5",
  coalesce_boundaries: "AAEP §5.3.1.6",
  event_filters: "AAEP §5.3.1.7",
  supported_conformance_levels: "AAEP §5.3.1.8",
  supported_extensions: "AAEP §5.3.1.9",
  cognitive_load: "AAEP §5.3.1.10",
  pace_wpm: "AAEP §5.3.1.11",
  accept_signed_manifests_only: "AAEP §5.3.1.12",
  aaepd: "R26",
};

function firstFault(value: unknown, kind: MessageKind): Fault {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return new Fault("invalid_message", `${kind.name} must be a JSON object; send one.`, {
      pointer: "",
      rule: kind.rule,
    });
  }
  const faults = schemaFaults(kind.schema, value);
  const [first] = faults;
  if (first === undefined) {
    // Reached only if the validator and its schema disagreed; a test rules that out.
    return new Fault("invalid_message", `This is no ${kind.name}; see its schema.`, { pointer: "", rule: kind.rule });
  }
  const { pointer } = first;
  const rule = ruleAt(pointer, kind.rule);
  const sentence = severalSentences(faults.map((fault) => () => sentenceIn(fault, kind)));
  return new Fault(codeOf(first), sentence, { pointer, rule, tellsSeveral: faults.length > 1 });
}

/** The form of a cursor, which the schema can only call a text. */
const CURSOR = "a cursor of at most 1,024 characters that this daemon gave out";

function sentenceIn(fault: SchemaFault, { name }: MessageKind): string {
  if (fault.pointer !== "/extensions/aaepd/resume_after") return sentenceOf(fault, name);
  return sentenceOf({ ...fault, schema: { ...fault.schema, form: CURSOR } }, name);
}

function ruleAt(pointer: string, rule: string): string {
  const [, field = "", member = "", last = ""] = pointer.split("/");
  if (field === "capabilities") return member === "" ? rule : (ownMember(CAPABILITY_RULES, member) ?? "AAEP §5.3");
  if (field === "extensions" && member === "aaepd" && last === "resume_after") return "R17";
  return rule;
}

function codeOf({ keyword, pointer }: SchemaFault): FaultCode {
  if (pointer.startsWith("/capabilities")) return "capabilities_incompatible";
  // An unreadable version is an unsupported one; a missing version makes the message malformed (R21).
  if (pointer === "/aaep_version" && keyword !== "required" && keyword !== "type") return "version_unsupported";
  return "invalid_message";
}

function assertCalendarDate(timestamp: string, { rule }: MessageKind): void {
  if (isCalendarDate(timestamp)) return;
  const sentence = `\`timestamp\` names a day that does not exist: ${JSON.stringify(timestamp.slice(0, 10))}.`;
  throw new Fault("invalid_message", sentence, { pointer: "/timestamp", rule });
}
