import type { ScenarioName } from "./scenarios.js";

/**
 * So many times the patience is the longest that the session of a scenario is waited for before another scenario is asked for: it would be taken for
 * that one's.
 */
export const LATEST_BEGINNING = 3;

/** A scenario that is being performed. */
interface Performance {
  /** The session, if the driver chose its id. */
  readonly sessionId: string | undefined;
  /** Resolves when nothing more of the scenario comes. Rejects with an error whose message says what went wrong. */
  readonly done: Promise<void>;
  /** Called when no session has begun for so long that none is expected. Ends what performs the scenario. The driver lacks it from then on. */
  readonly giveUp: () => void;
}

/** Makes the tested producer show a scenario. */
export interface Driver {
  /** Makes the driver ready for its first scenario. Throws a Fault "usage" if it was set up wrongly. Undefined: it is ready. */
  readonly prepare?: () => Promise<void>;
  /** Undefined: the producer can be made to show it, as far as the driver knows. Otherwise the reason, in a sentence. */
  readonly lacks: (scenario: ScenarioName) => string | undefined;
  /** The sentence for a driver that has turned out to be set up wrongly; undefined: it has not. */
  readonly fault?: () => string | undefined;
  /** A sentence for each scenario that went wrong in the middle. */
  readonly failures?: () => readonly string[];
  readonly perform: (scenario: ScenarioName) => Promise<Performance>;
  readonly stop: () => Promise<void>;
}

/** The driver of a producer that nothing is known of. */
export const NO_DRIVER: Driver = {
  lacks: () => "Nothing makes the producer show a scenario. Give --agent, --control or --user-input.",
  perform: () => Promise.reject(new Error("There is no driver.")),
  stop: async () => {},
};
