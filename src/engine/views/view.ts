// A view: the stream for one set of terms. It filters, shapes and coalesces streamed text once for all subscriptions that share the terms (R10, R14,
// R15, R30). Rates, pauses and the backlog of a slow peer belong to each subscription.
import type { Millis } from "../../contracts/clock.js";
import { type AgentEvent, type Epoch, isTerminalKind } from "../event/event.js";
import { laterTimestamp } from "../event/timestamps.js";
import { boundaryOf } from "../terms/terms.js";
import { codePointCount } from "../text/code-points.js";
import { followedBy, type Steps } from "../time/steps.js";
import { createDelivery, type Delivery } from "./delivery.js";
import { createHeldTexts } from "./held-text.js";
import type { HeldTexts } from "./held-text-spec.js";
import { ownHint } from "./hold.js";
import type { SharedRendering } from "./shared-rendering.js";
import { encodedBytes, MAX_TEXT_BYTES, MOST_BYTES_PER_UNIT } from "./text-room.js";
import { createTextStretches, type TextStretch } from "./text-stretches.js";
import { type EventRole, type EventUnit, timestampOf, type Unit } from "./unit.js";
import { createViewLog, type ViewLog } from "./view-log.js";
import type { ViewServices, ViewTerms } from "./view-spec.js";

export interface View {
  readonly terms: ViewTerms;
  readonly log: ViewLog;
  /** Takes the next event of the journal. The remaining steps have to be done before the next event (R34). */
  readonly push: (rendering: SharedRendering, at: Millis) => Steps | undefined;
  /** Epoch of the last event taken. */
  readonly epoch: () => Epoch;
  /** Whether steps of that event remain (R34). */
  readonly isTaking: () => boolean;
  /** The lowest epoch that may still be pending for a subscription that has taken all units. */
  readonly resumeFloor: () => Epoch;
  /** The text that was published and not released. The view alone pushes to it. */
  readonly texts: Omit<HeldTexts, "push" | "releaseFor" | "lowestEpoch">;
  /** Timestamps of the last units of open sessions, or of later events that were sent otherwise to subscriptions of this view (R30). */
  readonly timestamps: () => ReadonlyMap<string, string>;
  readonly noteTimestamp: (session: string, timestamp: string) => void;
  readonly deliveryOf: (unit: Unit) => Delivery;
  /** Joins the texts from an index on, once for all subscriptions that ask for the same. */
  readonly stretchFrom: (index: number) => TextStretch | undefined;
  /** Replaces the event of a unit, once for all subscriptions with the same change: `key` names the change (R4). */
  readonly remade: (unit: EventUnit, key: string, make: (event: AgentEvent) => AgentEvent) => EventUnit;
  /** Cancels the timers. */
  readonly close: () => void;
}

/** A place in a view. */
export interface ViewCursor {
  readonly view: View;
  cursor: number;
}

/** A view that only one subscription has. */
export interface PrivateView {
  readonly view: View;
  /** Pushes an entry, and drops text that is no longer needed. */
  readonly push: (rendering: SharedRendering, at: Millis) => Steps | undefined;
}

const NOTHING_SENT: ReadonlyMap<string, string> = new Map();

/**
 * `sentBefore` has, for a private view, the timestamps of the last events that its subscription was sent by other terms. Text that these terms
 * release sooner gets no earlier timestamp (R30).
 */
