// The change that one publish makes in its sessions, while the rules go through it: events for the journal, the daemon's own among them, and
// questions and sessions that begin and end. Each rule first checks everything that it demands, and then changes the records. A refused event
// therefore leaves them as they were. Of an array, the sessions are kept as they were before, and put back (R3).
import { Fault, type FaultCode } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import type { Millis } from "../../contracts/clock.js";
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { AgentProcess } from "../event/agent-process.js";
import {
  type AgentEvent,
  type DaemonMade,
  defaultUrgency,
  type JournaledEvent,
  type NewEvent,
  type Producer,
  type TopicKind,
} from "../event/event.js";
import { parseTimestamp } from "../event/timestamps.js";
import { AAEPD, AAEPD_VOCABULARY, AGENT_TYPE, BY_DAEMON, CORE_VOCABULARY } from "../event/vocabulary.js";
import { type CompletionFacts, type TakenEvent, timestampFrom, type ValidateEvent } from "./event-intake.js";
import type { SessionCounts, SessionLimits } from "./session-limits.js";
import type { SessionOwners } from "./session-owners.js";
import type { AgentRecord, OpenQuestion, SessionRecord } from "./session-record.js";

/** The instant of a change by both clocks, and its source of random ids (R24). */
export interface Moment {
  readonly now: Millis;
  /** Milliseconds since 1970. */
  readonly wallTime: number;
  readonly ids: IdSource;
}

/** The publisher of events, and the instant. */
export interface PublishContext extends Moment, CompletionFacts {
  /** The agent's connection, by identity: it owns the sessions that it starts (R8). */
  readonly connection: object;
  /** The processes of the agent. Default: none is known (R5d). */
  readonly processes?: readonly AgentProcess[];
  /** A token that lets another connection publish into a session (R8). */
  readonly resumeToken?: string | undefined;
  /** Whether the events came as an array. Pointers of faults then begin with an index. */
  readonly isArray: boolean;
  /** Only the events are wanted: the sessions are put back at once. Default false. */
  readonly isTrial?: boolean;
  /** Finds an accepted event by its id, within the journal's window. */
  readonly known: (eventId: string) => JournaledEvent | undefined;
}

/** The answer to one published event. */
export type PublishAnswer =
  /** The event is published as `events[index]`. */
  | { readonly kind: "accepted"; readonly eventId: string; readonly index: number; readonly resumeToken?: string }
  /** The event was accepted before and gets its first answer again; within one array, the answer to its first copy. */
  | { readonly kind: "repeated"; readonly eventId: string; readonly resumeToken?: string }
  /** The event is in order but says nothing new, and is not published (R3a). */
  | { readonly kind: "suppressed"; readonly eventId: string };

/** Facts for the texts of a daemon-made event of a session. */
export type MadeText =
  | { readonly kind: "tool_abandoned"; readonly tool: string; readonly producer: Producer }
  | { readonly kind: "question_withdrawn"; readonly question: AgentEvent; readonly decidedBy: "agent" | "host_window" }
  | { readonly kind: "agent_disconnected"; readonly producer: Producer; readonly because: EndedBecause };

/**
 * Why the daemon ends a session: its connection is lost, its agent did not come back after a restart of the daemon (R8b), or the daemon stops (R8a).
 */
export type EndedBecause = "connection_lost" | "not_back" | "daemon_stopped";

/** Returns the readable members of a daemon-made event, `summary_normal` among them (R31). */
type MadeSummary = (text: MadeText) => Readonly<Record<string, unknown>>;

/** Hashes a resume token. Records hold only hashes, so no reader of them learns a token (R8). */
type HashToken = (token: string) => string;

/** Reports a rule that an event of a recording broke, or an advice that an event ignored (`isAdvice`). */
export interface SequenceWarning {
  readonly code: FaultCode;
  readonly sentence: string;
  readonly pointer: string;
  readonly rule: string;
  readonly eventId: string;
  readonly isAdvice: boolean;
}

