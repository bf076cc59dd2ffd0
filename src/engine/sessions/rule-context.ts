// One published event on its way through the rules, and the draft of its plan. The functions here refuse and repair events, and put the daemon's
// events in front of the agent's. The rules themselves are in session-sequence.ts.
import { Fault, type FaultCode } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import type { Millis } from "../../contracts/clock.js";
import {
  type AgentEvent,
  type DaemonMade,
  defaultUrgency,
  type NewEvent,
  type Producer,
  type TopicKind,
} from "../event/event.js";
import { parseTimestamp, type Timestamp } from "../event/timestamps.js";
import { AAEPD, AAEPD_VOCABULARY, AGENT_TYPE, BY_DAEMON, CORE_VOCABULARY } from "../event/vocabulary.js";
import { timestampFrom } from "./complete-event.js";
import type { TakenEvent } from "./event-intake.js";
import type { HistoryDraft } from "./session-history.js";
import type { SessionCounts } from "./session-limits.js";
import type { AgentRecord, OpenQuestion, SessionRecord } from "./session-record.js";

/**
 * "enforce" refuses an event that breaks the order. "warn" repairs it and logs a warning, if it can be repaired and no safety rule is broken (R3).
 * "recorded" is for a recording, of which nothing is asked again: states and irreversible calls stand as they were accepted, and there is no warning.
 */
export type Sequencing = "enforce" | "warn" | "recorded";

/** Facts for the texts of a daemon-made event of a session. */
type MadeText =
  | { readonly kind: "tool_abandoned"; readonly tool: string; readonly producer: Producer }
  /** `language` is that of the agent's texts; undefined if it is not known. */
  | { readonly kind: "tool_supplied"; readonly tool: string; readonly language: string | undefined }
  | { readonly kind: "question_withdrawn"; readonly question: AgentEvent; readonly decidedBy: "agent" | "host_window" }
  | { readonly kind: "agent_disconnected"; readonly producer: Producer; readonly because: EndedBecause };

/**
 * Why the daemon ends a session: its connection is lost, its agent did not come back after a restart of the daemon (R8b), or the daemon stops (R8a).
 */
export type EndedBecause = "connection_lost" | "not_back" | "daemon_stopped";

/** Returns the readable members of a daemon-made event, `summary_normal` among them (R31). */
export type MadeSummary = (text: MadeText) => Readonly<Record<string, unknown>>;

/** Hashes a resume token. Records hold only hashes, so no reader of them learns a token (R8). */
export type HashToken = (token: string) => string;

/** The instant of a plan by both clocks, and its source of random ids (R24). */
export interface Moment {
  readonly now: Millis;
  /** Milliseconds since 1970. */
  readonly wallTime: number;
  readonly ids: IdSource;
}

/** Reports a rule that an event broke and "warn" repaired (R3), or an advice that it ignored (`isAdvice`). */
export interface SequenceWarning {
  readonly code: FaultCode;
  readonly sentence: string;
  readonly pointer: string;
  readonly rule: string;
  readonly eventId: string;
  readonly isAdvice: boolean;
}

export interface SessionLimits {
  readonly sequencing: Sequencing;
  /**
   * Largest permitted difference between an agent's timestamp and the daemon's clock, in ms (R3b, `clock_skew_seconds`). Beyond it:
   * `timestamp_skewed`.
   */
  readonly clockSkewMs: number;
  /** Default `SESSION_COUNTS`. */
  readonly sessionCounts?: SessionCounts;
}

/** A plan that is being made. */
export interface Draft extends HistoryDraft, Omit<SessionLimits, "sessionCounts"> {
  readonly counts: SessionCounts;
  readonly summary: MadeSummary;
  /** The used reply tokens of all sessions that are remembered, each with its session's id. */
  readonly replyTokens: Map<string, string>;
  readonly moment: Moment;
  readonly connection: object | undefined;
  /** Whether a connection has answered a question of a session (R5). */
  readonly hasAnswered: (connection: object | undefined, sessionId: string) => boolean;
  /** Hash of the resume token that the connection shows. */
  readonly shownHash: string | undefined;
  readonly hashToken: HashToken;
  readonly events: NewEvent[];
  readonly warnings: SequenceWarning[];
  readonly asked: OpenQuestion[];
  readonly withdrawn: OpenQuestion[];
  readonly started: SessionRecord[];
  readonly adopted: SessionRecord[];
  readonly ended: SessionRecord[];
}

/** The lists of a draft, all empty at first. */
type Happenings = "history" | "events" | "warnings" | "asked" | "withdrawn" | "started" | "adopted" | "ended";

