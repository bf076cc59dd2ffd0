// Joins one connection and one session of calls: the calls are answered by the transport of JSON-RPC, the deliveries of each subscription are pulled.
import type { Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Conversation, EndReason } from "../contracts/protocol.js";
import type { AnsweringConnection, CallHost, CallProtocol, CallSession, RpcHandlers } from "../contracts/rpc.js";
import type { Connection } from "../contracts/transport.js";
import { awaitHandshake, type ConversationServices, logAccident } from "./conversation.js";
import { frameBatchOf } from "./frame-batches.js";
import { closeWithin, handOver, LAST_WORDS_MS } from "./hand-over.js";
import { createPump } from "./pump.js";

export interface CallServices extends ConversationServices {
  /** Takes over a connection, its frames included, and answers its calls. Stays open at the peer's end. */
  readonly answerCalls: (connection: Connection<Uint8Array>, handlers: RpcHandlers) => AnsweringConnection;
  /** How deliveries become the params of notifications. One for all connections, so that they share what is encoded. */
  readonly form: Pick<Codec<Uint8Array, never>, "format" | "checkpoint">;
}

export interface CallOptions {
  /** The peer's end is not yet the conversation's: it goes on until `finish`, to be called once `inputEnded` has resolved (R8a). */
  readonly keepsOutput: boolean;
}

/** Starts a conversation of calls. An accident that ends it is logged. */
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
    startPump: (source, send) =>
      createPump(
        source,
        {
          send,
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
  // A first frame that was no call keeps nobody's place (R22).
  const cancelTimeout = awaitHandshake(connection.peer, services, () => {
    if (session.isOpen()) return;
    session.ended("handshake_timeout");
    void rpc.close();
  });
  const inputEnded = rpc.ended.then(async () => {
    if (keepsOutput) {
      session.agentEnded();
      return;
    }
    session.ended();
    await rpc.close();
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
