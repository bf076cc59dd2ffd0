// Who is connected to a daemon by its services, each over connections of its own.
import type { ListenerConnection } from "../../src/client/listener/types.js";
import { httpConnector } from "../../src/client/node.js";
import { type ServiceWay, serviceClient } from "../support/lanes.js";
import { plainPeer } from "../support/peers/peers.js";
import type { DaemonRig } from "../support/rigs/daemon-rig.js";
import {
  callingAgent,
  jsonListener,
  listenListener,
  streamAgent,
  streamListener,
} from "../support/services/service-peers.js";
import { rpcAgent, subscribed, type WorldAgent, type WorldListener } from "./parties.js";

/** The default of `agentIdleSeconds`. */
const AGENT_IDLE_MS = 60_000;

export function serviceParties(
  rig: DaemonRig,
  way: ServiceWay,
): {
  readonly agent: (name: string) => Promise<WorldAgent>;
  readonly subscriber: (name: string) => Promise<WorldListener>;
} {
  const { sniffer } = rig;
  const optionsOf = (label: string) => ({ client: serviceClient(rig, way), sniffer, label });
  return {
    agent: async (name) => {
      switch (way.agent) {
        case "rpc":
          return rpcAgent(await rig.rpc());
        case "stream":
          return rpcAgent(streamAgent(optionsOf(name)));
        case "calls": {
          const agent = rpcAgent(callingAgent(optionsOf(name)));
          // Nobody sees it go: it is gone when it has been silent for so long.
          const leave = async (): Promise<void> => {
            await agent.leave();
            await rig.advance(AGENT_IDLE_MS);
          };
          return { ...agent, leave };
        }
      }
    },
    subscriber: async (name) => {
      switch (way.listener) {
        case "subscribe":
          return streamListener(optionsOf(name));
        case "listen":
          return listenListener(optionsOf(name));
        case "aaep":
          return jsonListener(optionsOf(name));
        case "client": {
          const address = rig.serviceAddress(way.server);
          const { authorization } = rig.authorization();
          const token = authorization?.replace("Bearer ", "");
          const connect = httpConnector(way.socket === "tcp" ? `http://${address}` : address, { token });
          const peer = plainPeer(
            namingItself(await connect(), () => peer.id()),
            sniffer,
            name,
          );
          return subscribed(peer);
        }
      }
    },
  };
}

/** Single calls name the subscription, which a peer on a stream of its own leaves out. */
function namingItself(connection: ListenerConnection, id: () => string) {
  const named = (frame: Uint8Array): Uint8Array => {
    const message = JSON.parse(Buffer.from(frame).toString()) as { readonly type: string };
    return message.type === "subscription.request"
      ? frame
      : Buffer.from(JSON.stringify({ ...message, subscription_id: id() }));
  };
  const send = (frame: Uint8Array): boolean => connection.send(named(frame));
  return {
    ...connection,
    send,
    sendBatch: ({ frames }: { readonly frames: readonly Uint8Array[] }) => frames.map(send).every(Boolean),
  };
}
