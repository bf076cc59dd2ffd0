// The graces of sessions whose agents went away (R8), in one timer.
import { Fault } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import type { WakeUps } from "../time/wake-ups.js";

export interface SessionGracesServices {
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  readonly log: Log;
  /** Length of a grace, in ms; 0 ends sessions at once. Read for each use. */
  readonly agentGraceMs: () => Millis;
}

/** Wait before the end of a session that the journal refused is tried again, in ms. */
const RETRY_MS = 1000;
/** Sessions whose grace is over are ended one after another for so long in a turn, in ms (R34). Until its end, a session can be taken over. */
const TURN_MS = 2;

export class SessionGraces {
  private readonly services: SessionGracesServices;
  private readonly end: (sessionId: string) => void;
  // The instants at which graces began, in order.
  private readonly waiting = new Map<string, Millis>();
  private cancelWakeUp: (() => void) | undefined;

  /** `end` ends a session whose grace is over. If it throws "storage_unavailable", it is called again after a second. */
  constructor(services: SessionGracesServices, end: (sessionId: string) => void) {
    this.services = services;
    this.end = end;
  }

  begin(sessionId: string): void {
    this.waiting.delete(sessionId);
    this.waiting.set(sessionId, this.services.clock.now());
    if (this.cancelWakeUp === undefined) this.endDue();
  }

  /** Ends a grace without consequence: the agent is back, or the session has ended. */
  forget(sessionId: string): void {
    if (this.waiting.delete(sessionId) && this.waiting.size === 0) this.close();
  }

  /** The instant at which the session's grace ends; undefined if none runs. */
  until(sessionId: string): Millis | undefined {
    const since = this.waiting.get(sessionId);
    return since === undefined ? undefined : since + this.services.agentGraceMs();
  }

  /** Applies a new value of `agentGraceMs` to running graces. */
  graceChanged(): void {
    this.close();
    this.endDue();
  }

  /** Cancels the timer. */
  close(): void {
    this.cancelWakeUp?.();
    this.cancelWakeUp = undefined;
  }

  private endDue(): void {
    const { clock, agentGraceMs, log } = this.services;
    const begunAt = clock.now();
    for (const [sessionId, since] of this.waiting) {
      const now = clock.now();
      const dueAt = since + agentGraceMs();
      if (dueAt > now || now - begunAt >= TURN_MS) {
        this.wakeAt(Math.max(dueAt, now));
        return;
      }
      try {
        this.end(sessionId);
      } catch (caught) {
        log.error({ err: caught, session: sessionId }, "a session whose agent is gone could not be ended");
        if (caught instanceof Fault && caught.code === "storage_unavailable") {
          this.wakeAt(now + RETRY_MS);
          return;
        }
      }
      this.waiting.delete(sessionId);
    }
  }

  private wakeAt(at: Millis): void {
    this.close();
    this.cancelWakeUp = this.services.wakeUps.at(at, () => {
      this.cancelWakeUp = undefined;
      this.endDue();
    });
  }
}
