// The engine of a replay. Each subscription has an engine of its own, with a journal into which the recorded session is played from the beginning, so
// that negotiated terms apply as to live events. Agents are turned away.
import { Fault } from "../../base/errors.js";
import { createEngine, type Engine } from "../../engine/engine.js";
import type { EngineOptions, EngineServices } from "../../engine/engine-options.js";
import { readCursor } from "../../engine/event/cursor.js";
import type { SubscribeSpec } from "../../engine/subscribe-spec.js";
import { addCounts, createDeliveryCounts } from "../../engine/subscriptions/delivery-counts.js";
import type { ClosureReason, Subscription } from "../../engine/subscriptions/subscription-spec.js";
import { createPlayer, type Pace } from "./player.js";
import { createTape, type RecordedSession, type Tape } from "./recorded-session.js";
import { createEndings } from "./replay-endings.js";
import { createSharedReads } from "./shared-reads.js";
import { createTapeJournal } from "./tape-journal.js";

export interface ReplayOptions extends Pace {
  readonly session: RecordedSession;
  /** Called with the number of remaining subscriptions whenever one has ended. */
  readonly listenerGone: (leftCount: number) => void;
}

export type ReplayServices = Omit<EngineServices, "createJournal" | "audit">;

/** The audit log of the recorded day has the questions and answers; a replay records none. */
const NO_AUDIT = { isOn: false, record: () => {} };

export function createReplayEngine(services: ReplayServices, options: EngineOptions, replay: ReplayOptions): Engine {
  const journalId = services.ids.hex(16);
  const listening = new Set<Engine>();
  // Counts of the listeners that have left.
  const totals = createDeliveryCounts();
  const closures = new Map<ClosureReason, number>();
  // Serves everything that does not belong to a listener.
  const idle = engineOf({ firstEpoch: 1, next: () => undefined, again: () => [] });

  function engineOf(tape: Tape): Engine {
    const { clock } = services;
    const startedAt = clock.now();
    const wallTimeOffsetMs = clock.wallTime() - startedAt;
    const createJournal: EngineServices["createJournal"] = (evicted) =>
      createTapeJournal({ id: journalId, tape, evicted, startedAt, wallTimeOffsetMs });
    return createEngine({ ...services, audit: NO_AUDIT, createJournal }, options);
  }

  const recording = createSharedReads(replay.session);
  const endings = createEndings();
  const newTape = (): Tape => createTape(recording, services.idServices, options.defaultLanguage);

  /** Plays the events that a returning listener had received, so that the engine resumes behind them (R17). Returns their number. */
  const catchUp = (engine: Engine, tape: Tape, resumeAfter: string | undefined): number => {
    const place = resumeAfter === undefined ? undefined : readCursor(resumeAfter);
    if (place?.journalId !== journalId) return 0;
    let count = 0;
    while (tape.firstEpoch + count <= place.after) {
      const event = tape.next();
      if (event === undefined) return count;
      engine.replay([event]);
      count += 1;
    }
    return count;
  };

  const subscribe = (spec: SubscribeSpec): Subscription => {
    if (spec.isReplacing !== true && listening.size >= options.maxSubscriptions) throw tooMany(options);
    const tape = newTape();
    const engine = engineOf(tape);
    const givenCount = catchUp(engine, tape, spec.resumeAfter);
    const { resumeAfter, ...others } = spec;
    const subscription = engine.subscribe({ ...others, resumeAfter: givenCount === 0 ? undefined : resumeAfter });
    // A replay has nothing before its beginning, so every place of another journal is unknown.
    const isOwnPlace = resumeAfter !== undefined && readCursor(resumeAfter)?.journalId === journalId;
    const resumedAnew = resumeAfter === undefined ? undefined : isOwnPlace ? "all" : "unknown";
    const ending = endings.of(spec);
    // The listener may have received everything up to here: a place is less exact than the events delivered.
    const lastKnown = tape.firstEpoch + givenCount - 1;
    let isPlayed = false;
    let hasEnded = false;
    let hasHeardNews = false;
    const player = createPlayer({
      ...replay,
      tape,
      clock: services.clock,
      play: (events) => engine.replay(events),
      ended: () => {
        isPlayed = true;
        spec.wake();
      },
    });

    const end = (): void => {
      player.stop();
      if (!listening.delete(engine)) return;
      const left = engine.report();
      addCounts(totals, left.totals);
      addClosures(closures, left.closures);
      void engine.close();
      replay.listenerGone(listening.size);
    };

    /** Everything played has left, except held text, which goes out when the subscription is ended. */
    const noteCaughtUp = (): void => {
      player.caughtUp();
      // A listener that has heard everything and returns is not sent away again; otherwise it would return for ever.
      if (!isPlayed || hasEnded || !ending.isDue(hasHeardNews)) return;
      hasEnded = true;
      ending.note();
      services.clock.afterTurn(() => spec.ended("recording_ended"));
    };

    listening.add(engine);
    player.start();
    return withOwn(subscription, {
      resumed: subscription.resumed ?? resumedAnew,
      take: (only) => {
        const taken = subscription.take(only);
        if (taken.kind === "batch") hasHeardNews ||= taken.batch.deliveries.some(({ epoch }) => epoch > lastKnown);
        // A batch that says it is all is not followed by another take.
        const isAll = taken.kind === "idle" || (taken.kind === "batch" && taken.isAll);
        if (only === undefined && isAll && hasTakenAll(subscription)) noteCaughtUp();
        return taken;
      },
      close: (...reason) => {
        subscription.close(...reason);
        end();
      },
    });
  };

  return withOwn(idle, {
    openAgent: (identity) => withOwn(idle.openAgent(identity, undefined), { publish: refuseAgent, ask: refuseAgent }),
    subscribe,
    report: () => {
      const all = { totals: createDeliveryCounts(), closures: new Map(closures) };
      addCounts(all.totals, totals);
      const own = idle.report();
      addClosures(all.closures, own.closures);
      const reports = [...listening].map((engine) => engine.report());
      for (const report of reports) addCounts(all.totals, report.totals);
      const deliveredPerSecond = reports.reduce((sum, report) => sum + report.deliveredPerSecond, 0);
      const subscriptions = reports.flatMap((report) => report.subscriptions);
      return { ...own, ...all, subscriptions, deliveredPerSecond };
    },
    status: () => ({ ...idle.status(), subscriptionCount: listening.size }),
    close: async () => {
      await Promise.all([idle, ...listening].map((engine) => engine.close()));
    },
  });
}

/** Replaces some methods of an object. A proxy, because the other methods may depend on the object's identity; a copy would not serve them. */
function withOwn<Whole extends object>(whole: Whole, own: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in own ? own : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function addClosures(sum: Map<ClosureReason, number>, closures: ReadonlyMap<ClosureReason, number>): void {
  for (const [reason, count] of closures) sum.set(reason, (sum.get(reason) ?? 0) + count);
}

function hasTakenAll(subscription: Subscription): boolean {
  const { waitingCount, untakenCount, behind } = subscription.status();
  return !subscription.terms().paused && waitingCount === 0 && untakenCount === 0 && !behind;
}

function refuseAgent(): never {
  const sentence = "This is the replay of a recorded session: nothing can be published into it. Connect to a daemon.";
  throw new Fault("unsupported", sentence, { pointer: "" });
}

function tooMany({ maxSubscriptions, retryAfterSeconds }: EngineOptions): Fault {
  const sentence = `There are ${maxSubscriptions} listeners already; try again later.`;
  return new Fault("rate_limit", sentence, { rule: "AAEP §5.5.3", retryAfterSeconds });
}
