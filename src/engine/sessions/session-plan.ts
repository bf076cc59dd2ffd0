// The input of a plan of sessions, and the plan: sessions make it, publishing carries it out (R3).
import type { AgentProcess } from "../event/agent-process.js";
import type { JournaledEvent, NewEvent, Producer } from "../event/event.js";
import type { Moment, SequenceWarning } from "./rule-context.js";
import type { OpenQuestion } from "./session-record.js";

/** The publisher of events, and the instant. */
export interface PublishContext extends Moment {
  /** The producer that the agent declared (R2). */
  readonly agent: Producer | undefined;
  /** The first of the languages that the agent's manifest lists (R2). */
  readonly agentLanguage: string | undefined;
  /** The value of `--producer-id`. */
  readonly producerId: string | undefined;
  /** The agent's connection, by identity: it owns the sessions that it starts (R8). */
  readonly connection: object;
  /** The processes of the agent. Default: none is known (R5d). */
  readonly processes?: readonly AgentProcess[];
  /** A token that lets another connection publish into a session (R8). */
  readonly resumeToken?: string | undefined;
  /** Whether the events came as an array. Pointers of faults then begin with an index. */
  readonly isArray: boolean;
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

/** The effects of a commit. Making another plan, or asking the sessions anything, discards an uncommitted plan. */
export interface SessionPlan {
  /** The events for the journal, in order, the daemon's own among them. */
  readonly events: readonly NewEvent[];
  /** One answer for each input. */
  readonly answers: readonly PublishAnswer[];
  readonly asked: readonly OpenQuestion[];
  /** Questions that are no longer asked, because their agent cancelled them or their session ended. */
  readonly withdrawn: readonly OpenQuestion[];
  /** Ids of sessions whose agent came back by publishing. Their grace is over. */
  readonly adopted: readonly string[];
  readonly ended: readonly string[];
  /** Warnings about breaches that "warn" repaired, and advice. */
  readonly warnings: readonly SequenceWarning[];
  /**
   * Makes the plan effective. `journaled` is the journal's form of `events`; with it, terminal events are remembered with their epochs. Throws
   * "internal" after a discard.
   */
  readonly commit: (journaled?: readonly JournaledEvent[]) => void;
  readonly discard: () => void;
}
