// The protocols that share connections (R23), each with the runner of its sessions.
import { RpcPeer } from "../../transports/json-rpc/rpc-peer.js";
import { Fault } from "../base/errors.js";
import type { CallProtocol } from "../contracts/call-protocol.js";
import type { Codec } from "../contracts/codec.js";
import type { Conversation, FirstMessage, MessageProtocol, Protocol } from "../contracts/protocol.js";
import type { Connection } from "../contracts/transport.js";
import { createPlainProtocol } from "../protocols/aaep/sessions/plain-session.js";
import { createRpcProtocol, type RpcServices } from "../protocols/aaep/sessions/rpc-session.js";
import { errorMessage } from "../protocols/aaep/subscriber/subscriber-messages.js";
import type { ConversationServices } from "../runtime/conversation.js";
import { CallConversation, type CallServices } from "../runtime/run-call-conversation.js";
import { MessageConversation } from "../runtime/run-conversation.js";

export interface ProtocolServices extends ConversationServices {
  readonly aaep: RpcServices;
  /** The protocols of exchanges: A2E and Akashik. */
  readonly exchanges: readonly ServedProtocol[];
  readonly codec: Codec<Uint8Array, unknown>;
}

/** A protocol with its runner: it recognizes first messages, and serves a connection from the first frame to the end. */
export interface ServedProtocol extends Pick<Protocol<never, never>, "recognizes"> {
  /** `isParent`: the process that started the daemon. The connection stays open when that process ends its side (R8a): the owner calls `finish`. */
  readonly serve: (connection: Connection<Uint8Array>, isParent: boolean) => Conversation;
}

export type Protocols = ReturnType<typeof createProtocols>;

/** The list of protocols. Another protocol is a folder of its own and an entry in `all`. */
export function createProtocols(services: ProtocolServices) {
  const { aaep, codec } = services;
  const jsonRpc = byCalls(createRpcProtocol(aaep), services);
  const plain = byMessages(createPlainProtocol(aaep), services);
  return {
    /** In the order in which they are asked. */
    all: [jsonRpc, plain, ...services.exchanges],
    /**
     * Returns the protocol that answers a first message recognized by none. An object counts as a message of AAEP; anything else counts as a broken
     * message of the protocol that such peers speak: a parent speaks JSON-RPC.
     */
    strangers: ({ kind }: FirstMessage, isParent: boolean): ServedProtocol =>
      kind === "object" || !isParent ? plain : jsonRpc,
    /** The message for a peer that sent nothing in time and so spoke no protocol; undefined for a parent, which would not understand it. */
    nothingSaid: (isParent: boolean): Uint8Array | undefined => {
      if (isParent) return undefined;
      const fault = new Fault("timed_out", "Nothing was said in time; connect again.", { rule: "R22" });
      return codec.encode(errorMessage(fault));
    },
  };
}

/** A protocol whose frames are messages. */
function byMessages(protocol: MessageProtocol<unknown>, services: ProtocolServices): ServedProtocol {
  return {
    recognizes: protocol.recognizes,
    serve: (connection, isParent) =>
      new MessageConversation(connection, services.codec, protocol, services, { keepsOutput: isParent }),
  };
}

/** A protocol whose frames are calls of JSON-RPC, or answers to calls. */
function byCalls(protocol: CallProtocol, services: ProtocolServices): ServedProtocol {
  const { codec, log } = services;
  const shared: CallServices = {
    ...services,
    answerCalls: (connection, handlers) => new RpcPeer(connection, handlers, { closeAtEnd: false, log }),
    // The params have no type, because the method gives it; events are encoded as everywhere.
    form: { format: codec.format, checkpoint: (cursor) => codec.encode({ cursor }) },
  };
  return {
    recognizes: protocol.recognizes,
    serve: (connection, isParent) => new CallConversation(connection, protocol, shared, { keepsOutput: isParent }),
  };
}
