// The order of a session (AAEP §4.5, appendix A; R3..R5, R13, R16, R25) as one table: the events that each phase permits, and the step that each
// takes. An event that the table lacks is refused with a code.
//
// Every rule about order is here or in the steps (session-rules.ts, session-questions.ts). `applyEvent` takes a complete event that passed
// validation, which includes the urgency of its type and the default of a question. It changes the records or throws.
import { Fault } from "../../base/errors.js";
import { stateImpliedBy } from "../event/agent-states.js";
import type { AgentEvent, TopicKind } from "../event/event.js";
import { isBefore } from "../event/timestamps.js";
import { breach, type RuleContext } from "./change.js";
import { type PublishedEvent, sentHash, sentText } from "./published-event.js";
import { assertToken, OUT_OF_PLACE } from "./session-owners.js";
import { ask, askConfirmation } from "./session-questions.js";
import { implyState, type SessionPhase } from "./session-record.js";
import {
  changeState,
  completeSession,
  completeTool,
  endSession,
  invokeTool,
  reportProgress,
  startSession,
  streamOutput,
} from "./session-rules.js";

type Step = (context: RuleContext) => void;

const TABLE: Readonly<Record<SessionPhase, Readonly<Partial<Record<TopicKind, Step>>>>> = {
  absent: {
    "session.started": startSession,
  },
  open: {
    "session.completed": completeSession,
    "session.errored": endSession,
    "session.cancelled": endSession,
    "state.changed": changeState,
    "progress.updated": reportProgress,
    "tool.invoked": invokeTool,
    "tool.completed": completeTool,
    "output.streaming": streamOutput,
    "awaiting.confirmation": askConfirmation,
    "awaiting.clarification": ask,
    "handoff.requested": () => undefined,
    extension: () => undefined,
  },
  ended: {},
};

/**
 * Applies an agent's event: refuses it with a Fault and changes nothing, or changes the session's records and adds to the change the event and the
 * daemon's events before it. `sent` is the event as it came, `input` what was left of it. The journal keeps a hash of its text if the event
 * differs from it in more than the language, so that duplicates can be compared (R3).
 */
export function applyEvent(context: RuleContext, input: PublishedEvent, sent: PublishedEvent): void {
  const { change, session, agent, taken } = context;
  const { kind, timestamp } = taken;
  const step = TABLE[session.phase][kind];
  if (step === undefined) {
    const { code, sentence } = OUT_OF_PLACE[session.phase];
    throw new Fault(code, sentence, { pointer: "/session_id", rule: "AAEP §4.5.1" });
  }
  if (session.phase === "open" && session.owner !== change.connection)
    assertToken(session, change.shownHash, "/session_id");
  const isNumbered = context.event.sequence_number !== undefined || agent.sequenceNumber !== undefined;
  const sequenceNumber = isNumbered ? checkSequenceNumber(context) : undefined;
  if (context.isStamped) checkTime(context);
  const isAdopted = session.phase === "open" && session.owner === undefined;
  step(context);
  // Nothing below refuses.
  const implied = stateImpliedBy(kind);
  if (implied !== undefined) implyState(agent, implied);
  if (isAdopted) change.adopt(session);
  agent.sequenceNumber = sequenceNumber;
  // A coarser timestamp can be lower and yet not be before the latest. The latest one, which is more exact, then stays.
  if (agent.latest === undefined || timestamp.micros >= agent.latest.micros) agent.latest = timestamp;
  agent.producer = context.event.producer;
  session.lastAgentId = agent.agentId;
  if (context.isSuppressed) return;
  const { event } = context;
  const isWhole = event === taken.event;
  // The token of a session, or the id of a call, may have been taken out before (R8, R5c). An event without an id of its agent's cannot be published
  // again.
  const isAsSent = isWhole && taken.isAsSent && input.fields === sent.fields;
  const isDerivable = isAsSent || sent.fields.event_id === undefined;
  const hash = isDerivable ? undefined : sentHash(sentText(sent), change.rules.options.hashToken);
  change.emit(session, event, timestamp.micros, kind, isWhole ? taken.source : undefined, undefined, hash);
}

/**
 * All events of an agent in a session have a number, or none has (AAEP §3.4.1). The numbers rise; a gap is no fault, because the event before may
 * have been refused. They are removed here (R16). Returns the agent's last number.
 */
function checkSequenceNumber(context: RuleContext): number | undefined {
  const { agent, event } = context;
  const number = event.sequence_number;
  const last = agent.sequenceNumber;
  let sentence: string | undefined;
  if (last === undefined && agent.latest !== undefined)
    sentence = "Leave out sequence_number: the agent began without.";
  else if (last !== undefined && (typeof number !== "number" || number <= last))
    sentence = `Set sequence_number to a number above ${last}, that of the event before.`;
  if (sentence !== undefined) breach(context, "sequence_mismatch", sentence, "/sequence_number", "AAEP §3.4.1, R16");
  if (typeof number !== "number") return last;
  const { sequence_number: _, ...rest } = event;
  context.event = rest as AgentEvent;
  return number;
}

/**
 * Timestamps of one agent do not decrease, and its clock differs from the daemon's by no more than `clockSkewMs` (R3b). When that clock was set back,
 * an agent may keep to the session's latest instant.
 */
function checkTime(context: RuleContext): void {
  const { change, agent, session } = context;
  const { timestamp } = context.taken;
  const { clockSkewMs } = change.rules.options.limits;
  const skewMs = timestamp.micros / 1000 - change.moment.wallTime;
  const isSkewed = skewMs > clockSkewMs ? timestamp.micros > session.latestMicros : skewMs < -clockSkewMs;
  if (isSkewed) {
    const seconds = Math.round(skewMs / 1000);
    const sentence = `Correct the clock or leave out timestamp: it is ${seconds} s from the daemon's.`;
    breach(context, "timestamp_skewed", sentence, "/timestamp", "R3b");
  } else if (agent.latest !== undefined && isBefore(timestamp, agent.latest)) {
    const sentence = "Publish in the order of timestamps, or leave out timestamp, as after a step back of the clock.";
    breach(context, "timestamp_out_of_order", sentence, "/timestamp", "AAEP §3.2.5, R3b");
  }
}
