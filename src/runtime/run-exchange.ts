// Joins one connection of bytes and one session of an exchange: messages in, messages out, until either side ends it.
import { Fault, publicFault } from "../base/errors.js";
import { MAX_MESSAGE_VALUES, MAX_PASSED_VALUES, parseJsonDocument } from "../base/json-document.js";
import { createSharedRoom, type SharedRoom } from "../base/shared-room.js";
import { within } from "../base/time-limit.js";
import { type Resolvers, withResolvers } from "../base/with-resolvers.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { TextCodec } from "../contracts/codec.js";
import type { ExchangeHost, ExchangeProtocol, ExchangeSession } from "../contracts/exchange.js";
import type { Conversation, EndReason } from "../contracts/protocol.js";
import type { Connection, FrameTaker } from "../contracts/transport.js";
import { awaitHandshake, type ConversationServices, closeWithin } from "./conversation.js";
import { FrameLoop } from "./frame-loop.js";
import { LAST_WORDS_MS } from "./pump.js";

/** Most UTF-16 units that wait for a peer that takes nothing, final messages aside. */
const MOST_WAITING_UNITS = 8 * 1024 * 1024;
/** UTF-16 units that may wait for a peer while its next message is taken. */
const MOST_WAITING_BEFORE_NEXT = 1024 * 1024;
/** A peer that takes nothing for so long is given up. */
const GIVE_UP_MS: Millis = 60_000;

/** The room of all exchanges together for messages that wait. `mostUnits`: by default 64 Mi UTF-16 units, which is 128 MiB. */
export function createWaitingRoom(mostUnits: number = 64 * 1024 * 1024): SharedRoom {
  return createSharedRoom(() => mostUnits);
}

export interface ExchangeServices
  extends Pick<ConversationServices, "clock" | "handshakeTimeoutMs" | "log" | "readingTurns"> {
  readonly room: SharedRoom;
}

/** Messages to the peer. A message that the connection does not take yet waits here. */
class Outgoing<Frame> {
  private readonly connection: Connection<Frame>;
  private readonly codec: TextCodec<Frame>;
  private readonly room: SharedRoom;
  private readonly clock: Clock;
  private readonly gaveUp: () => void;
  private waiting: string[] = [];
  private waitingUnits = 0;
  /** Resolves when the connection has taken all messages, and takes more; undefined while it does. */
  private blocked: Resolvers<void> | undefined;
  private isOver = false;
  private cancelGiveUp = (): void => {};

  /** `gaveUp`: the peer has taken nothing for a minute. */
  constructor(
    connection: Connection<Frame>,
    codec: TextCodec<Frame>,
    { room, clock }: ExchangeServices,
    gaveUp: () => void,
  ) {
    this.connection = connection;
    this.codec = codec;
    this.room = room;
    this.clock = clock;
    this.gaveUp = gaveUp;
  }

  /** Returns false if the message is dropped: too much waits, or the exchange is over. */
  send(text: string, isFinal: boolean): boolean {
    if (this.isOver) return false;
    if (this.blocked === undefined) {
      this.hand(text);
      return true;
    }
    const { length } = text;
    const isRoom = this.waitingUnits + length <= MOST_WAITING_UNITS && this.room.isRoom(length);
    if (!isFinal && !isRoom) return false;
    this.waiting.push(text);
    this.count(length);
    return true;
  }

  offer(text: string): boolean {
    return this.blocked === undefined && this.send(text, false);
  }

  /** Returns a promise that resolves when the peer has taken enough for its next message to be taken; undefined: it has. */
  taken(): Promise<void> | undefined {
    return this.waitingUnits > MOST_WAITING_BEFORE_NEXT ? this.emptied() : undefined;
  }

  /** Resolves when nothing waits. */
  async emptied(): Promise<void> {
    await this.blocked?.promise;
  }

  end(): void {
    this.isOver = true;
    this.cancelGiveUp();
    this.count(-this.waitingUnits);
    this.waiting = [];
    this.blocked?.resolve();
  }

  /** Hands a message to the connection, and returns whether that takes more. Each time that it does not, a new minute begins. */
  private hand(text: string): boolean {
    const isTaken = this.connection.send(this.codec.frameOf(text));
    if (isTaken) return true;
    this.blocked ??= withResolvers();
    this.cancelGiveUp = this.clock.wakeAt(this.clock.now() + GIVE_UP_MS, this.gaveUp);
    void this.connection.writable().then(() => this.handOn());
    return false;
  }

