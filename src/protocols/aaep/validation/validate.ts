// Decides whether a complete event may be published, in the order of AAEP §3.9, with the rules that a JSON Schema cannot express. Rules that involve
// other events belong to the engine.
//
// A valid event takes one pass of a generated validator and one of the limits. Slower checks run only for an event that is known to be bad.
import * as schemas from "#gen/aaep/schemas.js";
import type { Envelope } from "#gen/aaep/types.js";
import { isExtensionEvent } from "#gen/aaep/validators.js";
import { Fault, type FaultCode } from "../../../base/errors.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { isObject, type Members } from "../../../base/members.js";
import { fieldAt, sentenceOf } from "../../../base/schema/fault-words.js";
import { type SchemaFault, schemaFaults } from "../../../base/schema/schema-faults.js";
import { parseTimestamp } from "../../../engine/event/timestamps.js";
import { assertAgentsMembers } from "./agents-members.js";
import { type CoreType, coreTypeOf, isInCoreNamespace, nearestCoreType } from "./core-types.js";
import { clarificationComplaints, isSpokenVersion, prefixComplaint } from "./event-rules.js";
import { severalSentences } from "./fault-words.js";
import { isWithinLimits, limitBreaches } from "./limits.js";

/**
 * Narrows to a complete event. With `addedBytes`, the event must keep the limits with a further field of that size.
 * @throws Fault of the first violation by AAEP §3.9, whose sentence names the others too: `invalid_event`, `unknown_type`, `urgency_not_allowed`
 * (R4), `default_not_allowed` (AAEP §6.4.1) or `message_too_large` (AAEP §3.7)
 */
export function assertEvent(value: unknown, addedBytes = 0): asserts value is Envelope {
  if (isEvent(value, addedBytes)) return;
  const found = findings(value, addedBytes);
  const [first] = found;
  // They disagree only by a mistake of the daemon's own; a test compares them.
  if (first === undefined) throw new Error("The validator of an event and its schema disagree.");
  const sentence = () => severalSentences(found.map((finding) => finding.sentence));
  throw faultFromFinding({ ...first, sentence }, value, found.length > 1);
}

/**
 * As `assertEvent`, for events of agents: an agent may not set the members of the daemon's extension, which mark events of the daemon (R31).
 * @throws Fault as `assertEvent` does, and `invalid_event` for members of `extensions.aaepd` that are the daemon's
 */
export function assertPublishedEvent(value: unknown, addedBytes = 0): asserts value is Envelope {
  assertEvent(value, addedBytes);
  assertAgentsMembers(value);
}

/** Every violation, at most one for each place, in the order of AAEP §3.9; empty for a valid event. */
export function allFaults(value: unknown): readonly Fault[] {
  return findings(value).map((finding) => faultFromFinding(finding, value));
}

/** The fast check. True must mean that `findings` is empty. */
function isEvent(value: unknown, addedBytes: number): value is Envelope {
  if (!isObject(value)) return false;
  const core = coreOf(value);
  const accepts = core?.accepts ?? isExtensionEvent;
  return accepts(value) && ruleFindings(value, core).length === 0 && isWithinLimits(value, addedBytes);
}

function coreOf({ type }: Members): CoreType | undefined {
  return typeof type === "string" ? coreTypeOf(type) : undefined;
}

/** Ranks of the places in the order of AAEP §3.9. */
const RANK = {
  object: 0,
  required: 1,
  form: 2,
  context: 3,
  type: 4,
  idsAndTime: 5,
  payload: 6,
  extensions: 7,
  limits: 8,
} as const;

interface Finding {
  readonly rank: number;
  readonly code: FaultCode;
  readonly pointer: string;
  readonly rule: string;
  /** Called only for the findings in the fault: a hostile event can have thousands. */
  readonly sentence: () => string;
}

function finding(
  rank: number,
  pointer: string,
  rule: string,
  sentence: () => string,
  code: FaultCode = "invalid_event",
): Finding {
  return { rank, code, pointer, rule, sentence };
}

