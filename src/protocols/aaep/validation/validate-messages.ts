// Checks the form of messages other than events: the handshake, replies, the manifest, and the daemon's own messages. Each function narrows its
// argument or throws a Fault of the first mistake, whose sentence names the others too. Unknown fields pass in the protocol's messages (AAEP §12),
// and are refused in the daemon's own, where a misspelt member would change the meaning of the request.
import * as schemas from "#gen/aaep/schemas.js";
import type * as types from "#gen/aaep/types.js";
import * as validators from "#gen/aaep/validators.js";
import { Fault, type FaultCode } from "../../../base/errors.js";
import { isObject, ownMember } from "../../../base/members.js";
import { sentenceOf } from "../../../base/schema/fault-words.js";
import { type SchemaFault, schemaFaults } from "../../../base/schema/schema-faults.js";
import type { AgentAbilities } from "../../../engine/agents/question-agents.js";
import { parseInstant } from "../../../engine/event/timestamps.js";
import { severalSentences } from "./fault-words.js";

/** The kinds of messages, by their schemas: the name in sentences, and the paragraph. */
const KINDS = {
  SubscriptionRequest: { name: "subscription.request", rule: "AAEP §5.2" },
  SubscriptionRenegotiate: { name: "subscription.renegotiate", rule: "AAEP §5.7.1" },
  SubscriptionAccepted: { name: "subscription.accepted", rule: "AAEP §5.4" },
  SubscriptionRejected: { name: "subscription.rejected", rule: "AAEP §5.5" },
  SubscriptionClose: { name: "subscription.close", rule: "AAEP §5.8.1" },
  ConfirmationReply: { name: "confirmation.reply", rule: "AAEP §6.3" },
  ClarificationReply: { name: "clarification.reply", rule: "AAEP §6.3" },
  ProducerManifest: { name: "aaep:producer.manifest", rule: "AAEP §5.10.1" },
  AaepdSkip: { name: "aaepd.skip", rule: "R26" },
  AaepdListPending: { name: "aaepd.list_pending", rule: "R28" },
  AaepdRepeat: { name: "aaepd.repeat", rule: "R28" },
  AaepdLeave: { name: "aaepd.leave", rule: "R5b" },
  AaepdStop: { name: "aaepd.stop", rule: "R39" },
  ResumeSessionParams: { name: "aaep.resume_session", rule: "R8" },
} as const;

type Kind = keyof typeof KINDS;

/**
 * Throws a Fault if the value is no such message: `capabilities_incompatible` for a capability, `version_unsupported` for an unreadable version, else
 * `invalid_message`.
 */
type Assertion<Message> = (value: unknown) => asserts value is Message;

function assertion<Message>(kind: Kind): Assertion<Message> {
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
  const accepts = validators[`is${kind}`];
  return (value) => {
    if (accepts(value)) return;
    // Unknown words of capabilities are no mistake: a later version may define them (AAEP §12.6, R32).
    const known = withKnownWords(value);
    if (known === value || !accepts(known)) throw firstFault(known, kind);
  };
}

/** As `assertion`, for a reply, whose day must exist. */
function replyAssertion<Message extends { readonly timestamp: string }>(kind: Kind): Assertion<Message> {
  const assertForm: Assertion<Message> = assertion(kind);
  return (value) => {
    assertForm(value);
    if (parseInstant(value.timestamp) !== undefined) return;
    const sentence = `\`timestamp\` names a day that does not exist: ${JSON.stringify(value.timestamp.slice(0, 10))}.`;
    throw new Fault("invalid_message", sentence, { pointer: "/timestamp", rule: KINDS[kind].rule });
  };
}

