// Tells the listener of an idle stream that it is alive, so that a dead one can be told from it (C3, P9).
import type { Clock, Millis } from "../contracts/clock.js";

export interface Heartbeats {
  /** Begins to count. Calling it again changes nothing. */
  readonly start: () => void;
  /** Something was handed over, and `isTaken` is what the connection answered. While it takes nothing, no heartbeat is added to what waits. */
  readonly sent: (isTaken: boolean) => void;
  readonly stop: () => void;
}

export interface HeartbeatSink {
  /** Hands one over; what the connection answers comes by `sent`. */
  readonly beat: () => void;
  /** Resolves when the peer takes again. Never rejects. */
  readonly writable: () => Promise<void>;
}

/** A heartbeat whenever nothing was sent for `everyMs`, above 0. One timer, which no event moves. */
export function createHeartbeats(
  everyMs: Millis,
  sink: HeartbeatSink,
  clock: Pick<Clock, "now" | "wakeAt">,
): Heartbeats {
  let lastSentAt = 0;
  let isBlocked = false;
  let state: "new" | "counting" | "stopped" = "new";
  let cancel = (): void => {};

  const unblock = (): void => {
    isBlocked = false;
    lastSentAt = clock.now();
  };

  const due = (): void => {
    const now = clock.now();
    let next = now + everyMs;
    if (!isBlocked) {
      if (lastSentAt + everyMs > now) next = lastSentAt + everyMs;
      else sink.beat();
    }
    cancel = clock.wakeAt(next, due);
  };

  return {
    start: () => {
      if (state !== "new") return;
      state = "counting";
      cancel = clock.wakeAt(clock.now() + everyMs, due);
    },
    sent: (isTaken) => {
      lastSentAt = clock.now();
      if (isTaken || isBlocked) return;
      isBlocked = true;
      void sink.writable().then(unblock);
    },
    stop: () => {
      state = "stopped";
      cancel();
    },
  };
}
