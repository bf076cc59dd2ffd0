import type { CaseDescription } from "../findings/finding.js";
import type { Conversation } from "../wire/conversation.js";
import type { ProducerStage, ShownSession } from "./stage.js";

/** A case that does something and judges the answer. */
export interface ActiveCase extends Omit<CaseDescription, "role"> {
  readonly kind: "active";
  /** Throws a `Judged`; a case that comes to its end has passed. */
  readonly run: (stage: ProducerStage) => Promise<void>;
}

/** A case of level 3: a MUST, unless `about` says otherwise. */
export function negotiated(
  about: Pick<ActiveCase, "id" | "title" | "paragraphs"> & Partial<Pick<ActiveCase, "severity">>,
  run: ActiveCase["run"],
): ActiveCase {
  return { kind: "active", level: 3, severity: "error", ...about, run };
}

/** Everything that the cases received. */
export interface Heard {
  readonly conversations: readonly Conversation[];
  readonly shown: ReadonlyMap<string, ShownSession>;
  /** The producer is on the suite's own machine, and has its clock. */
  readonly isLocal: boolean;
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
