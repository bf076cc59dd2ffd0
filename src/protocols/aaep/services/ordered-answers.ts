// The answers of a stream, one for each request and in the order of the requests, although some are known later than others. Notices keep the place
// at which they were made. Frames that the peer does not take wait here, and the peer is not read from meanwhile (G2).
import type { Connection } from "../../../contracts/transport.js";

/** Most requests without an answer, or with an answer that waits for the peer, before reading pauses. */
const MAX_WAITING = 1024;

export interface OrderedAnswers<Frame> {
  /** Reserves the next place for an answer. Call the result once, with the answer. */
  readonly reserve: () => (frame: Frame) => void;
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
}

export function createOrderedAnswers<Frame>(
  connection: Pick<Connection<Frame>, "send" | "writable">,
): OrderedAnswers<Frame> {
  let places: Place<Frame>[] = [];
  const byKey = new Map<string, Place<Frame>>();
  let isBlocked = false;
  let isOver = false;
  let changed = (): void => {};

  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      changed = resolve;
    });

  const advance = (): void => {
    let sent = 0;
    for (; !isBlocked && sent < places.length; sent += 1) {
      const place = places[sent];
      if (place?.frame === undefined) break;
      if (place.key !== undefined) byKey.delete(place.key);
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

  const hasRoom = (): boolean => isOver || (!isBlocked && places.length < MAX_WAITING);

  return {
    reserve: () => {
      const place: Place<Frame> = { key: undefined, frame: undefined };
      if (!isOver) places.push(place);
      return (frame) => {
        place.frame = frame;
        advance();
      };
    },
    tell: (frame, key) => {
      if (isOver) return;
      const earlier = key === undefined ? undefined : byKey.get(key);
      if (earlier !== undefined) {
        earlier.frame = frame;
        return;
      }
      const place = { key, frame };
      places.push(place);
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
      for (const { frame } of places) if (frame !== undefined) connection.send(frame);
      places = [];
      changed();
    },
  };
}
