// The answers of a stream, one for each request and in the order of the requests, although some are known later than others. Notices keep the place
// at which they were made. Frames that the peer does not take wait here, and the peer is not read from meanwhile.
import { createSharedRoom, type SharedRoom } from "../../../base/shared-room.js";
import type { Connection } from "../../../contracts/transport.js";

/** Most requests without an answer, or with an answer that waits for the peer, before reading pauses. */
const MAX_WAITING = 1024;
/** Most bytes of these requests or answers of one stream, and of all. Where nothing of a stream waits, its next request is read in any case. */
const MOST_BYTES = 1024 * 1024;
const MOST_BYTES_IN_ALL = 32 * 1024 * 1024;

/** The room of all streams together. */
export function createAnswerRoom(): SharedRoom {
  return createSharedRoom(() => MOST_BYTES_IN_ALL);
}

export interface OrderedAnswers<Frame> {
  /** Reserves the next place for the answer to a request of so many bytes. Call the result once, with the answer. */
  readonly reserve: (bytes: number) => (frame: Frame) => void;
  /** Adds a notice. If an earlier notice with the same key has not left, replaces it. */
  readonly tell: (frame: Frame, key?: string) => void;
  /** Whether requests may be handled; otherwise await `room`. */
  readonly hasRoom: () => boolean;
  readonly room: () => Promise<void>;
  /** Resolves when everything has been handed to the connection, or after `handOver`. */
  readonly empty: () => Promise<void>;
  /** Hands over the known frames, whether the peer takes them or not, and drops the rest. Nothing more goes out. */
  readonly handOver: () => void;
}

interface Place<Frame> {
  readonly key: string | undefined;
  /** Undefined until the answer is known. */
  frame: Frame | undefined;
  /** Size of the answer; until the answer is known, size of the request. */
  bytes: number;
}

export function createOrderedAnswers<Frame extends { readonly length: number }>(
  connection: Pick<Connection<Frame>, "send" | "writable">,
  all: SharedRoom,
): OrderedAnswers<Frame> {
  let bytes = 0;
  let places: Place<Frame>[] = [];
  const byKey = new Map<string, Place<Frame>>();
  let isBlocked = false;
  let isOver = false;
  let changed = (): void => {};

  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      changed = resolve;
    });

  const weigh = (place: Place<Frame>, weight: number): void => {
    bytes += weight - place.bytes;
    all.add(weight - place.bytes);
    place.bytes = weight;
  };

  const advance = (): void => {
    let sent = 0;
    for (; !isBlocked && sent < places.length; sent += 1) {
      const place = places[sent];
      if (place?.frame === undefined) break;
      if (place.key !== undefined) byKey.delete(place.key);
      weigh(place, 0);
      if (!connection.send(place.frame)) waitForPeer();
    }
    if (sent === 0) return;
    places = places.slice(sent);
    changed();
  };

  const waitForPeer = (): void => {
    isBlocked = true;
    void connection.writable().then(() => {
      isBlocked = false;
      advance();
      changed();
    });
  };

  const isLittle = (): boolean =>
    places.length === 0 || (places.length < MAX_WAITING && bytes < MOST_BYTES && all.isRoom());

  const hasRoom = (): boolean => isOver || (!isBlocked && isLittle());

  return {
    reserve: (weight) => {
      const place: Place<Frame> = { key: undefined, frame: undefined, bytes: 0 };
      if (!isOver) {
        places.push(place);
        weigh(place, weight);
      }
      return (frame) => {
        if (isOver) return;
        place.frame = frame;
        weigh(place, frame.length);
        advance();
      };
    },
    tell: (frame, key) => {
      if (isOver) return;
      const earlier = key === undefined ? undefined : byKey.get(key);
      if (earlier !== undefined) {
        earlier.frame = frame;
        weigh(earlier, frame.length);
        return;
      }
      const place = { key, frame, bytes: 0 };
      places.push(place);
      weigh(place, frame.length);
      if (key !== undefined) byKey.set(key, place);
      advance();
    },
    hasRoom,
    room: async () => {
      while (!hasRoom()) await nextChange();
    },
    empty: async () => {
      while (places.length > 0) await nextChange();
    },
    handOver: () => {
      isOver = true;
      for (const place of places) {
        if (place.frame !== undefined) connection.send(place.frame);
        weigh(place, 0);
      }
      places = [];
      changed();
    },
  };
}
