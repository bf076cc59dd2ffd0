// One connection of an agent, over each of three transports, with one face.
import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { type RpcPeer, RpcRefusal, rpcPeer } from "../../support/peers/peers.js";
import { createConnectClient } from "../../support/services/connect-client.js";
import { createGrpcClient } from "../../support/services/grpc-client.js";
import { callingAgent, streamAgent } from "../../support/services/service-peers.js";
import { ipcConnection } from "./ipc-connection.js";

export type AgentTransport = "socket" | "grpc" | "connect";

export interface AgentLink {
  /** Rejects where it is refused and where the connection is lost; `refusalCode` tells which. */
  readonly publish: (events: readonly Message[]) => Promise<Message>;
  readonly request: (method: string, params: Message) => Promise<Message>;
  /** Outcomes that came by themselves since the last call. */
  readonly outcomes: () => readonly Message[];
  readonly close: () => Promise<void>;
}

/** Rejects where nobody listens. */
export async function openAgentLink(
  transport: AgentTransport,
  daemon: MortalDaemon,
  sniffer: WireSniffer,
): Promise<AgentLink> {
  switch (transport) {
    case "socket": {
      const peer = rpcPeer(await ipcConnection(daemon.socket, "newline"), sniffer, "agent");
      return linkOf(peer, peer.close);
    }
    case "grpc": {
      const client = createGrpcClient(daemon.grpc);
      return linkOf(streamAgent({ client, sniffer }), client.close);
    }
    case "connect": {
      const client = createConnectClient({ address: daemon.http, protocol: "connect", httpVersion: "1.1" });
      return linkOf(callingAgent({ client, sniffer }), client.close);
    }
  }
}

function linkOf(peer: RpcPeer, close: () => Promise<void>): AgentLink {
  const whileThere = orLost(peer.closed);
  return {
    publish: (events) => whileThere(() => peer.publish(...events)),
    request: (method, params) => whileThere(() => peer.request(method, params)),
    outcomes: () => peer.outcomes.rest(),
    close,
  };
}

/** Nobody waits for an answer that cannot come. */
function orLost(ended: Promise<unknown>): <Answer>(call: () => Promise<Answer>) => Promise<Answer> {
  let isLost = false;
  const lost = ended.then((): never => {
    isLost = true;
    throw new Error("The connection is lost.");
  });
  lost.catch(() => {});
  return (call) => (isLost ? lost : Promise.race([lost, call()]));
}

/** The code that the daemon refused something with; undefined where there was no answer. */
export function refusalCode(caught: unknown): string | undefined {
  const code = caught instanceof RpcRefusal ? caught.error.data?.code : undefined;
  return code === "peer_gone" || code === "shutting_down" ? undefined : code;
}
