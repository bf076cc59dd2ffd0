// The places of records that changed since a copy began.
import type { RecordPlace } from "./table-copy.js";
import type { Writes } from "./tables.js";

export interface ChangedPlaces {
  readonly add: (places: readonly RecordPlace[]) => void;
  readonly count: () => number;
  /** Answers the places and forgets them. */
  readonly take: () => readonly RecordPlace[];
}

/** A place that changes again counts once, so that memory grows with the records and not with the time. */
export function createChangedPlaces(): ChangedPlaces {
  let places = new Map<string, RecordPlace>();
  return {
    add: (changed) => {
      for (const place of changed) places.set(JSON.stringify([place.table, place.key]), place);
    },
    count: () => places.size,
    take: () => {
      const taken = [...places.values()];
      places = new Map();
      return taken;
    },
  };
}

/** Passes writes on, and puts the place of each into `places`. */
export function notedWrites(writes: Writes, places: RecordPlace[]): Writes {
  return {
    put: (table, key, value) => {
      places.push({ table, key });
      writes.put(table, key, value);
    },
    remove: (table, key) => {
      places.push({ table, key });
      writes.remove(table, key);
    },
  };
}
