// A view with the subscriptions that share it, and those of them that wait for nothing but its next unit.
import type { Epoch } from "../event/event.js";
import type { Checkpoint } from "../views/delivery.js";
import type { View, ViewFollower } from "../views/view.js";

/** A subscription, as its view calls it. */
export interface ViewMember {
  readonly outlet: { readonly wake: () => void };
  /** The member's place in a view that drops units before `window`; undefined if it needs none of them. */
  readonly placeIn: (shared: SharedView, window: number) => number | undefined;
  /** Reports to the member's holder that it has ended, because its view failed. */
  readonly end: (reason: "producer_error") => void;
}

export class SharedView implements ViewFollower {
  readonly view: View;
  readonly members = new Set<ViewMember>();
  /** The index at which the hub next looks for units to drop. */
  trimAt = 0;
  /** The last checkpoint of the members that have taken all units. */
  level: { readonly epoch: Epoch; readonly end: number; readonly checkpoint: Checkpoint } | undefined;
  /** Members that the next unit wakes, once: they have taken all units. Others are woken only if it is critical. */
  readonly ready = new Set<ViewMember>();

  /** `open` makes the view. */
  constructor(open: (follower: ViewFollower) => View) {
    this.view = open(this);
  }

  /** A critical unit wakes every member, another those that are ready. The events of one turn therefore cost a member one wake-up. */
  appended(isCritical: boolean): void {
    if (isCritical) {
      for (const member of this.members) member.outlet.wake();
      return;
    }
    // A member that takes while it is woken is added behind these, and waits for the next unit.
    let left = this.ready.size;
    for (const member of this.ready) {
      if (left === 0) break;
      left -= 1;
      this.ready.delete(member);
      member.outlet.wake();
    }
  }
}
