// The interface of a subscription for its holder and for the engine, and the services of all subscriptions. subscription.ts and its parts implement
// it.
import type { Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { DeliveredBefore } from "../catch-up/catch-up-point.js";
import type { GapEvent } from "../catch-up/gap-events.js";
import type { Resend } from "../catch-up/resend.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { Hub } from "../hub/hub.js";
import type { ViewMember } from "../hub/shared-view.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import type { OpenSessionNotices } from "../notices/notice-series.js";
import type { Questions } from "../questions/questions.js";
import type { Reply } from "../questions/reply-check.js";
import type { SharedConnections } from "../questions/shared-connections.js";
import type { OpenQuestion } from "../sessions/session-record.js";
import type { Terms } from "../terms/terms.js";
import type { WakeUpQueue, WakeUps } from "../time/wake-ups.js";
import type { Checkpoint } from "../views/delivery.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import type { TextUnit } from "../views/unit.js";
import type { DeliveryCounts } from "./delivery-counts.js";
import type { Resumed, SubscriptionStart } from "./resume-start.js";
import type { Drained, Taken } from "./taken.js";

/** Open questions in the order in which they were asked, as many as fit 65,536 UTF-16 units of JSON, at least one. */
export interface QuestionPage {
  readonly events: readonly AgentEvent[];
  /** The place behind the page, if there are more. */
  readonly next: Epoch | undefined;
}

export interface LagLimits {
  /** Longest time for which the peer takes nothing, in ms. */
  readonly maxMs: Millis;
  /** Most events published meanwhile. */
  readonly maxEvents: number;
}

/** The time for which the peer has taken nothing, and the events published meanwhile (R18). */
export interface Lag {
  readonly ms: Millis;
  readonly eventCount: number;
}

/** The beginning or the end of an episode in which a slow subscription reads the journal (R18). */
export type PaceChange = "fell_behind" | "caught_up";

/** Why the engine ends a subscription: its peer takes too slowly (R18), or the engine failed. The subscriber can resume after either. */
export type TerminationReason = "lagging" | "producer_error";

/**
 * Why a subscription, or the connection before it became one, ended. "subscriber": the subscriber closed it, or its connection. The others are the
 * daemon's `reason_code`; "rejected" are new terms that could not be granted (R32).
 */
export type ClosureReason =
  | TerminationReason
  | "subscriber"
  | "rejected"
  | "producer_shutdown"
  | "recording_ended"
  | "handshake_timeout";

/** Why a reply did not count, for the audit log: it is malformed, names another subscription, or came over a connection that may not reply. */
export type RefusedFate = "malformed" | "wrong_subscription" | "not_entitled";

/** A reply that did not count, as the audit log has it. */
export interface RefusedReply {
  readonly fate: RefusedFate;
  readonly token: string;
  readonly raw: unknown;
  /** The member at fault; undefined if none is. */
  readonly pointer?: string | undefined;
}

/** Where the units of a subscription leave: the pump that pulls them. */
export interface Outlet {
  /** `take` may have a unit. Called often, so it has to be cheap, and it may not call `take` itself. */
  readonly wake: () => void;
  /**
   * The engine ends this subscription of the outlet. Called in the middle of a delivery, when other subscriptions are still to get the event, so the
   * subscription is closed in a later turn.
   */
  readonly ended: (reason: TerminationReason, subscription: Subscription) => void;
}

/** The members that differ between subscriptions. */
export interface SubscriptionSpec {
  readonly id: string;
  readonly subscriberId: string;
  readonly terms: Terms;
  readonly start: SubscriptionStart;
  /** The daemon's answer to the subscription's cursor; undefined for a new subscription. */
  readonly resumed: Resumed | undefined;
  /** The connection, if agents may open on it too (R5). */
  readonly connection: object | undefined;
  /** The subscriber's process, then its parents; empty if it is not known (R5d). */
  readonly lineage: readonly number[];
  /** Called with a reply of the subscription that did not count, if its terms ask for that (R19). */
  readonly replyNotTaken: (token: string) => void;
  readonly outlet: Outlet;
}

export interface NamedSubscription {
  readonly id: string;
  readonly subscriberId: string;
}

/** The limits of all subscriptions, and their calls to sessions, questions and notices. */
export interface SubscriptionRules {
  /** Read again for each use. */
  readonly limits: { readonly burst: number; readonly lag: LagLimits };
  /** Most units in a subscription's queue. Default 256. */
  readonly queueLimit: number;
  /** Marks a critical event with the number of events that it overtook (R4). */
  readonly markOvertook: (event: AgentEvent, count: number) => AgentEvent;
  /** Makes the empty chunk that completes a skipped output (R26). */
  readonly completeSkipped: (unit: TextUnit) => TextUnit;
  /** Collapses two states into one, in the given shape. */
  readonly collapsedEvent: (shape: string, ...states: Parameters<CollapsedEvent>) => AgentEvent;
  /** The open questions that a subscription of these terms is asked at once (R6, R17). */
  readonly openQuestions: (terms: Terms) => readonly JournaledEvent[];
  /** The same questions behind an epoch, in the order of their epochs. */
  readonly openQuestionsAfter: (terms: Terms, after: Epoch) => Iterable<JournaledEvent>;
  /** Whether an event is an open question that these terms can answer. */
  readonly isOpenQuestion: (entry: JournaledEvent, terms: Terms) => boolean;
  /** Called once per subscription for each question that left. */
  readonly shown: (subscriptionId: string, subscriberId: string, entry: JournaledEvent) => void;
  /** The briefings about open sessions and questions for a new subscription (R6, R17). */
  readonly notices: OpenSessionNotices;
  /** Whether more text of an output may be published. */
  readonly mayHaveText: (sessionId: string, outputId: string) => boolean;
  /** The latest timestamp of an open session. */
  readonly timestamp: (sessionId: string) => string | undefined;
  /** A gap for each session with evicted events after an epoch (R27). */
  readonly gaps: (terms: Terms, after: Epoch, given: DeliveredBefore) => Iterable<GapEvent>;
  /** The form of an entry in a backlog. Undefined for a question, which was asked at once or has been resolved (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** Digest of an output's key, for a cursor (R17). */
  readonly outputDigest: (output: string) => string;
  /** Called at the beginning and at the end of each episode. */
  readonly pace: (change: PaceChange, who: NamedSubscription) => void;
}

/** The services that all subscriptions of an engine share. */
export interface SubscriptionServices {
  readonly rules: SubscriptionRules;
  readonly hub: Pick<
    Hub,
    | "view"
    | "viewTerms"
    | "join"
    | "leave"
    | "openPrivateView"
    | "readTurns"
    | "renderingOf"
    | "lookBack"
    | "overtaken"
    | "levelCheckpoint"
    | "checkpointOf"
    | "noteDelivered"
    | "latencies"
  >;
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly wakeUps: WakeUps;
  readonly createWakeUps: () => WakeUpQueue;
  readonly now: () => Millis;
  /** Longest hold of text, in ms (R10, R15). */
  readonly maxHoldMs: () => Millis;
  readonly opened: (subscription: MemberSubscription) => void;
  readonly closed: (subscription: MemberSubscription, reason: ClosureReason) => void;
  /** Whether the daemon is stopping and leaves pending events to the next boot (R8b). */
  readonly isLeaving: () => boolean;
  readonly questions: Pick<Questions, "audienceChanged" | "leave" | "reply" | "sessionOf" | "shown" | "wasShown">;
  readonly resend: Pick<Resend, "find">;
  /**
   * Returns a promise that resolves when all that was journaled so far is safe; undefined if it is safe already. Throws or rejects while the journal
   * fails (R29).
   */
  readonly whenDurable: () => Promise<void> | undefined;
  readonly connections: Pick<SharedConnections, "answered" | "ownSessions" | "join">;
  /** The open questions that these terms can answer. */
  readonly questionsFor: (terms: Terms) => readonly OpenQuestion[];
  /** Asks a session's agent to stop (R39). Throws "not_found" or "unsupported". */
  readonly requestStop: (sessionId: string, by: NamedSubscription) => void;
  readonly shapeEvent: (event: AgentEvent, terms: Terms) => AgentEvent;
  /** The last events of remembered sessions that have ended. */
  readonly terminals: () => readonly JournaledEvent[];
  readonly recordReply: (refused: RefusedReply, id: string, subscriberId: string) => void;
}

/** A subscription for its holder. Its functions are methods, so they cannot be passed on by themselves. */
export interface Subscription extends NamedSubscription {
  /** The daemon's answer to the subscription's cursor (R17); undefined for a new subscription. */
  readonly resumed: Resumed | undefined;
  readonly terms: () => Terms;
  /** The units that may leave now; with `only`, just the critical ones. For a "wait", the subscription sets the timer itself. */
  readonly take: (only?: "critical") => Taken;
  /** Reports that the peer takes nothing more, or takes again. */
  readonly setBlocked: (blocked: boolean) => void;
  /** Applies new terms to all units that leave from now on (AAEP §5.7.2). */
  readonly retune: (terms: Terms) => void;
  /** The place up to which everything was taken, for the client to store (R17). Undefined if there is none yet. */
  readonly cursor: () => string | undefined;
  /**
   * The place for a checkpoint. Undefined if the terms ask for none, or if the place has not moved since the last result of `cursor` or `checkpoint`.
   * `isDue` is true if it is time for a checkpoint. After a skip of everything, one is due as soon as the exempted units have left (R26).
   */
  readonly checkpoint: (isDue: boolean) => Checkpoint | undefined;
  readonly wantsCheckpoints: () => boolean;
  /** Skips one output, or, without arguments, everything that waits (R26). */
  readonly skip: (sessionId: string | undefined, outputId: string | undefined) => void;
  /**
   * Sends an event again, at once: one that the journal still has, one that was merged of such events, or an open question (R28). Summaries and gaps
   * are not sent again (R12). Throws "not_found".
   */
  readonly repeat: (eventId: string) => void;
  /**
   * A page of the open questions that the subscription may answer, as it receives them (R14, R28): of those behind the place `after`, by default of
   * all. They count as shown.
   */
  readonly openQuestions: (after?: Epoch) => QuestionPage;
  /** Takes a reply. Returns whether it counted, and no reason (R19). */
  readonly reply: (reply: Reply, raw: unknown) => boolean;
  /** Asks a session's agent to stop (R39). Throws "permission_denied" for terms without replies, "not_found" or "unsupported". */
  readonly requestStop: (sessionId: string) => void;
  /** Leaves a question to the window of its host (R5b). Throws "not_found" or "invalid_params". */
  readonly leave: (token: string) => void;
  readonly whenDurable: SubscriptionServices["whenDurable"];
  /** Takes note of a reply that does not count. `pointer`: the member at fault, for the audit log. */
  readonly refusedReply: (fate: RefusedFate, token: string, raw: unknown, pointer?: string) => void;
  /** The next part of all pending units, coalesced, whatever the budget (R8a). Call it until it returns "done", and `take` no more. */
  readonly drain: () => Drained;
  /** Ends the subscription. Default reason: "subscriber". */
  readonly close: (reason?: ClosureReason) => void;
  readonly isClosed: () => boolean;
  readonly status: () => SubscriptionStatus;
}

/** A subscription for the engine: a member of a view. */
export interface MemberSubscription extends Subscription, ViewMember {
  /** Applies new limits of lag. */
  readonly limitsChanged: () => void;
}

export interface SubscriptionStatus {
  /** Units in the subscription's queue. */
  readonly waitingCount: number;
  /** Units that the reader released and the subscription has not taken; 0 without a reader. */
  readonly readAheadCount: number;
  /** Epochs, outputs and agents remembered because something went ahead or was skipped. */
  readonly rememberedCount: number;
  readonly behind: boolean;
  readonly blockedSince: Millis | undefined;
  /** Source of the next event: the view as it grows, units that wait for this subscription, or the journal. */
  readonly reads: "live" | "queue" | "journal";
  /** Published events that were not taken: units of the view, or events of the journal for a reader (an upper bound across restarts). */
  readonly untakenCount: number;
  /** The instant since which the subscription is behind. Undefined if it reads the journal for another reason, or not at all. */
  readonly behindSince: Millis | undefined;
  /** 0 while the peer takes; of a peer that was given up, its lag at that moment. */
  readonly lag: Lag;
  readonly counts: DeliveryCounts;
}
