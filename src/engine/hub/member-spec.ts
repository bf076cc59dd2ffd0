// What a subscription's member of the hub is made of and what it answers to; how it works is in member.ts.
import type { Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { GapEvent, LateGaps } from "../catch-up/gap-events.js";
import type { LookingBack } from "../catch-up/looking-back.js";
import type { Given, ReadingPoint } from "../catch-up/reading-point.js";
import type { CursorPlace, GivenText } from "../event/cursor.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { EpochSteps } from "../journal/epoch-runs.js";
import type { OpenSayings } from "../notices/sayings.js";
import type { DeliveryCounts } from "../subscriptions/delivery-counts.js";
import type { Drained, Taken } from "../subscriptions/stream.js";
import type { Terms } from "../terms/terms.js";
import type { ReadingTurns } from "../time/reading-turns.js";
import type { WakeUpQueue, WakeUps } from "../time/wake-ups.js";
import type { Checkpoint } from "../views/delivery.js";
import type { LiveEntry } from "../views/live-entry.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import type { TextUnit } from "../views/unit.js";
import type { PrivateView, View } from "../views/view.js";
import type { SharedView, ViewMember } from "./shared-view.js";

/** A place that a subscription has reached, or named. */
export interface NamedPlace {
  readonly cursor: string;
  readonly after: Epoch;
}

/** How a subscription begins: with what is live, or with what the journal holds after a point (R17). `named`: its place until it has another. */
export type StreamStart =
  | {
      readonly kind: "live";
      /** Told before anything else: what can no longer be given, and what it led to (R17, R27). */
      readonly late: LateGaps | undefined;
      readonly named: NamedPlace | undefined;
      readonly outputs: ReadonlyMap<string, GivenText>;
    }
  | {
      readonly kind: "resume";
      readonly point: ReadingPoint;
      /** Outputs of which more was given than up to the point, by their digests. */
      readonly outputs: ReadonlyMap<string, GivenText>;
      /** The open sessions that are summed up. */
      readonly summarize: ReadonlySet<string>;
      readonly named: NamedPlace;
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
  /** Two states as one, as `shape` has them. */
  readonly collapsedEvent: (shape: string, ...states: Parameters<CollapsedEvent>) => AgentEvent;
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
  readonly gaps: (terms: Terms, after: Epoch, given: Given) => Iterable<GapEvent>;
  /** An entry as the backlog tells it; undefined for a question, which was asked at once or has been resolved (R17). */
  readonly asBacklog: (entry: JournaledEvent) => JournaledEvent | undefined;
  /** Stands for an output in a cursor (R17). */
  readonly outputDigest: (output: string) => string;
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
  /** The checkpoint of all who stand at the end of a view and are owed what it holds, and nothing else. */
  readonly levelCheckpoint: (shared: SharedView) => Checkpoint;
  readonly checkpointOf: (place: Omit<CursorPlace, "journalId">) => Checkpoint;
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
  /** Of this output the subscription gets no more than that it is complete (R26). */
  readonly skipOutput: (output: string) => void;
  /** Skips everything that waits but gaps, ends and open questions (R26). Answers the epoch up to which everything is skipped. */
  readonly skipAll: (terminals: () => readonly JournaledEvent[]) => Epoch;
  /** Sends what is open and was not sent to it yet, as it may now answer more than before (R6). */
  readonly askOpen: () => void;
  /** Sends one event again, at once (R28). */
  readonly repeat: (entry: JournaledEvent) => void;
  /** The place that it has reached with all that was taken so far (R17): the last one while it is owed what no journal has; undefined before any. */
  readonly cursor: () => Checkpoint | undefined;
  /** The next of everything that is owed, coalesced, whatever the budget (R8a). To be called again until it is done; nothing else is taken then. */
  readonly drain: () => Drained;
  readonly close: () => void;
  /** Tells its owner that the hub has ended it. */
  readonly end: (reason: Expulsion) => void;
  readonly isClosed: () => boolean;
  readonly status: () => MemberStatus;
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
}
