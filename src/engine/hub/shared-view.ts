// A view with the members that share it, and the members that wait for nothing but its next unit.
import type { Epoch } from "../event/event.js";
import type { Checkpoint } from "../views/delivery.js";
import type { EventUnit } from "../views/unit.js";
import type { View } from "../views/view.js";

/** A member of the hub, as the views call it. */
export interface ViewMember {
  readonly wake: () => void;
  /** Sends a critical event that its view has not taken yet (R4). */
  readonly sendCritical: (unit: EventUnit) => void;
  /** The member's cursor in a view that drops units before `window`; undefined if it needs none of them. */
  readonly cursorIn: (shared: SharedView, window: number) => number | undefined;
  /** Reports to the member's holder that it has ended, because its view failed. */
  readonly end: (reason: "producer_error") => void;
}

/** A view and its members. */
export interface SharedView {
  readonly view: View;
  /** The index at which the hub next looks for units to drop. */
  trimAt: number;
  readonly members: Set<ViewMember>;
  /** Members that wait for nothing but the next unit. */
  readonly ready: ReadyMembers;
  /** The last checkpoint of the members at the view's end. */
  level: { readonly epoch: Epoch; readonly end: number; readonly checkpoint: Checkpoint } | undefined;
}

interface ReadyMembers {
  readonly add: (member: ViewMember) => void;
  readonly delete: (member: ViewMember) => void;
  readonly wake: () => void;
}

/**
 * Wakes each member once for each time it is added. A member is added when it has taken all units, so the events of one turn cost one wake-up, and a
 * member that waits for its turn to take is not woken again for each event (R34).
 */
export function createReadyMembers(): ReadyMembers {
  const ready = new Set<ViewMember>();
  return {
    add: (member) => void ready.add(member),
    delete: (member) => void ready.delete(member),
    wake: () => {
      // A member that takes while it is woken is added behind these, and waits for the next unit.
      let left = ready.size;
      for (const member of ready) {
        if (left === 0) break;
        left -= 1;
        ready.delete(member);
        member.wake();
      }
    },
  };
}
