// Decides whether a complete event may be published, in the order of AAEP §3.9, with the rules that a JSON Schema cannot express. Rules that involve
// other events belong to the engine.
//
// A valid event takes one pass of a generated validator and one of the limits. Slower checks run only for an event that is known to be bad.
import * as schemas from "#gen/aaep/schemas.js";
import type { Envelope } from "#gen/aaep/types.js";
import { isExtensionEvent } from "#gen/aaep/validators.js";
import { Fault, type FaultCode } from "../../../base/errors.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { fieldAt, sentenceOf } from "../../../base/schema/fault-words.js";
import { type SchemaFault, schemaFaults } from "../../../base/schema/schema-faults.js";
import { assertAgentsMembers } from "./agents-members.js";
import { isCalendarDate } from "./calendar.js";
import { clarificationComplaints } from "./clarification-rules.js";
import { type CoreType, coreTypeOf, isInCoreNamespace, nearestCoreType } from "./core-types.js";
import { KNOWN_VOCABULARIES, prefixComplaint, type Vocabularies } from "./declared-prefix.js";
import { severalSentences } from "./fault-words.js";
import {
  hasMoreValuesThan,
  isWithinLimits,
  type LimitBreach,
  limitBreaches,
  MAX_EVENT_BYTES,
  MAX_VALUE_COUNT,
} from "./limits.js";
import { isSpokenVersion } from "./spoken-versions.js";

/**
 * Narrows to a complete event. `vocabularies`: the prefixes that must be declared, with their URIs; by default the daemon's own. With `addedBytes`,
 * the event must keep the limits with a further field of that size.
 * @throws Fault of the first violation by AAEP §3.9, whose sentence names the others too: `invalid_event`, `unknown_type`, `urgency_not_allowed`
 * (R4), `default_not_allowed` (AAEP §6.4.1) or `message_too_large` (AAEP §3.7)
 */
export function assertEvent(
  value: unknown,
  vocabularies: Vocabularies = KNOWN_VOCABULARIES,
  addedBytes = 0,
): asserts value is Envelope {
  if (isEvent(value, vocabularies, addedBytes)) return;
  const found = findings(value, vocabularies, addedBytes);
  const [first] = found;
  if (first === undefined) throw unexplained();
  const sentence = () => severalSentences(found.map((finding) => finding.sentence));
  throw faultFromFinding({ ...first, sentence }, value, found.length > 1);
}

/**
 * As `assertEvent`, for events of agents: an agent may not set the members of the daemon's extension, which mark events of the daemon (R31).
 * @throws Fault as `assertEvent` does, and `invalid_event` for members of `extensions.aaepd` that are the daemon's
 */
export function assertPublishedEvent(value: unknown, addedBytes = 0): asserts value is Envelope {
  assertEvent(value, KNOWN_VOCABULARIES, addedBytes);
  assertAgentsMembers(value);
}

/** Every violation, at most one for each place, in the order of AAEP §3.9; empty for a valid event. */
export function allFaults(value: unknown, vocabularies: Vocabularies = KNOWN_VOCABULARIES): readonly Fault[] {
  return findings(value, vocabularies).map((finding) => faultFromFinding(finding, value));
}

