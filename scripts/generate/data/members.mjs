// The side that fills in each member of an event (R2), a column of docs/reference/events.md, and the members of the daemon's extension in events.
// Texts are Markdown with links relative to docs/reference.

/**
 * The members that not the agent alone sets; a member means the same in each type that has it. "either": the daemon fills the member in if the agent
 * leaves it out, and every event then has it. "both": the agent sets the member, and the daemon adds to it or replaces it for a subscription.
 */
export const FILLED_IN = {
  "@context": "either",
  event_id: "either",
  timestamp: "either",
  producer: "either",
  urgency: "either",
  verbosity: "both",
  localization_hints: "both",
  extensions: "both",
  position: "either",
  coalesce_hint: "both",
  accepted_response_kinds: "either",
};

/** The meaning of the daemon's own marks in `extensions.aaepd` of an event (R31). */
export const DAEMON_MARKS = {
  by: "`daemon`: the daemon made the event (R31).",
  summary: "`true`: the event sums up a session for a subscription that was not there (R17).",
  gap: "`{events, reason}`: at most so many events are lost for this subscription (R27); `events` is missing where nobody knows. `reason` is `aged_out`, `resumed_too_late` or `unknown_place`.",
  overtook: "`true`: earlier events of the session may follow this critical event (R4).",
  speakable:
    "The words for each text, for a subscription that asked for them (R37). [Text that can be said](../speakable.md#from-the-daemon) has their form.",
  asks: "`confirmation` or `clarification`: the event reports a question to a subscription that cannot answer it (R6).",
  question: "The `event_id` of the question that the event is about.",
  decision:
    "How the question ended: `accepted`, `rejected`, `answered`, `unanswered` or `cancelled`. [Confirmations](../confirmations.md#for-assistive-technology) explains each.",
  decided_by:
    "The cause of that end: `reply`, `timeout`, `nobody_to_ask`, `nobody_left`, `host`, `agent` or `host_window`.",
};

/** The meaning of the members of `extensions.aaepd` that an agent may set (R5a, R5b, R5c, R8, R31). */
export const AGENT_MARKS = {
  resume_token:
    "In `session.started`: the token by which the agent takes the session over, at least 128 random bits. The daemon keeps only its hash and delivers it to nobody (R8).",
  accepts_modified_action: "In `awaiting.confirmation`: whether the agent can carry out a changed action.",
  call_id:
    "In an event about a tool call, in a progress of one, or in a question about one: the id that the call has in the agent's host, any text of 1 to 256 characters, unique in its session. The daemon replaces it by a `tool_call_id`: in a question in `extra_context`, in a progress in `extensions.aaepd` (R5c). See [consent first, the call later](../confirmations.md#consent-first-the-call-later).",
  consent:
    "In `tool.invoked`: the `reply_token` of the accepted confirmation that the call uses up (R5c). See [consent first, the call later](../confirmations.md#consent-first-the-call-later).",
  breach:
    "In `state.changed`: the rule that an event broke which a [relay](../relay.md) passes on. The event is told in this form, because its producer has acted already (R38).",
  host_dialog:
    "In a question: `true`, if the host of the agent asks in [a window of its own](../confirmations.md#a-dialog-of-the-agents-own) too. Only a reply decides it here (R5b).",
  tool_call_id:
    "In `progress.updated`: the open call that the progress is about. Such a progress is not merged with that of another call, or of the session (R5c).",
  approved_by:
    "In `tool.invoked`: `host`, if the person approved the call in [a dialog of the agent's own](../confirmations.md#a-dialog-of-the-agents-own) (R5a).",
};
