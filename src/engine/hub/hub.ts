// The hub: every journaled event goes to every view once, and views wake the subscriptions that can take a unit (AAEP §5.9). The room sessions
// decides what may be published, the negotiation what is granted, and the runtime how a batch travels.
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { Segmenter } from "../../contracts/segmenter.js";
import { createLookingBack, type LookingBack } from "../catch-up/looking-back.js";
import {
  type CursorPlace,
  cursorText,
  type DeliveredText,
  deliveredFurther,
  MOST_CURSOR_OUTPUTS,
} from "../event/cursor.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";
import type { EpochSteps } from "../journal/epoch-boots.js";
import { shapeKey } from "../terms/shape.js";
import type { Terms } from "../terms/terms.js";
import { createLatencyHistogram, type LatencyHistogram } from "../time/latency-histogram.js";
import { createReadTurns, type ReadTurns } from "../time/read-turns.js";
import { createRecentRate, type RecentRate } from "../time/recent-rate.js";
import { followedBy, type Steps } from "../time/steps.js";
import { createTurnRoom } from "../time/turn-room.js";
import type { WakeUpQueue, WakeUps } from "../time/wake-ups.js";
import { createCheckpoint } from "../views/checkpoint.js";
import { createCodeBlocks } from "../views/code-blocks.js";
import type { Checkpoint } from "../views/delivery.js";
import { unitOf } from "../views/event-units.js";
import { createOutputBuffers, type OutputBuffers } from "../views/output-buffers.js";
import type { PublisherBacklog } from "../views/publisher-backlog.js";
import { createSharedRendering, type InternedShape, type SharedRendering } from "../views/shared-rendering.js";
import type { TextUnit } from "../views/unit.js";
import { createView, type PrivateView, type View } from "../views/view.js";
import { createViewIntake } from "../views/view-intake.js";
import type { ViewServices, ViewTerms } from "../views/view-spec.js";
import { createViewTerms, viewKey } from "../views/view-terms.js";
import { createReadyMembers, type SharedView, type ViewMember } from "./shared-view.js";

/** The services that the hub needs. */
export interface HubServices {
  readonly journal: Journal;
  readonly steps: EpochSteps;
  readonly log: Log;
  readonly segmenter: Segmenter;
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  readonly createWakeUps: () => WakeUpQueue;
  readonly shapeEvent: (event: AgentEvent, terms: Terms) => AgentEvent;
  readonly renderText: (unit: TextUnit, terms: ViewTerms) => AgentEvent;
  /** Digest of an output's key, for a cursor (R17). */
  readonly outputDigest: (output: string) => string;
}

export interface HubOptions {
  /** Longest hold of text without a boundary, in ms. Default 5,000 (R10). */
  readonly maxHoldMs: Millis;
  readonly defaultLanguage: string;
  /**
   * Most units that a view holds for subscriptions that have not taken them; older ones they read from the journal. Default 1,024. All views together
   * hold at most 16,384.
   */
  readonly viewWindowCount: number;
  /**
   * Longest time of one turn of the event loop that shaping takes, and that reading back takes as well, in ms (R34). Default 2; 0: one step a turn.
   */
  readonly turnRoomMs?: Millis;
}

