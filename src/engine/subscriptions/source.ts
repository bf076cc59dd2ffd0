// Where the next units of one subscription come from: its shared view, or the journal while it reads back (R17, R18).
import type { Millis } from "../../contracts/clock.js";
import type { Epoch } from "../event/event.js";
import type { SharedView } from "../hub/shared-view.js";
import { type EventUnit, timestampOf, type Unit } from "../views/unit.js";
import type { View } from "../views/view.js";
import type { Backlog, ReadFrom } from "./backlog.js";

/** Text that a subscription is owed of an output, of which a part was released or given before. */
export interface OwedText {
  readonly output: string;
  readonly position: number;
  readonly firstEpoch: Epoch;
}

export class Source {
  shared: SharedView;
  view: View;
  /** The reader; undefined while the subscription follows its view. */
  backlog: Backlog | undefined;
  /** Index in the view of the next unit. */
  index: number;
  /** When the view was last begun to be followed; in the future while the journal is read. */
  followsSince: Millis = Number.NEGATIVE_INFINITY;
  /** Critical units before this index were looked at. */
  private criticalFrom: number;

  constructor(shared: SharedView) {
    this.shared = shared;
    this.view = shared.view;
    this.index = shared.view.log.end;
    this.criticalFrom = this.index;
  }

  /** Whether the subscription follows its view and has taken all units. */
  get isAtEnd(): boolean {
    return this.backlog === undefined && this.index >= this.view.log.end;
  }

  /** The next unit; undefined if there is none at present. */
  peek(): Unit | undefined {
    return this.backlog === undefined ? this.view.log.at(this.index) : this.backlog.peek();
  }

  advance(): void {
    if (this.backlog === undefined) this.index += 1;
    else this.backlog.advance();
  }

  /** Follows the view from its end on. */
  follow(shared: SharedView): void {
    this.backlog?.close();
    this.backlog = undefined;
    if (shared !== this.shared) this.criticalFrom = shared.view.log.end;
    this.shared = shared;
    this.view = shared.view;
    this.index = shared.view.log.end;
  }

  /** All units before `index` were taken, critical ones too. */
  moveTo(index: number): void {
    this.index = index;
    this.criticalFrom = Math.max(this.criticalFrom, index);
  }

  hasCritical(): boolean {
    return this.view.log.hasCriticalFrom(this.criticalFrom);
  }

  /** The next critical unit of the view that was not looked at and, while the view is followed, not taken. It counts as looked at. */
  nextCritical(): { readonly index: number; readonly unit: EventUnit } | undefined {
    const from = this.backlog === undefined ? Math.max(this.criticalFrom, this.index) : this.criticalFrom;
    const critical = this.view.log.criticalFrom(from);
    this.criticalFrom = critical === undefined ? this.view.log.end : critical.index + 1;
    return critical;
  }

  /** Index behind the units that were released with the next one. The journal has no place within such a group, so a reader begins behind it. */
  endOfGroup(): number {
    const { log } = this.view;
    const releasedAt = log.at(this.index)?.releasedAt;
    let end = this.index;
    while (end < log.end && log.at(end)?.releasedAt === releasedAt) end += 1;
    return end;
  }

  /** From where the journal has what the units from `index` on consist of, and where the owed text of each output begins. */
  readFrom(releasedTo: Epoch): { readonly from: ReadFrom; readonly owed: readonly OwedText[] } {
    let after = releasedTo;
    const owed = new Map<string, OwedText>();
    const owe = (output: string, position: number, firstEpoch: Epoch): void => {
      if (owed.has(output)) return;
      owed.set(output, { output, position, firstEpoch });
      after = Math.min(after, firstEpoch - 1);
    };
    // Per session, the timestamp of its first pending unit: pending units were released after everything that was sent.
    const sent = new Map<string, string>();
    const send = (session: string, timestamp = this.view.lastTimestamp(session)): void => {
      if (timestamp !== undefined && !sent.has(session)) sent.set(session, timestamp);
    };
    for (const unit of this.view.log.from(this.index)) {
      send(unit.session, timestampOf(unit));
      if (unit.kind === "text") owe(unit.output, unit.position, unit.firstEpoch);
    }
    for (const { output, session, position, firstEpoch } of this.view.texts.held()) {
      send(session);
      owe(output, position, firstEpoch);
    }
    const texts = new Map([...owed.values()].map(({ output, firstEpoch }) => [output, firstEpoch]));
    return { from: { after, givenTo: releasedTo, texts, sent }, owed: [...owed.values()] };
  }

  /** Everything up to this epoch was taken. */
  get given(): Epoch {
    if (this.backlog !== undefined) return this.backlog.given;
    let { given } = this.view;
    for (const { firstEpoch } of this.view.log.from(this.index)) given = Math.min(given, firstEpoch - 1);
    return given;
  }
}
