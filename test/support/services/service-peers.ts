// The peers of sockets, over services.
import type { Message, WireSniffer } from "../oracles/wire-sniffer.js";
import { type PlainPeer, plainPeer, type RpcPeer, rpcPeer } from "../peers/peers.js";
import { refusalOf } from "./refusals.js";
import type { ServiceEnd } from "./service-client.js";
import {
  aaepStream,
  agentCalls,
  listenStream,
  type Party,
  publishStream,
  subscribeStream,
  type TextConnection,
} from "./text-connections.js";

export interface ServiceListener extends PlainPeer {
  /** How its stream ended. */
  readonly ended: () => Promise<ServiceEnd>;
  /** Its connection breaks, without a word. */
  readonly vanish: () => Promise<void>;
}

export interface PeerOptions extends Party {
  readonly sniffer: WireSniffer;
  readonly label?: string;
  /** Is told everything that comes to a listener, in order. */
  readonly heard?: (message: Message) => void;
}

function listenerOn(connection: TextConnection, { sniffer, label = "listener", heard }: PeerOptions): ServiceListener {
  const peer = plainPeer(connection, sniffer, label, heard);
  const { ended, vanish, stopReading, readOn } = connection;
  return {
    ...peer,
    ended: () => ended,
    vanish,
    stopReading,
    readOn,
    close: async () => {
      await peer.close();
      const end = await ended;
      if (end.status !== "OK") throw new Error(`closed in order, but told ${JSON.stringify(refusalOf(end))}`);
    },
  };
}

export function streamListener(options: PeerOptions): ServiceListener {
  return listenerOn(subscribeStream(options), options);
}

export function listenListener(options: PeerOptions): ServiceListener {
  const connection = listenStream(options);
  return {
    ...listenerOn(connection, options),
    reply: connection.reply,
  };
}

export function jsonListener(options: PeerOptions): ServiceListener {
  return listenerOn(aaepStream(options.client), options);
}

/** An agent on a stream, whose questions go by calls of their own. */
export function streamAgent({ sniffer, label = "agent", ...party }: PeerOptions): RpcPeer {
  return rpcPeer(publishStream(party), sniffer, label);
}

/** An agent by single calls, which is known by its key. */
export function callingAgent({ sniffer, label = "agent", ...party }: PeerOptions): RpcPeer {
  return rpcPeer(agentCalls(party), sniffer, label);
}
