// HTTP/1.1 and HTTP/2 at one address: plain pages, and services beside them.
import type { ServiceListener } from "../../src/contracts/service.js";
import { listenForCalls } from "../service-calls/listen.js";
import { createDrain } from "./drain.js";
import { createFrontDoor } from "./front-door.js";
import { createHttpServers } from "./http-servers.js";
import type { HttpService } from "./http-service.js";
import { type HttpListenOptions, resolveHttpOptions } from "./options.js";

/**
 * Serves pages and services. Throws a Fault "usage" for an option out of range, "address_invalid" for an address outside loopback, "address_in_use"
 * or "permission_denied".
 */
export async function listenHttp(
  options: HttpListenOptions,
  services: readonly HttpService[],
): Promise<ServiceListener> {
  const resolved = resolveHttpOptions(options);
  const drain = createDrain(services, resolved);
  const frontDoor = createFrontDoor(services, resolved);
  const servers = createHttpServers(resolved, (exchange) => {
    drain.addCall(exchange);
    void frontDoor(exchange);
  });
  const listening = await listenForCalls(resolved.address, { ...options, ...resolved, hasPages: true }, servers.take);
  let drained: Promise<void> | undefined;
  return {
    address: listening.address,
    renew: listening.renew,
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
