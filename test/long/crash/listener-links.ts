// One connection of a listener, over each of three transports, with one face.

import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { plainPeer } from "../../support/peers/peers.js";
import { createConnectClient } from "../../support/services/connect-client.js";
import { byConverter } from "../../support/services/converting.js";
import { createGrpcClient } from "../../support/services/grpc-client.js";
import { listenListener, type ServiceListener, streamListener } from "../../support/services/typed-listeners.js";
import { ipcConnection } from "./ipc-connection.js";

export type ListenerTransport = "socket" | "grpc" | "connect";

export interface ListenerLink {
  /** Answers accepted or rejected. Rejects where the connection is lost before. */
  readonly subscribe: (request: Message) => Promise<Message>;
  /** Events and closings that came since the last call. */
  readonly take: () => { readonly events: readonly Message[]; readonly closings: readonly Message[] };
  readonly isOver: () => boolean;
  /** "counted" and "vain" where the transport says so. Rejects where the connection is lost. */
  readonly reply: (reply: Message) => Promise<"counted" | "vain" | "unknown">;
  readonly stopReading: () => void;
  readonly readOn: () => void;
  /** Breaks the connection without a word. */
  readonly vanish: () => Promise<void>;
}

export async function openListenerLink(
  transport: ListenerTransport,
  daemon: MortalDaemon,
  sniffer: WireSniffer,
  label: string,
): Promise<ListenerLink> {
  switch (transport) {
    case "socket":
      return overSocket(daemon, sniffer, label);
    case "grpc": {
      const client = createGrpcClient(daemon.grpc);
      return overService(streamListener({ client, convert: byConverter, sniffer, label }), "unknown");
    }
    case "connect": {
      const client = createConnectClient({ address: daemon.http, protocol: "connect", httpVersion: "1.1" });
      return overService(listenListener({ client, convert: byConverter, sniffer, label }), "counted");
    }
  }
}

async function overSocket(daemon: MortalDaemon, sniffer: WireSniffer, label: string): Promise<ListenerLink> {
  const peer = plainPeer(await ipcConnection(daemon.socket, "length-prefixed"), sniffer, label);
  let isOver = false;
  void peer.closed.then(() => {
    isOver = true;
  });
  return {
    subscribe: peer.subscribe,
    take: () => ({ events: peer.events.rest(), closings: peer.closings.rest() }),
    isOver: () => isOver,
    reply: async (reply) => {
      await peer.reply(reply);
      return "unknown";
    },
    stopReading: peer.stopReading,
    readOn: peer.readOn,
    vanish: peer.close,
  };
}

function overService(listener: ServiceListener, told: "counted" | "unknown"): ListenerLink {
  let isOver = false;
  return {
    subscribe: async (request) => {
      const answer = await listener.subscribe(request);
      void listener.ended().then(() => {
        isOver = true;
      });
      return answer;
    },
    take: () => ({ events: listener.events.rest(), closings: listener.closings.rest() }),
    isOver: () => isOver,
    reply: async (reply) => {
      try {
        await listener.reply(reply);
        return told;
      } catch (caught) {
        if (caught instanceof Error && caught.message === "the reply did not count") return "vain";
        throw caught;
      }
    },
    stopReading: listener.stopReading,
    readOn: listener.readOn,
    vanish: listener.vanish,
  };
}
