// Hands journaled events to the views, in order, and no more in a turn of the event loop than it has room for, so that a long text for many terms
// delays nobody (R34). Later events wait behind it; a critical event goes to its subscriptions ahead of its place (R4).
import type { Clock } from "../../contracts/clock.js";
import type { Epoch, JournaledEvent } from "../event/event.js";
import type { Steps } from "../time/steps.js";
import type { TurnRoom } from "../time/turn-room.js";
import { type PublisherBacklog, textUnitsOf } from "./publisher-backlog.js";
import type { SharedRendering } from "./shared-rendering.js";
import type { View } from "./view.js";

/** The functions that the intake needs from the hub. `Target` is the hub's object for a view. */
export interface ViewIntakeServices<Target> {
  readonly clock: Pick<Clock, "now" | "afterTurn">;
  readonly room: TurnRoom;
  /** All views, in a fixed order; views that are opened during the iteration come last. */
  readonly targets: () => Iterator<Target>;
  readonly targetCount: () => number;
  /** Begins an entry in one view. */
  readonly begin: (target: Target, rendering: SharedRendering) => Steps | undefined;
  /** Does one more step. Returns true if it was the last. */
  readonly goOn: (target: Target, rendering: SharedRendering, steps: Steps) => boolean;
  /** Called with each entry that all views have taken. */
  readonly taken: (rendering: SharedRendering) => void;
  /** Called with a critical entry that waits. */
  readonly sendCritical: (rendering: SharedRendering) => void;
}

export interface ViewIntake {
  /** Takes an entry, in the order of the journal. `publisher` is informed when all views have taken it. */
  readonly push: (rendering: SharedRendering, publisher: PublisherBacklog | undefined) => void;
  /** The epoch up to which a view that is opened now counts as up to date; undefined if no entry waits. */
  readonly behindAfter: () => Epoch | undefined;
  /**
   * The entries that `entry` overtakes: those of its session that this view wants and has not taken, without critical ones, which go ahead too (R4).
   */
  readonly overtaken: (view: View, entry: JournaledEvent) => readonly SharedRendering[];
  /** Returns a promise that resolves when every view has taken all entries; undefined if they have. */
  readonly settled: () => Promise<void> | undefined;
}

interface Waiting {
  readonly rendering: SharedRendering;
  readonly publisher: PublisherBacklog | undefined;
}

/**
 * Limits of the entries before a critical one that are taken at once: their number, counted once for each view, and their text (UTF-16 units). A
 * short burst of ordinary events is thereby delivered in order.
 */
const LITTLE_COUNT = 256;
const LITTLE_TEXT_UNITS = 1024;

/** Taken entries before `head` are dropped in steps. */
const DROP_STEP_COUNT = 1024;

export function createViewIntake<Target>(services: ViewIntakeServices<Target>): ViewIntake {
  const { clock, room } = services;
  let queue: Waiting[] = [];
  let head = 0;
  // The state of the entry in progress: the views that are still to take it, and the remaining steps in the present view.
  let targets: Iterator<Target> | undefined;
  let current: { readonly target: Target; readonly steps: Steps } | undefined;
  // Waiting entries that may be overtaken.
  const bySession = new Map<string, Set<SharedRendering>>();
  let settling: (() => void)[] = [];
  let isArmed = false;
  let textUnits = 0;

  const isWaiting = (): boolean => head < queue.length;

  const remember = (rendering: SharedRendering): void => {
    const { session_id: session } = rendering.entry.event;
    const own = bySession.get(session) ?? new Set();
    own.add(rendering);
    bySession.set(session, own);
  };

  const finished = ({ rendering, publisher }: Waiting): void => {
    head += 1;
    textUnits -= textUnitsOf(rendering);
    targets = undefined;
    if (head === queue.length || head >= DROP_STEP_COUNT) {
      queue = queue.slice(head);
      head = 0;
    }
    const { session_id: session } = rendering.entry.event;
    const own = bySession.get(session);
    own?.delete(rendering);
    if (own?.size === 0) bySession.delete(session);
    services.taken(rendering);
    publisher?.taken(rendering);
  };

  /** Does one step in one view. */
  const step = (first: Waiting): void => {
    const { rendering } = first;
    if (current !== undefined) {
      if (services.goOn(current.target, rendering, current.steps)) current = undefined;
      return;
    }
    targets ??= services.targets();
    const next = targets.next();
    if (next.done === true) {
      finished(first);
      return;
    }
    const steps = services.begin(next.value, rendering);
    if (steps !== undefined) current = { target: next.value, steps };
  };

  const work = (): void => {
    let from = clock.now();
    for (let first = queue[head]; first !== undefined; first = queue[head]) {
      if (!room.isLeft()) {
        arm();
        return;
      }
      step(first);
      const now = clock.now();
      room.used(now - from);
      from = now;
    }
    const done = settling;
    settling = [];
    for (const resolve of done) resolve();
  };

  const arm = (): void => {
    if (isArmed) return;
    isArmed = true;
    clock.afterTurn(() => {
      isArmed = false;
      work();
    });
  };

  /**
   * Takes an entry when none waits, which is usual. Returns false if some views have not taken it. All views take a critical entry at once, because
   * the text held for it is short.
   */
  const takeNow = (rendering: SharedRendering): boolean => {
    if (!rendering.critical && !room.isLeft()) return false;
    let from = clock.now();
    targets = services.targets();
    for (let next = targets.next(); next.done !== true; next = targets.next()) {
      const steps = services.begin(next.value, rendering);
      if (steps !== undefined) current = { target: next.value, steps };
      const now = clock.now();
      room.used(now - from);
      from = now;
      if (!rendering.critical && (steps !== undefined || !room.isLeft())) return false;
    }
    targets = undefined;
    services.taken(rendering);
    return true;
  };

  const isLittle = (): boolean =>
    (queue.length - head) * services.targetCount() <= LITTLE_COUNT && textUnits <= LITTLE_TEXT_UNITS;

  /** Takes all waiting entries, without regard to the turn's room. Only called if they are few. */
  const takeAll = (): void => {
    for (let first = queue[head]; first !== undefined; first = queue[head]) step(first);
  };

  return {
    push: (rendering, publisher) => {
      if (rendering.critical && isWaiting() && isLittle()) takeAll();
      const isFirst = !isWaiting();
      if (isFirst && takeNow(rendering)) return;
      queue.push({ rendering, publisher });
      textUnits += textUnitsOf(rendering);
      publisher?.added(rendering);
      if (!rendering.critical) remember(rendering);
      if (isFirst) work();
      else if (rendering.critical) services.sendCritical(rendering);
    },
    behindAfter: () => {
      const first = queue[head];
      return first === undefined ? undefined : first.rendering.entry.epoch - 1;
    },
    overtaken: (view, entry) => {
      const overtaken: SharedRendering[] = [];
      for (const rendering of bySession.get(entry.event.session_id) ?? []) {
        const { epoch } = rendering.entry;
        if (epoch <= view.epoch() || epoch >= entry.epoch || rendering.critical || !view.terms.wants(rendering))
          continue;
        overtaken.push(rendering);
      }
      return overtaken;
    },
    settled: () => (isWaiting() ? new Promise((resolve) => settling.push(resolve)) : undefined),
  };
}
