// Joins one connection, one codec and one protocol session: frames in, answers and deliveries out, until either side ends the conversation.
import { Fault, faultFrom, publicFault } from "../base/errors.js";
import { type Resolvers, withResolvers } from "../base/with-resolvers.js";
import type { Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type {
  Conversation,
  EndReason,
  Heartbeat,
  MessageProtocol,
  ProtocolSession,
  Reaction,
} from "../contracts/protocol.js";
import type { Connection, FrameTaker, PeerIdentity } from "../contracts/transport.js";
import type { DeliveryBatch } from "../engine/views/delivery.js";
import { awaitHandshake, type ConversationServices, closeWithin, frameBatchOf, logAccident } from "./conversation.js";
import { FrameLoop } from "./frame-loop.js";
import { Heartbeats } from "./heartbeats.js";
import { type DeliverySink, Pump } from "./pump.js";

export interface ConversationOptions<Message = unknown> {
  /**
   * If true, the conversation goes on after the peer's end. With a parent it goes on until `finish`, to be called once `inputEnded` has resolved
   * (R8a). With any other peer, the client of a call, it goes on until the connection closes if there is a subscription. Without a subscription it
   * ends at once: in order if the peer was answered, else with the fault of the last message, or with `handshake_required`.
   */
  readonly keepsOutput: boolean;
  /** The fault with which this side closes the connection, for the status of a call. Default: none. */
  readonly statusOf?: (reason: EndReason) => Fault | undefined;
  /** Sent after the handshake whenever nothing else was sent for that long, unless the peer takes nothing. Default: none. */
  readonly heartbeat?: Heartbeat<Message> | undefined;
}

/**
 * A conversation of messages, which begins when it is made. Only the conversation reads the connection's frames. Any number of conversations may
 * share `services` and `options`. Logs an internal error that ends the conversation.
 */
export class MessageConversation<Frame, Message> implements Conversation, DeliverySink, FrameTaker<Frame> {
  readonly done: Promise<void>;
  private readonly connection: Connection<Frame>;
  private readonly codec: Codec<Frame, Message>;
  private readonly services: ConversationServices;
  private readonly options: ConversationOptions<Message>;
  private readonly session: ProtocolSession<Message>;
  private readonly pump: Pump;
  private readonly heartbeats: Heartbeats | undefined;
  private tellDone: () => void = () => {};
  private isOver = false;
  private isEnding = false;
  private hasSpoken = false;
  private hasInputEnded = false;
  private isTaking = true;
  /** The newest message of `tell` while the peer took nothing. */
  private untold: { readonly message: Message } | undefined;
  /** The fault of the last message. */
  private lastFault: Fault | undefined;
  /** Created when somebody asks for `inputEnded`. */
  private waitingForInput: Resolvers<void> | undefined;
  private cancelTimeout: (() => void) | undefined;
  private finishing: Promise<number> | undefined;

  constructor(
    connection: Connection<Frame>,
    codec: Codec<Frame, Message>,
    protocol: Pick<MessageProtocol<Message>, "open">,
    services: ConversationServices,
    options: ConversationOptions<Message>,
  ) {
    this.connection = connection;
    this.codec = codec;
    this.services = services;
    this.options = options;
    this.pump = new Pump(this, services);
    this.session = protocol.open(connection.peer, {
      stream: this.pump,
      tell: (message) => this.tell(message),
    });
    const { heartbeat } = options;
    this.heartbeats =
      heartbeat && new Heartbeats(heartbeat.everyMs, () => void this.say(heartbeat.message), services.clock);
    this.cancelTimeout = awaitHandshake(connection.peer, services, () => {
      if (!this.session.isOpen()) void this.finish("handshake_timeout");
    });
    // The client of a call has hung up: its remaining input is awaited for one turn at most, and its subscription ends (R7).
    if (this.isCall()) void connection.closed.then(() => services.clock.afterTurn(() => this.over()));
    this.done = new Promise((resolve) => {
      this.tellDone = resolve;
    });
    new FrameLoop(connection, this, services.readingTurns);
  }

  get inputEnded(): Promise<void> {
    if (this.hasInputEnded) return Promise.resolve();
    this.waitingForInput ??= withResolvers();
    return this.waitingForInput.promise;
  }

  finish(reason: EndReason, until?: Millis): Promise<number> {
    this.finishing ??= this.sayLast(reason, until);
    return this.finishing;
  }

  send(batch: DeliveryBatch): boolean {
    return this.handed(this.connection.sendBatch(frameBatchOf(batch, this.codec)));
  }

  writable(): Promise<void> {
    return this.connection.writable();
  }

  ended(reason: EndReason): void {
    void this.finish(reason);
  }

  failed(fault: Fault): void {
    const { connection } = this;
    logAccident(connection.peer, fault, this.services.log);
    this.over("producer_error");
    void connection.close(this.options.statusOf?.("producer_error") ?? fault);
  }

  private async sayLast(reason: EndReason, until: Millis | undefined): Promise<number> {
    const { connection, session } = this;
    const status = this.isOver ? undefined : this.options.statusOf?.(reason);
    let leftCount = 0;
    if (!this.isOver) {
      this.forgetTimeout();
      const { pendingDeliveries, messages } = session.finish(reason);
      leftCount = await this.pump.handOver(pendingDeliveries, until);
      // The peer may have ended the conversation meanwhile.
      if (!this.isOver) for (const message of messages()) this.say(message);
      this.over(reason);
    }
    return leftCount + (await closeWithin(connection, status, until, this.services.clock));
  }

  private isCall(): boolean {
    return this.options.keepsOutput && this.connection.peer.trust !== "parent";
  }

  private say(message: Message): boolean {
    return this.handed(this.connection.send(this.codec.encode(message)));
  }

  private tell(message: Message): void {
    if (this.isTaking) this.say(message);
    else this.untold = { message };
  }

  /** Notes the connection's answer to a hand-over. */
  private handed(isTaken: boolean): boolean {
    this.heartbeats?.sent(isTaken);
    if (!isTaken && this.isTaking) {
      this.isTaking = false;
      void this.writable().then(() => this.takesAgain());
    }
    return isTaken;
  }

  private takesAgain(): void {
    const { untold } = this;
    this.isTaking = true;
    this.heartbeats?.sent(true);
    this.untold = undefined;
    if (untold !== undefined) this.tell(untold.message);
  }

  /** Ends the wait for a handshake: it is done, or no longer needed. */
  private forgetTimeout(): void {
    this.cancelTimeout?.();
    this.cancelTimeout = undefined;
  }

  /** Ends the session. `reason`: why this side ends it; undefined if the peer did. */
  private over(reason?: EndReason): void {
    if (this.isOver) return;
    this.isOver = true;
    this.forgetTimeout();
    this.pump.stop();
    this.heartbeats?.stop();
    this.session.ended(reason);
  }

  private tellInputEnded(): void {
    this.hasInputEnded = true;
    this.waitingForInput?.resolve();
  }

  take(frame: Frame): void {
    if (this.isOver) return;
    this.hasSpoken = true;
    try {
      const { answers, closes, fault } = this.reactionTo(frame);
      this.lastFault = fault;
      for (const answer of answers) this.say(answer);
      if (closes) {
        this.over();
        void this.end(undefined);
      } else if (this.session.isOpen()) {
        this.forgetTimeout();
        this.heartbeats?.start();
      }
    } catch (caught) {
      this.noMore(faultFrom(caught));
    }
  }

  /** A peer that sends without reading is not read from either. */
  room(): Promise<void> | undefined {
    return this.isTaking ? undefined : this.connection.writable();
  }

  noMore(fault: Fault | undefined): void {
    const told = fault === undefined ? undefined : publicFault(fault, this.services.log);
    if (told !== undefined && !this.isOver) for (const answer of this.session.refuse(told).answers) this.say(answer);
    void this.end(told);
  }

  private reactionTo(frame: Frame): Reaction<Message> {
    const { codec, session } = this;
    const text = (): string | undefined => codec.textOf?.(frame);
    let message: Message;
    try {
      message = codec.decode(frame);
    } catch (caught) {
      return session.refuse(publicFault(caught, this.services.log), text);
    }
    return session.receive(message, text);
  }

  /** The peer sends no more. */
  private async end(fault: Fault | undefined): Promise<void> {
    if (this.isEnding) return;
    this.isEnding = true;
    const { connection } = this;
    let status = fault;
    this.tellInputEnded();
    if (this.options.keepsOutput && !this.isOver && fault === undefined) {
      if (this.isCall() && !this.session.isOpen()) status = this.hasSpoken ? this.lastFault : nothingSaid();
      else await connection.closed;
    }
    this.over();
    await connection.close(status);
    this.tellDone();
  }
}

function nothingSaid(): Fault {
  return new Fault("handshake_required", "Send a subscription.request first.", { pointer: "", rule: "AAEP §5.1" });
}

/** The services of streams: conversations with a status at their end. The daemon finishes them like those of connections. */
export interface StreamServices extends ConversationServices {
  /** Receives each stream when it is served; the receiver calls `finish`. */
  readonly served: (stream: Conversation, peer: PeerIdentity) => void;
}

/** Returns a function that serves a stream from its first frame to its end. A client's half-close does not end its subscription. */
export function createStreamServer(
  services: StreamServices,
): <Frame, Message>(
  connection: Connection<Frame>,
  codec: Codec<Frame, Message>,
  protocol: Pick<MessageProtocol<Message>, "open">,
  heartbeat: Heartbeat<Message> | undefined,
) => void {
  return (connection, codec, protocol, heartbeat) => {
    const options = { heartbeat, keepsOutput: true, statusOf };
    services.served(new MessageConversation(connection, codec, protocol, services, options), connection.peer);
  };
}

/**
 * The fault that gives the status of a stream ended by the daemon. A recording that has ended is no fault, and neither is the subscriber's own
 * close.
 */
export function statusOf(reason: EndReason): Fault | undefined {
  switch (reason) {
    case "recording_ended":
      return undefined;
    case "producer_shutdown":
      return new Fault("shutting_down", "The daemon is stopping. Call again when it is back.", { rule: "R8a" });
    case "lagging":
      return new Fault("lagging", "This stream took too little for too long. Open another, and resume.", {
        rule: "R18",
      });
    case "handshake_timeout":
      return new Fault("timed_out", "No request came in time. Open another stream.", { rule: "R22" });
    case "producer_error":
      return new Fault("internal", "Something went wrong in the daemon, and stands in its log. Open another stream.", {
        origin: "local",
      });
  }
}
