// A room that many share: each part is bounded by itself, and all of them together by the room.

export interface SharedRoom {
  readonly isRoom: () => boolean;
  /** Counts members that came, or, negative, that left. */
  readonly add: (count: number) => void;
}

export function createSharedRoom(most: number): SharedRoom {
  let count = 0;
  return {
    isRoom: () => count < most,
    add: (more) => {
      count += more;
    },
  };
}
