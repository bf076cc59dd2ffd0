import type { CaseDescription } from "../findings/finding.js";
import type { SubscriberStage } from "./stage.js";

export interface SubscriberCase extends Omit<CaseDescription, "role"> {
  /** Throws a `Judged`; a case that comes to its end has passed. */
  readonly run: (stage: SubscriberStage) => Promise<void>;
}
