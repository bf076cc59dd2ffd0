// Akashik on a connection: each peer is an agent of the Field (R23).
import type { ExchangeProtocol } from "../../../contracts/exchange.js";
import { createAgentSession } from "../agent/agent-session.js";
import type { AkashikServices } from "../host/akashik-services.js";
import { isAkashik } from "../messages/protocol.js";

/** The protocol of a peer whose first message is one of Akashik. */
export function createAkashikProtocol(services: AkashikServices): ExchangeProtocol {
  return {
    recognizes: ({ members }) => isAkashik(members),
    open: (peer, host) => createAgentSession(services, peer, host),
  };
}