export const assertSubscriptionRequest: Assertion<types.SubscriptionRequest> = assertion("SubscriptionRequest");
export const assertRenegotiate: Assertion<types.SubscriptionRenegotiate> = assertion("SubscriptionRenegotiate");
export const assertSubscriptionAccepted: Assertion<types.SubscriptionAccepted> = assertion("SubscriptionAccepted");
export const assertSubscriptionRejected: Assertion<types.SubscriptionRejected> = assertion("SubscriptionRejected");
export const assertSubscriptionClose: Assertion<types.SubscriptionClose> = assertion("SubscriptionClose");
export const assertConfirmationReply: Assertion<types.ConfirmationReply> = replyAssertion("ConfirmationReply");
export const assertClarificationReply: Assertion<types.ClarificationReply> = replyAssertion("ClarificationReply");
/** A complete manifest; also the params of `aaep.set_manifest`. */
export const assertManifest: Assertion<types.ProducerManifest> = assertion("ProducerManifest");
export const assertSkip: Assertion<types.AaepdSkip> = assertion("AaepdSkip");
export const assertListPending: Assertion<types.AaepdListPending> = assertion("AaepdListPending");
export const assertRepeat: Assertion<types.AaepdRepeat> = assertion("AaepdRepeat");
export const assertLeave: Assertion<types.AaepdLeave> = assertion("AaepdLeave");
export const assertStop: Assertion<types.AaepdStop> = assertion("AaepdStop");
export const assertResumeSession: Assertion<types.ResumeSessionParams> = assertion("ResumeSessionParams");

function withKnownWords(value: unknown): unknown {
  if (!isObject(value) || !isObject(value.capabilities)) return value;
  const known = withoutUnknownWords(value.capabilities);
  return known === value.capabilities ? value : { ...value, capabilities: known };
}

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

function firstFault(value: unknown, kind: Kind): Fault {
  const { name, rule } = KINDS[kind];
  if (!isObject(value))
    return new Fault("invalid_message", `${name} must be a JSON object; send one.`, { pointer: "", rule });
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
  const faults = schemaFaults(schemas[kind], value);
  const [first] = faults;
  // They disagree only by a mistake of the daemon's own; a test compares them.
  if (first === undefined) throw new Error(`The validator of ${name} and its schema disagree.`);
  const { pointer } = first;
  const sentence = severalSentences(faults.map((fault) => () => sentenceIn(fault, name)));
  return new Fault(codeOf(first), sentence, { pointer, rule: ruleAt(pointer, rule), tellsSeveral: faults.length > 1 });
}

/** The form of a cursor, which the schema can only call a text. */
const CURSOR = "a cursor of at most 1,024 characters that this daemon gave out";

function sentenceIn(fault: SchemaFault, name: string): string {
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

/** The `capabilities` object of a request, as received. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** The words of `preferred_verbosity` and of `cognitive_load`. */
export const VERBOSITIES = ["terse", "normal", "detailed"] as const;
export const LOADS = ["low", "medium", "high"] as const;
/** Capabilities that are one word of a list. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["preferred_verbosity", VERBOSITIES],
  ["cognitive_load", LOADS],
]);

/** Returns the same object if every word is known, else a copy without the unknown words. */
export function withoutUnknownWords(capabilities: Capabilities): Capabilities {
  const isUnknown = (name: string): boolean => {
    const word = capabilities[name];
    return typeof word === "string" && WORDS.get(name)?.includes(word) === false;
  };
  if (![...WORDS.keys()].some(isUnknown)) return capabilities;
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !isUnknown(name)));
}

/** The members of `extensions.aaepd` for the daemon. Others may stand there: a manifest is a document for any reader. */
export interface ManifestMembers {
  /** The process of the agent that an adapter passes on. */
  readonly pid: number | undefined;
  readonly abilities: AgentAbilities;
}

/** Largest number of a process on any system. */
const LARGEST_PID = 2 ** 31 - 1;

/** @throws Fault `invalid_message` for impossible values */
export function ownMembersIn({ extensions }: types.ProducerManifest): ManifestMembers {
  const own = (extensions?.aaepd ?? {}) as Readonly<Record<string, unknown>>;
  const { pid, can_stop: canStop = false, takes_user_input: takesUserInput = false } = own;
  const isPid = typeof pid === "number" && Number.isInteger(pid) && pid > 0 && pid <= LARGEST_PID;
  if (pid !== undefined && !isPid)
    throw impossible("pid", `to the number of the agent's process, 1 to ${LARGEST_PID}`, "R5d");
  if (typeof canStop !== "boolean") throw impossible("can_stop", "to true or false", "R39");
  if (typeof takesUserInput !== "boolean") throw impossible("takes_user_input", "to true or false", "AAEP app. B");
  return { pid: isPid ? pid : undefined, abilities: { canStop, takesUserInput } };
}

function impossible(name: string, to: string, rule: string): Fault {
  const sentence = `Set \`extensions.aaepd.${name}\` ${to}, or leave it out.`;
  return new Fault("invalid_message", sentence, { pointer: `/extensions/aaepd/${name}`, rule });
}
