// Joins one connection and one session of calls: the JSON-RPC transport answers the calls, a pump for each subscription pulls its deliveries.
import type { Fault } from "../base/errors.js";
import { within } from "../base/time-limit.js";
import type { CallHost, CallProtocol, CallSession, CallStream } from "../contracts/call-protocol.js";
import type { Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Conversation, EndReason } from "../contracts/protocol.js";
import type { AnsweringConnection, RpcHandlers } from "../contracts/rpc.js";
import type { Connection } from "../contracts/transport.js";
import type { DeliveryBatch } from "../engine/views/delivery.js";
import { awaitHandshake, type ConversationServices, closeWithin, frameBatchOf, logAccident } from "./conversation.js";
import { FrameLoop } from "./frame-loop.js";
import { Pump } from "./pump.js";

/** Longest wait for answers under way after the end of the input. A question under way ends with the grace of its session, or a little later. */
const ANSWERS_MS: Millis = 60_000;
/** The same where the end of the input ends the process, within 2 s (R8a). */
const PARENTS_ANSWERS_MS: Millis = 1000;

export interface CallServices extends ConversationServices {
  /** Answers the calls of a connection, whose frames the result takes. The result stays open when the peer ends its side. */
  readonly answerCalls: (connection: Connection<Uint8Array>, handlers: RpcHandlers) => AnsweringConnection;
  /** Turns deliveries into the params of notifications. One form for all connections, so that they share the encoding. */
  readonly form: Pick<Codec<Uint8Array, never>, "format" | "checkpoint">;
}

export interface CallOptions {
  /** If true, the conversation goes on after the peer's end, until `finish`, to be called once `inputEnded` has resolved (R8a). */
  readonly keepsOutput: boolean;
}

/** A conversation of calls, which begins when it is made. Logs an internal error that ends the conversation. */
export class CallConversation implements Conversation, CallHost {
  readonly inputEnded: Promise<void>;
  readonly done: Promise<void>;
  private readonly connection: Connection<Uint8Array>;
  private readonly services: CallServices;
  private readonly options: CallOptions;
  private readonly session: CallSession;
  private readonly rpc: AnsweringConnection;

  constructor(
    connection: Connection<Uint8Array>,
    protocol: Pick<CallProtocol, "open">,
    services: CallServices,
    options: CallOptions,
  ) {
    this.connection = connection;
    this.services = services;
    this.options = options;
    this.session = protocol.open(connection.peer, this);
    this.rpc = services.answerCalls(connection, this.session);
    new FrameLoop(connection, this.rpc, services.readingTurns);
    // A first frame that was no call does not count as a handshake (R22).
    const cancelTimeout = awaitHandshake(connection.peer, services, () => {
      if (this.session.isOpen()) return;
      this.session.ended("handshake_timeout");
      void this.rpc.close();
    });
    this.inputEnded = this.rpc.ended.then(() => this.answerLast());
    this.done = connection.closed.then(() => {
      cancelTimeout();
      this.session.ended();
    });
  }

  notify(method: string, params: object): boolean {
    return this.rpc.notify(method, params);
  }

  notifyBatch(
    method: string,
    batch: DeliveryBatch,
    members: Readonly<Record<string, string>> | undefined,
    checkpointMethod: string,
  ): boolean {
    return this.rpc.notifyBatch(method, frameBatchOf(batch, this.services.form), members, checkpointMethod);
  }

  openStream(send: (batch: DeliveryBatch) => boolean, ended: (reason: EndReason) => void): CallStream {
    const writable = (): Promise<void> => this.connection.writable();
    return new Pump({ send, ended, writable, failed: (fault) => this.failed(fault) }, this.services);
  }

  async finish(reason: EndReason, until?: Millis): Promise<number> {
    this.rpc.takeNoMore();
    this.session.agentEnded();
    const leftCount = await this.session.finish(reason, until);
    const { closed } = this.connection;
    const close = (_status: unknown, withinMs?: Millis): Promise<void> => this.rpc.close(withinMs);
    return leftCount + (await closeWithin({ close, closed }, undefined, until, this.services.clock));
  }

  private failed(fault: Fault): void {
    logAccident(this.connection.peer, fault, this.services.log);
    this.session.ended("producer_error");
    void this.connection.close(fault);
  }

  /** The end of the input is that of the agent and its listening, and not of the answers to what it sent before. */
  private async answerLast(): Promise<void> {
    const { keepsOutput } = this.options;
    const { clock } = this.services;
    if (keepsOutput) this.session.agentEnded();
    else this.session.ended();
    await within(clock.now() + (keepsOutput ? PARENTS_ANSWERS_MS : ANSWERS_MS), this.rpc.answered(), clock);
    if (!keepsOutput) await this.rpc.close();
  }
}
