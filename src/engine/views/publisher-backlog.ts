// Counts the events of one agent that views have not taken. An agent that publishes faster than views take waits for itself, and delays nobody else
// (R18, R34).

import { type Resolvers, withResolvers } from "../../base/with-resolvers.js";
import { eventSize } from "../event/event-size.js";
import type { SharedRendering } from "./shared-rendering.js";

/** Limits of what one agent's events may be before the daemon stops reading from it, each by itself. */
interface Most {
  readonly count: number;
  /** The text of chunks, in UTF-16 units. */
  readonly textUnits: number;
  /** The JSON of the events, in UTF-16 units. */
  readonly units: number;
}

/** One chunk of the largest size is as much text: shaping it for many terms can take seconds, and all later events wait behind it. */
const MOST_EVENTS: Most = { count: 256, textUnits: 16_384, units: 1024 * 1024 };
/** There may be more critical events, because one waits for nothing but its place. */
const MOST_CRITICALS: Most = { ...MOST_EVENTS, count: 4096, units: 2 * 1024 * 1024 };

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

export interface SharedBacklog {
  readonly events: PublisherBacklog;
  readonly criticals: PublisherBacklog;
}

/** The backlog of all agents together; each agent's backlog is created with it. */
export function createSharedBacklog(): SharedBacklog {
  return {
    events: backlogOf(MOST_EVENTS, MOST_OF_ALL, undefined),
    criticals: backlogOf(MOST_CRITICALS, MOST_OF_ALL, undefined),
  };
}

export function createPublisherBacklog(all: SharedBacklog): PublisherBacklog {
  const events = backlogOf(MOST_EVENTS, 1, all.events);
  const criticals = backlogOf(MOST_CRITICALS, 1, all.criticals);
  const of = ({ critical }: SharedRendering): PublisherBacklog => (critical ? criticals : events);
  return {
    added: (rendering) => of(rendering).added(rendering),
    taken: (rendering) => of(rendering).taken(rendering),
    room: () => events.room() ?? criticals.room(),
  };
}

function backlogOf(most: Most, times: number, all: PublisherBacklog | undefined): PublisherBacklog {
  let count = 0;
  let textUnits = 0;
  let units = 0;
  let waiting: Resolvers<void> | undefined;
  const isFull = (share = times): boolean =>
    count >= share * most.count || textUnits >= share * most.textUnits || units >= share * most.units;
  const add = (rendering: SharedRendering, change: 1 | -1): void => {
    count += change;
    textUnits += change * textUnitsOf(rendering);
    units += change * unitsOf(rendering);
  };
  return {
    added: (rendering) => {
      add(rendering, 1);
      all?.added(rendering);
    },
    taken: (rendering) => {
      add(rendering, -1);
      all?.taken(rendering);
      if (waiting === undefined || isFull()) return;
      waiting.resolve();
      waiting = undefined;
    },
    room: () => {
      if (!isFull()) return isFull(LITTLE) ? all?.room() : undefined;
      waiting ??= withResolvers();
      return waiting.promise;
    },
  };
}

function unitsOf({ entry }: SharedRendering): number {
  return entry.source?.length ?? eventSize(entry);
}

/** Length of a chunk's text in UTF-16 units; 0 for other events. */
export function textUnitsOf({ entry }: SharedRendering): number {
  const { chunk } = entry.event;
  return typeof chunk === "string" ? chunk.length : 0;
}
