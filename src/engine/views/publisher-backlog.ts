// Counts the events of one agent that views have not taken. An agent that publishes faster than views take waits for itself, and delays nobody else
// (R18, R34).
import type { SharedRendering } from "./shared-rendering.js";

/**
 * Most events, or most text (UTF-16 units), of one agent that may wait before the daemon stops reading from it. One chunk of the largest size is as
 * much text: shaping it for many terms can take seconds, and all later events wait behind it.
 */
const MOST_EVENTS = 256;
const MOST_TEXT_UNITS = 16_384;

/** Most critical events of one agent. There may be more of them, because a critical event waits for nothing but its place. */
const MOST_CRITICALS = 4096;

/** Limit of all agents together, as a multiple of that of one agent. */
const MOST_OF_ALL = 16;

/** An agent with at most this share of its limit does not wait for the others. */
const LITTLE = 1 / 16;

export interface PublisherBacklog {
  readonly added: (rendering: SharedRendering) => void;
  readonly taken: (rendering: SharedRendering) => void;
  /** Returns a promise that resolves when the agent may continue; undefined if it may now. */
  readonly room: () => Promise<void> | undefined;
}

/** The backlog of all agents together; each agent's backlog is created with it. */
export function createSharedBacklog(): PublisherBacklog {
  return backlogOf(MOST_OF_ALL, undefined);
}

export function createPublisherBacklog(all: PublisherBacklog): PublisherBacklog {
  return backlogOf(1, all);
}

function backlogOf(times: number, all: PublisherBacklog | undefined): PublisherBacklog {
  let eventCount = 0;
  let criticalCount = 0;
  let textUnits = 0;
  let waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  const isFull = (share = times): boolean =>
    eventCount >= share * MOST_EVENTS ||
    criticalCount >= times * MOST_CRITICALS ||
    textUnits >= share * MOST_TEXT_UNITS;
  const count = (rendering: SharedRendering, change: 1 | -1): void => {
    if (rendering.critical) criticalCount += change;
    else eventCount += change;
    textUnits += change * textUnitsOf(rendering);
  };
  return {
    added: (rendering) => {
      count(rendering, 1);
      all?.added(rendering);
    },
    taken: (rendering) => {
      count(rendering, -1);
      all?.taken(rendering);
      if (waiting === undefined || isFull()) return;
      waiting.resolve();
      waiting = undefined;
    },
    room: () => {
      if (!isFull()) return isFull(LITTLE) ? all?.room() : undefined;
      waiting ??= promiseOfRoom();
      return waiting.promise;
    },
  };
}

/** Length of a chunk's text in UTF-16 units; 0 for other events. */
export function textUnitsOf({ entry }: SharedRendering): number {
  const { chunk } = entry.event;
  return typeof chunk === "string" ? chunk.length : 0;
}

function promiseOfRoom(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