export function createView(
  terms: ViewTerms,
  services: ViewServices,
  startsAfter: Epoch,
  appended: (critical: boolean) => void,
  sentBefore: ReadonlyMap<string, string> = NOTHING_SENT,
): View {
  const lastTimestamps = new Map<string, string>();
  const rendered = new WeakMap<Unit, Delivery>();
  const remade = new WeakMap<Unit, Map<string, EventUnit>>();
  let epoch = startsAfter;
  let isTaking = false;

  const deliveryOf = (unit: Unit): Delivery => {
    if (unit.kind === "event") return unit.delivery;
    if (unit.verbatim !== undefined) return unit.verbatim;
    const known = rendered.get(unit);
    if (known !== undefined) return known;
    const delivery = createDelivery(services.renderText(unit, terms), unit.epoch, unit.at, undefined);
    rendered.set(unit, delivery);
    return delivery;
  };
  const log = createViewLog(deliveryOf);
  const stretches = createTextStretches(log, terms.maxChars);

  const append = (unit: Unit): void => {
    lastTimestamps.set(unit.session, timestampOf(unit));
    log.append(unit);
    appended(unit.kind === "event" && unit.role === "critical");
  };

  const noteTimestamp = (session: string, timestamp: string): void => {
    lastTimestamps.set(session, laterTimestamp(timestamp, lastTimestamps.get(session)));
  };

  const standsAt = (session: string, timestamp: string): string => laterTimestamp(timestamp, sentBefore.get(session));

  const texts = createHeldTexts({
    terms,
    services,
    epoch: () => epoch,
    standsAt,
    lastTimestamp: (session) => lastTimestamps.get(session),
    append,
    passedBy: (session, timestamp) => noteTimestamp(session, timestamp),
  });

  const pushEvent = (rendering: SharedRendering, at: Millis): void => {
    const { entry } = rendering;
    const role = roleOf(rendering);
    if (role !== "progress" && role !== "background-state") texts.releaseFor(rendering, at);
    append({
      kind: "event",
      session: entry.event.session_id,
      agent: entry.event.producer.agent_id,
      at,
      firstEpoch: entry.epoch,
      epoch: entry.epoch,
      role,
      terminal: isTerminalKind(entry.kind),
      entry,
      delivery: rendering.deliveryIn(terms.shape),
    });
  };

  const pushPassThrough = (rendering: SharedRendering, at: Millis): boolean => {
    const { event, epoch: own } = rendering.entry;
    const text = event.chunk;
    if (typeof text !== "string") return false;
    const position = typeof event.position === "number" ? event.position : 0;
    if (text.length > terms.maxChars || text.length * MOST_BYTES_PER_UNIT > MAX_TEXT_BYTES) {
      const tooLong = codePointCount(text) > terms.maxChars || encodedBytes(text) > MAX_TEXT_BYTES;
      // A chunk that is too long is cut at its best boundaries, as in other views.
      if (tooLong) return false;
    }
    const timestamp = standsAt(event.session_id, event.timestamp);
    const complete = event.complete === true;
    const said = boundaryOf(event.coalesce_hint);
    const hint = ownHint(event) ?? (complete ? "completion" : "none");
    const isVerbatim = timestamp === event.timestamp && (said === undefined || said === hint);
    const delivery = rendering.deliveryIn(terms.shape);
    append({
      kind: "text",
      session: event.session_id,
      agent: event.producer.agent_id,
      at,
      firstEpoch: own,
      epoch: own,
      // Chunks leave in order, so no text is delivered before other pending units.
      deliveredEpoch: 0,
      output: rendering.output,
      position,
      endPosition: position + codePointCount(text),
      text,
      textBytes: undefined,
      textRoom: undefined,
      hint,
      complete,
      timestamp,
      base: rendering.textBase,
      mergeable: !terms.carriesExtensions(event),
      verbatim: isVerbatim ? delivery : undefined,
    });
    return true;
  };

  const pushChunk = (rendering: SharedRendering, at: Millis): Steps | undefined => {
    if (terms.passThrough && pushPassThrough(rendering, at)) return undefined;
    const steps = texts.push(rendering, rendering.output, at);
    if (steps === undefined) return undefined;
    isTaking = true;
    return followedBy(steps, () => {
      isTaking = false;
    });
  };

  return {
    terms,
    log,
    push: (rendering, at) => {
      epoch = rendering.entry.epoch;
      const { kind, event } = rendering.entry;
      if (kind === "output.streaming") return terms.wants(rendering) ? pushChunk(rendering, at) : undefined;
      if (terms.wants(rendering)) pushEvent(rendering, at);
      if (isTerminalKind(kind)) lastTimestamps.delete(event.session_id);
      return undefined;
    },
    epoch: () => epoch,
    isTaking: () => isTaking,
    resumeFloor: () => texts.lowestEpoch(epoch + 1),
    texts,
    timestamps: () => lastTimestamps,
    noteTimestamp,
    deliveryOf,
    stretchFrom: stretches.from,
    remade: (unit, key, make) => {
      const byKey = remade.get(unit) ?? new Map<string, EventUnit>();
      remade.set(unit, byKey);
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const event = make(unit.delivery.event);
      const entry = { ...unit.entry, event, source: undefined };
      const made = { ...unit, entry, delivery: createDelivery(event, unit.epoch, unit.at, undefined) };
      byKey.set(key, made);
      return made;
    },
    close: texts.close,
  };
}

/** The behaviour of a waiting event (R11, R30). */
export function roleOf(live: Pick<SharedRendering, "entry" | "critical">): EventRole {
  const { entry, critical } = live;
  if (critical) return "critical";
  switch (entry.kind) {
    case "progress.updated":
      return "progress";
    case "state.changed":
      if (isGateState(entry.event.from_state) || isGateState(entry.event.to_state)) return "gate";
      return entry.event.urgency === "background" ? "background-state" : "state";
    default:
      return "plain";
  }
}

function isGateState(state: unknown): boolean {
  return state === "awaiting_input" || state === "handing_off";
}
