import { setFlagsFromString } from "node:v8";

/** V8 12 has a compiler between the baseline and the last one, which functions reach soon. */
const FIRST_WITH_MID_TIER = 12;

/**
 * What runs often is compiled for speed after a tenth of the work that V8 would wait for: an agent sends a few hundred events in a session, which are
 * interpreted otherwise. Called once the daemon listens, because what only its start runs is not worth it.
 */
export function compileEarly(): void {
  if (Number.parseInt(process.versions.v8, 10) >= FIRST_WITH_MID_TIER) return;
  setFlagsFromString("--interrupt-budget=10000");
}
