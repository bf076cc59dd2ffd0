// The meaning of each code for people, and the remedy. Both texts are Markdown, with links relative to docs/reference. `happened` tells the event behind the
// error in one to three sentences, and `remedy` begins with an imperative.

export const FAULT_GUIDE = {
  invalid_json: {
    happened: "A message, a line of a file or a request is not JSON, or not UTF-8.",
    remedy:
      "Write one JSON text for each frame or line, in UTF-8, without line breaks inside a line. If the peer is no AAEP producer, correct the address.",
  },
  invalid_message: {
    happened:
      "A message lacks a member, has a member too many, or has a value of the wrong form. A message in which two members of one object have the same name is refused with this code too.",
    remedy: "Correct the member that `pointer` names. [Messages](messages.md) has the members of every message.",
  },
  invalid_event: {
    happened:
      "An event breaks the schema of its type, a limit of size, or a rule about `extensions`. Nothing of its publish was accepted.",
    remedy:
      "Correct the member that `pointer` names. [Events](events.md) has the members of every type. `aaepd validate` finds all faults of a file at once.",
  },
  invalid_params: {
    happened: "The params of a call, or the capabilities of a request, have a value of the wrong form or out of range.",
    remedy:
      "Correct the value that `pointer` names. [Messages](messages.md) has the params of every method, and [capabilities](capabilities.md) the ranges.",
  },
  message_too_large: {
    happened:
      "A message, an event, an array of events or a line of a file is larger than permitted. `rule` names the limit.",
    remedy:
      "Send less at a time: cut the text into chunks, and an array into several publishes. `max_frame_bytes` raises the limit of a frame.",
  },
  framing_lost: {
    happened:
      "The bytes of a connection follow none of the three framings, or stop following the one that they began with. The connection ends, because the daemon cannot find the next message.",
    remedy:
      "Connect again and use [one framing](../subscribing.md#the-conversation) for the whole connection. Write nothing else to the stream, such as log lines.",
  },
  unknown_method: {
    happened: "A call names a method or a path that the daemon does not have.",
    remedy:
      "Correct the name. [Messages](messages.md#calls-over-json-rpc) lists the methods of JSON-RPC, and [services](../services.md) those of gRPC and Connect.",
  },
  unknown_type: {
    happened: "An event of AAEP's own namespace, or a message on a plain connection, has a `type` that does not exist.",
    remedy:
      "Correct the type. The sentence of the error suggests the nearest one. [Events](events.md) has the twelve types of AAEP. Types of an extension have its prefix. A plain connection takes the messages of [a subscriber](messages.md#from-a-subscriber) only: agents publish over JSON-RPC or a service.",
  },
  session_not_started: {
    happened: "An event names a session that no agent has started here.",
    remedy:
      "Publish `session.started` first. If the session was started, check that both events have the same `session_id` and went to the same daemon.",
  },
  session_already_started: {
    happened: "A second `session.started` names a session that is open.",
    remedy: "Leave the event out. For another task, choose a new `session_id`.",
  },
  session_ended: {
    happened: "An event or a call names a session that has ended.",
    remedy: "Start a session with a new `session_id`. An ended session stays ended.",
  },
  session_incomplete: {
    happened: "A `session.completed` came while tools or outputs of the session were open.",
    remedy:
      "Publish the `tool.completed` or the last chunk that the sentence names. A session that did not succeed ends with `session.errored` or `session.cancelled`, and the daemon then closes its open parts.",
  },
  session_not_yours: {
    happened: "An event or a call names a session that belongs to another connection.",
    remedy:
      "Publish over the connection that started the session, or show the session's `resume_token` ([resume tokens](../publishing.md#resume-tokens)).",
  },
  tool_not_invoked: {
    happened:
      "A `tool.completed` has no open `tool.invoked` of the same `tool_call_id` or, without an id, of the same `tool`.",
    remedy:
      "Publish `tool.invoked` first, and complete each invocation once. Write `tool` and `tool_call_id` in both events alike.",
  },
  tool_already_invoked: {
    happened: "A `tool.invoked`, or the question for it, has a `tool_call_id` that was used in this session before.",
    remedy: "Give every invocation a `tool_call_id` of its own, and name that in the question.",
  },
  output_already_complete: {
    happened: "A chunk follows the chunk with `complete: true` of its output.",
    remedy: "Begin another output with an `output_id` of its own.",
  },
  position_mismatch: {
    happened: "The `position` of a chunk is not the end of the output's text so far.",
    remedy:
      "Leave `position` out: the daemon fills it in. Otherwise count the Unicode code points of all earlier chunks of the output.",
  },
  sequence_mismatch: {
    happened:
      "A `sequence_number` is not above the one before of the same agent and session, or some of these events have one and others do not.",
    remedy:
      "Leave `sequence_number` out of all events, or count up from 0 in every session. The number of a refused event may be used again or left out.",
  },
  state_mismatch: {
    happened: "The `from_state` of a `state.changed` is not the agent's current state.",
    remedy:
      "Set `from_state` to the state that the sentence names. An agent begins in `idle`, and [some events imply a state](states.md#states-that-events-imply).",
  },
  timestamp_out_of_order: {
    happened: "A timestamp is before that of the agent's previous event in the session.",
    remedy: "Publish in the order of timestamps, or leave `timestamp` out: the daemon fills it in.",
  },
  timestamp_skewed: {
    happened: "A timestamp differs from the daemon's clock by more than `clock_skew_seconds` (60).",
    remedy:
      "Leave `timestamp` out, or correct the clock. To play a recording, use `aaepd publish`, which gives its events new times.",
  },
  confirmation_required: {
    happened:
      "A `tool.invoked` with `irreversible: true` has no acceptance of a person that permits it. The code also refuses a call while a question about that very call is open.",
    remedy:
      "Ask with `aaep.confirm`, wait for an acceptance by a reply, and make the call once. [Irreversible calls](../confirmations.md#irreversible-calls) has all conditions.",
  },
  urgency_not_allowed: {
    happened: "The `urgency` of an event is not permitted for its type.",
    remedy:
      "Leave `urgency` out: the daemon sets it by the type. Errors, questions and handovers are always `critical`. Text and progress never are.",
  },
  default_not_allowed: {
    happened:
      "The default of a question would start an irreversible action of medium or high risk without anybody's consent.",
    remedy: "Set `default_decision` to `reject`, or leave it out.",
  },
  reply_token_reused: {
    happened: "A question has the `reply_token` of an earlier question.",
    remedy: "Make a new `reply_token` for every question, or leave it out of `aaep.confirm` and `aaep.clarify`.",
  },
  already_asked: {
    happened: "The agent has the same question open already.",
    remedy: "Wait for the outcome of the open question, or take it back with `aaep.cancel`.",
  },
  event_id_reused: {
    happened: "An event has the `event_id` of one of the newest 65,536 events and another text.",
    remedy: "Leave `event_id` out, or make a new one for every event. To repeat an event, publish the same text.",
  },
  producer_missing: {
    happened: "An event names no agent, and the daemon knows none for its connection.",
    remedy:
      "Set `producer.agent_id`, or declare the agent once by `aaep.set_manifest`. `aaepd publish --producer-id` and `aaepd serve --producer-id` name it too.",
  },
  handshake_required: {
    happened: "A message needs a subscription, and the connection has none.",
    remedy: "Send `subscription.request` first, over JSON-RPC `aaep.subscribe`.",
  },
  unknown_subscription: {
    happened: "A message names a subscription that its connection does not have, or a key that does not belong to it.",
    remedy:
      "Use the `subscription_id` and, on a service, the `key` of your own `subscription.accepted`. After a reconnect, both are new.",
  },
  capabilities_incompatible: {
    happened: "The daemon can grant nothing of what a capability asks for.",
    remedy:
      "Ask for at least one of the values that the sentence lists, or leave the capability out. See [capabilities](capabilities.md).",
  },
  version_unsupported: {
    happened: "The request names a version of AAEP with another major number.",
    remedy: "Set `aaep_version` to `1.0.0`.",
  },
  signature_required: {
    happened: "The subscriber accepts signed manifests only, and the daemon has none.",
    remedy: "Leave `accept_signed_manifests_only` out, or set it to `false`.",
  },
  rate_limit: {
    happened:
      "Too much of one kind is open or waits at the same time: subscriptions, sets of terms, agents of single calls, sessions of an agent, open parts of a session, or calls. The sentence names the limit.",
    remedy:
      "Close or complete one first. Otherwise wait for `retry_after_seconds`, if the error has it, and try again.",
  },
  lagging: {
    happened: "The peer took nothing for too long, and the daemon closed its stream.",
    remedy:
      "Come back with the last cursor, and read all the time. [Slow subscribers](../slow-subscribers.md) has the limits and remedies.",
  },
  not_found: {
    happened:
      "The named thing is not here: a running daemon, a session, a question, an event that the journal still has, a file, or an agent key.",
    remedy:
      "Check the name. If no daemon was found, start `aaepd serve`, or name its socket with `--socket` or `AAEPD_SOCKET`.",
  },
  permission_denied: {
    happened:
      "The connection may not do this. Its access does not include the operation, its page's origin or host is not permitted, or a folder belongs to another user or has the wrong mode.",
    remedy:
      "Do what the sentence says. For a web page, name its origin in `--cors-origins` ([who may call](../services.md#who-may-call)). For a folder, run `aaepd doctor`.",
  },
  unauthenticated: {
    happened: "A call over TCP has no token, or one that does not count.",
    remedy:
      "Read the token from the file that `token_file` of the ready line names, and send `authorization: Bearer TOKEN`. The daemon makes a new token at each start.",
  },
  address_in_use: {
    happened: "Another process listens at the address, or has the folder of the journal.",
    remedy:
      "Use the running daemon, stop it, or give this one a name of its own with `--producer-id`. `aaepd status` lists the running daemons.",
  },
  address_invalid: {
    happened:
      "An address cannot be used: its form is wrong, its path is too long for a socket, or it leads beyond this machine.",
    remedy: "Give a shorter path, or a loopback address, as the sentence says.",
  },
  peer_gone: {
    happened: "The other side ended the connection before it answered. It may still have taken the message.",
    remedy:
      "Connect again, and publish every unanswered event again under its old `event_id`. `aaepd status` says whether a daemon runs.",
  },
  timed_out: {
    happened: "A message or an answer did not come in time.",
    remedy:
      "Try again. A peer sends its first message within `handshake_timeout_seconds` (60). If a daemon does not answer, `aaepd doctor` finds out why.",
  },
  cancelled: {
    happened: "The caller took the call back, or closed its side, before there was a result.",
    remedy: "Call again if you still want the result.",
  },
  storage_unavailable: {
    happened:
      "The journal, or standard output of a command, cannot be written or read. The disk is full, read-only, broken or too slow, or the file is damaged. Or the system lacks open files or memory. Nothing of the publish was accepted.",
    remedy:
      "Make room or repair the disk: the daemon tries again every second. Then publish again under the same `event_id`. `aaepd status` names the cause, and [the journal](../journal.md#when-it-cannot-be-written) explains it.",
  },
  shutting_down: {
    happened: "The daemon stops, and accepts nothing new.",
    remedy:
      "Connect again when it is back. An agent whose `aaepd.closing` had `sessions_kept: true` takes its sessions over then.",
  },
  unsupported: {
    happened: "The peer, its version or its transport cannot do this.",
    remedy: "Use the transport, method or version that the sentence names.",
  },
  usage: {
    happened: "The command line, a variable or the configuration file is wrong. Nothing was started.",
    remedy:
      "Correct what the sentence names. `aaepd COMMAND --help` explains every option, and [configuration](../configuration.md) every key.",
  },
  internal: {
    happened: "The daemon or the command made a mistake.",
    remedy: "Try again. If it happens again, report it with the lines of the daemon's log.",
  },
};
