import { type CaseDescription, caseOf } from "../findings/finding.js";
import type { Heard, ProducerStage } from "./stage.js";

/** A case that does something and judges the answer. */
export interface ActiveCase extends CaseDescription {
  readonly kind: "active";
  /** Throws a `Judged`; a case that comes to its end has passed. */
  readonly run: (stage: ProducerStage) => Promise<void>;
}

export function active(id: string, title: string, paragraphs: readonly string[], run: ActiveCase["run"]): ActiveCase {
  return { ...caseOf(id, title, paragraphs), kind: "active", run };
}

/** A case of a SHOULD. */
export function recommended(...about: Parameters<typeof active>): ActiveCase {
  return { ...active(...about), severity: "warning" };
}

/** A case that judges what all cases received. */
export interface WatchingCase extends CaseDescription {
  readonly kind: "watching";
  /** Returns how many messages or sessions it judged. Throws a `Judged` at the first that breaks the rule. */
  readonly judge: (heard: Heard) => number;
  /** The reason for skipping a case that judged nothing: "No question was asked." */
  readonly unseen: string;
}

export function watching(
  id: string,
  title: string,
  paragraphs: readonly string[],
  unseen: string,
  judge: WatchingCase["judge"],
): WatchingCase {
  return { ...caseOf(id, title, paragraphs), kind: "watching", unseen, judge };
}

export type ProducerCase = ActiveCase | WatchingCase;
