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

export interface ServeOptions {
  /** Whether a first frame that is no message is answered in JSON-RPC. */
  readonly speaksRpc: boolean;
  /** Whether the connection outlives the peer's end (R8a): the owner calls `finish`. */
  readonly keepsOutput: boolean;
}

/** A protocol with its runner: it recognizes first messages, and serves a connection from the first frame to the end. */
export interface ServedProtocol extends Pick<Protocol<never, never>, "recognizes"> {
  readonly serve: (connection: Connection<Uint8Array>, options: Pick<ServeOptions, "keepsOutput">) => Conversation;
}

export interface Protocols {
  /** In the order in which they are asked. */
  readonly all: readonly ServedProtocol[];
  /** Returns the protocol that answers a first message recognized by none. */
  readonly strangers: (first: FirstMessage, options: Pick<ServeOptions, "speaksRpc">) => ServedProtocol;
  /** The message for a peer that sent nothing in time and so spoke no protocol; undefined if the peer expects JSON-RPC. */
  readonly nothingSaid: (options: Pick<ServeOptions, "speaksRpc">) => Uint8Array | undefined;
}

/** The list of protocols. Another protocol is a folder of its own and an entry in `all`. */
export function createProtocols(services: ProtocolServices): Protocols {
  const { aaep, codec } = services;
  const jsonRpc = byCalls(createRpcProtocol(aaep), services);
  const plain = byMessages(createPlainProtocol(aaep), services);
  return {
    all: [jsonRpc, plain, ...services.exchanges],
    // An object counts as a message of AAEP; anything else counts as a broken message of the protocol that such peers speak.
    strangers: ({ kind }, { speaksRpc }) => (kind === "object" || !speaksRpc ? plain : jsonRpc),
    nothingSaid: ({ speaksRpc }) => {
      // A peer that waits for JSON-RPC would not understand the message.
      if (speaksRpc) return undefined;
      const fault = new Fault("timed_out", "Nothing was said in time; connect again.", { rule: "R22" });
      return codec.encode(errorMessage(fault));
    },
  };
}

/** A protocol whose frames are messages. */
function byMessages(protocol: MessageProtocol<unknown>, services: ProtocolServices): ServedProtocol {
  return {
    recognizes: protocol.recognizes,
    serve: (connection, options) => new MessageConversation(connection, services.codec, protocol, services, options),
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
    serve: (connection, options) => new CallConversation(connection, protocol, shared, options),
  };
}
