// Each call and notification of JSON-RPC. The form of params or of a result is the title of a schema, or members; a text explains a form that has no
// members of its own. `codes`: those with which the daemon typically refuses the call. Texts are Markdown with links relative to docs/reference.

const required = (type, meaning) => ({ type, isRequired: true, meaning });
const optional = (type, meaning) => ({ type, isRequired: false, meaning });
const NOTHING = { text: "An empty object." };
const REPLY_TOKEN = required("text: `rpl_` followed by 1 to 64 letters or digits", "The token of the question.");

export const METHOD_GUIDE = {
  "aaep.publish": {
    caller: "agent",
    meaning:
      "Publishes one event or an array of events, whole or not at all. The answer comes when the journal has them.",
    params: {
      text: "An event, an array of 1 to 256 events, or an object with `events` (such an array) and `resume_token`. See [events](events.md).",
    },
    result: "PublishResult",
    rule: "R33",
    codes: ["invalid_event", "session_not_started", "session_not_yours", "storage_unavailable", "shutting_down"],
  },
  "aaep.confirm": {
    caller: "agent",
    meaning:
      "Asks a person for consent, and returns when the question has its outcome. See [confirmations](../confirmations.md#for-agents-one-call-that-waits).",
    params: {
      text: "The members of [agent.awaiting.confirmation](events.md#agentawaitingconfirmation). `type`, `reply_token`, `timeout_seconds` (300) and `default_decision` (`reject`) may be missing too.",
    },
    result: {
      decision: optional("`accept` or `reject`", "The decision. Missing if the question was taken back."),
      resolved_by: required("text", "The way in which the question [ended](states.md#questions)."),
      decided_by: optional("text", "The person or program that decided, if the reply names it."),
      decision_rationale: optional("text", "Why the person decided so."),
      modified_action: optional("object", "The changed action, if the question permits one."),
      event_id: required("text", "The event that asked."),
      reply_token: required("text", "The token of the question."),
    },
    rule: "AAEP §6.1",
    codes: ["default_not_allowed", "already_asked", "reply_token_reused", "rate_limit"],
  },
  "aaep.clarify": {
    caller: "agent",
    meaning:
      "Asks a person for information, and returns when the question has its outcome. See [ask for information](../confirmations.md#ask-for-information).",
    params: {
      text: "The members of [agent.awaiting.clarification](events.md#agentawaitingclarification). `type`, `reply_token` and `timeout_seconds` (300) may be missing too.",
    },
    result: {
      response: optional(
        "text, number, or `true` or `false`",
        "The answer, or the default. Missing if there is neither.",
      ),
      resolved_by: required("text", "The way in which the question [ended](states.md#questions)."),
      decided_by: optional("text", "The person or program that answered, if the reply names it."),
      confidence: optional("number, 0 to 1", "How sure the recognition of the answer is."),
      event_id: required("text", "The event that asked."),
      reply_token: required("text", "The token of the question."),
    },
    rule: "AAEP §6.1",
    codes: ["already_asked", "reply_token_reused", "rate_limit"],
  },
  "aaep.cancel": {
    caller: "agent",
    meaning:
      "Takes a question back, or reports the decision of [a dialog of the agent's own](../confirmations.md#a-dialog-of-the-agents-own).",
    params: {
      reply_token: REPLY_TOKEN,
      decided_by: optional("`host`", "The person decided in a dialog of the agent's own. Needs `decision`."),
      decision: optional("`accept` or `reject`", "The decision of that dialog. Needs `decided_by`."),
    },
    result: {
      cancelled: required("`true` or `false`", "Whether the question was open and belonged to this agent."),
    },
    rule: "R5a",
    codes: ["invalid_params", "storage_unavailable"],
  },
  "aaep.outcome_of": {
    caller: "agent",
    meaning:
      "Returns the outcome of an earlier question. See [ask for an outcome again](../confirmations.md#ask-for-an-outcome-again).",
    params: {
      reply_token: REPLY_TOKEN,
      resume_token: optional("text", "The token of the session, if another connection has it."),
    },
    result: {
      state: required("`open` or `resolved`", "Whether the question has an outcome."),
      reply_token: required("text", "The token of the question."),
      resolved_by: optional(
        "text",
        "The way in which the question [ended](states.md#questions). With it come the other members of the result of [aaep.confirm](#aaepconfirm) or [aaep.clarify](#aaepclarify).",
      ),
    },
    rule: "R33",
    codes: ["not_found", "invalid_params"],
  },
  "aaep.set_manifest": {
    caller: "agent",
    meaning:
      "Declares the agent of the connection: its identity, languages and extensions. Later events need no `producer`.",
    params: "ProducerManifest",
    result: NOTHING,
    rule: "AAEP §5.10.1",
    codes: ["invalid_message"],
  },
  "aaep.resume_session": {
    caller: "agent",
    meaning:
      "Takes a session over from a lost connection. See [when the connection is lost](../publishing.md#when-the-connection-is-lost).",
    params: "ResumeSessionParams",
    result: "ResumeSessionResult",
    rule: "R8",
    codes: ["session_not_yours", "session_ended", "not_found", "storage_unavailable"],
  },
  "aaep.subscribe": {
    caller: "subscriber",
    meaning: "Subscribes. A connection may hold several subscriptions.",
    params: "SubscriptionRequest",
    result: {
      text: "[subscription.accepted](#subscriptionaccepted) or [subscription.rejected](#subscriptionrejected).",
    },
    rule: "AAEP §5.2",
    codes: ["invalid_message", "shutting_down"],
  },
  "aaep.renegotiate": {
    caller: "subscriber",
    meaning: "Asks for new terms of a subscription. If they are refused, the old terms stay.",
    params: "SubscriptionRenegotiate",
    result: { text: "[subscription.accepted](#subscriptionaccepted)." },
    rule: "AAEP §5.7.1",
    codes: ["handshake_required", "unknown_subscription", "invalid_params", "capabilities_incompatible"],
  },
  "aaep.reply": {
    caller: "subscriber",
    meaning: "Answers a question.",
    params: { text: "[confirmation.reply](#confirmationreply) or [clarification.reply](#clarificationreply)." },
    result: { accepted: required("`true` or `false`", "Whether the reply counted. The reason is not told (R19).") },
    rule: "AAEP §6.3",
    codes: [],
  },
  "aaep.close": {
    caller: "subscriber",
    meaning: "Ends a subscription. The daemon ends one by a notification of the same name and form.",
    params: "SubscriptionClose",
    result: NOTHING,
    rule: "AAEP §5.8.1",
    codes: ["handshake_required", "unknown_subscription"],
  },
  "aaep.skip": {
    caller: "subscriber",
    meaning: "Skips one output, or everything that the daemon holds. The method may also be called `aaepd.skip`.",
    params: "AaepdSkip",
    result: NOTHING,
    rule: "R26",
    codes: ["handshake_required", "unknown_subscription", "invalid_message"],
  },
  "aaep.list_pending": {
    caller: "subscriber",
    meaning: "Returns the open questions that the subscription may answer, a page at a time.",
    params: "AaepdListPending",
    result: "AaepdPending",
    rule: "R28",
    codes: ["handshake_required", "unknown_subscription"],
  },
  "aaep.repeat": {
    caller: "subscriber",
    meaning: "Asks for an event once more. It comes as a notification [aaep.event](#aaepevent).",
    params: "RepeatParams",
    result: NOTHING,
    rule: "R28",
    codes: ["handshake_required", "not_found"],
  },
  "aaepd.leave": {
    caller: "subscriber",
    meaning:
      "Leaves a question to [the window of its host](../confirmations.md#a-dialog-of-the-agents-own). The question ends without a decision.",
    params: "AaepdLeave",
    result: NOTHING,
    rule: "R5b",
    codes: ["handshake_required", "not_found", "invalid_params", "permission_denied", "storage_unavailable"],
  },
  "aaepd.stop": {
    caller: "subscriber",
    meaning: "Asks the agent of a session to [stop](../subscribing.md#stop-an-agent).",
    params: "AaepdStop",
    result: NOTHING,
    rule: "R39",
    codes: ["handshake_required", "not_found", "unsupported", "permission_denied"],
  },
  "aaep.ping": {
    caller: "anybody",
    meaning: "Checks that the daemon answers. A subscriber also learns its reached place.",
    params: {
      subscription_id: optional("text", "The subscription, if the connection has several."),
    },
    result: {
      cursor: optional("text", "The place that the subscription has reached, behind all events that it covers (R17)."),
    },
    rule: "R17",
    codes: ["unknown_subscription"],
  },
  "aaep.manifest": {
    caller: "anybody",
    meaning: "Returns the daemon's manifest.",
    params: NOTHING,
    result: "ProducerManifest",
    rule: "AAEP §5.10.1",
    codes: [],
  },
  "aaepd.relay": {
    caller: "agent",
    meaning:
      "Says what a [relay](../relay.md) has done since its start. The daemon's [status](../status.md) has it while the connection lasts. A later call replaces what an earlier one said.",
    params: {
      host: required("text", "The producer's host and port."),
      connected: required("boolean", "Whether the producer is connected."),
      events: required("whole number", "Events that have come."),
      refused: required("object", "Refused events: the number of each rule, at most 64 rules."),
    },
    result: NOTHING,
    rule: "R38",
    codes: ["invalid_params", "permission_denied"],
  },
  "aaepd.hook": {
    caller: "agent",
    meaning:
      "Hands over one message of a [host of hooks](../adapters.md). The daemon owns the sessions that come of it, a turn of the person each, and ends them by the host's own end, by the next turn, or after 30 minutes of silence. The answer to a question for permission comes when the question has ended; any other comes at once.",
    params: {
      host: required("`claude` or `codex`", "The program whose hook it is."),
      message: required("text", "The JSON that the host gave its hook, as it is."),
      answers: optional("boolean", "Whether listeners may answer the host's questions. Default: false."),
      name: optional("text", "The agent's name for people. Default: the host and its folder."),
      language: optional("text", "The language of the announcements, as in `de`. Default: that of `locale`."),
      locale: optional("text", "The host's locale, as in `de_DE.UTF-8`."),
      pid: optional("whole number", "The host's process: nobody below it answers its questions (R5d)."),
    },
    result: {
      output: optional("object", "What the hook writes for its host. Missing if no person has decided."),
    },
    rule: "R8c",
    codes: ["invalid_params", "permission_denied", "unsupported"],
  },
  "aaepd.status": {
    caller: "anybody",
    meaning: "Returns the [status of the daemon](../status.md#for-programs).",
    params: {
      limit: optional(
        "whole number, 0 to 10,000",
        "The most sessions, subscriptions and questions in the answer, of each. Default: 1,000.",
      ),
    },
    result: { text: "[The document](../status.md#the-document)." },
    rule: "R33",
    codes: ["invalid_params", "permission_denied"],
  },
};

