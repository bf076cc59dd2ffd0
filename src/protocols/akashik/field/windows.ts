// The windows of `debounce_ms`: after a notification of an entity left, the next one waits until the window of that entity ends (Akashik SUBSCRIBE).

import type { SharedRoom } from "../../../base/shared-room.js";
import type { Millis } from "../../../contracts/clock.js";
import type { FieldClock } from "./field-types.js";

export interface Windows {
  readonly isOpen: (entity: string) => boolean;
  /** Whether a further window can be opened. */
  readonly isRoom: () => boolean;
  /** A notification of the entity has left. Calls `ended` when its window ends. Without a window nothing happens. */
  readonly open: (entity: string, ended: () => void) => void;
  /** Forgets all windows. */
  readonly stop: () => void;
}

/** The windows of one subscription. A window that has ended is not remembered. */
export function createWindows(lengthMs: Millis, clock: Pick<FieldClock, "now" | "wakeAt">, room: SharedRoom): Windows {
  const cancels = new Map<string, () => void>();
  return {
    isOpen: (entity) => cancels.has(entity),
    isRoom: () => lengthMs === 0 || room.isRoom(),
    open: (entity, ended) => {
      if (lengthMs === 0) return;
      const cancel = clock.wakeAt(clock.now() + lengthMs, () => {
        cancels.delete(entity);
        room.add(-1);
        ended();
      });
      room.add(1);
      cancels.set(entity, cancel);
    },
    stop: () => {
      for (const cancel of cancels.values()) cancel();
      room.add(-cancels.size);
      cancels.clear();
    },
  };
}
