// The end of a subscription from this side: what it is still owed is handed over as its peer takes it, until it is all or the time is over (R8a).
import { timeToClose, within } from "../base/time-limit.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { CloseInfo } from "../contracts/transport.js";
import type { Owed } from "../engine/stream.js";
import type { DeliverySink } from "./pump.js";

/** How long the end of a subscription may take where nobody says how long, ms. */
export const LAST_WORDS_MS: Millis = 10_000;

/** Most events that one peer is handed over in one turn of the event loop; then others come (R34). */
const EVENTS_PER_TURN = 128;

/** Answers at most how many events were left when the time was over. Rejects where one could not be made. */
export async function handOver(
  owed: Owed,
  sink: Pick<DeliverySink, "send" | "writable">,
  until: Millis,
  clock: Clock,
): Promise<number> {
  let sentCount = 0;
  for (let drained = owed.drain(); drained.kind !== "done"; drained = owed.drain()) {
    if (drained.kind === "later") {
      await new Promise<void>(clock.afterTurn);
    } else if (sink.send(drained.run)) {
      sentCount += drained.run.deliveries.length;
      if (sentCount < EVENTS_PER_TURN) continue;
      sentCount = 0;
      await new Promise<void>(clock.afterTurn);
    } else {
      sentCount = 0;
      await within(until, sink.writable(), clock);
    }
    if (clock.now() >= until) return owed.leftCount();
  }
  return 0;
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