function findings(value: unknown, addedBytes = 0): readonly Finding[] {
  if (!isObject(value)) return [finding(RANK.object, "", "AAEP §3.9", () => "An event is a JSON object; send one.")];
  const core = coreOf(value);
  const found = [
    ...envelopeFindings(value, core),
    ...payloadFindings(value, core),
    ...ruleFindings(value, core),
    ...limitBreaches(value, addedBytes).map(({ kind, pointer, sentence }) =>
      finding(RANK.limits, pointer, "AAEP §3.7", () => sentence, kind === "bytes" ? "message_too_large" : undefined),
    ),
  ].sort((one, other) => one.rank - other.rank);
  const seen = new Set<string>();
  return found.filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer));
}

function envelopeFindings(event: object, core: CoreType | undefined): readonly Finding[] {
  const name = core?.name ?? "an event";
  return (
    schemaFaults(schemas.Envelope, event)
      // A closed payload reports these names itself.
      .filter(({ keyword }) => core === undefined || keyword !== "patterns")
      .map((fault) => {
        const field = fault.pointer.split("/")[1] ?? "";
        const rule = ENVELOPE_RULES.get(field) ?? "AAEP §3.5";
        return finding(envelopeRank(fault, field), fault.pointer, rule, () => sentenceInEvent(fault, name));
      })
  );
}

/** Members that have no place in an event find one in its extensions. */
function sentenceInEvent(fault: SchemaFault, name: string): string {
  const isReserved = fault.keyword === "patterns";
  if (!isReserved && !isStray(fault)) return sentenceOf(fault, name);
  const why = isReserved ? "is reserved by the protocol" : `is not a field of ${name}`;
  return `${fieldAt(fault.pointer)} ${why}; move it into \`extensions\` under your own prefix, or remove it.`;
}

/** Whether the fault is a name that the closed object of the event does not have. */
function isStray({ keyword, pointer }: SchemaFault): boolean {
  return keyword === "additionalProperties" && isTop(pointer);
}

/** Whether the pointer is to a member of the event itself. */
function isTop(pointer: string): boolean {
  return !pointer.includes("/", 1);
}

function envelopeRank({ keyword, pointer }: SchemaFault, field: string): number {
  if (keyword === "required" && isTop(pointer)) return RANK.required;
  if (keyword === "type") return RANK.form;
  if (field === "@context") return RANK.context;
  if (field === "type") return RANK.type;
  if (field === "event_id" || field === "session_id" || field === "timestamp") return RANK.idsAndTime;
  return field === "extensions" ? RANK.extensions : RANK.form;
}

/** The paragraph of each field of the envelope; for other names, the paragraph that forbids other fields. */
const ENVELOPE_RULES: ReadonlyMap<string, string> = new Map([
  ["@context", "AAEP §3.2.1"],
  ["type", "AAEP §3.2.2"],
  ["event_id", "AAEP §3.2.3"],
  ["session_id", "AAEP §3.2.4"],
  ["timestamp", "AAEP §3.2.5"],
  ["producer", "AAEP §3.2.6"],
  ["verbosity", "AAEP §3.3.1"],
  ["urgency", "AAEP §3.3.2"],
  ["localization_hints", "AAEP §11"],
  ["sequence_number", "AAEP §3.4.1"],
  ["correlation_id", "AAEP §3.4.2"],
  ["extensions", "AAEP §7"],
  ["aaep_version", "AAEP §3.4.4"],
]);

function payloadFindings(event: Members, core: CoreType | undefined): readonly Finding[] {
  const schema = core?.payload ?? schemas.ExtensionEvent;
  return schemaFaults(schema, event).map((fault) => {
    if (core !== undefined && fault.pointer === "/urgency") return urgencyFinding(core);
    const rule = core === undefined ? "AAEP §7" : isStray(fault) ? "AAEP §3.5" : core.rule;
    const name = core?.name ?? "an extension's event";
    return finding(RANK.payload, fault.pointer, rule, () => sentenceInEvent(fault, name));
  });
}

/** The violations of rules that no schema expresses; none for every valid event. */
function ruleFindings(event: Members, core: CoreType | undefined): readonly Finding[] {
  return [
    ...(core === undefined ? extensionTypeFindings(event) : coreFindings(event, core)),
    ...timestampFindings(event),
    ...versionFindings(event),
    ...prefixFindings(event),
  ];
}

