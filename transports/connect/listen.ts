// Connect, gRPC-Web and gRPC over HTTP/1.1 and HTTP/2 at one address, with plain pages beside them.
import type { ServiceListener } from "../../src/contracts/service.js";
import { listenForCalls } from "../service-calls/listen.js";
import { createDrain } from "./drain.js";
import { createFrontDoor } from "./front-door.js";
import { createHandlers } from "./handlers.js";
import { createHttpServers } from "./http-servers.js";
import { type ConnectListenOptions, resolveConnectOptions } from "./options.js";

/**
 * Serves `methods` and `pages`. Throws a Fault "usage" for an option out of range, "address_invalid" for what is no loopback address,
 * "address_in_use" or "permission_denied".
 */
export async function listenConnect(options: ConnectListenOptions): Promise<ServiceListener> {
  const resolved = resolveConnectOptions(options);
  const drain = createDrain(resolved);
  const frontDoor = createFrontDoor(createHandlers(resolved, drain.addStream), resolved);
  const servers = createHttpServers(resolved, (exchange) => {
    drain.addCall(exchange);
    void frontDoor(exchange);
  });
  const { maxConnections, onAcceptFault, place } = options;
  const listening = await listenForCalls(
    resolved.address,
    {
      hasPages: true,
      silentConnectionMs: resolved.silentConnectionMs,
      after: resolved.after,
      ...(maxConnections === undefined ? {} : { maxConnections }),
      ...(onAcceptFault === undefined ? {} : { onAcceptFault }),
      ...(place === undefined ? {} : { place }),
    },
    servers.take,
  );
  let drained: Promise<void> | undefined;
  return {
    address: listening.address,
    stop: async () => {
      await listening.stop();
      servers.stop();
    },
    drain: (withinMs) => {
      drained ??= drain.run(servers, listening.sockets, withinMs);
      return drained;
    },
  };
}
