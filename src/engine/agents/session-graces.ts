// The graces of sessions whose agents went away (R8), in one timer.
import { Fault } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import { Turns } from "../time/turns.js";
import type { WakeUps } from "../time/wake-ups.js";

export interface SessionGracesServices {
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  readonly log: Log;
  /** Turns of those who send: sessions end when nobody waits for them (R34). */
  readonly sendingTurns: Turns;
  /** Length of a grace, in ms; 0 ends sessions at once. Read for each use. */
  readonly agentGraceMs: () => Millis;
}

/** Wait before the end of a session that the journal refused is tried again, in ms. */
const RETRY_MS = 1000;

export class SessionGraces {
  private readonly services: SessionGracesServices;
  private readonly end: (sessionId: string) => void;
  /** For the ends of sessions whose grace is over. Until its end, a session can be taken over. */
  private readonly turns: Turns;
  // The instants at which graces began, in order.
  private readonly waiting = new Map<string, Millis>();
  private cancelWaiting: (() => void) | undefined;

  /** `end` ends a session whose grace is over. If it throws "storage_unavailable", it is called again after a second. */
  constructor(services: SessionGracesServices, end: (sessionId: string) => void) {
    this.services = services;
    this.end = end;
    this.turns = new Turns(services.clock, { goesFirst: services.sendingTurns });
  }

  begin(sessionId: string): void {
    this.waiting.delete(sessionId);
    this.waiting.set(sessionId, this.services.clock.now());
    if (this.cancelWaiting === undefined) this.endDue();
  }

  /** Ends a grace without consequence: the agent is back, or the session has ended. */
  forget(sessionId: string): void {
    this.waiting.delete(sessionId);
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

  /** Ends no session any more. */
  close(): void {
    this.cancelWaiting?.();
    this.cancelWaiting = undefined;
  }

  private endDue(): void {
    const { clock, wakeUps, agentGraceMs, log } = this.services;
    for (const [sessionId, since] of this.waiting) {
      const dueAt = since + agentGraceMs();
      if (dueAt > clock.now()) {
        this.goOnLater((goOn) => wakeUps.at(dueAt, goOn));
        return;
      }
      if (!this.turns.enter("heavy")) {
        this.goOnLater((goOn) => this.turns.wait(goOn, "heavy"));
        return;
      }
      try {
        this.end(sessionId);
      } catch (caught) {
        log.error({ err: caught, session: sessionId }, "a session whose agent is gone could not be ended");
        if (caught instanceof Fault && caught.code === "storage_unavailable") {
          this.goOnLater((goOn) => wakeUps.at(clock.now() + RETRY_MS, goOn));
          return;
        }
      }
      this.waiting.delete(sessionId);
    }
  }

  /** `later` calls what it is given at a later time, and returns the cancellation. */
  private goOnLater(later: (goOn: () => void) => () => void): void {
    this.close();
    this.cancelWaiting = later(() => {
      this.cancelWaiting = undefined;
      this.endDue();
    });
  }
}
