// Joins one connection of bytes and one session of an exchange: messages in, messages out, until either side ends it.
import { Fault, publicFault } from "../base/errors.js";
import { MAX_MESSAGE_VALUES, MAX_PASSED_VALUES, parseJsonDocument } from "../base/json-document.js";
import { timeToClose, within } from "../base/time-limit.js";
import { withResolvers } from "../base/with-resolvers.js";
import type { Millis } from "../contracts/clock.js";
import type { ExchangeProtocol } from "../contracts/exchange.js";
import type { Conversation, EndReason } from "../contracts/protocol.js";
import type { Connection, FrameTaker } from "../contracts/transport.js";
import { awaitHandshake, type ConversationServices } from "./conversation.js";
import { FrameLoop, type ReadingTurns } from "./frame-loop.js";
import { closeWithin, LAST_WORDS_MS } from "./hand-over.js";

/** Most UTF-16 units that wait for a peer that takes nothing, final messages aside. */
const MOST_WAITING_UNITS = 8 * 1024 * 1024;
/** UTF-16 units that may wait for a peer while its next message is taken. */
const MOST_WAITING_BEFORE_NEXT = 1024 * 1024;
/** A peer that takes nothing for so long is given up. */
const GIVE_UP_MS: Millis = 60_000;

/** Turns frames into texts of messages and back. */
export interface TextCodec<Frame> {
  /** Throws a Fault for a frame that has no text. */
  readonly textOf: (frame: Frame) => string;
  readonly frameOf: (text: string) => Frame;
}

/** The room of all exchanges together for messages that wait. */
export interface WaitingRoom {
  /** Whether so many UTF-16 units more may wait. */
  readonly isRoomFor: (units: number) => boolean;
  /** Counts units that wait, or, negative, that have left. */
  readonly add: (units: number) => void;
}

/** `mostUnits`: by default 64 Mi, which is 128 MiB. */
export function createWaitingRoom(mostUnits: number = 64 * 1024 * 1024): WaitingRoom {
  let units = 0;
  return {
    isRoomFor: (more) => units + more <= mostUnits,
    add: (more) => {
      units += more;
    },
  };
}

/** Messages that wait for a peer. The connection is given no more than it takes. `gaveUp`: the peer has taken nothing for a minute. */
function createOutgoing<Frame>(
  connection: Connection<Frame>,
  { frameOf }: TextCodec<Frame>,
  room: WaitingRoom,
  clock: Pick<ConversationServices["clock"], "now" | "wakeAt">,
  gaveUp: () => void,
) {
  let waiting: string[] = [];
  /** Messages at the beginning of `waiting` that were sent. */
  let sentCount = 0;
  let waitingUnits = 0;
  let isBlocked = false;
  let isOver = false;
  let tellEmpty = (): void => {};
  let cancelGiveUp = (): void => {};

  const wait = (units: number): void => {
    waitingUnits += units;
    room.add(units);
  };
  const hand = (text: string): void => {
    if (connection.send(frameOf(text))) return;
    isBlocked = true;
    cancelGiveUp = clock.wakeAt(clock.now() + GIVE_UP_MS, gaveUp);
    void connection.writable().then(flush);
  };
  const flush = (): void => {
    isBlocked = false;
    cancelGiveUp();
    for (; sentCount < waiting.length && !isBlocked && !isOver; sentCount += 1) {
      const text = waiting[sentCount] ?? "";
      wait(-text.length);
      hand(text);
    }
    if (sentCount < waiting.length) return;
    waiting = [];
    sentCount = 0;
    tellEmpty();
    tellEmpty = () => {};
  };
  /** Resolves when nothing waits. */
  const emptied = (): Promise<void> =>
    waiting.length === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          const tellBefore = tellEmpty;
          tellEmpty = () => {
            tellBefore();
            resolve();
          };
        });
  return {
    send: (text: string, isFinal = false): boolean => {
      if (isOver) return false;
      if (!isBlocked) {
        hand(text);
        return true;
      }
      const isRoom = waitingUnits + text.length <= MOST_WAITING_UNITS && room.isRoomFor(text.length);
      if (!isFinal && !isRoom) return false;
      waiting.push(text);
      wait(text.length);
      return true;
    },
    offer: (text: string): boolean => {
      if (isOver || isBlocked) return false;
      hand(text);
      return true;
    },
    /** Returns a promise that resolves when the peer has taken enough for its next message to be taken; undefined: it has. */
    taken: (): Promise<void> | undefined => (waitingUnits > MOST_WAITING_BEFORE_NEXT ? emptied() : undefined),
    emptied,
    end: (): void => {
      isOver = true;
      cancelGiveUp();
      wait(-waitingUnits);
      waiting = [];
      sentCount = 0;
      tellEmpty();
    },
  };
}

