// Sends heartbeats on an idle stream, so that a listener can distinguish it from a dead one.
import type { Clock, Millis } from "../contracts/clock.js";

export interface Heartbeats {
  /** Starts the count. A second call changes nothing. */
  readonly start: () => void;
  /** Reports a hand-over. `isTaken`: the connection's answer. While the connection takes nothing, no heartbeat is sent. */
  readonly sent: (isTaken: boolean) => void;
  readonly stop: () => void;
}

export interface HeartbeatSink {
  /** Hands over one heartbeat; the connection's answer comes by `sent`. */
  readonly beat: () => void;
  /** Resolves when the peer takes again. Never rejects. */
  readonly writable: () => Promise<void>;
}

/** Sends a heartbeat whenever nothing was sent for `everyMs`, which is above 0. Uses one timer, which no event moves. */
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
