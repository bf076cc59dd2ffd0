// The fields of an event that are read to a person, and the names of their variants in other languages (AAEP ch. 11).

import { isObject, type Members } from "../../base/members.js";
import { type AgentEvent, type TopicKind, topicKind, type Verbosity } from "../event/event.js";

const nearest = (...levels: readonly Verbosity[]): readonly { level: Verbosity; field: string }[] =>
  levels.map((level) => ({ level, field: `summary_${level}` }));

/** The levels of a preference and their fields: the preferred level, then the nearest, the shorter first (R14). */
export const NEAREST_SUMMARIES: Readonly<Record<Verbosity, readonly { level: Verbosity; field: string }[]>> = {
  terse: nearest("terse", "normal", "detailed"),
  normal: nearest("normal", "terse", "detailed"),
  detailed: nearest("detailed", "normal", "terse"),
};

export const SUMMARY_FIELDS: ReadonlySet<string> = new Set(["summary_terse", "summary_normal", "summary_detailed"]);

/** The text fields of one type of event. */
interface TypeTexts {
  readonly fields: readonly string[];
  /** Whether every event of the type has a text, because its schema requires one. */
  readonly isCertain: boolean;
}

const certain = (...own: readonly string[]): TypeTexts => ({ fields: [...SUMMARY_FIELDS, ...own], isCertain: true });
const possible = (...own: readonly string[]): TypeTexts => ({ fields: [...SUMMARY_FIELDS, ...own], isCertain: false });

/**
 * The text fields of each type of event that are announced to a person (AAEP §11.1). The request and its author are left out, because the listener
 * knows both. A default is announced by the label of its choice, and an agent's own data are for programs.
 */
const TEXTS: Readonly<Record<TopicKind, TypeTexts>> = {
  "session.started": certain(),
  "session.completed": certain("output_summary"),
  "session.errored": certain("remediation_hint"),
  "session.cancelled": certain("partial_result"),
  "state.changed": possible(),
  // Its progress may have a description too.
  "progress.updated": possible(),
  "tool.invoked": certain("description", "args_summary"),
  "tool.completed": possible("error_message"),
  // Its chunk is a text too, without variants.
  "output.streaming": certain(),
  "awaiting.confirmation": certain("action", "consequence"),
  // The labels of its choices are texts too.
  "awaiting.clarification": certain("question", "context"),
  "handoff.requested": certain("reason"),
  extension: possible(),
};

const READABLE_FIELDS: ReadonlySet<string> = new Set(Object.values(TEXTS).flatMap(({ fields }) => fields));

/** The other fields of envelopes and payloads. They are looked up first, so that hardly any key is split. */
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

/** The readable fields at the top level of an event. Of an extension only the summaries are readable, because its payload is its own (AAEP §7). */
export function readableFields(event: AgentEvent): ReadonlySet<string> {
  return topicKind(event.type) === "extension" ? SUMMARY_FIELDS : READABLE_FIELDS;
}

/** Texts inside a field, which may have variants too. */
export interface NestedTexts {
  readonly key: "progress" | "choices";
  readonly readable: ReadonlySet<string>;
  readonly objects: readonly unknown[];
}

/** The nested texts of an event; undefined if its type has none. */
export function nestedTexts(event: AgentEvent): NestedTexts | undefined {
  const { progress, choices } = event;
  if (progress === undefined && choices === undefined) return undefined;
  const kind = topicKind(event.type);
  if (kind === "progress.updated") return { key: "progress", readable: DESCRIPTION, objects: [progress] };
  if (kind !== "awaiting.clarification" || !Array.isArray(choices)) return undefined;
  return { key: "choices", readable: LABEL, objects: choices };
}

/**
 * The texts that are read to a person, as they stand in an event that was shaped, each with its name: `chunk`, `summary_normal`,
 * `progress.description`, `choices.0.label` (R37). Empty texts are left out.
 */
export function readableTexts(event: AgentEvent): readonly (readonly [name: string, text: string])[] {
  const kind = topicKind(event.type);
  const names = kind === "output.streaming" ? [...TEXTS[kind].fields, "chunk"] : TEXTS[kind].fields;
  const texts: (readonly [string, unknown])[] = names.map((name) => [name, event[name]]);
  const nested = nestedTexts(event);
  for (const [index, object] of nested?.objects.entries() ?? [])
    for (const field of nested?.readable ?? [])
      if (isObject(object))
        texts.push([`${nested?.key === "choices" ? `choices.${index}` : nested?.key}.${field}`, object[field]]);
  return texts.filter((text): text is readonly [string, string] => typeof text[1] === "string" && text[1] !== "");
}

export interface Variant {
  readonly key: string;
  readonly field: string;
  readonly language: string;
}

const TAG = /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*$/;

/** The variant that a key names: `summary_normal_yo` is `summary_normal` in Yoruba. Undefined if the key names none. */
function variantOf(key: string, readable: ReadonlySet<string>): Variant | undefined {
  const cut = key.lastIndexOf("_");
  if (cut <= 0) return undefined;
  const field = key.slice(0, cut);
  const language = key.slice(cut + 1);
  return readable.has(field) && TAG.test(language) ? { key, field, language } : undefined;
}

export function variantsIn(fields: Members, readable: ReadonlySet<string>): readonly Variant[] {
  return Object.keys(fields).flatMap((key) => variantOf(key, readable) ?? []);
}

/** Whether the event has a text in several languages. On the hot path: allocates nothing for an event that has only known fields. */
export function hasVariants(event: AgentEvent): boolean {
  for (const key in event) {
    if (OTHER_FIELDS.has(key) || READABLE_FIELDS.has(key)) continue;
    if (variantOf(key, readableFields(event)) !== undefined) return true;
  }
  const nested = nestedTexts(event);
  if (nested === undefined) return false;
  return nested.objects.some((object) => isObject(object) && variantsIn(object, nested.readable).length > 0);
}

/** Removes the event's summaries in all languages. Returns the same object if it has none. On the hot path, as `hasVariants`. */
export function withoutSummaries(event: AgentEvent): AgentEvent {
  const isSummary = (key: string): boolean => SUMMARY_FIELDS.has(key) || variantOf(key, SUMMARY_FIELDS) !== undefined;
  for (const key in event) {
    if (OTHER_FIELDS.has(key) || !isSummary(key)) continue;
    return Object.fromEntries(Object.entries(event).filter(([name]) => !isSummary(name))) as AgentEvent;
  }
  return event;
}

/** Whether the event has a text for people, and therefore names its language (AAEP §11.1). */
export function hasTexts(event: Members, kind: TopicKind): boolean {
  const { fields, isCertain } = TEXTS[kind];
  if (isCertain) return true;
  for (const field of fields) if (event[field] !== undefined) return true;
  if (kind === "progress.updated" && isObject(event.progress) && event.progress.description !== undefined) return true;
  return hasVariants(event as AgentEvent);
}

/** Whether the type requires `summary_normal`. Of an extension, a subscriber announces nothing else (AAEP §7). */
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
