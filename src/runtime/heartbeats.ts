// Sends heartbeats on an idle stream, so that a listener can distinguish it from a dead one.
import type { Clock, Millis } from "../contracts/clock.js";

export interface HeartbeatSink {
  /** Hands over one heartbeat; the connection's answer comes by `sent`. */
  readonly beat: () => void;
  /** Resolves when the peer takes again. Never rejects. */
  readonly writable: () => Promise<void>;
}

/** Sends a heartbeat whenever nothing was sent for `everyMs`, which is above 0. Uses one timer, which no event moves. */
export class Heartbeats {
  private readonly everyMs: Millis;
  private readonly sink: HeartbeatSink;
  private readonly clock: Pick<Clock, "now" | "wakeAt">;
  private lastSentAt = 0;
  private isBlocked = false;
  private state: "new" | "counting" | "stopped" = "new";
  private cancel = (): void => {};

  constructor(everyMs: Millis, sink: HeartbeatSink, clock: Pick<Clock, "now" | "wakeAt">) {
    this.everyMs = everyMs;
    this.sink = sink;
    this.clock = clock;
  }

  /** Starts the count. A second call changes nothing. */
  start(): void {
    if (this.state !== "new") return;
    this.state = "counting";
    this.wakeAt(this.clock.now() + this.everyMs);
  }

  /** Reports a hand-over. `isTaken`: the connection's answer. While the connection takes nothing, no heartbeat is sent. */
  sent(isTaken: boolean): void {
    this.lastSentAt = this.clock.now();
    if (isTaken || this.isBlocked) return;
    this.isBlocked = true;
    void this.sink.writable().then(() => {
      this.isBlocked = false;
      this.lastSentAt = this.clock.now();
    });
  }

  stop(): void {
    this.state = "stopped";
    this.cancel();
  }

  private wakeAt(at: Millis): void {
    this.cancel = this.clock.wakeAt(at, () => this.due());
  }

  private due(): void {
    const now = this.clock.now();
    const at = this.isBlocked ? now : this.lastSentAt + this.everyMs;
    if (!this.isBlocked && at <= now) this.sink.beat();
    this.wakeAt(at > now ? at : now + this.everyMs);
  }
}
