// The words of the Field: what it holds, what happens in it, and the ports through which it reaches what stands around it.
import type {
  AkashikConfidence,
  AkashikConflict,
  AkashikIntent,
  AkashikMemoryUnit,
  AkashikNotification,
  AkashikRelation,
  AkashikSource,
  AkashikSubscription,
} from "#gen/akashik/types.js";
import type { Clock } from "../../../contracts/clock.js";

export type UnitType = NonNullable<AkashikMemoryUnit["type"]>;
export type UnitStatus = NonNullable<AkashikMemoryUnit["status"]>;
export type EventKind = AkashikNotification["event"];
export type Conflict = AkashikConflict;
export type Notification = AkashikNotification;

/** A memory unit. Only its status ever changes. */
export interface MemoryUnit {
  readonly id: string;
  readonly type: UnitType;
  readonly mode: "draft" | "committed";
  readonly content: string;
  readonly intent: AkashikIntent;
  readonly confidence: AkashikConfidence;
  readonly relations: readonly AkashikRelation[];
  readonly source: AkashikSource;
  readonly epoch: number;
  readonly status: UnitStatus;
}

export interface FieldAgent {
  readonly id: string;
  readonly role: string;
  readonly interests: readonly string[];
  /** Of its registration. */
  readonly epoch: number;
}

/** A subscription as it is kept. `list` shows it without its agent. */
export interface FieldSubscription {
  readonly id: AkashikSubscription["id"];
  readonly agentId: string;
  readonly events: readonly EventKind[];
  /** 0 to 1; null: everything. */
  readonly minRelevance: number | null;
  /** ms; null: no window. */
  readonly debounceMs: number | null;
}

/** Something that happened in the Field. */
export interface FieldEvent {
  readonly kind: EventKind;
  /** The memory unit, conflict, task, agent or session, with its kind, as in "unit mem-1". Debouncing is by entity. */
  readonly entity: string;
  readonly epoch: number;
  /** The agent that caused the event, and is not told of it; undefined if there is none. */
  readonly causedBy: string | undefined;
  /** The one agent that the event is for. Default: every agent. */
  readonly onlyFor?: string | undefined;
  readonly subject: Subject;
  readonly summary: string;
  readonly unitId?: string;
  readonly conflictId?: string;
  /** Whether somebody has to act. Default: false. */
  readonly requiresAction?: boolean;
}

/** A unit or an event, as relevance sees it. */
export interface Subject {
  readonly kind: UnitType | EventKind;
  /** Stems of its words. */
  readonly words: ReadonlySet<string>;
}

/** Sends a notification to an agent that is there. Returns false if the agent takes nothing at present: it then waits as for one that is away. */
export type Push = (notification: Notification) => boolean;

/** Kinds of kept values. Each value has a key of its own, so that none grows. */
export type KeptKind = "agent" | "clock" | "conflict" | "subscription" | "unit" | "waiting";

/** The memory of the Field for the next boot. */
export interface FieldKept {
  /** `value` is asked for when the value is written. */
  readonly put: (kind: KeptKind, key: string, value: () => unknown) => void;
  readonly remove: (kind: KeptKind, key: string) => void;
}

export type FieldClock = Pick<Clock, "now" | "wakeAt" | "afterTurn" | "turnNumber">;

export interface FieldServices {
  readonly clock: FieldClock;
  readonly kept: FieldKept;
  /** Draws the id of a new unit, conflict or subscription. */
  readonly newId: () => string;
  /** Most memory units, 1 and up. */
  readonly maxUnits: () => number;
}

/** Most agents. Each event is compared with those that have subscribed to its kind. */
export const MOST_AGENTS = 4096;
/** Most subscriptions of one agent. */
export const MOST_SUBSCRIPTIONS = 64;
/** Most bytes of all agents with their subscriptions, by estimate. */
export const MOST_AGENT_BYTES = 32 * 1024 * 1024;
/** Most bytes of units and conflicts for each unit that the Field may have, by estimate: some may be far larger. */
export const BYTES_PER_UNIT = 8 * 1024;
/** Most notifications that wait for an agent that is away, and most bytes of them, by estimate. */
export const MOST_WAITING = 1000;
export const MOST_WAITING_BYTES = 1024 * 1024;
/** Most bytes of the notifications that wait for all agents together. Beyond that each further one is replaced by its agent's notice. */
export const MOST_WAITING_BYTES_IN_ALL = 16 * 1024 * 1024;
/** Most windows of `debounce_ms` at a time, of all agents and of each. Beyond that a further entity waits until one ends. */
export const MOST_WINDOWS = 65_536;
export const MOST_WINDOWS_EACH = 4096;