export const NOTIFICATION_GUIDE = {
  "aaep.event": {
    meaning:
      "Delivers one event to a subscription. From the second subscription of a connection on, `subscription_id` stands beside `method` and `params`.",
    params: { text: "[An event](events.md)." },
    rule: "R33",
  },
  "aaepd.checkpoint": {
    meaning: "Reports the place that a subscription has reached.",
    params: "AaepdCheckpoint",
    rule: "R17",
  },
  "aaepd.reply_not_taken": {
    meaning: "Reports that a reply did not count.",
    params: "AaepdReplyNotTaken",
    rule: "R19",
  },
  "aaep.close": {
    meaning: "Ends a subscription from the daemon's side.",
    params: "SubscriptionClose",
    rule: "AAEP §5.8.1",
  },
  "aaep.error": {
    meaning: "Reports a fault in a notification of the peer, which has no answer that could carry it.",
    params: { text: "The members of [aaepd.error](#aaepderror) without `type`. `answers` is the method." },
    rule: "R33",
  },
  "aaep.outcome": {
    meaning:
      "Reports the outcome of a question that the agent asked by an event, or that was open when it took the session over.",
    params: { text: "The members of the result of [aaep.confirm](#aaepconfirm) or [aaep.clarify](#aaepclarify)." },
    rule: "AAEP §6.1",
  },
  "aaep.waiting": {
    meaning:
      "Reports that the daemon waits for a subscription that can answer, or no longer does. The agent can stop its own clocks meanwhile.",
    params: {
      reply_token: REPLY_TOKEN,
      event_id: required("text", "The event that asked."),
      session_id: required("text", "The session of the question."),
      waiting: required("`true` or `false`", "Whether the daemon waits."),
    },
    rule: "R6",
  },
  "aaep.stop_requested": {
    meaning:
      "Asks the agent to stop, because a person wants it. Sent to agents whose manifest has `extensions.aaepd.can_stop: true`. See [when somebody asks you to stop](../publishing.md#when-somebody-asks-you-to-stop).",
    params: { session_id: required("text", "The session that the agent is to end.") },
    rule: "R39",
  },
  "aaepd.user_input": {
    meaning:
      "Hands on what a person says to the agent, unasked, over an [address](../transports.md#addresses) that may. Sent to the agent that has been connected longest of those whose manifest has `extensions.aaepd.takes_user_input: true`.",
    params: { text: required("text", "What the person says.") },
    rule: "AAEP app. B",
  },
  "aaepd.closing": {
    meaning: "Announces that the daemon stops.",
    params: {
      sessions_kept: required("`true` or `false`", "Whether the next boot keeps the agent's sessions."),
    },
    rule: "R8b",
  },
};
