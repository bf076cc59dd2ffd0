// One connection of an agent, over each of three transports, with one face.

import type { MortalDaemon } from "../../support/mortal-daemon.js";
import { type RpcPeer, RpcRefusal, rpcPeer } from "../../support/peers.js";
import { callingAgent, type ServiceAgent, streamAgent } from "../../support/services/agents.js";
import { createConnectClient } from "../../support/services/connect-client.js";
import { byConverter } from "../../support/services/converting.js";
import { createGrpcClient } from "../../support/services/grpc-client.js";
import { TypedRefusal } from "../../support/services/refusals.js";
import type { Message, WireSniffer } from "../../support/wire-sniffer.js";
import { ipcConnection } from "./ipc-connection.js";

export type AgentTransport = "socket" | "grpc" | "connect";

export interface AgentLink {
  /** Rejects where it is refused and where the connection is lost; `refusalCode` tells which. */
  readonly publish: (events: readonly Message[]) => Promise<Message>;
  readonly request: (method: string, params: Message) => Promise<Message>;
  /** Outcomes that came by themselves since the last call. */
  readonly outcomes: () => readonly Message[];
  /** Whether outcomes come by themselves. */
  readonly isTold: boolean;
  readonly close: () => Promise<void>;
}

/** Rejects where nobody listens. */
export async function openAgentLink(
  transport: AgentTransport,
  daemon: MortalDaemon,
  sniffer: WireSniffer,
): Promise<AgentLink> {
  switch (transport) {
    case "socket":
      return overSocket(rpcPeer(await ipcConnection(daemon.socket, "newline"), sniffer, "agent"));
    case "grpc":
      return overService(streamAgent({ client: createGrpcClient(daemon.grpc), convert: byConverter, sniffer }), true);
    case "connect": {
      const client = createConnectClient({ address: daemon.http, protocol: "connect", httpVersion: "1.1" });
      return overService(callingAgent({ client, convert: byConverter, sniffer }), false);
    }
  }
}

function overSocket(peer: RpcPeer): AgentLink {
  return {
    publish: (events) => peer.publish(...events),
    request: peer.request,
    outcomes: () => peer.outcomes.rest(),
    isTold: true,
    close: peer.close,
  };
}

function overService(agent: ServiceAgent, isTold: boolean): AgentLink {
  return {
    publish: (events) => agent.publish(...events),
    request: agent.request,
    outcomes: () => agent.outcomes.rest(),
    isTold,
    close: () => agent.client.close(),
  };
}

/** The code that the daemon refused something with; undefined where there was no answer. */
export function refusalCode(caught: unknown): string | undefined {
  const code =
    caught instanceof RpcRefusal
      ? caught.error.data.code
      : caught instanceof TypedRefusal
        ? caught.refusal.code
        : undefined;
  return code === "peer_gone" || code === "shutting_down" ? undefined : code;
}
