// Exceptions of one subscription from its view: critical events that went ahead, states that these passed, text that was given before, and outputs
// that are skipped (R4, R10, R18, R26). The record exists only while there is something to remember, which is rare.
import { keepNewest } from "../../base/keep-newest.js";
import type { Epoch } from "../event/event.js";
import { completionOf, type EventUnit, isLocal, type TextUnit, trimBelow, type Unit } from "../views/unit.js";

/** Most critical events that go ahead before those before them were taken; further ones keep their place (R18). */
const MOST_AHEAD = 1000;
const MOST_SKIPPED = 1000;

export class Exceptions {
  private readonly ahead = new Set<Epoch>();
  /** Per agent of a session, the critical event that its earlier states and progress are not told behind (R4). */
  private readonly passed = new Map<string, Epoch>();
  /** Per output, the position up to which its text was given. */
  private readonly floors = new Map<string, number>();
  private readonly skipped = new Set<string>();

  /** Whether no further critical event may go ahead. */
  get isFull(): boolean {
    return this.ahead.size >= MOST_AHEAD;
  }

  /** Whether text may leave in another form than in the view. */
  get concernsText(): boolean {
    return this.floors.size + this.skipped.size > 0;
  }

  /** Number of epochs, outputs and agents remembered. */
  get size(): number {
    return this.ahead.size + this.passed.size + this.floors.size + this.skipped.size;
  }

  /** The form in which the subscription gets the next unit; undefined if it does not get it. Call it once for each unit. */
  admit(unit: Unit): Unit | undefined {
    if (unit.kind === "text") return this.admitText(unit);
    if (isLocal(unit)) return unit;
    if (unit.rendered.isTerminal) this.forgetSession(unit.session);
    return this.ahead.delete(unit.epoch) || this.isPassed(unit) ? undefined : unit;
  }

  /** A critical event leaves before its place comes. */
  wentAhead(epoch: Epoch): void {
    this.ahead.add(epoch);
  }

  hasGoneAhead(epoch: Epoch): boolean {
    return this.ahead.has(epoch);
  }

  /** A critical event passes what waits of its agent: states and progress are not told any more. */
  pass({ session, agent, epoch }: EventUnit): void {
    const lane = `${session} ${agent}`;
    this.passed.set(lane, Math.max(epoch, this.passed.get(lane) ?? epoch));
    keepNewest(this.passed, MOST_AHEAD);
  }

  /** Whether a state or a progress was passed. The resolution of a question, and what tells of one, are not dropped. */
  isPassed(unit: Unit): boolean {
    if (unit.kind === "text" || unit.role === "plain" || unit.role === "critical" || isLocal(unit)) return false;
    const { made } = unit.rendered.entry;
    if (made === "resolution" || made === "notice") return false;
    return unit.epoch < (this.passed.get(`${unit.session} ${unit.agent}`) ?? 0);
  }

  /** The text of an output below `position` was given. */
  raiseFloor(output: string, position: number): void {
    if (position > (this.floors.get(output) ?? 0)) this.floors.set(output, position);
  }

  skip(output: string): void {
    this.skipped.add(output);
    keepNewest(this.skipped, MOST_SKIPPED);
  }

  /** Nothing is left to take: only outputs of which text is held are still remembered. */
  forgetTaken(isHeld: (output: string) => boolean): void {
    this.ahead.clear();
    this.passed.clear();
    for (const output of this.floors.keys()) if (!isHeld(output)) this.floors.delete(output);
  }

  private admitText(unit: TextUnit): Unit | undefined {
    const { output, complete, endPosition } = unit;
    const floor = this.floors.get(output);
    if (floor !== undefined && (complete || endPosition >= floor)) this.floors.delete(output);
    if (!this.skipped.has(output)) return floor === undefined ? unit : trimBelow(unit, floor);
    if (!complete) return undefined;
    this.skipped.delete(output);
    return completionOf(unit);
  }

  private forgetSession(session: string): void {
    for (const outputs of [this.skipped, this.floors])
      for (const output of outputs.keys()) if (output.startsWith(`${session}/`)) outputs.delete(output);
  }
}
