// A2E on a connection: an agent's session, or a provider that registers (R23).
import type { ExchangeHost, ExchangeProtocol, ExchangeSession } from "../../../contracts/exchange.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import { createAgentSession } from "../agent/agent-session.js";
import type { A2eServices } from "../host/a2e-services.js";
import { isA2eType, REGISTER } from "../messages/first-types.js";
import { isMessage } from "../messages/message.js";
import { createPeerProvider } from "../provider-sessions/peer-provider.js";

/** The protocol of a peer whose first message is one of A2E. */
export function createA2eProtocol(services: A2eServices): ExchangeProtocol {
  return {
    recognizes: ({ members }) => isA2eType(members.type),
    open: (peer, host) => openSession(services, peer, host),
  };
}

/** The first message decides whether the peer is an agent or a provider. A ping and a broken message leave it open. */
function openSession(services: A2eServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  let session = createAgentSession(services, peer, host);
  let isDecided = false;
  return {
    receive: (message, text) => {
      const type = isMessage(message) ? message.type : undefined;
      if (!isDecided && typeof type === "string" && type !== "ping") {
        isDecided = true;
        if (type === REGISTER) session = createPeerProvider(services, peer, host);
      }
      session.receive(message, text);
    },
    refuse: (fault, text) => session.refuse(fault, text),
    isReadAlways: () => session.isReadAlways(),
    passesOn: () => session.passesOn(),
    room: () => session.room(),
    isOpen: () => session.isOpen(),
    inputEnded: () => session.inputEnded(),
    finish: (reason, until) => session.finish(reason, until),
    ended: () => session.ended(),
  };
}