export interface Hub {
  /**
   * Hands journaled events to all views: as many as this turn has room for before it returns, and the rest in order over the next turns (R34).
   * Subscriptions are woken, and take units later. `publisher` counts the waiting events.
   */
  readonly deliver: (entries: readonly JournaledEvent[], publisher?: PublisherBacklog) => void;
  /** Returns a promise that resolves when all views have taken all journaled events; undefined if they have. */
  readonly settled: () => Promise<void> | undefined;
  /** The view of these terms, which equal terms share; begins one if there is none. */
  readonly view: (terms: Terms) => SharedView;
  readonly join: (member: ViewMember, shared: SharedView) => void;
  readonly leave: (member: ViewMember, shared: SharedView) => void;
  /** The terms of a view; equal terms share their shape. */
  readonly viewTerms: (terms: Terms) => ViewTerms;
  /** Opens a view for one subscription. No event reaches it by itself, and its owner closes it. */
  readonly openPrivateView: (
    terms: ViewTerms,
    wakeUps: WakeUps,
    startsAfter: Epoch,
    sentBefore?: ReadonlyMap<string, string>,
  ) => PrivateView;
  /** The turns of the subscriptions that read the journal. */
  readonly readTurns: ReadTurns;
  /** The rendering of an entry, one for all takers of the same entry object. */
  readonly renderingOf: (entry: JournaledEvent) => SharedRendering;
  readonly lookBack: LookingBack;
  /** The entries that one overtakes and that the view has not taken (R4). */
  readonly overtaken: (view: View, entry: JournaledEvent) => readonly SharedRendering[];
  /** The checkpoint of all subscriptions at the end of a view whose only pending text is the text that the view holds. */
  readonly levelCheckpoint: (shared: SharedView) => Checkpoint;
  readonly checkpointOf: (place: Omit<CursorPlace, "journalId">) => Checkpoint;
  /** Call it with the number of events that left a subscription. */
  readonly noteDelivered: (count: number, now: Millis) => void;
  /** Rates of journaled events, and of events handed to transports. */
  readonly rates: { readonly published: RecentRate; readonly delivered: RecentRate };
  readonly latencies: DeliveryLatencies;
  readonly counts: () => HubCounts;
}

/** Latencies of deliveries: by subscriptions that limit their pace by their terms, and by all others. */
export interface DeliveryLatencies {
  readonly limited: LatencyHistogram;
  readonly unlimited: LatencyHistogram;
}

/** Present counts of the hub. */
export interface HubCounts {
  readonly viewCount: number;
  /** Units that views hold for subscriptions that have not taken them (R18). */
  readonly keptUnitCount: number;
}

/**
 * Estimated time to encode and send a unit, in ms: one whose event is made from text, and one that leaves as it was published. It is charged when the
 * unit is appended. A view that appends more in a turn than can leave would only fill its window, and its subscriptions would have to read the rest
 * back.
 */
const MADE_TEXT_SENDING_MS: Millis = 0.015;
const PUBLISHED_SENDING_MS: Millis = 0.003;

/** Most units that all views together hold, as long as there are fewer views than that. */
const MOST_KEPT_UNITS = 16_384;

/** Units appended to a view before the hub looks for units to drop; a quarter of the view's window if that is less. */
const TRIM_STEP_COUNT = 256;

const NO_OUTPUTS: ReadonlyMap<string, DeliveredText> = new Map();
const NOTHING_SKIPPED: ReadonlySet<string> = new Set();

