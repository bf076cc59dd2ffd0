// The end of a stream: all that is owed leaves, in parts of bounded size and by bounded work each, whatever the budget (R8a, R34).
import type { Unit } from "../views/unit.js";
import type { DeliveryQueue } from "./delivery-queue.js";

export interface Draining {
  /** Sends one part. Answers whether there is nothing more by now. */
  readonly part: (send: (unit: Unit) => void) => boolean;
}

/** Most events of a part, so that little is lost of what a peer does not take in time; and most units that are looked at for one. */
const PART_LIMIT = 64;
const STEP_LIMIT = 256;

/** `absorb` takes over the next unit into the queue, where it merges with what waits there. */
export function createDraining(
  queue: Pick<DeliveryQueue, "shift" | "size">,
  enqueue: () => "taken" | "full" | "empty",
): Draining {
  // Whenever the queue takes no more it is emptied: what can merge has merged.
  let isEmptying = false;
  return {
    part: (send) => {
      let sentCount = 0;
      for (let step = 0; step < STEP_LIMIT && sentCount < PART_LIMIT; step += 1) {
        if (isEmptying) {
          const unit = queue.shift();
          if (unit !== undefined) send(unit);
          sentCount += 1;
          isEmptying = queue.size() > 0;
        } else if (enqueue() !== "taken") {
          if (queue.size() === 0) return true;
          isEmptying = true;
        }
      }
      return false;
    },
  };
}
