// One accepted connection: its first message selects the protocol, which serves the connection from then on (R23).
import { publicFault } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Log } from "../contracts/log.js";
import type { Conversation, EndReason } from "../contracts/protocol.js";
import type { PeekableConnection } from "../contracts/transport.js";
import { awaitHandshake, closeWithin } from "../runtime/conversation.js";
import { firstMessageOf } from "./first-message.js";
import type { Protocols } from "./protocols.js";

export interface EndpointServices {
  readonly protocols: Protocols;
  readonly codec: Codec<Uint8Array, unknown>;
  readonly clock: Clock;
  readonly handshakeTimeoutMs: () => Millis;
  readonly log: Log;
  /** Called for a connection that was closed before it spoke any protocol. */
  readonly refused: (reason: "handshake_timeout") => void;
}

/** Serves a connection by the first protocol that recognizes its first message. `isParent`: of the process that started the daemon. */
export function serveConnection(
  connection: PeekableConnection<Uint8Array>,
  services: EndpointServices,
  isParent: boolean,
): Conversation {
  return new ServedConnection(connection, services, isParent);
}

/** A class, because each connection has one. */
class ServedConnection implements Conversation {
  private readonly connection: PeekableConnection<Uint8Array>;
  private readonly services: EndpointServices;
  private readonly isParent: boolean;
  private readonly started: Promise<Conversation>;
  private finishing = false;
  private served: Conversation | undefined;
  private cancelTimeout: (() => void) | undefined;

  constructor(connection: PeekableConnection<Uint8Array>, services: EndpointServices, isParent: boolean) {
    this.connection = connection;
    this.services = services;
    this.isParent = isParent;
    this.cancelTimeout = awaitHandshake(connection.peer, services, () => {
      if (this.served === undefined) void this.finish("handshake_timeout");
    });
    this.started = this.begin();
  }

  get inputEnded(): Promise<void> {
    return this.started.then((one) => one.inputEnded);
  }

  get done(): Promise<void> {
    return this.started.then((one) => one.done);
  }

  finish(reason: EndReason, until?: Millis): Promise<number> {
    this.finishing = true;
    return this.served === undefined ? this.refuseSilent(reason, until) : this.served.finish(reason, until);
  }

  private async begin(): Promise<Conversation> {
    const { connection, services, isParent } = this;
    const { all, strangers } = services.protocols;
    const first = await firstMessageOf(connection, services.codec);
    this.cancelTimeout?.();
    this.cancelTimeout = undefined;
    if (this.finishing) return this.closing();
    const protocol = all.find(({ recognizes }) => recognizes(first)) ?? strangers(first, isParent);
    try {
      this.served = protocol.serve(connection, isParent);
      return this.served;
    } catch (caught) {
      // An access policy is the embedder's code, and costs this connection alone.
      await connection.close(publicFault(caught, services.log));
      return this.closing();
    }
  }

  /** A conversation that only waits for the end of its connection. */
  private closing(): Conversation {
    const closed = this.connection.closed.then(() => {});
    return { finish: (reason, until) => this.refuseSilent(reason, until), inputEnded: closed, done: closed };
  }

  private async refuseSilent(reason: EndReason, until: Millis | undefined): Promise<number> {
    const { connection, services, isParent } = this;
    if (reason === "handshake_timeout") {
      services.refused(reason);
      const message = services.protocols.nothingSaid(isParent);
      if (message !== undefined) connection.send(message);
    }
    return closeWithin(connection, undefined, until, services.clock);
  }
}
