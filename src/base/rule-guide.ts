// Every rule that an error may name, and its requirement: the entries of docs/reference/rules.md, which `npm run generate` writes (R20).
import { AAEP_RULE_GUIDE } from "./aaep-rule-guide.js";

/** Rules of this program (P) and rules of this daemon (R) for cases that AAEP leaves open, in Markdown with links relative to docs/reference. */
const OWN_RULE_GUIDE: Readonly<Record<string, string>> = {
  P5: "Options, variables and the configuration file have only known names, and only values in range. See [configuration](../configuration.md).",
  R2: "Every event has a `producer`. If an event lacks it, the daemon takes the agent that its connection has declared, then `--producer-id`. [Events](events.md) says who fills in every other member.",
  R3: "The events of a session are published in [their order](states.md#sessions). The daemon accepts an array whole or not at all. An array has at most 512 events, and makes at most 2,048 together with the daemon's own. An `event_id` stands for one content.",
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
  R34: "A message requires no more work than one turn of the daemon allows: one publish asks at most 32 questions.",
  R36: "A connection does only what the daemon's access policy allows it. See [who may call](../services.md#who-may-call).",
  R39: "A subscription that may reply asks the agent of an open session to stop, if the agent's manifest has `extensions.aaepd.can_stop: true`. See [stop an agent](../subscribing.md#stop-an-agent).",
  R41: "Numbers of JSON are doubles. A whole number beyond ±2^53, or one that overflows, is written as a string. See [numbers](../publishing.md#numbers).",
};

/** The requirement of every rule, those of AAEP first. A test holds the list to the rules that the code names. */
export const RULE_GUIDE: Readonly<Record<string, string>> = { ...AAEP_RULE_GUIDE, ...OWN_RULE_GUIDE };