function coreFindings(event: Members, core: CoreType): readonly Finding[] {
  const found = core.urgency === "uncritical" && event.urgency === "critical" ? [urgencyFinding(core)] : [];
  if (core.name === "aaep:agent.awaiting.confirmation" && defaultsToDanger(event)) {
    const sentence = () =>
      '`default_decision` must be "reject": the action is irreversible and of high or medium risk, so silence may not start it.';
    found.push(finding(RANK.payload, "/default_decision", "AAEP §6.4.1", sentence, "default_not_allowed"));
  }
  if (core.name !== "aaep:agent.awaiting.clarification") return found;
  return clarificationComplaints(event).map(({ pointer, sentence }) =>
    finding(RANK.payload, pointer, "AAEP §4.4.2", () => sentence),
  );
}

function urgencyFinding(core: CoreType): Finding {
  const sentence = () =>
    core.urgency === "critical"
      ? `\`urgency\` of ${core.name} must be "critical".`
      : `\`urgency\` of ${core.name} may not be "critical"; use "normal" or "background".`;
  return finding(RANK.payload, "/urgency", "R4", sentence, "urgency_not_allowed");
}

/** Whether an expired question would start an action that cannot be undone (AAEP §6.4.1). Either of the two fields makes an action irreversible. */
function defaultsToDanger(event: Members): boolean {
  if (event.default_decision !== "accept") return false;
  const irreversible = event.reversibility === "irreversible" || event.irreversible === true;
  return irreversible && (event.risk_level === "high" || event.risk_level === "medium");
}

function extensionTypeFindings(event: Members): readonly Finding[] {
  const { type } = event;
  const complaint = typeof type === "string" ? typeComplaint(type, event) : undefined;
  return complaint === undefined ? [] : [finding(RANK.type, "/type", "AAEP §3.9", () => complaint, "unknown_type")];
}

/** Explains why a type outside the core is unknown; a type written as a URI declares itself. */
function typeComplaint(type: string, event: Members): string | undefined {
  if (isInCoreNamespace(type)) {
    const advice = nearestCoreType(type) || "Use one of them, or a type under your own prefix.";
    return `${JSON.stringify(type.slice(0, 100))} is none of the twelve types of AAEP. ${advice}`;
  }
  const colon = type.indexOf(":");
  if (colon < 1 || type.startsWith("//", colon + 1)) return undefined;
  return prefixComplaint(type.slice(0, colon), event["@context"]);
}

function timestampFindings({ timestamp }: Members): readonly Finding[] {
  if (typeof timestamp !== "string" || parseTimestamp(timestamp) !== undefined) return [];
  const sentence = () => `\`timestamp\` names a day that does not exist: ${JSON.stringify(timestamp.slice(0, 10))}.`;
  return [finding(RANK.idsAndTime, "/timestamp", "AAEP §3.2.5", sentence)];
}

/** Listeners are told that they receive AAEP 1.0.0, so an event of another major version is refused (AAEP §3.4.4, §12.6.3, R21). */
function versionFindings({ aaep_version: version }: Members): readonly Finding[] {
  if (typeof version !== "string" || isSpokenVersion(version)) return [];
  const sentence = () =>
    `\`aaep_version\` must be a version 1.x of AAEP; ${JSON.stringify(version.slice(0, 100))} is not spoken here.`;
  return [finding(RANK.form, "/aaep_version", "AAEP §3.4.4", sentence)];
}

function prefixFindings({ extensions, "@context": context }: Members): readonly Finding[] {
  if (!isObject(extensions)) return [];
  return Object.keys(extensions).flatMap((prefix): readonly Finding[] => {
    const complaint = prefixComplaint(prefix, context);
    const pointer = `/extensions/${pointerStep(prefix)}`;
    return complaint === undefined ? [] : [finding(RANK.extensions, pointer, "AAEP §7", () => complaint)];
  });
}

function faultFromFinding({ code, pointer, rule, sentence }: Finding, value: unknown, tellsSeveral = false): Fault {
  const id = isObject(value) ? value.event_id : undefined;
  const eventId = typeof id === "string" && id.length <= 68 ? { eventId: id } : {};
  return new Fault(code, sentence(), { pointer, rule, tellsSeveral, ...eventId });
}