export function createHub(services: HubServices, options: HubOptions): Hub {
  const { journal, clock, log } = services;
  const views = new Map<string, SharedView>();
  const shapes = new Map<string, InternedShape>();
  const published = createRecentRate(clock.now());
  const delivered = createRecentRate(clock.now());
  const readTurns = createReadTurns(clock, createTurnRoom(clock, options.turnRoomMs));
  const room = createTurnRoom(clock, options.turnRoomMs);
  // Renderings of entries that are read back. The journal returns the same entry to readers at about the same time.
  const renderings = new WeakMap<JournaledEvent, SharedRendering>();
  /** With many views each holds fewer units, so that the total is limited. */
  const windowCount = (): number => Math.min(options.viewWindowCount, Math.ceil(MOST_KEPT_UNITS / views.size));
  const trimStep = (): number => Math.max(1, Math.min(TRIM_STEP_COUNT, windowCount() >> 2));
  const codeBlocks = createCodeBlocks(journal, services.steps);
  const outputBuffers = createOutputBuffers(services.segmenter, options.defaultLanguage, codeBlocks);

  const viewServices = (own: OutputBuffers, wakeUps: WakeUps, isBehind: () => boolean): ViewServices => ({
    isBehind,
    outputText: own.textFor,
    chunkOf: own.chunkOf,
    textOfOne: own.textOfOne,
    wakeUps,
    get maxHoldMs() {
      return options.maxHoldMs;
    },
    renderText: services.renderText,
  });

  const shapeFor = (terms: Terms): InternedShape => {
    const key = shapeKey(terms);
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const shape: InternedShape = { key, apply: (event) => services.shapeEvent(event, terms) };
    shapes.set(key, shape);
    return shape;
  };

  const renderingOf = (entry: JournaledEvent): SharedRendering => {
    const known = renderings.get(entry);
    if (known !== undefined) return known;
    const rendering = createSharedRendering(entry);
    renderings.set(entry, rendering);
    return rendering;
  };

  const lowestHeld = (key: string): number | undefined => {
    let lowest: number | undefined;
    for (const { view } of views.values()) {
      const held = view.texts.heldOffset(key);
      if (held !== undefined && (lowest === undefined || held < lowest)) lowest = held;
    }
    return lowest;
  };

  const wake = (shared: SharedView, critical: boolean): void => {
    if (critical) for (const member of shared.members) member.wake();
    else shared.ready.wake();
  };

  const trim = (shared: SharedView): void => {
    const { log: units } = shared.view;
    const window = units.end() - windowCount();
    let keep = units.end();
    for (const member of shared.members) {
      const cursor = member.cursorIn(shared, window);
      if (cursor !== undefined && cursor < keep) keep = cursor;
    }
    units.drop(keep);
    shared.trimAt = units.end() + trimStep();
  };

  const createShared = (terms: ViewTerms): SharedView => {
    const shared: SharedView = {
      view: createView(
        terms,
        viewServices(outputBuffers, services.wakeUps, () => intake.behindAfter() !== undefined),
        intake.behindAfter() ?? journal.head(),
        (critical) => wake(shared, critical),
      ),
      trimAt: trimStep(),
      members: new Set(),
      ready: createReadyMembers(),
      level: undefined,
    };
    // A view that begins in the middle of an output begins with the piece in progress (R10).
    for (const text of outputBuffers.all()) shared.view.texts.follow(text);
    return shared;
  };

  const viewTerms = (terms: Terms): ViewTerms => createViewTerms(terms, shapeFor(terms));

  const sharedView = (terms: Terms): SharedView => {
    const key = viewKey(terms);
    const known = views.get(key);
    if (known !== undefined) return known;
    const shared = createShared(viewTerms(terms));
    views.set(key, shared);
    return shared;
  };

  const leave = (member: ViewMember, shared: SharedView): void => {
    shared.members.delete(member);
    shared.ready.delete(member);
    if (shared.members.size > 0) return;
    shared.view.close();
    if (views.get(shared.view.terms.key) === shared) views.delete(shared.view.terms.key);
    for (const { view } of views.values()) if (view.terms.shape === shared.view.terms.shape) return;
    shapes.delete(shared.view.terms.shape.key);
  };

  /** Abandons a view that failed. Its members are ended, and later subscriptions get a new view. */
  const abandonView = (shared: SharedView, epoch: number, caught: unknown): void => {
    log.error({ err: caught, view: shared.view.terms.key, epoch }, "a view failed; its subscriptions are ended");
    views.delete(shared.view.terms.key);
    for (const member of shared.members) member.end("producer_error");
  };

  /** Works on an entry in one view. The entry is journaled, so work goes on in the other views: a failure ends this view alone (R29). */
  const inView = (shared: SharedView, rendering: SharedRendering, work: () => Steps | undefined): Steps | undefined => {
    // The view was closed, or has failed.
    if (views.get(shared.view.terms.key) !== shared) return undefined;
    const { log: units } = shared.view;
    const before = units.end();
    const madeBefore = units.madeTextCount();
    try {
      const steps = work();
      const made = units.madeTextCount() - madeBefore;
      room.used(made * MADE_TEXT_SENDING_MS + (units.end() - before - made) * PUBLISHED_SENDING_MS);
      if (units.end() >= shared.trimAt) trim(shared);
      return steps;
    } catch (caught) {
      abandonView(shared, rendering.entry.epoch, caught);
      return undefined;
    }
  };

  const settleText = (rendering: SharedRendering): void => {
    if (rendering.entry.kind !== "output.streaming") return;
    try {
      outputBuffers.settle(rendering, rendering.output, lowestHeld);
    } catch (caught) {
      log.error({ err: caught, epoch: rendering.entry.epoch }, "text that is no longer needed could not be let go of");
    }
  };

  const intake = createViewIntake<SharedView>({
    clock,
    room,
    targets: () => views.values(),
    targetCount: () => views.size,
    begin: (shared, rendering) => inView(shared, rendering, () => shared.view.push(rendering, rendering.entry.at)),
    goOn: (shared, rendering, steps) =>
      inView(shared, rendering, () => (steps.next().done === true ? undefined : steps)) === undefined,
    taken: settleText,
    sendCritical: (rendering) => {
      for (const shared of views.values()) {
        if (!shared.view.terms.wants(rendering)) continue;
        const unit = unitOf(rendering, shared.view, "critical");
        for (const member of shared.members) member.sendCritical(unit);
      }
    },
  });

  const openPrivateView: Hub["openPrivateView"] = (terms, wakeUps, startsAfter, sentBefore) => {
    const own = createOutputBuffers(services.segmenter, options.defaultLanguage, codeBlocks);
    const view = createView(
      terms,
      viewServices(own, wakeUps, () => false),
      startsAfter,
      () => undefined,
      sentBefore,
    );
    return {
      view,
      push: (rendering, at) =>
        followedBy(view.push(rendering, at), () => {
          if (rendering.entry.kind === "output.streaming")
            own.settle(rendering, rendering.output, view.texts.heldOffset);
        }),
    };
  };

  const checkpointOf: Hub["checkpointOf"] = (place) =>
    createCheckpoint(cursorText({ ...place, journalId: journal.id }), place);

  const levelCheckpoint = (shared: SharedView): Checkpoint => {
    const { log: units, texts: held, epoch: epochOf, resumeFloor } = shared.view;
    const [epoch, end] = [epochOf(), units.end()];
    if (shared.level?.epoch === epoch && shared.level.end === end) return shared.level.checkpoint;
    const owed = held
      .held(MOST_CURSOR_OUTPUTS)
      .map(({ output, position, deliveredEpoch }) => [output, { to: position, epoch: deliveredEpoch }] as const);
    const after = resumeFloor() - 1;
    const before = shared.level?.checkpoint.outputs ?? NO_OUTPUTS;
    const outputs = deliveredFurther(after, { owed, skipped: NOTHING_SKIPPED, before }, services.outputDigest);
    const checkpoint = checkpointOf({ after, outputs });
    shared.level = { epoch, end, checkpoint };
    return checkpoint;
  };

  return {
    openPrivateView,
    deliver: (entries, publisher) => {
      published.note(entries.length, entries.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
      for (const entry of entries) intake.push(createSharedRendering(entry), publisher);
    },
    settled: intake.settled,
    view: sharedView,
    viewTerms,
    join: (member, shared) => void shared.members.add(member),
    leave,
    readTurns,
    renderingOf,
    lookBack: createLookingBack(journal, renderingOf),
    overtaken: intake.overtaken,
    levelCheckpoint,
    checkpointOf,
    noteDelivered: delivered.note,
    rates: { published, delivered },
    latencies: { limited: createLatencyHistogram(), unlimited: createLatencyHistogram() },
    counts: () => {
      let keptUnitCount = 0;
      for (const { view } of views.values()) keptUnitCount += view.log.end() - view.log.start();
      return { viewCount: views.size, keptUnitCount };
    },
  };
}