/** Makes a draft with empty lists. */
export function createDraft(given: Omit<Draft, Happenings>): Draft {
  const { sequencing, clockSkewMs, counts, summary, undo, replyTokens, moment } = given;
  const { connection, hasAnswered, shownHash, hashToken } = given;
  // Member by member: a spread of so many members, for each message, costs more than all rules together.
  return {
    sequencing,
    clockSkewMs,
    counts,
    summary,
    undo,
    replyTokens,
    moment,
    connection,
    hasAnswered,
    shownHash,
    hashToken,
    history: [],
    events: [],
    warnings: [],
    asked: [],
    withdrawn: [],
    started: [],
    adopted: [],
    ended: [],
  };
}

export interface RuleContext {
  readonly draft: Draft;
  readonly session: SessionRecord;
  readonly agent: AgentRecord;
  readonly kind: TopicKind;
  readonly taken: TakenEvent;
  /** The event that will be published; a rule that has to change it puts a copy here. */
  event: AgentEvent;
  timestamp: Timestamp;
  /** Whether the agent itself wrote the timestamp. */
  readonly isStamped: boolean;
  /** The resume token that the agent chose for the session that this event starts (R8). */
  readonly ownToken: string | undefined;
  /** Set if the event says nothing new and is not published (R3a). */
  isSuppressed: boolean;
}

/** The breaches that "warn" repairs. For all others there is no repair, or a safety rule forbids it (R5). */
const REPAIRABLE: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "position_mismatch",
  "sequence_mismatch",
  "session_incomplete",
  "state_mismatch",
  "timestamp_out_of_order",
  "timestamp_skewed",
  "tool_not_invoked",
]);

/**
 * Throws the Fault, or records a warning and returns so that the rule can repair the event. After a return, no rule may assume that this one was met.
 */
export function breach(context: RuleContext, code: FaultCode, sentence: string, pointer: string, rule: string): void {
  const { draft, event } = context;
  const isRecorded = draft.sequencing === "recorded";
  const isRepairable = REPAIRABLE.has(code) || (isRecorded && code === "confirmation_required");
  if (draft.sequencing === "enforce" || !isRepairable) throw new Fault(code, sentence, { pointer, rule });
  if (!isRecorded) draft.warnings.push({ code, sentence, pointer, rule, eventId: event.event_id, isAdvice: false });
}

/** Records a warning about an event that is permitted and not advisable. */
export function advise(context: RuleContext, code: FaultCode, sentence: string, pointer: string, rule: string): void {
  context.draft.warnings.push({ code, sentence, pointer, rule, eventId: context.event.event_id, isAdvice: true });
}

/** Adds an event of the session to the plan. */
export function emit(
  draft: Draft,
  session: SessionRecord,
  event: AgentEvent,
  micros: number,
  kind: TopicKind,
  source: string | undefined,
  made: DaemonMade | undefined,
  sent?: string,
): void {
  draft.undo.touch(session);
  session.ordinal += 1;
  if (micros >= session.latestMicros) {
    session.latestMicros = micros;
    session.latestText = event.timestamp;
  }
  draft.events.push({ event, kind, source, at: draft.moment.now, ordinal: session.ordinal, made, sent });
}

/**
 * Adds an event that the daemon makes for an agent (R31). `stamp` is its instant; if the session's latest timestamp is later, the event gets that one
 * (R3b). `marks` are further members of the daemon's extension.
 */
export function emitMade(
  draft: Draft,
  session: SessionRecord,
  made: DaemonMade,
  kind: Exclude<TopicKind, "extension">,
  producer: Producer,
  stamp: string,
  fields: Readonly<Record<string, unknown>>,
  marks?: Readonly<Record<string, unknown>>,
): void {
  const micros = parseTimestamp(stamp)?.micros ?? Number.NEGATIVE_INFINITY;
  const event: AgentEvent = {
    "@context": [CORE_VOCABULARY, AAEPD_VOCABULARY],
    type: `${AGENT_TYPE}${kind}`,
    event_id: `evt_${draft.moment.ids.hex(16)}`,
    session_id: session.sessionId,
    timestamp: micros >= session.latestMicros ? stamp : session.latestText,
    producer,
    urgency: defaultUrgency(kind),
    ...fields,
    extensions: { [AAEPD]: { by: BY_DAEMON, ...marks } },
  };
  emit(draft, session, event, micros, kind, undefined, made);
}

/** Adds an event of the daemon's right before the agent's, with the timestamp of the agent's event. */
export function emitBefore(
  context: RuleContext,
  made: DaemonMade,
  kind: Exclude<TopicKind, "extension">,
  producer: Producer,
  fields: Readonly<Record<string, unknown>>,
  marks?: Readonly<Record<string, unknown>>,
): void {
  emitMade(context.draft, context.session, made, kind, producer, context.event.timestamp, fields, marks);
}

/** The present instant as a timestamp, not before the session's latest (R3b). */
export function stampNow(draft: Draft, session: SessionRecord): string {
  return timestampFrom(draft.moment.wallTime, session);
}

export function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