export interface SessionsOptions {
  /** Read for each publish. */
  readonly limits: SessionLimits;
  readonly validate: ValidateEvent;
  /** The language of texts for which neither event nor agent names one (R2). */
  readonly defaultLanguage: string;
  /** SHA-256 in hexadecimal digits. Of a session's token, only the hash is stored and compared (R8). It makes the ids of foreign calls too (R5c). */
  readonly hashToken: HashToken;
  /** Texts of daemon-made events. */
  readonly summary: MadeSummary;
  /** The events are a recording's, which were accepted once: states and irreversible calls stand as they are. Default false. */
  readonly isRecording?: boolean;
  /** The fault of the journal while it takes nothing (R29). Default: it takes everything. */
  readonly refusal?: () => Fault | undefined;
  /** Throws "rate_limit" if so many further questions do not fit among the open ones of all sessions (R34). Default: they fit. */
  readonly checkQuestionRoom?: (askedCount: number) => void;
  /** Whether a question with this token is open, or its outcome is remembered, in any session (AAEP §6.2). Default: none is. */
  readonly isTokenUsed?: (token: string) => boolean;
  /** Called with each ended session that is forgotten. */
  readonly forgotten?: (sessionId: string) => void;
  /** The state that the previous boot left, and the place for this boot's. Default: nothing is stored. */
  readonly durableState?: DurableState;
  /** Whether a connection has answered a question of a session (R5). Default: none has. */
  readonly hasAnswered?: (connection: object | undefined, sessionId: string) => boolean;
  readonly log?: Pick<Log, "error">;
}

/** The services that the rules of all sessions share. */
export interface Rules {
  readonly options: SessionsOptions;
  readonly counts: SessionCounts;
  readonly owners: SessionOwners;
}

/** The lists are made when they get their first entry: most publishes leave all but `events` empty. */
export class Change {
  readonly rules: Rules;
  readonly moment: Moment;
  /** The connection that publishes; undefined for a change of the daemon's own. */
  readonly connection: object | undefined;
  /** Hash of the resume token that the connection shows. */
  readonly shownHash: string | undefined;
  /** The events for the journal, in order. */
  readonly events: NewEvent[] = [];
  /** One answer for each input. */
  readonly answers: PublishAnswer[] = [];
  asked: OpenQuestion[] | undefined;
  /** Questions that are no longer asked, because their agent cancelled them or their session ended. */
  withdrawn: OpenQuestion[] | undefined;
  started: SessionRecord[] | undefined;
  /** Sessions whose agent came back by publishing. Their grace is over. */
  adopted: SessionRecord[] | undefined;
  ended: SessionRecord[] | undefined;
  warnings: SequenceWarning[] | undefined;
  readonly touched: SessionRecord[] = [];
  /** The touched sessions of an array as they were before. */
  private readonly backups: Partial<SessionRecord>[] | undefined;

  constructor(rules: Rules, moment: Moment, connection?: object, shownHash?: string, isArray = false) {
    this.rules = rules;
    this.moment = moment;
    this.connection = connection;
    this.shownHash = shownHash;
    this.backups = isArray ? [] : undefined;
  }

  /** Call it before a session changes. */
  touch(session: SessionRecord): void {
    if (this.touched.includes(session)) return;
    this.touched.push(session);
    this.backups?.push(session.backup());
  }

  /** Makes the connection the owner of a session without one. It publishes there as the session's starter (R2, R8). */
  adopt(session: SessionRecord): void {
    this.touch(session);
    session.owner = this.connection;
    session.isResumed = true;
    this.adopted ??= [];
    this.adopted.push(session);
  }

  /** Puts the sessions of an array back. */
  undo(): void {
    for (const [index, before] of (this.backups ?? []).entries()) Object.assign(this.touched[index] ?? {}, before);
  }

  /** Adds an event of the session. */
  emit(
    session: SessionRecord,
    event: AgentEvent,
    micros: number,
    kind: TopicKind,
    source: string | undefined,
    made: DaemonMade | undefined,
    sent?: string,
  ): void {
    session.ordinal += 1;
    if (micros >= session.latestMicros) {
      session.latestMicros = micros;
      session.latestText = event.timestamp;
    }
    this.events.push({ event, kind, source, at: this.moment.now, ordinal: session.ordinal, made, sent });
  }

