// A view, the members of the hub that share it, and which of them wait for nothing but its next unit.
import type { Epoch } from "../event/event.js";
import type { Checkpoint } from "../views/delivery.js";
import type { EventUnit } from "../views/unit.js";
import type { View } from "../views/view.js";

/** A member of the hub, as the views ask it. */
export interface ViewMember {
  readonly wake: () => void;
  /** Sends a critical event that its view has not taken yet (R4). */
  readonly sendCritical: (unit: EventUnit) => void;
  /** Where it stands in a view that is about to let go of units before `window`; undefined where it needs none of them any more. */
  readonly cursorIn: (shared: SharedView, window: number) => number | undefined;
  /** Tells its holder that it has ended, for its view failed. */
  readonly end: (reason: "producer_error") => void;
}

/** A view and who shares it. */
export interface SharedView {
  readonly view: View;
  /** The index at which it is next looked at for what can be let go of. */
  trimAt: number;
  readonly members: Set<ViewMember>;
  /** Those that wait for nothing but the next unit. */
  readonly ready: ReadyMembers;
  /** The checkpoint of those who stand at its end, as it was last asked for. */
  level: { readonly epoch: Epoch; readonly end: number; readonly checkpoint: Checkpoint } | undefined;
}

interface ReadyMembers {
  readonly add: (member: ViewMember) => void;
  readonly delete: (member: ViewMember) => void;
  readonly wake: () => void;
}

/** Wakes its members once, until one of them has taken all there was and is added again: so the events of one turn cost one waking. */
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
