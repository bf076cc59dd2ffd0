// Which fields of an event are read to a person, and how a field's variant in another language is named (AAEP ch. 11).
import { type AgentEvent, type TopicKind, topicKind, type Verbosity } from "../event/event.js";

export type Fields = Readonly<Record<string, unknown>>;

/** The levels of a preference and the fields that hold them: the preferred one, then the nearest, the shorter first (R14). */
export const NEAREST_SUMMARIES: Readonly<Record<Verbosity, readonly { level: Verbosity; field: string }[]>> = {
  terse: [
    { level: "terse", field: "summary_terse" },
    { level: "normal", field: "summary_normal" },
    { level: "detailed", field: "summary_detailed" },
  ],
  normal: [
    { level: "normal", field: "summary_normal" },
    { level: "terse", field: "summary_terse" },
    { level: "detailed", field: "summary_detailed" },
  ],
  detailed: [
    { level: "detailed", field: "summary_detailed" },
    { level: "normal", field: "summary_normal" },
    { level: "terse", field: "summary_terse" },
  ],
};

export const SUMMARY_FIELDS: ReadonlySet<string> = new Set(["summary_terse", "summary_normal", "summary_detailed"]);

/** The texts of one type of event. */
interface TypeTexts {
  readonly fields: readonly string[];
  /** Whether every event of the type has one: its schema requires it. */
  readonly isCertain: boolean;
}

const certain = (...own: readonly string[]): TypeTexts => ({ fields: [...SUMMARY_FIELDS, ...own], isCertain: true });
const possible = (...own: readonly string[]): TypeTexts => ({ fields: [...SUMMARY_FIELDS, ...own], isCertain: false });

/**
 * The texts of each type of event that are announced to a person (AAEP §11.1). A request and its author are not among them: the listener knows
 * both. A default is announced by the label of its choice, and an agent's own data are for programs.
 */
const TEXTS: Readonly<Record<TopicKind, TypeTexts>> = {
  "session.started": certain(),
  "session.completed": certain("output_summary"),
  "session.errored": certain("remediation_hint"),
  "session.cancelled": certain("partial_result"),
  "state.changed": possible(),
  // And the description of its progress.
  "progress.updated": possible(),
  "tool.invoked": certain("description", "args_summary"),
  "tool.completed": possible("error_message"),
  // And its chunk, which has no variants.
  "output.streaming": certain(),
  "awaiting.confirmation": certain("action", "consequence"),
  // And the labels of its choices.
  "awaiting.clarification": certain("question", "context"),
  "handoff.requested": certain("reason"),
  extension: possible(),
};

const READABLE_FIELDS: ReadonlySet<string> = new Set(Object.values(TEXTS).flatMap(({ fields }) => fields));

/** The other fields of envelopes and payloads: looked up first, so that hardly any key is ever taken apart. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(
  (
    "@context type event_id session_id timestamp producer verbosity urgency localization_hints sequence_number correlation_id extensions aaep_version " +
    "chunk position complete coalesce_hint output_id content_type language from_state to_state expected_duration_ms progress eta_ms tool tool_call_id " +
    "risk_level irreversible status duration_ms tools_available requested_by request_text tool_invocations_count result_uri error_category error_code " +
    "error_uri recoverable cancelled_by cancellation_reason reply_token timeout_seconds default_decision reversibility allowed_replies extra_context " +
    "accepted_response_kinds choices default_response target_kind target_uri packaged_context urgency_for_handoff"
  ).split(" "),
);

const DESCRIPTION: ReadonlySet<string> = new Set(["description"]);
const LABEL: ReadonlySet<string> = new Set(["label"]);

/** The readable fields of an event's own level: an extension's payload is nobody's to read but its own (AAEP §7). */
export function readableFields(event: AgentEvent): ReadonlySet<string> {
  return topicKind(event.type) === "extension" ? SUMMARY_FIELDS : READABLE_FIELDS;
}

/** What stands inside a field and may have variants too. */
export interface NestedTexts {
  readonly key: "progress" | "choices";
  readonly readable: ReadonlySet<string>;
  readonly objects: readonly unknown[];
}

/** The nested texts of an event; undefined where its type has none. */
export function nestedTexts(event: AgentEvent): NestedTexts | undefined {
  const { progress, choices } = event;
  if (progress === undefined && choices === undefined) return undefined;
  const kind = topicKind(event.type);
  if (kind === "progress.updated") return { key: "progress", readable: DESCRIPTION, objects: [progress] };
  if (kind !== "awaiting.clarification" || !Array.isArray(choices)) return undefined;
  return { key: "choices", readable: LABEL, objects: choices };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Variant {
  readonly key: string;
  readonly field: string;
  readonly language: string;
}

const TAG = /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*$/;

/** The variant that a key names: `summary_normal_yo` is `summary_normal` in Yoruba. */
export function variantOf(key: string, readable: ReadonlySet<string>): Variant | undefined {
  const cut = key.lastIndexOf("_");
  if (cut <= 0) return undefined;
  const field = key.slice(0, cut);
  const language = key.slice(cut + 1);
  return readable.has(field) && TAG.test(language) ? { key, field, language } : undefined;
}

export function variantsIn(fields: Fields, readable: ReadonlySet<string>): readonly Variant[] {
  return Object.keys(fields).flatMap((key) => variantOf(key, readable) ?? []);
}

/** Whether any text of the event is there in several languages. On the hot path: allocates nothing for an event that has only known fields. */
export function hasVariants(event: AgentEvent): boolean {
  for (const key in event) {
    if (OTHER_FIELDS.has(key) || READABLE_FIELDS.has(key)) continue;
    if (variantOf(key, readableFields(event)) !== undefined) return true;
  }
  const nested = nestedTexts(event);
  if (nested === undefined) return false;
  return nested.objects.some((object) => isFields(object) && variantsIn(object, nested.readable).length > 0);
}

/** The event without its summaries in any language. Answers the same object where it has none. On the hot path, as `hasVariants`. */
export function withoutSummaries(event: AgentEvent): AgentEvent {
  const isSummary = (key: string): boolean => SUMMARY_FIELDS.has(key) || variantOf(key, SUMMARY_FIELDS) !== undefined;
  for (const key in event) {
    if (OTHER_FIELDS.has(key) || !isSummary(key)) continue;
    return Object.fromEntries(Object.entries(event).filter(([name]) => !isSummary(name))) as AgentEvent;
  }
  return event;
}

/** Whether the event has a text for people, and so says its language (AAEP §11.1). */
export function hasTexts(event: Fields, kind: TopicKind): boolean {
  const { fields, isCertain } = TEXTS[kind];
  if (isCertain) return true;
  for (const field of fields) if (event[field] !== undefined) return true;
  if (kind === "progress.updated" && isFields(event.progress) && event.progress.description !== undefined) return true;
  return hasVariants(event as AgentEvent);
}

/** Whether the type demands `summary_normal`; of a type that it does not know, it is all that a subscriber announces (AAEP §7). */
export function requiresNormalSummary(type: string): boolean {
  switch (topicKind(type)) {
    case "session.started":
    case "session.completed":
    case "session.errored":
    case "session.cancelled":
    case "tool.invoked":
    case "extension":
      return true;
    default:
      return false;
  }
}
