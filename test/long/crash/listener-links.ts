// One connection of a listener, over each of five ways, with one face: everything that comes is one row, for what a cursor covers is what came before
// it.
import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { plainPeer, rpcPeer, type Subscription } from "../../support/peers/peers.js";
import { createConnectClient } from "../../support/services/connect-client.js";
import { createGrpcClient } from "../../support/services/grpc-client.js";
import { listenListener, streamListener } from "../../support/services/service-peers.js";
import { ipcConnection } from "./ipc-connection.js";

export type ListenerTransport = "length-prefixed" | "newline" | "json-rpc" | "grpc" | "connect";

export interface ListenerLink extends Pick<Subscription, "subscribe" | "reply"> {
  /** What came since the last call, in order, each in the form that it has in plain framings; the answer to a ping as `{type: "aaep.ping", cursor}`. */
  readonly take: () => readonly Message[];
  readonly isOver: () => boolean;
  /** Asks for the place, where the protocol has a way to; the answer is in the row. */
  readonly ping: () => void;
  readonly stopReading: () => void;
  readonly readOn: () => void;
  /** Breaks the connection without a word. */
  readonly vanish: () => Promise<void>;
}

export async function openListenerLink(
  transport: ListenerTransport,
  daemon: MortalDaemon,
  sniffer: WireSniffer,
): Promise<ListenerLink> {
  const row: Message[] = [];
  let isOver = false;
  const heard = (message: Message): void => void row.push(message);
  const linkOf = (
    { subscribe, reply, peer }: Subscription,
    ways: Partial<Pick<ListenerLink, "ping" | "stopReading" | "readOn" | "vanish">> = {},
  ): ListenerLink => {
    void peer.closed.then(() => {
      isOver = true;
    });
    return {
      subscribe,
      reply,
      take: () => row.splice(0),
      isOver: () => isOver,
      ping: () => {},
      stopReading: peer.stopReading,
      readOn: peer.readOn,
      vanish: async () => {
        await peer.close();
        await peer.closed;
      },
      ...ways,
    };
  };
  switch (transport) {
    case "length-prefixed":
    case "newline":
      return linkOf(plainPeer(await ipcConnection(daemon.socket, transport), sniffer, transport, heard));
    case "json-rpc": {
      const peer = rpcPeer(await ipcConnection(daemon.socket, "newline"), sniffer, transport, heard);
      return linkOf(peer.subscription(), { ping: () => void peer.request("aaep.ping", {}).catch(() => {}) });
    }
    case "grpc": {
      const listener = streamListener({ client: createGrpcClient(daemon.grpc), sniffer, heard });
      return linkOf(listener, listener);
    }
    case "connect": {
      const client = createConnectClient({ address: daemon.http, protocol: "connect", httpVersion: "1.1" });
      const listener = listenListener({ client, sniffer, heard });
      return linkOf(listener, listener);
    }
  }
}
