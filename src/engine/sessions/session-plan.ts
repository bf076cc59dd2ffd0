// What publishing into sessions is asked with, and what a plan of it says: the sessions make it, publishing carries it out (R3).
import type { JournaledEvent, NewEvent, Producer } from "../event/event.js";
import type { Moment, SequenceWarning } from "./rule-context.js";
import type { KnownPublish } from "./same-publish.js";
import type { OpenQuestion } from "./session-record.js";

/** Who publishes, and when. */
export interface PublishContext extends Moment {
  /** What the agent said of itself when it connected (R2). */
  readonly agent: Producer | undefined;
  /** The first of the languages that its manifest lists (R2). */
  readonly agentLanguage: string | undefined;
  /** `--producer-id`. */
  readonly producerId: string | undefined;
  /** The agent's connection, by identity: the owner of the sessions it starts (R8). */
  readonly connection: object;
  /** Lets another connection publish into a session (R8). */
  readonly resumeToken?: string | undefined;
  /** The events came as an array: pointers of faults begin with an index. */
  readonly isArray: boolean;
  /** An accepted event with this id, as far back as the journal's window reaches. */
  readonly known: (eventId: string) => KnownPublish | undefined;
}

/** What becomes of one published event. */
export type PublishAnswer =
  /** It goes out as `events[index]`. */
  | { readonly kind: "accepted"; readonly eventId: string; readonly index: number; readonly resumeToken?: string }
  /** It was accepted before and gets its first answer again; within one array, the answer to its first copy. */
  | { readonly kind: "repeated"; readonly eventId: string; readonly resumeToken?: string }
  /** It is in order but says nothing new, and does not go out (R3a). */
  | { readonly kind: "suppressed"; readonly eventId: string };

/** What will have happened once it is committed. Planning anything else, or asking the sessions anything, discards it. */
export interface SessionPlan {
  /** In order, the daemon's own among them; for the journal. */
  readonly events: readonly NewEvent[];
  /** One for each input. */
  readonly answers: readonly PublishAnswer[];
  readonly asked: readonly OpenQuestion[];
  /** Questions that are no longer asked: cancelled by their agent, or ended with their session. */
  readonly withdrawn: readonly OpenQuestion[];
  /** Ids of sessions whose agent came back by publishing: their grace is over. */
  readonly adopted: readonly string[];
  readonly ended: readonly string[];
  /** What "warn" repaired. */
  readonly warnings: readonly SequenceWarning[];
  /** Makes it so. Given what the journal made of `events`, terminal events are kept with their epochs. Throws "internal" after a discard. */
  readonly commit: (journaled?: readonly JournaledEvent[]) => void;
  readonly discard: () => void;
}
