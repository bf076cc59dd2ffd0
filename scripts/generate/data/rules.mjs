// Every rule that an error may name, and its requirement: paragraphs of AAEP as this daemon holds to them, then rules of this program (P) and of this
// daemon (R) for cases that AAEP leaves open. In Markdown, with links relative to docs/reference. The paragraph itself is in the specification, so a
// text here says no more than a reader of the error needs.

export const RULE_GUIDE = {
  "AAEP §3.2.1":
    "`@context` is the URI of AAEP's vocabulary, `https://aaep-protocol.org/context/v1`, or a list of URIs that begins with it. The others are the vocabularies of the event's extensions. See [the envelope](events.md#the-envelope).",
  "AAEP §3.2.2":
    "`type` names one of [the twelve core types](events.md), such as `aaep:agent.state.changed`, or a type of an extension. A core type may be written as a URI: `https://aaep-protocol.org/types/agent.state.changed`.",
  "AAEP §3.2.3": "`event_id` is `evt_` and 1 to 64 letters or digits. Leave it out, and the daemon makes one.",
  "AAEP §3.2.4":
    "`session_id` is `sess_` and 1 to 64 letters or digits. The agent chooses it, a new one for each session.",
  "AAEP §3.2.5":
    "`timestamp` is an RFC 3339 time with `Z` or an offset, and with no, three or six fractional digits, as in `2026-05-24T14:22:11.342Z`. The day exists. Timestamps of one agent do not go back within a session.",
  "AAEP §3.2.6":
    "`producer` names the agent, at least by its `agent_id`. See [the producer](events.md#the-producer) for all its members.",
  "AAEP §3.3.1": "`verbosity` is `terse`, `normal` or `detailed`.",
  "AAEP §3.3.2":
    "`urgency` is `background`, `normal` or `critical`. [R4](#r4) says which types must be critical and which must not.",
  "AAEP §3.4.1":
    "`sequence_number` counts the events of a session from 0. Either all events of an agent in a session have one, or none has. [R16](#r16) permits gaps.",
  "AAEP §3.4.2": "`correlation_id` is a text of at most 16,384 characters.",
  "AAEP §3.4.4": "`aaep_version` is a semantic version of AAEP that this daemon speaks: `1.0.0` or another 1.x.",
  "AAEP §3.5":
    "An event has only the members of [its type and of the envelope](events.md). Other data belongs in `extensions`, under a prefix that `@context` declares. Names that begin with `aaep_`, and `@id`, `@graph`, `@base` and `@vocab`, are reserved.",
  "AAEP §3.7":
    "An event has at most 64 KiB, 32 members in its envelope (prefixes in `extensions` are counted), eight levels, and 16,384 characters in a text.",
  "AAEP §3.8": "Messages are JSON in UTF-8.",
  "AAEP §3.9":
    "An event is a JSON object. The daemon checks the envelope first, then the type, the ids and times, the payload, the extensions and the limits.",
  "AAEP §4.1.1": "The event has the members of [agent.session.started](events.md#agentsessionstarted), in their forms.",
  "AAEP §4.1.2":
    "The event has the members of [agent.session.completed](events.md#agentsessioncompleted), in their forms.",
  "AAEP §4.1.3":
    "The event has the members of [agent.session.errored](events.md#agentsessionerrored), in their forms. `error_category` is required.",
  "AAEP §4.1.4":
    "The event has the members of [agent.session.cancelled](events.md#agentsessioncancelled), in their forms. `cancelled_by` is required.",
  "AAEP §4.2.1":
    "The event has the members of [agent.state.changed](events.md#agentstatechanged), in their forms. `from_state` is the state that the agent is in ([states](states.md)).",
  "AAEP §4.2.2":
    "The event has the members of [agent.progress.updated](events.md#agentprogressupdated), in their forms. `progress` has at least one member.",
  "AAEP §4.3.1":
    "The event has the members of [agent.tool.invoked](events.md#agenttoolinvoked), in their forms. Each `tool_call_id` is used once in a session, and an irreversible call was [confirmed](../confirmations.md#irreversible-calls).",
  "AAEP §4.3.2": "The event has the members of [agent.tool.completed](events.md#agenttoolcompleted), in their forms.",
  "AAEP §4.3.3":
    "The event has the members of [agent.output.streaming](events.md#agentoutputstreaming), in their forms. `position` is the length of all earlier chunks of the output.",
  "AAEP §4.4.1":
    "The event has the members of [agent.awaiting.confirmation](events.md#agentawaitingconfirmation), in their forms.",
  "AAEP §4.4.2":
    "The event has the members of [agent.awaiting.clarification](events.md#agentawaitingclarification), in their forms. Somebody must be able to answer: a question that takes only choices has `choices`, their values differ, and a default is an answer that the question takes.",
  "AAEP §4.4.3":
    "The event has the members of [agent.handoff.requested](events.md#agenthandoffrequested), in their forms.",
  "AAEP §4.5":
    "A session has its events in [their order](states.md#sessions). At the same time it has at most 64 agents, 128 open tools, 64 open outputs and 64 open questions.",
  "AAEP §4.5.1":
    "A session starts once, by `session.started` as its first event. It ends once, by `session.completed`, `session.errored` or `session.cancelled` as its last event.",
  "AAEP §4.5.2": "A tool is invoked before it completes, and each invocation completes once.",
  "AAEP §4.5.4":
    "The chunks of an output (`session_id`, `output_id`) follow each other by position without gaps. Exactly one has `complete: true`, and it is the last.",
  "AAEP §5.1":
    "A plain connection begins with [subscription.request](messages.md#subscriptionrequest). Afterwards it takes the other messages [from a subscriber](messages.md#from-a-subscriber).",
  "AAEP §5.2":
    "The message has the members of [subscription.request](messages.md#subscriptionrequest), in their forms.",
  "AAEP §5.3":
    "`capabilities` is an object with [these members](capabilities.md), in their forms and ranges. Unknown members have no effect.",
  "AAEP §5.3.1.1":
    "[`max_events_per_second`](capabilities.md#max_events_per_second) is a whole number from 1 to 100,000.",
  "AAEP §5.3.1.2": "[`preferred_verbosity`](capabilities.md#preferred_verbosity) is `terse`, `normal` or `detailed`.",
  "AAEP §5.3.1.3": "[`languages`](capabilities.md#languages) lists language tags, the preferred one first.",
  "AAEP §5.3.1.4": "[`supports_confirmation_reply`](capabilities.md#supports_confirmation_reply) is `true` or `false`.",
  "AAEP §5.3.1.5":
    "[`supports_clarification_reply`](capabilities.md#supports_clarification_reply) is `true` or `false`.",
  "AAEP §5.3.1.6":
    "[`coalesce_boundaries`](capabilities.md#coalesce_boundaries) lists places where streamed text may be cut.",
  "AAEP §5.3.1.7":
    "[`event_filters`](capabilities.md#event_filters) has the lists `include` and `exclude` of event types.",
  "AAEP §5.3.1.8":
    "[`supported_conformance_levels`](capabilities.md#supported_conformance_levels) lists some of 1, 2 and 3.",
  "AAEP §5.3.1.9": "[`supported_extensions`](capabilities.md#supported_extensions) lists the URIs of vocabularies.",
  "AAEP §5.3.1.10": "[`cognitive_load`](capabilities.md#cognitive_load) is `low`, `medium` or `high`.",
  "AAEP §5.3.1.11": "[`pace_wpm`](capabilities.md#pace_wpm) is a whole number from 50 to 1,000.",
  "AAEP §5.3.1.12":
    "[`accept_signed_manifests_only`](capabilities.md#accept_signed_manifests_only) is `true` or `false`. This daemon has no signed manifest, so it rejects `true`.",
  "AAEP §5.4":
    "The message has the members of [subscription.accepted](messages.md#subscriptionaccepted), in their forms, and answers a request.",
  "AAEP §5.4.1": "A `subscription_id` is the id of an accepted subscription: `sub_` and 1 to 64 letters or digits.",
  "AAEP §5.4.4": "Honored terms allow no more than the requested ones.",
  "AAEP §5.5":
    "The message has the members of [subscription.rejected](messages.md#subscriptionrejected), in their forms.",
  "AAEP §5.5.3":
    "A daemon may reject a subscription. It has at most `max_concurrent_subscriptions` at the same time ([configuration](../configuration.md#max_concurrent_subscriptions)).",
  "AAEP §5.7.1":
    "The message has the members of [subscription.renegotiate](messages.md#subscriptionrenegotiate), in their forms.",
  "AAEP §5.8.1":
    "The message has the members of [subscription.close](messages.md#subscriptionclose), in their forms. A subscriber's close counts in any form, if it is clear which subscription it closes ([R33](#r33)).",
  "AAEP §5.10.1": "A manifest has the members of [the manifest](messages.md#the-manifest), in their forms.",
  "AAEP §6.1":
    "An agent asks each question once at a time. It makes no call while its question about that call is open. At most 512 calls of a connection wait for outcomes.",
  "AAEP §6.2": "Every question has a `reply_token` of its own, which names it in replies.",
  "AAEP §6.3":
    "A reply has the members of [confirmation.reply](messages.md#confirmationreply) or [clarification.reply](messages.md#clarificationreply), in their forms. Only a confirmation may say whether its agent takes a changed action.",
  "AAEP §6.3.4": "A reply has the `reply_token` of a question that was asked.",
  "AAEP §6.4.1":
    "The default of a question starts no irreversible action of high or medium risk: its `default_decision` is `reject`.",
  "AAEP §7":
    "Data of an extension is under its prefix in `extensions`, and `@context` has the URI of its vocabulary. Reserved prefixes are not available. No two extensions of a subscription share a prefix.",
  "AAEP §8.2.2":
    "A connection separates its messages by [one framing](../subscribing.md#the-conversation), the same for its whole life.",
  "AAEP §8.2.7":
    "A call over TCP names a loopback host and shows the token, which only this user can read. A call of a web page also comes from an origin that `--cors-origins` names. See [who may call](../services.md#who-may-call).",
  "AAEP §8.2.8":
    "Traffic that leaves the machine must be encrypted, and its peers need roles. The daemon can do neither yet, so services listen on loopback only.",
  "AAEP §8.3":
    "A message has at most the size that its transport permits: `max_frame_bytes` (1 MiB and 16 KiB) for a frame, and 4 MiB for a line of a file.",
  "AAEP §11":
    "`localization_hints` has the members of [localization hints](events.md#localization-hints), in their forms.",
  "AAEP app. B": "A call names one of [the methods of JSON-RPC](messages.md#calls-over-json-rpc).",
  "AAEP app. B.5":
    "A message of `AaepService` is one JSON text in bytes, with the name of its type beside it ([services](../services.md#aaepservice)).",
  P5: "Options, variables and the configuration file have only known names, and only values in range. See [configuration](../configuration.md).",
  R2: "Every event has a `producer`. If an event lacks it, the daemon takes the agent that its connection has declared, then `--producer-id`. [Events](events.md) says who fills in every other member.",
  R3: "The events of a session are published in [their order](states.md#sessions). The daemon accepts an array whole or not at all. An array makes at most 512 events together with the daemon's own. An `event_id` stands for one content.",
  R3a: "`from_state` is the state that the agent is in: its last `to_state`, or [a state that a later event implies](states.md#states-that-events-imply). A session that completes has no open tool and no open output.",
  R3b: "Timestamps of one agent do not go back within a session. They differ from the daemon's clock by at most [`clock_skew_seconds`](../configuration.md#clock_skew_seconds).",
  R4: "Errors of sessions, questions and handovers are `critical`. Text and progress never are, because they could then be neither merged nor dropped. See the row `urgency` of each type in [events](events.md).",
  R5: "An irreversible call needs a confirmation that a person has accepted by a reply. Each acceptance permits one call. See [irreversible calls](../confirmations.md#irreversible-calls).",
  R5a: "An agent that reports a decision of its own dialog sets `decided_by` and `decision` together, and only for a confirmation. See [a dialog of the agent's own](../confirmations.md#a-dialog-of-the-agents-own).",
  R5b: "A question that its host asks in a window of its own has `extensions.aaepd.host_dialog: true`. Only such a question can be left to that window, by a subscription that could answer it. See [a dialog of the agent's own](../confirmations.md#a-dialog-of-the-agents-own).",
  R5c: "A confirmation that names a `tool_call_id` names that of a call to come: a person is not asked for a call that would be refused. A call that names its `consent` names an accepted confirmation of its agent and session, for its tool. A call has one id. See [consent first, the call later](../confirmations.md#consent-first-the-call-later).",
  R5d: "A process below an agent does not answer that agent. `extensions.aaepd.pid` of a manifest is the number of a process. See [no agent answers itself](../confirmations.md#no-agent-answers-itself).",
  R6: "A question goes to subscriptions that can answer it, and only an open question can be answered or taken back. See [how a question ends](../confirmations.md#how-a-question-ends).",
  R8: "A session belongs to the connection that began it, or to one that shows its `resume_token`. See [resume tokens](../publishing.md#resume-tokens).",
  R8a: "A stopping daemon accepts nothing new, and announces its stop. See [how a daemon stops](../exit-codes.md#how-a-daemon-stops).",
  R8b: "A daemon with its journal on disk leaves open sessions to its next boot when it stops in order, and accepts nothing more. See [after a restart](../journal.md#after-a-restart).",
  R8c: "The daemon owns the sessions that come of [hooks](../adapters.md#claude-code-and-codex-by-their-hooks), which run as a process each. `aaepd.hook` hands it one message of a known host.",
  R13: "`position` counts Unicode code points. A value that fits UTF-16 units or UTF-8 bytes of the text so far is accepted and corrected. Leave `position` out, and the daemon fills it in.",
  R16: "`sequence_number` rises within a session and producer. A gap is no fault, because the event before may have been refused. The number is checked when an event is published, and then removed, because no tailored stream could keep it without gaps.",
  R17: "`resume_after` is [a cursor](../subscribing.md#come-back-where-you-were): a text of 1 to 1,024 characters that the daemon gave out.",
  R18: "A peer that takes nothing costs the others nothing, and is closed after a while. See [slow subscribers](../slow-subscribers.md).",
  R19: "A message names its subscription, over that subscription's own connection or with its key. No object of a message has two members of one name. See [ambiguous messages](../subscribing.md#ambiguous-messages).",
  R20: "Requests of the services have the members that their messages require. An error that has no rule of its own names this one. See [services](../services.md).",
  R22: "A connection sends its first message within [`handshake_timeout_seconds`](../configuration.md#handshake_timeout_seconds).",
  R23: "A plain connection holds one subscription and speaks one protocol, which its first message chooses. See [one connection, several subscriptions](../subscribing.md#one-connection-several-subscriptions).",
  R26: "[aaepd.skip](messages.md#aaepdskip) and the capability [aaepd](capabilities.md#the-capability-aaepd) have these members, in their forms.",
  R28: "Only open questions can be listed, and only events that the journal still has can be sent again, to a subscription that they belong to. At most so many such calls may wait as the sentence says. See [aaepd.repeat](messages.md#aaepdrepeat).",
  R29: "An acknowledged event is safe. While the journal cannot be written, the daemon accepts nothing. See [the journal](../journal.md#when-it-cannot-be-written).",
  R31: "An agent does not speak as the daemon: of `extensions.aaepd` it sets only [the members of agents](events.md#members-of-extensionsaaepd).",
  R32: "At least one entry of a list of wishes can be granted. The sentence of the error lists the offered ones. See [capabilities](capabilities.md).",
  R33: "Requests and their answers have [the form of their protocol](messages.md).",
  R34: "A message requires no more work than one turn of the daemon allows: one publish has at most [`max_published_events`](../configuration.md#max_published_events), [`max_published_characters`](../configuration.md#max_published_characters) of text and [`max_published_questions`](../configuration.md#max_published_questions), and one agent [`max_open_sessions`](../configuration.md#max_open_sessions).",
  R36: "A connection does only what the daemon's access policy allows it. See [who may call](../services.md#who-may-call).",
  R38: "An event of an agent that passes on another producer's may name the rule that it broke, and such an agent may say what it has done. See [what breaks a rule](../relay.md#what-breaks-a-rule).",
  R39: "A subscription that may reply asks the agent of an open session to stop, if the agent's manifest has `extensions.aaepd.can_stop: true`. See [stop an agent](../subscribing.md#stop-an-agent).",
  R41: "Numbers of JSON are doubles. A whole number beyond ±2^53, or one that overflows, is written as a string. See [numbers](../publishing.md#numbers).",
};
