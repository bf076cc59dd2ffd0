// A room that many share, counted in members or in bytes: each part is bounded by itself, and all of them together by the room.

export interface SharedRoom {
  /** Whether so many more have room. Default 1. */
  readonly isRoom: (more?: number) => boolean;
  /** Counts members or bytes that came, or, negative, that left. */
  readonly add: (count: number) => void;
}

/** `most`: asked at each use, because it may change. */
export function createSharedRoom(most: () => number): SharedRoom {
  let count = 0;
  return {
    isRoom: (more = 1) => more <= 0 || count + more <= most(),
    add: (more) => {
      count += more;
    },
  };
}

/** The weight of a value beside its texts: its objects, its key, and its holder. */
const BYTES_EACH = 512;

/** Estimates the bytes that a value takes in memory. Linear in the value. */
export function bytesOf(value: unknown): number {
  return BYTES_EACH + 2 * JSON.stringify(value).length;
}