  /** The connection takes again. */
  private handOn(): void {
    this.cancelGiveUp();
    let sentCount = 0;
    let isTaken = true;
    for (const text of this.waiting) {
      if (!isTaken) break;
      sentCount += 1;
      this.count(-text.length);
      isTaken = this.hand(text);
    }
    this.waiting.splice(0, sentCount);
    if (!isTaken) return;
    this.blocked?.resolve();
    this.blocked = undefined;
  }

  private count(units: number): void {
    this.waitingUnits += units;
    this.room.add(units);
  }
}

/** An exchange, which begins when it is made. Only the exchange reads the connection's frames. */
export class Exchange<Frame> implements Conversation, FrameTaker<Frame> {
  readonly inputEnded: Promise<void>;
  readonly done: Promise<void>;
  private readonly connection: Connection<Frame>;
  private readonly codec: TextCodec<Frame>;
  private readonly services: ExchangeServices;
  private readonly outgoing: Outgoing<Frame>;
  private readonly session: ExchangeSession;
  private readonly cancelTimeout: () => void;
  private readonly input = withResolvers();
  private readonly output = withResolvers();
  private isOver = false;
  private isGone = false;

  constructor(
    connection: Connection<Frame>,
    codec: TextCodec<Frame>,
    protocol: Pick<ExchangeProtocol, "open">,
    services: ExchangeServices,
  ) {
    this.connection = connection;
    this.codec = codec;
    this.services = services;
    this.inputEnded = this.input.promise;
    this.done = this.output.promise;
    this.outgoing = new Outgoing(connection, codec, services, () => this.giveUp());
    void connection.closed.then(() => {
      this.isGone = true;
    });
    this.session = protocol.open(connection.peer, this.host());
    this.cancelTimeout = awaitHandshake(connection.peer, services, () => {
      if (!this.session.isOpen()) void this.finish("handshake_timeout");
    });
    new FrameLoop(connection, this, services.readingTurns);
  }

  async finish(reason: EndReason, until?: Millis): Promise<number> {
    const { clock } = this.services;
    const limit = until ?? clock.now() + LAST_WORDS_MS;
    this.cancelTimeout();
    await this.session.finish(reason, limit);
    await within(limit, this.outgoing.emptied(), clock);
    this.over();
    return closeWithin(this.connection, undefined, limit, clock);
  }

  take(frame: Frame): void {
    try {
      if (!this.isOver) this.takeMessage(frame);
    } catch (caught) {
      void this.end(publicFault(caught, this.services.log));
    }
  }

  room(): Promise<void> | undefined {
    if (this.isOver) return undefined;
    const room = this.session.room();
    if (room !== undefined || this.session.isReadAlways()) return room;
    // A peer that sends without reading is not read from either.
    return this.outgoing.taken();
  }

  noMore(fault: Fault | undefined): void {
    void this.end(fault === undefined ? undefined : publicFault(fault, this.services.log));
  }

  private host(): ExchangeHost {
    return {
      send: (text, isFinal = false) => this.outgoing.send(text, isFinal),
      offer: (text) => this.outgoing.offer(text),
      isGone: () => this.isGone,
      close: () => void this.close(),
    };
  }

  private giveUp(): void {
    const { connection, services } = this;
    const remedy = "See whether the program at its end still reads.";
    services.log.warn({ peer: connection.peer.label, remedy }, "a peer took nothing for a minute and was given up");
    this.over();
    void connection.close(new Fault("lagging", "The connection took no messages for 60 s.", { rule: "R18" }), 0);
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cancelTimeout();
    this.outgoing.end();
    this.session.ended();
  }

  private async close(): Promise<void> {
    await this.outgoing.emptied();
    this.over();
    await this.connection.close();
  }

  private takeMessage(frame: Frame): void {
    const { session } = this;
    let text: string | undefined;
    let message: unknown;
    try {
      text = this.codec.textOf(frame);
      const takesAllNumbers = session.passesOn();
      const mostValues = takesAllNumbers ? MAX_PASSED_VALUES : MAX_MESSAGE_VALUES;
      message = parseJsonDocument(text, { mostValues, takesAllNumbers });
    } catch (caught) {
      session.refuse(publicFault(caught, this.services.log), text);
      return;
    }
    session.receive(message, text);
    if (session.isOpen()) this.cancelTimeout();
  }

  private async end(fault: Fault | undefined): Promise<void> {
    if (fault !== undefined && !this.isOver) this.session.refuse(fault, undefined);
    this.input.resolve();
    if (fault === undefined) {
      if (!this.isOver) this.session.inputEnded();
      await this.connection.closed;
    }
    this.over();
    if (fault !== undefined) await this.connection.close(fault);
    this.output.resolve();
  }
}