  /**
   * Adds an event that the daemon makes for an agent (R31). `stamp` is its instant; if the session's latest timestamp is later, the event gets that
   * one (R3b). `marks` are further members of the daemon's extension.
   */
  emitMade(
    session: SessionRecord,
    made: DaemonMade,
    kind: Exclude<TopicKind, "extension">,
    producer: Producer,
    stamp: string,
    fields: Readonly<Record<string, unknown>>,
    marks?: Readonly<Record<string, unknown>>,
  ): void {
    const micros = parseTimestamp(stamp)?.micros ?? Number.NEGATIVE_INFINITY;
    const eventId = `evt_${this.moment.ids.hex(16)}`;
    const timestamp = micros >= session.latestMicros ? stamp : session.latestText;
    const event = madeEvent({ sessionId: session.sessionId, producer, timestamp, eventId }, kind, fields, marks);
    this.emit(session, event, micros, kind, undefined, made);
  }

  /** The present instant as a timestamp, not before the session's latest (R3b). */
  stampNow(session: SessionRecord): string {
    return timestampFrom(this.moment.wallTime, session);
  }
}

/** Members of an event that the daemon makes. */
export interface MadeFacts {
  readonly sessionId: string;
  /** The session's agent. The event has its producer, and `extensions.aaepd.by` says that the daemon made it. */
  readonly producer: Producer;
  /** RFC 3339; not before the session's latest timestamp (R3b). */
  readonly timestamp: string;
  readonly eventId: string;
}

/** An event that the daemon makes for an agent (R31). `marks` are further members of the daemon's extension. */
export function madeEvent(
  { sessionId, producer, timestamp, eventId }: MadeFacts,
  kind: Exclude<TopicKind, "extension">,
  fields: Readonly<Record<string, unknown>>,
  marks?: Readonly<Record<string, unknown>>,
): AgentEvent {
  return {
    "@context": [CORE_VOCABULARY, AAEPD_VOCABULARY],
    type: `${AGENT_TYPE}${kind}`,
    event_id: eventId,
    session_id: sessionId,
    timestamp,
    producer,
    urgency: defaultUrgency(kind),
    ...fields,
    extensions: { [AAEPD]: { by: BY_DAEMON, ...marks } },
  };
}

/** One event on its way through the rules. */
export interface RuleContext {
  readonly change: Change;
  readonly session: SessionRecord;
  readonly agent: AgentRecord;
  readonly taken: TakenEvent;
  /** The event that will be published; a rule that has to change it puts a copy here. */
  event: AgentEvent;
  /** Whether the agent itself wrote the timestamp. */
  readonly isStamped: boolean;
  /** The resume token that the agent chose for the session that this event starts (R8). */
  readonly ownToken: string | undefined;
  /** Set if the event says nothing new and is not published (R3a). */
  isSuppressed: boolean;
}

/** The breaches that a recording may have: its events were accepted once, or are told and not judged. */
const TOLERATED: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "confirmation_required",
  "position_mismatch",
  "sequence_mismatch",
  "session_incomplete",
  "state_mismatch",
  "timestamp_out_of_order",
  "timestamp_skewed",
  "tool_not_invoked",
]);

/** Throws the Fault; of a recording it notes those that may be tolerated. After a return, no rule may assume that this one was met. */
export function breach(context: RuleContext, code: FaultCode, sentence: string, pointer: string, rule: string): void {
  if (!context.change.rules.options.isRecording || !TOLERATED.has(code))
    throw new Fault(code, sentence, { pointer, rule });
  warn(context, { code, sentence, pointer, rule, eventId: context.event.event_id, isAdvice: false });
}

/** Records a warning about an event. */
export function warn({ change }: RuleContext, warning: SequenceWarning): void {
  change.warnings ??= [];
  change.warnings.push(warning);
}

export function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
