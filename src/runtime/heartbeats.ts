import type { Clock, Millis } from "../contracts/clock.js";

/**
 * Calls `beat` whenever nothing was sent for `everyMs`, which is above 0, so that a listener can distinguish an idle stream from a dead one. Uses one
 * timer, which no event moves.
 */
export class Heartbeats {
  private readonly everyMs: Millis;
  private readonly beat: () => void;
  private readonly clock: Pick<Clock, "now" | "wakeAt">;
  private lastSentAt = 0;
  private isTaking = true;
  private state: "new" | "counting" | "stopped" = "new";
  private cancel = (): void => {};

  constructor(everyMs: Millis, beat: () => void, clock: Pick<Clock, "now" | "wakeAt">) {
    this.everyMs = everyMs;
    this.beat = beat;
    this.clock = clock;
  }

  /** Starts the count. A second call changes nothing. */
  start(): void {
    if (this.state !== "new") return;
    this.state = "counting";
    this.wakeAt(this.clock.now() + this.everyMs);
  }

  /** Reports a hand-over with the connection's answer, or that the connection takes again. While it takes nothing, no heartbeat is sent. */
  sent(isTaken: boolean): void {
    this.lastSentAt = this.clock.now();
    this.isTaking = isTaken;
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
    const at = this.isTaking ? this.lastSentAt + this.everyMs : now;
    if (this.isTaking && at <= now) this.beat();
    this.wakeAt(at > now ? at : now + this.everyMs);
  }
}