export interface ExchangeServices extends Pick<ConversationServices, "clock" | "handshakeTimeoutMs" | "log"> {
  readonly room: WaitingRoom;
  readonly readingTurns: ReadingTurns;
}

/** Starts an exchange. Only this function iterates the connection's frames. */
export function runExchange<Frame>(
  connection: Connection<Frame>,
  codec: TextCodec<Frame>,
  protocol: Pick<ExchangeProtocol, "open">,
  services: ExchangeServices,
): Conversation {
  const { clock, log } = services;
  const outgoing = createOutgoing(connection, codec, services.room, clock, () => {
    const remedy = "See whether the program at its end still reads.";
    log.warn({ peer: connection.peer.label, remedy }, "a peer took nothing for a minute and was given up");
    over();
    void connection.close(new Fault("lagging", "The connection took no messages for 60 s.", { rule: "R18" }), 0);
  });
  let isOver = false;
  let isGone = false;
  void connection.closed.then(() => {
    isGone = true;
  });
  const { promise: inputEnded, resolve: tellInputEnded } = withResolvers();

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    cancelTimeout();
    outgoing.end();
    session.ended();
  };
  const close = async (): Promise<void> => {
    await outgoing.emptied();
    over();
    await connection.close();
  };
  const session = protocol.open(connection.peer, {
    send: outgoing.send,
    offer: outgoing.offer,
    isGone: () => isGone,
    close: () => void close(),
  });
  const finish = async (reason: EndReason, until: Millis = clock.now() + LAST_WORDS_MS): Promise<number> => {
    cancelTimeout();
    await session.finish(reason, until);
    const { closed } = connection;
    return closeWithin(
      {
        close: async () => {
          await within(until, outgoing.emptied(), clock);
          over();
          await connection.close(undefined, timeToClose(until, clock.now()));
        },
        closed,
      },
      until,
      clock,
    );
  };
  const cancelTimeout = awaitHandshake(connection.peer, services, () => {
    if (!session.isOpen()) void finish("handshake_timeout");
  });

  const take = (frame: Frame): void => {
    let text: string | undefined;
    let message: unknown;
    try {
      text = codec.textOf(frame);
      const takesAllNumbers = session.passesOn();
      const mostValues = takesAllNumbers ? MAX_PASSED_VALUES : MAX_MESSAGE_VALUES;
      message = parseJsonDocument(text, { mostValues, takesAllNumbers });
    } catch (caught) {
      session.refuse(publicFault(caught, log), text);
      return;
    }
    session.receive(message, text);
    if (session.isOpen()) cancelTimeout();
  };

  const { promise: done, resolve: tellDone } = withResolvers();
  const end = async (fault: Fault | undefined): Promise<void> => {
    if (fault !== undefined && !isOver) session.refuse(fault, undefined);
    tellInputEnded();
    if (fault === undefined) {
      if (!isOver) session.inputEnded();
      await connection.closed;
    }
    over();
    if (fault !== undefined) await connection.close(fault);
    tellDone();
  };

  const taker: FrameTaker<Frame> = {
    take: (frame) => {
      try {
        if (!isOver) take(frame);
      } catch (caught) {
        void end(publicFault(caught, log));
      }
      return false;
    },
    room: () => {
      if (isOver) return undefined;
      const room = session.room();
      if (room !== undefined || session.isReadAlways()) return room;
      // A peer that sends without reading is not read from either.
      return outgoing.taken();
    },
    noMore: (fault) => void end(fault === undefined ? undefined : publicFault(fault, log)),
  };
  new FrameLoop(connection, taker, services.readingTurns);
  return { finish, inputEnded, done };
}
