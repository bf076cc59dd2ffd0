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

/** Wakes its members once, until one of them has taken all units and is added again. The events of one turn therefore cost one wake-up. */
export function createReadyMembers(): ReadyMembers {
  const ready = new Set<ViewMember>();
  let areWoken = false;
  return {
    add: (member) => {
      ready.add(member);
      areWoken = false;
    },
    delete: (member) => void ready.delete(member),
    wake: () => {
      if (areWoken) return;
      areWoken = true;
      for (const member of ready) member.wake();
    },
  };
}
