// Counts the events that follow a critical event that overtook them (R4): released units after coalescing, held text, and events not taken or read.
import type { HeldText } from "../views/held-text-spec.js";
import type { SharedRendering } from "../views/shared-rendering.js";
import type { Unit } from "../views/unit.js";
import { roleOf } from "../views/view.js";
import type { ViewTerms } from "../views/view-spec.js";

export interface Overtaken {
  /** Units released to the subscription. */
  readonly units: readonly Unit[];
  /** Text that its view still holds, and would have released before the critical event. */
  readonly held: readonly HeldText[];
  /** Events that its view has not taken, or its reader has not read. */
  readonly untaken: readonly SharedRendering[];
}

/**
 * Exact for released units. Of the rest, text counts once for each output, because it is not known yet into how many events it will be cut.
 * `isMerging` is true if waiting units of the subscription merge.
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

/** Keys of later units that would merge with this one. */
function growingLane(unit: Unit): readonly string[] {
  if (unit.kind === "text") return unit.complete ? [] : [unit.output];
  return unit.role === "progress" ? [progressLane(unit.agent)] : [];
}

/** Not the key of any output: those begin with their session. */
function progressLane(agentId: string): string {
  return ` ${agentId}`;
}
