// How much of what one agent published is not in the views yet. An agent that publishes faster than its text can be shaped waits for itself, and
// nobody waits for it (R18, R34).
import type { SharedRendering } from "./shared-rendering.js";

/**
 * So many events, or so much text (UTF-16 units), of one agent may wait before no more is taken from it. One chunk of the largest size is as
 * much text: shaping it for many terms can take seconds, and all that is published meanwhile stands behind it.
 */
const MOST_EVENTS = 256;
const MOST_TEXT_UNITS = 16_384;

/** A critical event waits for nothing but its place, and so an agent may have more of them. */
const MOST_CRITICALS = 4096;

/** How much of all agents together may wait. */
const MOST_OF_ALL = 16;

/** An agent of which no more than this share waits does not stand behind what the others sent. */
const LITTLE = 1 / 16;

export interface PublisherBacklog {
  readonly added: (rendering: SharedRendering) => void;
  readonly taken: (rendering: SharedRendering) => void;
  /** Resolves when the agent may go on; undefined where it may at once. */
  readonly room: () => Promise<void> | undefined;
}

/** The backlog of all agents together: each of theirs is created with it. */
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

/** Text of a chunk, UTF-16 units; of anything else 0. */
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
