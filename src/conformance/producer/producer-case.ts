import type { Millis } from "../../contracts/clock.js";
import type { CaseDescription } from "../findings/finding.js";
import type { Conversation } from "../wire/conversation.js";
import type { ProducerStage } from "./stage.js";

/** A case that does something and judges the answer. */
export interface ActiveCase extends Omit<CaseDescription, "role"> {
  readonly kind: "active";
  /** Throws a `Judged`; a case that comes to its end has passed. */
  readonly run: (stage: ProducerStage) => Promise<void>;
}

/** Everything that the cases received. */
export interface Heard {
  readonly conversations: readonly Conversation[];
  readonly shown: ReadonlyMap<string, ShownSession>;
}

/** A session that began because a case asked for it, so that its time is known. */
export interface ShownSession {
  /** Before its beginning. */
  readonly askedAt: Millis;
  /** When its scenario was over; undefined: it was not, or could not be performed. */
  readonly overAt: Millis | undefined;
}

/** A case that judges what all cases received. */
export interface WatchingCase extends Omit<CaseDescription, "role"> {
  readonly kind: "watching";
  /** Returns how many messages or sessions it judged. Throws a `Judged` at the first that breaks the rule. */
  readonly judge: (heard: Heard) => number;
  /** The reason for skipping a case that judged nothing: "No question was asked." */
  readonly unseen: string;
}

export type ProducerCase = ActiveCase | WatchingCase;
