// A view that fails: its filter cannot be read while it is armed, and only an event of a type that it has not met makes it read it.
import type { Terms } from "../../../src/engine/terms/terms.js";
import { session } from "./engine-rig.js";

export interface FailingView {
  readonly terms: Partial<Terms>;
  /** From here on its view fails, or no longer does. */
  readonly arm: (isArmed: boolean) => void;
  /** The event at which it fails. */
  readonly event: Record<string, unknown>;
}

export function createFailingView(): FailingView {
  let armed = false;
  const include = ["aaep:agent.*"];
  Object.defineProperty(include, "some", {
    value: (...given: Parameters<typeof include.some>) => {
      if (armed) throw new Error("no filter");
      return Array.prototype.some.apply(include, given);
    },
  });
  return {
    terms: { eventFilters: { include, exclude: [] }, preferredVerbosity: "terse" },
    arm: (isArmed) => {
      armed = isArmed;
    },
    event: session().state("idle", "thinking"),
  };
}
