// The answers of a stream, one for each request and in their order, though some are known later than others; news stand where they came up. What the
// peer does not take waits here, and its sender reads no further meanwhile (G2).
import type { Connection } from "../../../contracts/transport.js";

/** Requests that may be without an answer, or whose answers may wait to be taken, before no more are read. */
const MAX_WAITING = 1024;

export interface OrderedAnswers<Frame> {
  /** Keeps the next place for an answer. What is answered gives it, once. */
  readonly reserve: () => (frame: Frame) => void;
  /** What nobody asked for. While an earlier news with the same key has not left, this one takes its place. */
  readonly tell: (frame: Frame, key?: string) => void;
  /** Whether requests may be handled: else `room` is to be waited for. */
  readonly hasRoom: () => boolean;
  readonly room: () => Promise<void>;
  /** Resolves when everything has been handed to the connection, or after `handOver`. */
  readonly empty: () => Promise<void>;
  /** Hands over what is known, whether the peer takes it or not, and forgets the rest. Nothing more goes out. */
  readonly handOver: () => void;
}

interface Place<Frame> {
  readonly key: string | undefined;
  /** Undefined until it is known. */
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
