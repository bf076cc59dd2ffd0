// Of a run that several subscriptions took alike: the lowest epoch that was still owed when each event of it went out (R17). One for all of them.

import type { Epoch } from "../event/event.js";
import type { Delivery } from "./delivery.js";
import type { Unit } from "./unit.js";

/** A subscription remembers so many: the last ones need not have arrived. */
export const RUNS_KEPT = 17;

/** A class, because there is one for each run. */
export class RunLows {
  private readonly eventIds: readonly string[];
  private readonly lows: readonly Epoch[];

  /** `deliveries` are those of `units`. */
  constructor(units: readonly Unit[], deliveries: readonly Delivery[]) {
    this.eventIds = deliveries.map(({ event }) => event.event_id);
    this.lows = units.map(({ low }) => low);
  }

  /** How many events it had. */
  count(): number {
    return this.eventIds.length;
  }

  /** Undefined where the event was none of this run. */
  lowOf(eventId: string): Epoch | undefined {
    const index = this.eventIds.indexOf(eventId);
    return index < 0 ? undefined : this.lows[index];
  }
}
