// Every bound of the protocol as data: the last value that passes and the first that does not.
import type { Json } from "../../../schemas/fixtures.js";

export interface Bound {
  readonly example: string;
  readonly pointer: string;
  readonly passes: unknown;
  readonly fails: unknown;
  readonly rule: string;
  /** Other fields that the values need beside them. */
  readonly beside?: Json;
}

const text = (length: number): string => "a".repeat(length);
const many = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const choice = (index: number) => ({ value: `v${index}`, label: `l${index}` });

const state = "agent.state.changed";
const day = 86_400_000;

const row = (
  example: string,
  pointer: string,
  passes: unknown,
  fails: unknown,
  rule: string,
  beside?: Json,
): Bound => ({
  example,
  pointer,
  passes,
  fails,
  rule,
  ...(beside === undefined ? {} : { beside }),
});

const id = (pointer: string, prefix: string, example: string, rule: string): readonly Bound[] => [
  row(example, pointer, `${prefix}_${text(64)}`, `${prefix}_${text(65)}`, rule),
  row(example, pointer, `${prefix}_a`, `${prefix}_`, rule),
  row(example, pointer, `${prefix}_Az9`, `${prefix}_a-b`, rule),
];
const duration = (pointer: string, example: string, rule: string): readonly Bound[] => [
  row(example, pointer, 0, -1, rule),
  row(example, pointer, day, day + 1, rule),
  row(example, pointer, 7, 7.5, rule),
];

const hints = (changes: Json): Json => ({ primary_language: "en", ...changes });

