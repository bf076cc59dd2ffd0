// The room for everything that waits in the sessions of an agent: many sessions that wait for a lost daemon need no more memory than some.

export interface QueueLimits {
  readonly mostQueuedCharacters: number;
  readonly mostQueuedEvents: number;
}

export interface QueueRoom {
  /** Whether an event, and so many characters more, may wait. */
  readonly has: (characters: number) => boolean;
  /** Adds what waits from now on; negative: what waits no more. */
  readonly fill: (characters: number, events: number) => void;
}

/** All sessions together may have as much as so many full ones. */
const FULL_SESSIONS = 16;

export function createQueueRoom({ mostQueuedCharacters, mostQueuedEvents }: QueueLimits): QueueRoom {
  let characters = 0;
  let events = 0;
  return {
    has: (more) =>
      characters + more <= mostQueuedCharacters * FULL_SESSIONS && events < mostQueuedEvents * FULL_SESSIONS,
    fill: (moreCharacters, moreEvents) => {
      characters += moreCharacters;
      events += moreEvents;
    },
  };
}
