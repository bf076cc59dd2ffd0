// Joins one connection and one session of calls: the JSON-RPC transport answers the calls, a pump for each subscription pulls its deliveries.
import { within } from "../base/time-limit.js";
import type { Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Conversation, EndReason } from "../contracts/protocol.js";
import type { AnsweringConnection, CallHost, CallProtocol, CallSession, RpcHandlers } from "../contracts/rpc.js";
import type { Connection } from "../contracts/transport.js";
import { awaitHandshake, type ConversationServices, logAccident } from "./conversation.js";
import { frameBatchOf } from "./frame-batches.js";
import { FrameLoop } from "./frame-loop.js";
import { closeWithin, handOver, LAST_WORDS_MS } from "./hand-over.js";
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

/** Starts a conversation of calls. Logs an internal error that ends the conversation. */
export function runCallConversation(
  connection: Connection<Uint8Array>,
  protocol: Pick<CallProtocol, "open">,
  services: CallServices,
  { keepsOutput }: CallOptions,
): Conversation {
  const { clock } = services;
  const host: CallHost = {
    notify: (method, params) => rpc.notify(method, params),
    notifyBatch: (method, batch, members, checkpointMethod) =>
      rpc.notifyBatch(method, frameBatchOf(batch, services.form), members, checkpointMethod),
    openStream: (send, ended) =>
      new Pump(
        {
          send,
          ended,
          writable: () => rpc.writable(),
          failed: (fault) => {
            logAccident(connection.peer, fault, services.log);
            session.ended("producer_error");
            void connection.close(fault);
          },
        },
        services,
      ),
    handOver: (pendingDeliveries, send, until = clock.now() + LAST_WORDS_MS) =>
      handOver(pendingDeliveries, { send, writable: () => rpc.writable() }, until, services),
  };
  const session: CallSession = protocol.open(connection.peer, host);
  const rpc: AnsweringConnection = services.answerCalls(connection, session.handlers);
  new FrameLoop(connection, rpc, services.readingTurns);
  // A first frame that was no call does not count as a handshake (R22).
  const cancelTimeout = awaitHandshake(connection.peer, services, () => {
    if (session.isOpen()) return;
    session.ended("handshake_timeout");
    void rpc.close();
  });
  // The end of the input is that of the agent and its listening, and not of the answers to what it sent before.
  const inputEnded = rpc.ended.then(async () => {
    if (keepsOutput) session.agentEnded();
    else session.ended();
    await within(clock.now() + (keepsOutput ? PARENTS_ANSWERS_MS : ANSWERS_MS), rpc.answered(), clock);
    if (!keepsOutput) await rpc.close();
  });
  const done = rpc.closed.then(() => {
    cancelTimeout();
    session.ended();
  });
  const finish = async (reason: EndReason, until?: Millis): Promise<number> => {
    rpc.takeNoMore();
    session.agentEnded();
    const leftCount = await session.finish(reason, until);
    return leftCount + (await closeWithin(rpc, until, clock));
  };
  return { finish, inputEnded, done };
}
