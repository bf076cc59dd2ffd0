// The pull side of one subscription, as its owner sees it; how it works is in subscription.ts.
import type { Millis } from "../../contracts/clock.js";
import type { BacklogReader } from "../catch-up/backlog-reader.js";
import type { Floor, ReadingPoint } from "../catch-up/reading-point.js";
import type { GivenText } from "../event/cursor.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { DeliveryRun } from "../views/delivery.js";
import type { LiveEntry } from "../views/live-entry.js";
import type { CollapsedEvent } from "../views/merged-events.js";
import type { EventUnit, TextUnit, Unit } from "../views/unit.js";
import type { Place, View } from "../views/view.js";
import type { RunningCounts } from "./delivery-counts.js";

export type Taken =
  | { readonly kind: "run"; readonly run: DeliveryRun }
  /** Nothing may leave before `until`, unless something critical comes. */
  | { readonly kind: "wait"; readonly until: Millis }
  | { readonly kind: "idle" };

/** A part of what is owed at the end (R8a). */
export type Drained =
  | { readonly kind: "run"; readonly run: DeliveryRun }
  /** There is more, but not in this turn of the event loop. */
  | { readonly kind: "later" }
  | { readonly kind: "done" };

/** The rest that is owed to a subscription that is ended from this side. */
export interface Owed {
  /** The next of it. To be asked for as the peer takes it. */
  readonly drain: () => Drained;
  /** At most how many events are left of it. */
  readonly leftCount: () => number;
}

/** The events that a subscription was handed over of all that was published. */
export interface Reached {
  /** Everything up to this epoch. */
  readonly after: Epoch;
  /** By the keys of outputs of which text is owed: how far their text was handed over. */
  readonly owed: Iterable<readonly [output: string, given: GivenText]>;
  /** Outputs that are skipped. */
  readonly skipped: Iterable<string>;
  /** The outputs that its subscription named when it came back, and has not met since. */
  readonly unmet: ReadonlyMap<string, GivenText>;
}

/** What a stream needs from its owner; all of it is the engine's to give. */
export interface StreamServices {
  /** The same critical event, marked with how many events it overtook (R4). */
  readonly markOvertook: (event: AgentEvent, count: number) => AgentEvent;
  /** An empty chunk that completes a skipped output (R26). */
  readonly completeSkipped: (unit: TextUnit) => TextUnit;
  /** Two states of an agent as one (R4, R11). */
  readonly collapsedEvent: CollapsedEvent;
  /** Stands for an output in a cursor (R17). */
  readonly outputDigest: (output: string) => string;
  readonly maxHoldMs: Millis;
  /** Whether a view has still to take what was journaled. */
  readonly isBehind: (view: View) => boolean;
  /** What an entry overtakes that a view has not taken (R4). */
  readonly overtaken: (view: View, entry: JournaledEvent) => readonly LiveEntry[];
  /** Told of each gap, as it leaves (R27). */
  readonly declared: (gap: EventUnit) => void;
  readonly counts: RunningCounts;
  /** Told of each question that leaves. */
  readonly asked: (entry: JournaledEvent) => void;
  /** What is open, was asked no later than this epoch, and was not asked here (R6, R28). */
  readonly openQuestions: (upTo: Epoch) => readonly JournaledEvent[];
  /** The unit of one of them; undefined where it was resolved meanwhile, or asked. */
  readonly questionUnit: (entry: JournaledEvent) => EventUnit | undefined;
  /** Tells of what was before it; undefined where all of that has been said. */
  readonly briefing: () => StreamBriefing | undefined;
}

