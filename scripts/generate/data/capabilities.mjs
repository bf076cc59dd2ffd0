// The daemon's grant for each capability, and what a missing member means if the schema has no default. Type, range and default come from the schemas.
// Texts are Markdown with links relative to docs/reference.

const AS_REQUESTED = "As requested.";
const GIVEN = "The daemon gives it. A request may repeat it without effect.";
const WORD = "As requested. An unknown word counts as not requested, with a note.";

/** An entry for each capability of AAEP §5.3, and for the daemon's own as a whole. */
export const CAPABILITY_GUIDE = {
  max_events_per_second: {
    missing: "no limit",
    granted:
      "As requested, at most [`max_events_per_second`](../configuration.md#max_events_per_second) of the daemon's configuration. A lower grant is noted. [`burst`](../configuration.md#burst) of the configuration says how many events may leave at once.",
  },
  preferred_verbosity: { granted: WORD },
  languages: {
    granted:
      "The requested ones that the daemon or a connected agent speaks now, or the first where that is none. Each other one is noted. The daemon keeps the whole list: texts come in a language as soon as somebody speaks it.",
  },
  supports_confirmation_reply: {
    granted: "As requested. `false` if the connection may not reply. Only subscriptions with `true` get confirmations.",
  },
  supports_clarification_reply: {
    granted:
      "As requested. `false` if the connection may not reply. Only subscriptions with `true` get clarifications.",
  },
  coalesce_boundaries: {
    granted:
      "As requested. Unknown boundaries are left out with a note. A request is rejected if it names none that is known. With `cognitive_load` `low`, only the coarsest requested one is used, and `completion` if it was requested.",
  },
  event_filters: { granted: "As requested. Critical events pass every filter." },
  supported_conformance_levels: {
    granted:
      "The requested levels among 1, 2 and 3. Others are left out with a note. A request is rejected if it names none of them.",
  },
  supported_extensions: {
    granted:
      "As requested. A request is rejected ([AAEP §7](rules.md#aaep-7)) if two vocabularies have the same prefix.",
  },
  cognitive_load: { granted: WORD },
  pace_wpm: {
    missing: "no waiting",
    granted: "As requested. Text waits at most [`max_hold_ms`](../configuration.md#max_hold_ms) of the configuration.",
  },
  accept_signed_manifests_only: {
    granted: "`false` only. A request with `true` is rejected: this daemon has no signed manifest.",
  },
  aaepd: {
    missing: "the defaults of its members",
    granted:
      "Member by member. `paused` and `max_chars` are honored back if the request has this capability, and the others if they were requested.",
  },
};

/** An entry for each member of the daemon's own capability (R26). */
export const OWN_CAPABILITY_GUIDE = {
  paused: { granted: AS_REQUESTED },
  max_chars: { granted: AS_REQUESTED },
  reply_status: { granted: AS_REQUESTED },
  checkpoints: {
    granted: "As requested. The typed [services](../services.md#checkpoints-and-cursors) always send checkpoints.",
  },
  speakable: {
    granted:
      "As requested, each choice with its value. An unknown word counts as not requested, with a note. [Text that can be said](../speakable.md#from-the-daemon) has the form of the words.",
  },
  key: {
    missing: "on a connection that needs no key",
    granted: `${GIVEN} [Listen, with single calls](../services.md#listen-with-single-calls) uses it.`,
  },
  limits: {
    missing: "never, in `subscription.accepted`",
    granted: `${GIVEN} [Slow subscribers](../slow-subscribers.md#the-limits) has the options that set the limits.`,
  },
  heartbeat_seconds: {
    missing: "on a stream that may be silent",
    granted: `${GIVEN} [\`heartbeat_seconds\`](../configuration.md#heartbeat_seconds) of the configuration sets it.`,
  },
  cursor: {
    missing: "while the subscription has reached no place",
    granted: `${GIVEN} [Come back where you were](../subscribing.md#come-back-where-you-were) explains cursors.`,
  },
  resumed: {
    missing: "if the request named no cursor",
    granted: `${GIVEN} [Come back where you were](../subscribing.md#come-back-where-you-were) says what to do for each value.`,
  },
};
