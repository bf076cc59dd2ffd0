// How many events follow a critical one that went ahead of them (R4): those that wait, after coalescing, and what is not taken or read yet.
import type { HeldText } from "../views/held-text-spec.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import type { Unit } from "../views/unit.js";
import { roleOf } from "../views/view.js";
import type { ViewTerms } from "../views/view-spec.js";

export interface Overtaken {
  /** What has been released to the subscription. */
  readonly units: readonly Unit[];
  /** What its view still holds and would have released before the critical event. */
  readonly held: readonly HeldText[];
  /** What its view has not taken, or its reader has not read. */
  readonly untaken: readonly SharedRendering[];
}

/**
 * Exact for what has been released. Of the rest, text counts once an output: into how many events it will be cut is not known yet. `isMerging`: what
 * waits merges.
 */
export function overtakenCount({ units, held, untaken }: Overtaken, terms: ViewTerms, isMerging: boolean): number {
  let count = units.length;
  const counted = new Set<string>();
  const add = (lane: string): void => {
    if (!counted.has(lane)) count += 1;
    counted.add(lane);
  };
  if (isMerging) for (const unit of units) for (const lane of growingLane(unit)) counted.add(lane);
  for (const { output } of held) add(output);
  for (const rendering of untaken) {
    const { entry, output } = rendering;
    const { chunk, complete, producer } = entry.event;
    if (entry.kind === "output.streaming") {
      const isReleased = complete === true || (chunk !== "" && (terms.passThrough || terms.level !== undefined));
      if (isReleased) add(output);
    } else if (isMerging && roleOf(rendering) === "progress") add(progressLane(producer.agent_id));
    else count += 1;
  }
  return count;
}

/** What would join a unit that waits, if it came now. */
function growingLane(unit: Unit): readonly string[] {
  if (unit.kind === "text") return unit.complete ? [] : [unit.output];
  return unit.role === "progress" ? [progressLane(unit.agent)] : [];
}

/** No output has this key: those begin with their session. */
function progressLane(agentId: string): string {
  return ` ${agentId}`;
}
