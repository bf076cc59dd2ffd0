// The end of a subscription: all pending units leave, whatever the budget, in parts of bounded size and bounded work (R8a, R34).
import type { Unit } from "../views/unit.js";
import type { DeliveryQueue } from "./delivery-queue.js";

export interface Draining {
  /** Sends one part. Returns true if nothing is left. */
  readonly part: (send: (unit: Unit) => void) => boolean;
}

/** Most events of a part, and most units looked at for one. A small part loses little if the peer does not take it in time. */
const PART_LIMIT = 64;
const STEP_LIMIT = 256;

/** `enqueue` moves the next unit into the queue, where it merges with waiting units. */
export function createDraining(
  queue: Pick<DeliveryQueue, "shift" | "size">,
  enqueue: () => "taken" | "full" | "empty",
): Draining {
  // Set while the queue is being emptied, which happens when it takes no more. All units that can merge have merged by then.
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
