// What a subscription's member of the hub is made of and what it answers to; how it works is in member.ts.
import type { Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { GapEvent } from "../catch-up/gap-events.js";
import type { LookingBack } from "../catch-up/looking-back.js";
import type { OrderedReturn } from "../catch-up/ordered-return.js";
import type { Given, ReadingPoint } from "../catch-up/reading-point.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { EpochSteps } from "../journal/epoch-runs.js";
import type { Standpoint } from "../journal/standpoint.js";
import type { OpenSayings, Sayings } from "../notices/sayings.js";
import type { DeliveryCounts } from "../subscriptions/delivery-counts.js";
import type { Drained, Taken } from "../subscriptions/stream.js";
import type { Terms } from "../terms/terms.js";
import type { ReadingTurns } from "../time/reading-turns.js";
import type { WakeUpQueue, WakeUps } from "../time/wake-ups.js";
import type { Delivery } from "../views/delivery.js";
import type { LiveEntry } from "../views/live-entry.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import type { RunLows } from "../views/run-lows.js";
import type { TextUnit, Unit } from "../views/unit.js";
import type { PrivateView, View } from "../views/view.js";
import type { SharedView, ViewMember } from "./shared-view.js";

/** How a subscription begins: with what is live, or with what the journal holds after a point (R17). */
export type StreamStart =
  | {
      readonly kind: "live";
      /** Told before anything else: what can no longer be given, and what it led to (R17, R27). */
      readonly first: Sayings | undefined;
      /** The lowest epoch that `first` stands for. */
      readonly owedFrom: Epoch;
    }
  /** `summarize` names the open sessions of which the backlog tells nothing, so that they are summed up. */
  | {
      readonly kind: "resume";
      readonly point: ReadingPoint;
      readonly summarize: ReadonlySet<string>;
      readonly first: Sayings | undefined;
      readonly owedFrom: Epoch;
    };

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
export type Expulsion = "lagging" | "producer_error";

/** What differs from subscription to subscription. */
export interface MemberSpec {
  readonly subscriptionId: string;
  readonly subscriberId: string;
  /** Whether `delivered` is told of what leaves. */
  readonly isRemembered: boolean;
  readonly terms: Terms;
  readonly start: StreamStart;
  /** Told that `take` may have something. Called often; must be cheap and must not take at once. */
  readonly wake: () => void;
  /** Told that the hub has ended it. */
  readonly ended: (reason: Expulsion) => void;
}

export type PacedSubscription = Pick<MemberSpec, "subscriptionId" | "subscriberId">;

/** What is the same for all members of one hub: limits, and what the engine is asked and told of them. */
export interface MemberRules {
  /** Read each time that one is needed. */
  readonly limits: { readonly burst: number; readonly lag: LagLimits };
  /** Most units a subscription holds itself. Default 256. */
  readonly queueLimit: number;
  readonly markOvertook: (event: AgentEvent, count: number) => AgentEvent;
  readonly completeSkipped: (unit: TextUnit) => TextUnit;
  readonly collapsedEvent: CollapsedEvent;
  /** What was asked and is still open, for a subscription of these terms: it leaves at once (R6, R17). */
  readonly openQuestions: (terms: Terms) => readonly JournaledEvent[];
  /** Whether a question of the journal is open, and one that these terms can answer. */
  readonly isOpenQuestion: (entry: JournaledEvent, terms: Terms) => boolean;
  /** Told of each question that left, once a subscription. */
  readonly shown: (subscriptionId: string, subscriberId: string, entry: JournaledEvent) => void;
  /** All that is said of open sessions to a newcomer (R6, R17). */
  readonly sayings: OpenSayings;
  /** The latest timestamp of an open session. */
  readonly timestamp: (sessionId: string) => string | undefined;
  /** One for each session of which something aged out between two epochs (R27). */
  readonly gaps: (terms: Terms, after: Epoch, given: Given, at: Standpoint) => Iterable<GapEvent>;
  /** An entry as the backlog tells it; undefined for a question, which was asked at once or has been resolved (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** Told what left and from where the rest would have to be read (R17). */
  readonly delivered: (subscriberId: string, unit: Unit, low: Epoch, render: (unit: Unit) => Delivery) => void;
  /** Told of each episode twice. */
  readonly pace: (change: PaceChange, who: PacedSubscription) => void;
}

/** One for all members of a hub. */
export interface MemberServices extends MemberRules {
  readonly join: (member: Member, terms: Terms) => SharedView;
  readonly leave: (member: Member, shared: SharedView) => void;
  readonly openPrivateView: (
    terms: Terms,
    wakeUps: WakeUps,
    startsAfter: Epoch,
    sentBefore: ReadingPoint["sent"],
  ) => PrivateView;
  readonly createWakeUps: () => WakeUpQueue;
  /** Whose turn it is to read back in the journal. */
  readonly readingTurns: ReadingTurns;
  /** One for an entry, for all who are given the same one. */
  readonly liveEntry: (entry: JournaledEvent) => LiveEntry;
  readonly lookBack: LookingBack;
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly wakeUps: WakeUps;
  readonly now: () => Millis;
  /** What an entry overtakes that a view has not taken (R4). */
  readonly overtaken: (view: View, entry: JournaledEvent) => readonly LiveEntry[];
  readonly maxHoldMs: Millis;
  /** Told how many events left, of whichever subscription. */
  readonly noteDelivered: (count: number, now: Millis) => void;
}

export interface Member extends ViewMember {
  readonly terms: () => Terms;
  /** What may leave now; with `only`, no more than what is critical. A wait registers its own wake-up. */
  readonly take: (only?: "critical") => Taken;
  /** The transport takes nothing more, or takes again. */
  readonly setBlocked: (blocked: boolean) => void;
  /** Applies new terms to everything that leaves from now on (AAEP §5.7.2). */
  readonly retune: (terms: Terms) => void;
  /** The limits of lag have changed. */
  readonly limitsChanged: () => void;
  /** R26. Without an output: everything that waits, except what `keep` picks. */
  readonly skipOutput: (output: string) => void;
  readonly skipAll: (terminals: () => readonly JournaledEvent[]) => void;
  /** Sends what is open and was not sent to it yet, as it may now answer more than before (R6). */
  readonly askOpen: () => void;
  /** Sends one event again, at once (R28). */
  readonly repeat: (entry: JournaledEvent) => void;
  /** The last runs that it was given as others got them, oldest first (R17). */
  readonly lastRuns: () => readonly RunLows[];
  /** The lowest epoch of which it is still owed something (R17). */
  readonly owedFrom: () => Epoch;
  /** Whether it begins, or goes on, with what the journal holds. */
  readonly readsBack: () => boolean;
  /** It is given nothing ahead of what it missed until that is over, or `placeKept` (R17). To be called before it is first taken from. */
  readonly keepOrder: (order: OrderedReturn) => void;
  /** The disk has its place. */
  readonly placeKept: () => void;
  /** The disk does not take its place at present. Answers whether it still keeps the order. */
  readonly placeRefused: () => boolean;
  /** The next of everything that is owed, coalesced, whatever the budget (R8a). To be called again until it is done; nothing else is taken then. */
  readonly drain: () => Drained;
  readonly close: () => void;
  /** Tells its owner that the hub has ended it. */
  readonly end: (reason: Expulsion) => void;
  readonly isClosed: () => boolean;
  readonly status: () => MemberStatus;
  /**
   * The event to resume after: the last one published where nothing is owed to it any more, whether it was sent that or not (P7); else the last one
   * that it was sent. Undefined where there is none.
   */
  readonly resumeAfter: () => string | undefined;
}

export interface MemberStatus {
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
  /**
   * What was published and it has not taken over: units of its view, or events of the journal where it reads there; those by their epochs, so that
   * over the end of an earlier run they may be too many.
   */
  readonly untakenCount: number;
  /** Since when it has been behind; undefined where it reads from the journal for another reason, or not at all. */
  readonly behindSince: Millis | undefined;
  /** Nothing while the transport takes; of one that was given up, what it was then. */
  readonly lag: Lag;
  readonly counts: DeliveryCounts;
  /** The last event handed to the transport: what it has to name to go on after it (R17). */
  readonly lastEventId: string | undefined;
}
