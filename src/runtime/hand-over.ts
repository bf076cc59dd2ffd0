// The end of a subscription from this side: what it is still owed is handed over as its peer takes it, until it is all or the time is over (R8a).
import { timeToClose, within } from "../base/time-limit.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { CloseInfo } from "../contracts/transport.js";
import type { PendingDeliveries } from "../engine/subscriptions/taken.js";
import type { DeliverySink } from "./pump.js";
import type { SendingTurns } from "./sending-turns.js";

/** How long the end of a subscription may take where nobody says how long, ms. */
export const LAST_WORDS_MS: Millis = 10_000;

/** The end of the time is kept for the close, so that a slow peer hears that too: this long, or a quarter of the time where that is less. */
const CLOSING_MS: Millis = 500;

export interface HandOverServices {
  readonly clock: Clock;
  /** Peers that are handed over to share the turns of those that are sent to (R34). */
  readonly sendingTurns: SendingTurns;
}

/** "later": the rest is still being read. "no_room": in this turn. */
type Pause = "done" | "full" | "later" | "no_room";

/** Answers at most how many events were left when the time for them was over. Rejects where one could not be made. */
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
    const pause = await whenRoom(sendSome, sendingTurns);
    if (pause === "done") return 0;
    if (pause === "full") await within(lastAt, sink.writable(), clock);
    if (pause === "later") await new Promise<void>(clock.afterTurn);
    if (clock.now() >= lastAt) return pendingDeliveries.leftCount();
  }
}

/** Works now where this turn has room, else when it is its turn. */
function whenRoom(work: () => Pause, turns: SendingTurns): Pause | Promise<Pause> {
  if (turns.isRoomLeft()) return work();
  return new Promise((resolve, reject) => {
    turns.wait(() => {
      try {
        resolve(work());
      } catch (caught) {
        reject(caught);
      }
    });
  });
}

/**
 * Closes what the last was handed over to, and gives that until then to leave; without `until` as long as the transport gives it. Answers how many
 * messages are known not to have left.
 */
export async function closeWithin(
  { close, closed }: { readonly close: (withinMs?: Millis) => Promise<void>; readonly closed: Promise<CloseInfo> },
  until: Millis | undefined,
  clock: Pick<Clock, "now">,
): Promise<number> {
  await close(timeToClose(until, clock.now()));
  const { isCutShort } = await closed;
  return isCutShort === true ? 1 : 0;
}