/** Tells of what was before a subscription: each unit is made when it is asked for, and is to be given then (R17, R34). */
export interface StreamBriefing {
  /** Notices of questions that it cannot answer: critical, and so at no cost. Empty where one has nothing to say any more; undefined: none left. */
  readonly nextNotice: () => readonly Unit[] | undefined;
  readonly noticeCount: () => number;
  /** The same of losses, then of how sessions stand. */
  readonly next: () => readonly Unit[] | undefined;
  readonly count: () => number;
  /** How many times `next` has been asked, of all that this briefing tells. */
  readonly saidCount: () => number;
  /** The same of one session, out of its order: before something critical of that session. */
  readonly ofSession: (session: string) => readonly Unit[];
}

export interface StreamTerms {
  readonly limited: boolean;
  readonly paused: boolean;
  readonly paceWpm: number | undefined;
}

/** The pull side of one subscription. */
export interface Stream {
  readonly take: (now: Millis) => Taken;
  /** What may leave now and is critical. */
  readonly takeCriticalOnly: (now: Millis) => Taken;
  /** Whether an append to its view should wake it: false while it waits for budget, a pause or the transport. */
  readonly isReady: (now: Millis) => boolean;
  readonly setTerms: (terms: StreamTerms, now: Millis) => void;
  /** Goes on in another place: after new terms, or after falling behind. */
  readonly moveTo: (place: Place, reader: BacklogReader | undefined) => void;
  readonly place: () => Place;
  readonly reader: () => BacklogReader | undefined;
  /** Puts units before everything that waits; they leave at once and at no cost. */
  readonly urge: (units: readonly Unit[]) => void;
  /** Begins the next take with what was asked before, up to this epoch, and is open by then. */
  readonly askOpen: (upTo: Epoch) => void;
  /**
   * Takes what stands before `upTo` into its own queue, so that its view may let go of it. False: the queue is full, or something critical or unsaid
   * is in the way.
   */
  readonly absorb: (upTo: number) => boolean;
  /** Of outputs, by their digests, more was given than of all others (R17). */
  readonly setGiven: (outputs: ReadonlyMap<string, GivenText>) => void;
  /** Text of this output below its floor is not delivered. */
  readonly trim: (output: string, floor: Floor) => void;
  /** Of each output of this point everything below its position has been given, and nothing above. */
  readonly setFloors: (point: ReadingPoint) => void;
  /** From where the journal would have to be read for all that has not left, `queued` included. */
  readonly point: (queued: readonly Unit[]) => ReadingPoint;
  /** Whether it stands at the end of its view, and is owed what that holds and nothing else. */
  readonly isLevel: () => boolean;
  /** How far all that was to leave has left; undefined while something is owed that no journal has, or leaves at once (R17). */
  readonly reached: () => Reached | undefined;
  readonly skipOutput: (output: string) => void;
  /** Everything that was released to it and has not left, in order; of what a reader has not read, nothing. */
  readonly waitingUnits: () => readonly Unit[];
  /** Takes out what its queue holds of the journal, so that it can be read from there again. */
  readonly giveBack: () => readonly Unit[];
  /** Forgets its queue (R26). */
  readonly forget: () => void;
  /** Says what the daemon has to say of itself: after all that waits in its queue already, at the price of an ordinary event. */
  readonly say: (unit: Unit) => void;
  /** Critical events that it was to send and could not yet, taken out of its hands. */
  readonly takePendingCriticals: () => readonly EventUnit[];
  /** Sends critical events of another place as if they had just come (R4). */
  readonly expedite: (units: readonly EventUnit[]) => void;
  /** What stands at this epoch is not given when its turn comes. */
  readonly passOver: (epoch: Epoch) => void;
  /** Whether a critical event went ahead of its place. */
  readonly wentAhead: (epoch: Epoch) => boolean;
  readonly markBlocked: (blocked: boolean) => void;
  /** The next of all that is owed, whatever the budget (R8a): a bounded part, by bounded work. From the first on it takes nothing else. */
  readonly drain: (now: Millis) => Drained;
  /** How many units wait in its queue, and how many sessions have still to be told of. */
  readonly waiting: () => number;
  /** Epochs, outputs and agents remembered for what went ahead, was given before or is skipped. */
  readonly remembered: () => number;
}
