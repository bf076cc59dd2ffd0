// The one loop over the frames of a connection, for every protocol: each frame is handled in the turn in which it came. Reading gives way after 2 ms
// or 256 frames, and connections continue one after another (R34).
import type { Fault } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Connection, FrameReader, FrameTaker } from "../contracts/transport.js";

/** Longest time of a turn in which further frames are taken, ms. */
const TURN_MS: Millis = 2;
const MOST_FRAMES_A_TURN = 256;

/** The turns of the event loop, as all connections share them for reading. */
export class ReadingTurns {
  private readonly clock: Pick<Clock, "now" | "afterTurn">;
  private readonly waiting: (() => void)[] = [];
  private from: Millis | undefined;
  private count = 0;

  constructor(clock: Pick<Clock, "now" | "afterTurn">) {
    this.clock = clock;
  }

  /** Whether this turn has room for another frame. Counts it. */
  enter(): boolean {
    this.count += 1;
    if (this.from !== undefined) return this.count <= MOST_FRAMES_A_TURN && this.clock.now() - this.from < TURN_MS;
    this.begin();
    return true;
  }

  /** Calls back in a later turn that has room, behind those who wait already. */
  wait(goOn: () => void): void {
    this.waiting.push(goOn);
    if (this.from === undefined) this.begin();
  }

  private begin(): void {
    this.from = this.clock.now();
    this.clock.afterTurn(() => this.next());
  }

  private next(): void {
    this.from = undefined;
    this.count = 0;
    // A later turn is for those that begin to wait meanwhile.
    for (let left = this.waiting.length; left > 0 && this.enter(); left -= 1) this.waiting.shift()?.();
  }
}

export class FrameLoop<Frame> implements FrameReader<Frame> {
  private readonly connection: Connection<Frame>;
  private readonly taker: FrameTaker<Frame>;
  private readonly turns: ReadingTurns;

  /** Nothing is taken before the running call has returned. */
  constructor(connection: Connection<Frame>, taker: FrameTaker<Frame>, turns: ReadingTurns) {
    this.connection = connection;
    this.taker = taker;
    this.turns = turns;
    void Promise.resolve().then(() => connection.read(this));
  }

  take(frame: Frame): boolean {
    if (this.turns.enter()) return this.takeNow(frame);
    this.turns.wait(() => {
      if (this.takeNow(frame)) this.connection.readOn();
    });
    return false;
  }

  end(fault: Fault | undefined): void {
    this.taker.noMore(fault);
  }

  private takeNow(frame: Frame): boolean {
    const isCostly = this.taker.take(frame);
    const room = this.taker.room();
    if (!isCostly && room === undefined) return true;
    if (room === undefined) this.turns.wait(() => this.goOn());
    else void this.waitForRoom(room, isCostly);
    return false;
  }

  private goOn(): void {
    const room = this.taker.room();
    if (room === undefined) this.connection.readOn();
    else void this.waitForRoom(room, false);
  }

  private async waitForRoom(room: Promise<void>, isCostly: boolean): Promise<void> {
    await room;
    if (!isCostly && this.turns.enter()) this.goOn();
    else this.turns.wait(() => this.goOn());
  }
}