export const EVENT_BOUNDS: readonly Bound[] = [
  ...id("/event_id", "evt", state, "AAEP §3.2.3"),
  ...id("/session_id", "sess", state, "AAEP §3.2.4"),
  row(state, "/timestamp", "2026-05-24T14:22:11Z", "2026-05-24T14:22:11", "AAEP §3.2.5"),
  row(state, "/timestamp", "2026-05-24T14:22:11.123456+05:30", "2026-05-24T14:22:11.1234567Z", "AAEP §3.2.5"),
  row(state, "/timestamp", "2026-05-24T14:22:11.123-08:00", "2026-05-24T14:22:11.12Z", "AAEP §3.2.5"),
  row(state, "/timestamp", "2028-02-29T00:00:00Z", "2026-02-29T00:00:00Z", "AAEP §3.2.5"),
  row(state, "/timestamp", "2000-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "AAEP §3.2.5"),
  row(state, "/timestamp", "2026-04-30T23:59:59Z", "2026-04-31T23:59:59Z", "AAEP §3.2.5"),
  row(state, "/timestamp", "2026-12-31T23:59:59Z", "2026-13-01T00:00:00Z", "AAEP §3.2.5"),
  row(state, "/producer/agent_id", "a", "", "AAEP §3.2.6"),
  row(state, "/producer/manifest_uri", "https://a.example/m.json", "not a uri", "AAEP §3.2.6"),
  row(state, "/urgency", "background", "urgent", "AAEP §3.3.2"),
  row(state, "/verbosity", "detailed", "loud", "AAEP §3.3.1"),
  row(state, "/sequence_number", 0, -1, "AAEP §3.4.1"),
  row(state, "/sequence_number", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, "AAEP §3.4.1"),
  row(state, "/aaep_version", "1.0.0", "1.0", "AAEP §3.4.4"),
  row(state, "/aaep_version", "1.7.0", "2.0.0", "AAEP §3.4.4"),
  row(state, "/aaep_version", "0.1.0-draft", "0.2.0-alpha", "AAEP §3.4.4"),
  row(state, "/correlation_id", text(16_384), text(16_385), "AAEP §3.4.2"),
  row(state, "/localization_hints/primary_language", "es-419", "es_419", "AAEP §11", { localization_hints: hints({}) }),
  row(state, "/localization_hints/text_direction", "auto", "up", "AAEP §11", { localization_hints: hints({}) }),
  row(state, "/localization_hints/script", "Latn", "latin", "AAEP §11", { localization_hints: hints({}) }),
  row(
    state,
    "/localization_hints/available_languages",
    many(32, () => "en"),
    many(33, () => "en"),
    "AAEP §11",
    { localization_hints: hints({}) },
  ),
  row(
    state,
    "/localization_hints/fallback_chain",
    many(16, () => "en"),
    many(17, () => "en"),
    "AAEP §11",
    { localization_hints: hints({}) },
  ),
  row(state, "/summary_terse", text(4096), text(4097), "AAEP §4.2.1"),
  row(state, "/summary_terse", "😀".repeat(4096), "😀".repeat(4097), "AAEP §4.2.1"),
  row(state, "/summary_normal", text(16_384), text(16_385), "AAEP §4.2.1"),
  row(state, "/summary_normal", "a", "", "AAEP §4.2.1"),
  row(state, "/summary_detailed", text(16_384), text(16_385), "AAEP §4.2.1"),
  row(state, "/from_state", text(64), text(65), "AAEP §4.2.1"),
  row(state, "/to_state", "a", "", "AAEP §4.2.1"),
  ...duration("/expected_duration_ms", state, "AAEP §4.2.1"),
  ...duration("/expected_duration_ms", "agent.session.started", "AAEP §4.1.1"),
  row(
    "agent.session.started",
    "/tools_available",
    many(256, () => "t"),
    many(257, () => "t"),
    "AAEP §4.1.1",
  ),
  ...duration("/duration_ms", "agent.session.completed", "AAEP §4.1.2"),
  row("agent.session.completed", "/result_uri", "https://a.example/r", "r", "AAEP §4.1.2"),
  row("agent.session.errored", "/error_category", "unknown", "other", "AAEP §4.1.3"),
  row(
    "agent.session.errored",
    "/error_code",
    `A${text(63).toUpperCase()}`,
    `A${text(64).toUpperCase()}`,
    "AAEP §4.1.3",
  ),
  row("agent.session.errored", "/error_code", "AB", "A", "AAEP §4.1.3"),
  row("agent.session.errored", "/recoverable", false, "no", "AAEP §4.1.3"),
  row("agent.session.cancelled", "/cancelled_by", "system", "nobody", "AAEP §4.1.4"),
  row("agent.session.cancelled", "/cancellation_reason", text(64), text(65), "AAEP §4.1.4"),
  row("agent.session.cancelled", "/cancellation_reason", "ab", "a", "AAEP §4.1.4"),
  row("agent.progress.updated", "/progress/percent", 100, 100.5, "AAEP §4.2.2"),
  row("agent.progress.updated", "/progress/percent", 0, -0.5, "AAEP §4.2.2"),
  row("agent.progress.updated", "/progress", { step: 1 }, {}, "AAEP §4.2.2"),
  ...duration("/eta_ms", "agent.progress.updated", "AAEP §4.2.2"),
  row("agent.tool.invoked", "/tool", `_${text(255)}`, `_${text(256)}`, "AAEP §4.3.1"),
  row("agent.tool.invoked", "/tool", "a.b-c_1", "1a", "AAEP §4.3.1"),
  row("agent.tool.invoked", "/risk_level", "medium", "severe", "AAEP §4.3.1"),
  ...id("/tool_call_id", "call", "agent.tool.invoked", "AAEP §4.3.1"),
  row("agent.tool.completed", "/status", "timeout", "late", "AAEP §4.3.2"),
  ...duration("/duration_ms", "agent.tool.completed", "AAEP §4.3.2"),
  row("agent.output.streaming", "/chunk", text(16_384), text(16_385), "AAEP §4.3.3"),
  row("agent.output.streaming", "/chunk", "", 5, "AAEP §4.3.3"),
  row("agent.output.streaming", "/position", 0, -1, "AAEP §4.3.3"),
  row("agent.output.streaming", "/coalesce_hint", "none", "line", "AAEP §4.3.3"),
  row("agent.output.streaming", "/content_type", "text/markdown; charset=utf-8", "markdown", "AAEP §4.3.3"),
  row("agent.output.streaming", "/language", "zh-Hant-TW", "zh_TW", "AAEP §4.3.3"),
  row("agent.output.streaming", "/language", "abcdefgh", "abcdefghi", "AAEP §4.3.3"),
  ...id("/output_id", "out", "agent.output.streaming", "AAEP §4.3.3"),
  row("agent.awaiting.confirmation", "/timeout_seconds", 1, 0, "AAEP §4.4.1"),
  row("agent.awaiting.confirmation", "/timeout_seconds", 86_400, 86_401, "AAEP §4.4.1"),
  row("agent.awaiting.confirmation", "/default_decision", "accept", "maybe", "AAEP §4.4.1"),
  row("agent.awaiting.confirmation", "/reversibility", "reversible", "perhaps", "AAEP §4.4.1"),
  row("agent.awaiting.confirmation", "/irreversible", true, "yes", "AAEP §4.4.1"),
  row("agent.awaiting.confirmation", "/allowed_replies", ["reject"], [], "AAEP §4.4.1"),
  ...id("/reply_token", "rpl", "agent.awaiting.confirmation", "AAEP §4.4.1"),
  ...id("/reply_token", "rpl", "agent.awaiting.clarification", "AAEP §4.4.2"),
  row("agent.awaiting.clarification", "/timeout_seconds", 86_400, 86_401, "AAEP §4.4.2"),
  row("agent.awaiting.clarification", "/choices", many(2, choice), many(1, choice), "AAEP §4.4.2"),
  row("agent.awaiting.clarification", "/choices", many(32, choice), many(33, choice), "AAEP §4.4.2"),
  row("agent.awaiting.clarification", "/accepted_response_kinds", ["freetext"], [], "AAEP §4.4.2"),
  row("agent.handoff.requested", "/target_kind", "specialist_agent", "robot", "AAEP §4.4.3"),
  row("agent.handoff.requested", "/urgency_for_handoff", "high", "critical", "AAEP §4.4.3"),
];

/** Within `capabilities` of a request. */
export const CAPABILITY_BOUNDS: readonly Omit<Bound, "example">[] = [
  row("", "/max_events_per_second", 1, 0, "AAEP §5.3.1.1"),
  row("", "/max_events_per_second", 100_000, 100_001, "AAEP §5.3.1.1"),
  row("", "/preferred_verbosity", "terse", 5, "AAEP §5.3.1.2"),
  row("", "/languages", ["ja"], "ja", "AAEP §5.3.1.3"),
  row(
    "",
    "/languages",
    many(64, () => "ja"),
    many(65, () => "ja"),
    "AAEP §5.3.1.3",
  ),
  row("", "/supports_confirmation_reply", true, 1, "AAEP §5.3.1.4"),
  row("", "/supports_clarification_reply", false, null, "AAEP §5.3.1.5"),
  row("", "/coalesce_boundaries", ["clause"], "clause", "AAEP §5.3.1.6"),
  row("", "/event_filters", { include: [text(256)] }, [], "AAEP §5.3.1.7"),
  row("", "/supported_conformance_levels", [1, 9], [1, 2.5].map(String), "AAEP §5.3.1.8"),
  row(
    "",
    "/supported_extensions",
    many(64, () => "https://a.example/v1"),
    many(65, () => "https://a.example/v1"),
    "AAEP §5.3.1.9",
  ),
  row("", "/cognitive_load", "low", 5, "AAEP §5.3.1.10"),
  row("", "/pace_wpm", 50, 49, "AAEP §5.3.1.11"),
  row("", "/pace_wpm", 1000, 1001, "AAEP §5.3.1.11"),
  row("", "/accept_signed_manifests_only", true, "yes", "AAEP §5.3.1.12"),
  row("", "/aaepd", { max_chars: 80, paused: true }, "paused", "R26"),
];
