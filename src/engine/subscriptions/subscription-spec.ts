// The face of a subscription to its holder and to the engine, and the services that all subscriptions share; how it works is in subscription.ts and
// in its parts.
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
import type { Questions } from "../questions/questions-spec.js";
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

export interface LagLimits {
  /** Longest time in which the transport takes nothing, ms. */
  readonly maxMs: Millis;
  /** Most events published meanwhile. */
  readonly maxEvents: number;
}

/** For how long, and for how many events, the transport has taken nothing (R18). */
export interface Lag {
  readonly ms: Millis;
  readonly eventCount: number;
}

/** The beginning and the end of an episode in which a subscription reads from the journal because it took too slowly (P3, R18). */
export type PaceChange = "fell_behind" | "caught_up";

/** Why the engine ends a subscription: its peer takes too slowly (R18), or the engine itself failed it. It can resume after either. */
export type TerminationReason = "lagging" | "producer_error";

/**
 * Why a subscription ended, or a connection before it became one. "subscriber": its own end, or its connection's; the others are the daemon's
 * `reason_code`, "rejected" new terms that could not be served (R32).
 */
export type ClosureReason =
  | TerminationReason
  | "subscriber"
  | "rejected"
  | "producer_shutdown"
  | "recording_ended"
  | "handshake_timeout";

/** A reply that did not count, for the audit log: it is not well formed, not this subscription's, or of a connection that may not reply. */
export type RefusedFate = "malformed" | "wrong_subscription" | "not_entitled";

/** The members that differ from subscription to subscription. */
export interface SubscriptionSpec {
  readonly id: string;
  readonly subscriberId: string;
  readonly terms: Terms;
  readonly start: SubscriptionStart;
  /** How the place was met that it named; undefined for a newcomer. */
  readonly resumed: Resumed | undefined;
  /** The connection, where an agent may speak over it as well (R5). */
  readonly connection: object | undefined;
  /** Told of a reply of its own that did not count, where its terms ask for that (R19). */
  readonly replyNotTaken: (token: string) => void;
  /** Told that `take` may have something. Called often; must be cheap and must not take at once. */
  readonly wake: () => void;
  /** Told that the engine has ended it. */
  readonly ended: (reason: TerminationReason) => void;
}

export interface NamedSubscription {
  readonly id: string;
  readonly subscriberId: string;
}

/** The limits of all subscriptions, and the questions that they put to sessions, questions and notices. */
export interface SubscriptionRules {
  /** Read each time that one is needed. */
  readonly limits: { readonly burst: number; readonly lag: LagLimits };
  /** Most units a subscription holds itself. Default 256. */
  readonly queueLimit: number;
  /** The same critical event, marked with how many events it overtook (R4). */
  readonly markOvertook: (event: AgentEvent, count: number) => AgentEvent;
  /** An empty chunk that completes a skipped output (R26). */
  readonly completeSkipped: (unit: TextUnit) => TextUnit;
  /** Two states as one, as `shape` has them. */
  readonly collapsedEvent: (shape: string, ...states: Parameters<CollapsedEvent>) => AgentEvent;
  /** The open questions that a subscription of these terms is asked: they leave at once (R6, R17). */
  readonly openQuestions: (terms: Terms) => readonly JournaledEvent[];
  /** Whether a question of the journal is open, and one that these terms can answer. */
  readonly isOpenQuestion: (entry: JournaledEvent, terms: Terms) => boolean;
  /** Told of each question that left, once a subscription. */
  readonly shown: (subscriptionId: string, subscriberId: string, entry: JournaledEvent) => void;
  /** Everything that is said of open sessions to a newcomer (R6, R17). */
  readonly notices: OpenSessionNotices;
  /** Whether more text of an output may be published. */
  readonly mayHaveText: (sessionId: string, outputId: string) => boolean;
  /** The latest timestamp of an open session. */
  readonly timestamp: (sessionId: string) => string | undefined;
  /** One for each session of which something aged out between two epochs (R27). */
  readonly gaps: (terms: Terms, after: Epoch, given: DeliveredBefore) => Iterable<GapEvent>;
  /** An entry as the backlog tells it; undefined for a question, which was asked at once or has been resolved (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** Stands for an output in a cursor (R17). */
  readonly outputDigest: (output: string) => string;
  /** Told of each episode twice. */
  readonly pace: (change: PaceChange, who: NamedSubscription) => void;
}