/** The fast check. True must mean that `findings` is empty. */
function isEvent(value: unknown, vocabularies: Vocabularies, addedBytes = 0): value is Envelope {
  if (typeof value !== "object" || value === null) return false;
  const event = value as Readonly<Record<string, unknown>>;
  const type = event.type;
  if (typeof type !== "string") return false;
  const core = coreTypeOf(type);
  if (core === undefined) {
    if (!isExtensionEvent(value) || typeComplaint(type, event, vocabularies) !== undefined) return false;
  } else {
    if (!core.accepts(value)) return false;
    if (core.urgency === "uncritical" && event.urgency === "critical") return false;
    if (core.name === "aaep:agent.awaiting.confirmation" && defaultsToDanger(event)) return false;
    if (core.name === "aaep:agent.awaiting.clarification" && clarificationComplaints(event).length > 0) return false;
  }
  if (!isCalendarDate(event.timestamp as string)) return false;
  if (event.aaep_version !== undefined && !isSpokenVersion(event.aaep_version as string)) return false;
  if (event.extensions !== undefined && prefixFindings(event, vocabularies).length > 0) return false;
  return isWithinLimits(event, addedBytes);
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

function findings(value: unknown, vocabularies: Vocabularies, addedBytes = 0): readonly Finding[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const sentence = () => "An event is a JSON object; send one.";
    return [{ rank: RANK.object, code: "invalid_event", pointer: "", rule: "AAEP §3.9", sentence }];
  }
  // The one exception to the order of §3.9: a hostile event could have a violation for each of its values.
  if (hasMoreValuesThan(value, MAX_VALUE_COUNT)) {
    const sentence = () => `An event may have at most ${MAX_EVENT_BYTES} bytes of JSON; this one has more. Send less.`;
    return [{ rank: RANK.limits, code: "message_too_large", pointer: "", rule: "AAEP §3.7", sentence }];
  }
  const event = value as Readonly<Record<string, unknown>>;
  const type = event.type;
  const core = typeof type === "string" ? coreTypeOf(type) : undefined;
  const found = [
    ...envelopeFindings(event, core),
    ...(core === undefined ? extensionTypeFindings(event, vocabularies) : payloadFindings(event, core)),
    ...timestampFindings(event),
    ...versionFindings(event),
    ...prefixFindings(event, vocabularies),
    ...limitBreaches(event, addedBytes).map(findingFromBreach),
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
        const { pointer } = fault;
        const field = pointer.split("/")[1] ?? "";
        const sentence = () => sentenceInEvent(fault, name);
        return {
          rank: envelopeRank(fault, field),
          code: "invalid_event",
          pointer,
          rule: envelopeRule(field),
          sentence,
        };
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

function envelopeRule(field: string): string {
  return ENVELOPE_RULES.get(field) ?? "AAEP §3.5";
}

function payloadFindings(event: Readonly<Record<string, unknown>>, core: CoreType): readonly Finding[] {
  const found: Finding[] = schemaFaults(core.payload, event).map((fault) => {
    const { pointer } = fault;
    const sentence = () => sentenceInEvent(fault, core.name);
    if (pointer === "/urgency") return urgencyFinding(core);
    const rule = isStray(fault) ? "AAEP §3.5" : core.rule;
    return { rank: RANK.payload, code: "invalid_event", pointer, rule, sentence };
  });
  if (core.urgency === "uncritical" && event.urgency === "critical") found.push(urgencyFinding(core));
  if (core.name === "aaep:agent.awaiting.confirmation" && defaultsToDanger(event)) {
    const sentence = () =>
      '`default_decision` must be "reject": the action is irreversible and of high or medium risk, so silence may not start it.';
    const pointer = "/default_decision";
    found.push({ rank: RANK.payload, code: "default_not_allowed", pointer, rule: "AAEP §6.4.1", sentence });
  }
  if (core.name === "aaep:agent.awaiting.clarification") {
    for (const { pointer, sentence } of clarificationComplaints(event))
      found.push({
        rank: RANK.payload,
        code: "invalid_event",
        pointer,
        rule: "AAEP §4.4.2",
        sentence: () => sentence,
      });
  }
  return found;
}

function urgencyFinding(core: CoreType): Finding {
  const sentence = () =>
    core.urgency === "critical"
      ? `\`urgency\` of ${core.name} must be "critical".`
      : `\`urgency\` of ${core.name} may not be "critical"; use "normal" or "background".`;
  return { rank: RANK.payload, code: "urgency_not_allowed", pointer: "/urgency", rule: "R4", sentence };
}

/** Whether an expired question would start an action that cannot be undone (AAEP §6.4.1). Either of the two fields makes an action irreversible. */
function defaultsToDanger(event: Readonly<Record<string, unknown>>): boolean {
  if (event.default_decision !== "accept") return false;
  const irreversible = event.reversibility === "irreversible" || event.irreversible === true;
  return irreversible && (event.risk_level === "high" || event.risk_level === "medium");
}

function extensionTypeFindings(
  event: Readonly<Record<string, unknown>>,
  vocabularies: Vocabularies,
): readonly Finding[] {
  const found: Finding[] = schemaFaults(schemas.ExtensionEvent, event).map((fault) => ({
    rank: RANK.payload,
    code: "invalid_event",
    pointer: fault.pointer,
    rule: "AAEP §7",
    sentence: () => sentenceInEvent(fault, "an extension's event"),
  }));
  const type = event.type;
  const complaint = typeof type === "string" ? typeComplaint(type, event, vocabularies) : undefined;
  if (complaint !== undefined) {
    found.push({
      rank: RANK.type,
      code: "unknown_type",
      pointer: "/type",
      rule: "AAEP §3.9",
      sentence: () => complaint,
    });
  }
  return found;
}

/** Explains why a type outside the core is unknown; a type written as a URI declares itself. */
function typeComplaint(
  type: string,
  event: Readonly<Record<string, unknown>>,
  vocabularies: Vocabularies,
): string | undefined {
  if (isInCoreNamespace(type)) {
    const advice = nearestCoreType(type) || "Use one of them, or a type under your own prefix.";
    return `${JSON.stringify(type.slice(0, 100))} is none of the twelve types of AAEP. ${advice}`;
  }
  const colon = type.indexOf(":");
  if (colon < 1 || type.startsWith("//", colon + 1)) return undefined;
  return prefixComplaint(type.slice(0, colon), event["@context"], vocabularies);
}

function timestampFindings(event: Readonly<Record<string, unknown>>): readonly Finding[] {
  const timestamp = event.timestamp;
  if (typeof timestamp !== "string" || isCalendarDate(timestamp)) return [];
  const sentence = () => `\`timestamp\` names a day that does not exist: ${JSON.stringify(timestamp.slice(0, 10))}.`;
  return [{ rank: RANK.idsAndTime, code: "invalid_event", pointer: "/timestamp", rule: "AAEP §3.2.5", sentence }];
}

/** Listeners are told that they receive AAEP 1.0.0, so an event of another major version is refused (AAEP §3.4.4, §12.6.3, R21). */
function versionFindings({ aaep_version: version }: Readonly<Record<string, unknown>>): readonly Finding[] {
  if (typeof version !== "string" || isSpokenVersion(version)) return [];
  const sentence = () =>
    `\`aaep_version\` must be a version 1.x of AAEP; ${JSON.stringify(version.slice(0, 100))} is not spoken here.`;
  return [{ rank: RANK.form, code: "invalid_event", pointer: "/aaep_version", rule: "AAEP §3.4.4", sentence }];
}

function prefixFindings(event: Readonly<Record<string, unknown>>, vocabularies: Vocabularies): readonly Finding[] {
  const extensions = event.extensions;
  if (typeof extensions !== "object" || extensions === null || Array.isArray(extensions)) return [];
  return Object.keys(extensions).flatMap((prefix): readonly Finding[] => {
    const complaint = prefixComplaint(prefix, event["@context"], vocabularies);
    if (complaint === undefined) return [];
    const pointer = `/extensions/${pointerStep(prefix)}`;
    return [{ rank: RANK.extensions, code: "invalid_event", pointer, rule: "AAEP §7", sentence: () => complaint }];
  });
}

function findingFromBreach({ kind, pointer, sentence }: LimitBreach): Finding {
  const code = kind === "bytes" ? "message_too_large" : "invalid_event";
  return { rank: RANK.limits, code, pointer, rule: "AAEP §3.7", sentence: () => sentence };
}

function faultFromFinding({ code, pointer, rule, sentence }: Finding, value: unknown, tellsSeveral = false): Fault {
  const id =
    typeof value === "object" && value !== null ? (value as { readonly event_id?: unknown }).event_id : undefined;
  const eventId = typeof id === "string" && id.length <= 68 ? { eventId: id } : {};
  return new Fault(code, sentence(), { pointer, rule, tellsSeveral, ...eventId });
}

/** Reached only if the validator and its schema disagreed; a test rules that out. */
function unexplained(): Fault {
  return new Fault("invalid_event", "The event does not fit its schema; check it with `aaepd validate`.", {
    pointer: "",
    rule: "AAEP §3.9",
  });
}
