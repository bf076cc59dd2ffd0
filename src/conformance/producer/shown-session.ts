import type { Millis } from "../../contracts/clock.js";
import type { ScenarioName } from "../drive/scenarios.js";

/** A session that began because a case asked for it, so that its time is known. */
export interface ShownSession {
  readonly scenario: ScenarioName;
  /** The driver named the session. Otherwise it is the first that began after the scenario was asked for. */
  readonly isNamed: boolean;
  /** Before its beginning. */
  readonly askedAt: Millis;
  /** When its scenario was over; undefined: it was not, or could not be performed. */
  readonly overAt: Millis | undefined;
}