/** One for all subscriptions of an engine. */
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
  >;
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly wakeUps: WakeUps;
  readonly createWakeUps: () => WakeUpQueue;
  readonly now: () => Millis;
  /** R10, R15. */
  readonly maxHoldMs: () => Millis;
  readonly opened: (subscription: MemberSubscription) => void;
  readonly closed: (subscription: MemberSubscription, reason: ClosureReason) => void;
  /** The daemon stops, and the next run delivers what is owed (R8b). */
  readonly isLeaving: () => boolean;
  readonly questions: Pick<Questions, "audienceChanged" | "reply" | "sessionOf" | "shown" | "wasShown">;
  readonly resend: Pick<Resend, "find">;
  /** Answers when all that was journaled so far is safe, undefined where it is; throws or rejects while it cannot be (R29). */
  readonly whenDurable: () => Promise<void> | undefined;
  readonly connections: Pick<SharedConnections, "answered" | "ownSessions" | "join">;
  /** The open questions that these terms can answer. */
  readonly questionsFor: (terms: Terms) => readonly OpenQuestion[];
  readonly shapeEvent: (event: AgentEvent, terms: Terms) => AgentEvent;
  /** The last events of sessions that have ended and are remembered. */
  readonly terminals: () => readonly JournaledEvent[];
  readonly recordReply: (fate: RefusedFate, token: string, raw: unknown, id: string, subscriberId: string) => void;
}

/** A subscription under way, as its holder sees it. Its functions need it: they are not to be handed on without it. */
export interface Subscription extends NamedSubscription {
  /** How the place was met that it named when it came back (R17); undefined for a newcomer. */
  readonly resumed: Resumed | undefined;
  readonly terms: () => Terms;
  /** The units that may leave now; with `only`, no more than the critical ones. A wait registers its own wake-up. */
  readonly take: (only?: "critical") => Taken;
  /** The transport takes nothing more, or takes again. */
  readonly setBlocked: (blocked: boolean) => void;
  /** Applies new terms to everything that leaves from now on (AAEP §5.7.2). */
  readonly retune: (terms: Terms) => void;
  /** The place that it has reached with all that was taken so far, for its client to keep (R17). Undefined where it has none yet. */
  readonly cursor: () => string | undefined;
  /**
   * The place, to be told in a checkpoint. Undefined where the terms ask for none, and where the place has not moved since `cursor` or `checkpoint`
   * last answered. `isDue`: whether it is time for one. After a skip of everything one is due once everything kept has been said (R26).
   */
  readonly checkpoint: (isDue: boolean) => Checkpoint | undefined;
  readonly wantsCheckpoints: () => boolean;
  /** R26: of one output, or with no output of everything that waits. */
  readonly skip: (sessionId: string | undefined, outputId: string | undefined) => void;
  /**
   * Sends again what it was sent, at once: an event that the journal still holds, what was merged of such, or an open question (R28). Sums and gaps
   * are not (R12). Throws "not_found".
   */
  readonly repeat: (eventId: string) => void;
  /** The questions that it may answer, as it is sent them (R14, R28). It was shown the questions that it is told here. */
  readonly openQuestions: () => readonly AgentEvent[];
  /** Whether this reply was the one that counted. Says nothing of why not (R19). */
  readonly reply: (reply: Reply, raw: unknown) => boolean;
  readonly whenDurable: SubscriptionServices["whenDurable"];
  readonly refusedReply: (fate: RefusedFate, token: string, raw: unknown) => void;
  /** The next of everything that is owed, coalesced, whatever the budget (R8a). To be called again until it is done; nothing else is taken then. */
  readonly drain: () => Drained;
  /** Default reason: "subscriber". */
  readonly close: (reason?: ClosureReason) => void;
  readonly isClosed: () => boolean;
  readonly status: () => SubscriptionStatus;
}

/** A subscription as the engine sees it: a member of a view. */
export interface MemberSubscription extends Subscription, ViewMember {
  /** The limits of lag have changed. */
  readonly limitsChanged: () => void;
}

export interface SubscriptionStatus {
  /** Units in its own queue. */
  readonly waitingCount: number;
  /** Units that its reader has released and it has not taken; 0 where it reads nothing. */
  readonly readAheadCount: number;
  /** Epochs, outputs and agents that it remembers because something went ahead or was skipped. */
  readonly rememberedCount: number;
  readonly behind: boolean;
  readonly blockedSince: Millis | undefined;
  /** Where its next event comes from: out of what everybody gets as it comes, out of what waits for it, or out of the journal. */
  readonly reads: "live" | "queue" | "journal";
  /** Events published and not taken over: units of its view, or events of the journal while it reads there (an upper bound across restarts). */
  readonly untakenCount: number;
  /** Since when it has been behind; undefined where it reads from the journal for another reason, or not at all. */
  readonly behindSince: Millis | undefined;
  /** Nothing while the transport takes; of one that was given up, its lag by then. */
  readonly lag: Lag;
  readonly counts: DeliveryCounts;
}
