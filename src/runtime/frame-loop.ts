// The one loop over the frames of a connection, for every protocol: each frame is handled in the turn in which it came. Reading gives way after 2 ms
// or 256 frames, and connections continue one after another (R34).
import type { Fault } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { Connection, FrameReader, FrameTaker } from "../contracts/transport.js";
import type { Excess } from "../engine/time/excess.js";
import { Turns } from "../engine/time/turns.js";

/** Most frames that all connections together take in a turn. */
const MOST_FRAMES_A_TURN = 256;

/** Turns for all connections of a protocol, whose long messages wait for those who send what subscriptions take. */
export function readingTurnsBeside(sendingTurns: Turns, clock: Clock): Turns {
  return new Turns(clock, { most: MOST_FRAMES_A_TURN, goesFirst: sendingTurns });
}

export class FrameLoop<Frame> implements FrameReader<Frame> {
  private readonly connection: Connection<Frame>;
  private readonly taker: FrameTaker<Frame>;
  private readonly turns: Turns;
  private readonly excess: Excess;

  /** Nothing is taken before the running call has returned. */
  constructor(connection: Connection<Frame>, taker: FrameTaker<Frame>, turns: Turns) {
    this.connection = connection;
    this.taker = taker;
    this.turns = turns;
    this.excess = turns.newExcess();
    void Promise.resolve().then(() => connection.read(this));
  }

  take(frame: Frame): boolean {
    if (this.turns.enter(this.excess.weight)) return this.handle(frame);
    this.turns.wait(() => {
      if (this.handle(frame)) this.connection.readOn();
    }, this.excess.weight);
    return false;
  }

  end(fault: Fault | undefined): void {
    this.taker.noMore(fault);
  }

  /** Returns whether the next frame may follow at once. */
  private handle(frame: Frame): boolean {
    this.taker.take(frame);
    this.turns.over(this.excess);
    const room = this.taker.room();
    if (room === undefined) return true;
    void this.waitForRoom(room);
    return false;
  }

  private async waitForRoom(room: Promise<void>): Promise<void> {
    for (let next: Promise<void> | undefined = room; next !== undefined; next = this.taker.room()) await next;
    this.connection.readOn();
  }
}
