import { setFlagsFromString } from "node:v8";

/** V8 12 has a compiler between the baseline and the last one, which functions reach soon. */
const FIRST_WITH_MID_TIER = 12;

/**
 * Makes V8 compile frequent code for speed after a tenth of its usual amount of work: an agent sends a few hundred events in a session, which would
 * otherwise be interpreted. Called once the daemon listens, because code that only the start runs is not worth compiling.
 */
export function compileEarly(): void {
  if (Number.parseInt(process.versions.v8, 10) >= FIRST_WITH_MID_TIER) return;
  setFlagsFromString("--interrupt-budget=10000");
}
