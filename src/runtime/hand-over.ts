// The end of a subscription from this side: its pending deliveries are handed over as the peer takes them, until none is left or the time is over
// (R8a).
import { timeToClose, within } from "../base/time-limit.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { CloseInfo } from "../contracts/transport.js";
import type { PendingDeliveries } from "../engine/subscriptions/taken.js";
import type { DeliverySink } from "./pump.js";
import { inTurn, type SharedTurns } from "./shared-turns.js";

/** Default time limit for the end of a subscription, ms. */
export const LAST_WORDS_MS: Millis = 10_000;

/** Time reserved for the close, so that a slow peer receives the close too: this long, or a quarter of the time limit if that is less. */
const CLOSING_MS: Millis = 500;

export interface HandOverServices {
  readonly clock: Clock;
  /** Turns shared by peers with pending deliveries and all other peers (R34). */
  readonly sendingTurns: SharedTurns;
}

/** "later": the rest is still being read. "no_room": this turn has no room left. */
type Pause = "done" | "full" | "later" | "no_room";

/** Resolves with an upper bound of the events that were left when the time was over. Rejects if an event could not be made. */
export async function handOver(
  pendingDeliveries: PendingDeliveries,
  sink: Pick<DeliverySink, "send" | "writable">,
  until: Millis,
  { clock, sendingTurns }: HandOverServices,
): Promise<number> {
  const lastAt = until - Math.max(0, Math.min(CLOSING_MS, (until - clock.now()) / 4));
  const sendNext = (): Pause | "taken" => {
    const drained = pendingDeliveries.drain();
    if (drained.kind !== "batch") return drained.kind;
    return sink.send(drained.batch) ? "taken" : "full";
  };
  const sendSome = (): Pause => {
    do {
      const from = sendingTurns.begin();
      const state = sendNext();
      sendingTurns.end(from);
      if (state !== "taken") return state;
    } while (sendingTurns.isRoomLeft());
    return "no_room";
  };
  for (;;) {
    const pause = await inTurn(sendingTurns, sendSome);
    if (pause === "done") return 0;
    if (pause === "full") await within(lastAt, sink.writable(), clock);
    if (pause === "later") await new Promise<void>(clock.afterTurn);
    if (clock.now() >= lastAt) return pendingDeliveries.leftCount();
  }
}

/**
 * Closes the connection and leaves handed-over data until `until` to leave; without `until`, the transport's own time limit. Resolves with the
 * number of messages known not to have left, at most 1.
 */
export async function closeWithin(
  connection: { readonly close: (withinMs?: Millis) => Promise<void>; readonly closed: Promise<CloseInfo> },
  until: Millis | undefined,
  clock: Pick<Clock, "now">,
): Promise<number> {
  await connection.close(timeToClose(until, clock.now()));
  const { isCutShort } = await connection.closed;
  return isCutShort === true ? 1 : 0;
}
