// One published event on its way through the rules, and the plan it is part of. Machinery only: how a rule refuses, repairs,
// or puts an event of the daemon's before the agent's. The rules themselves are in session-sequence.ts.
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
import type { AgentRecord, OpenQuestion, SessionRecord } from "./session-record.js";

/** "enforce" refuses what breaks the order; "warn" repairs it and says so, where it can be repaired and is no safety rule (R3). */
export type Sequencing = "enforce" | "warn";

/** What a session's daemon-made events have to say. */
export type MadeText =
  | { readonly kind: "tool_abandoned"; readonly tool: string; readonly producer: Producer }
  /** `language` is that of the agent's texts; undefined where it is not known. */
  | { readonly kind: "tool_supplied"; readonly tool: string; readonly language: string | undefined }
  | { readonly kind: "question_withdrawn"; readonly question: AgentEvent }
  | { readonly kind: "agent_disconnected"; readonly producer: Producer; readonly because: EndedBecause };

/**
 * Why the daemon ends a session: its connection is lost, its agent has not come back since the daemon was restarted (R8b), or the daemon stops
 * (R8a).
 */
export type EndedBecause = "connection_lost" | "not_back" | "daemon_stopped";

/** Answers the members of a daemon-made event that are there to be read, `summary_normal` among them (R31). */
export type MadeSummary = (text: MadeText) => Readonly<Record<string, unknown>>;

/** Of a token, so that it is not kept where others could read it (R8). */
export type HashToken = (token: string) => string;

/** When and with what chance something happens (R24). */
export interface Moment {
  readonly now: Millis;
  /** Milliseconds since 1970. */
  readonly wallTime: number;
  readonly ids: IdSource;
}

/** A rule that was broken and repaired (R3, sequencing "warn"), or one that only advises. */
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
  /** How far an agent's timestamp may be off, ms (R3b, `clock_skew_seconds`). Beyond it: `timestamp_skewed`. */
  readonly clockSkewMs: number;
}

/** A plan in the making. */
export interface Draft extends HistoryDraft, SessionLimits {
  readonly summary: MadeSummary;
  /** The reply tokens that are remembered as used, with their sessions. */
  readonly replyTokens: Map<string, string>;
  readonly moment: Moment;
  readonly connection: object | undefined;
  /** Whether a connection has answered a question of a session (R5). */
  readonly hasAnswered: (connection: object | undefined, sessionId: string) => boolean;
  /** Of the token that is shown. */
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

/** The kinds of things that happen in a draft. */
type Happenings = "history" | "events" | "warnings" | "asked" | "withdrawn" | "started" | "adopted" | "ended";

/** A draft in which nothing has happened yet. */
export function createDraft(given: Omit<Draft, Happenings>): Draft {
  const { sequencing, clockSkewMs, summary, undo, replyTokens, moment, connection, hasAnswered, shownHash, hashToken } =
    given;
  // Member by member: a spread of so many, made for each message, costs more than all rules together.
  return {
    sequencing,
    clockSkewMs,
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
  /** The event as it will go out; a rule that must alter it puts a copy here. */
  event: AgentEvent;
  timestamp: Timestamp;
  /** The agent named the instant itself. */
  readonly isStamped: boolean;
  /** The token that its agent chose for the session that it starts (R8). */
  readonly ownToken: string | undefined;
  /** Set where the event says nothing new and does not go out (R3a). */
  isSuppressed: boolean;
}

/** What "warn" can repair. Everything else has nothing to put in its place, or is a rule of safety (R5). */
const REPAIRABLE: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "position_mismatch",
  "sequence_mismatch",
  "session_incomplete",
  "state_mismatch",
  "timestamp_out_of_order",
  "timestamp_skewed",
  "tool_not_invoked",
]);

/** Refuses the event, or returns so that the rule can repair it. Nothing that follows may assume that the rule was kept. */
export function breach(context: RuleContext, code: FaultCode, sentence: string, pointer: string, rule: string): void {
  const { draft, event } = context;
  if (draft.sequencing === "enforce" || !REPAIRABLE.has(code)) throw new Fault(code, sentence, { pointer, rule });
  draft.warnings.push({ code, sentence, pointer, rule, eventId: event.event_id, isAdvice: false });
}

/** Says that something is allowed and ill-advised. */
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
  published?: string,
): void {
  draft.undo.touch(session);
  session.ordinal += 1;
  if (micros >= session.latestMicros) {
    session.latestMicros = micros;
    session.latestText = event.timestamp;
  }
  draft.events.push({ event, kind, source, at: draft.moment.now, ordinal: session.ordinal, made, published });
}

/** Adds an event that the daemon makes for an agent (R31). `stamp` is when it happened, unless the session is already later (R3b);
 * `marks` are further members of the daemon's extension. */
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

/** Adds an event of the daemon's right before the agent's; it happened, for those who listen, in the same instant. */
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

/** The instant of something that happens now: not before the session's last (R3b). */
export function stampNow(draft: Draft, session: SessionRecord): string {
  return timestampFrom(draft.moment.wallTime, session);
}

export function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
