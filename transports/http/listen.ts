// HTTP/1.1 and HTTP/2 at one address: plain pages, and services beside them.
import { Fault } from "../../src/base/errors.js";
import { within } from "../../src/base/time-limit.js";
import type { ServiceListener } from "../../src/contracts/service.js";
import { listenForCalls } from "../service-calls/listen.js";
import { createFrontDoor } from "./front-door.js";
import { createHttpServers } from "./http-servers.js";
import type { HttpService } from "./http-service.js";
import { type HttpListenOptions, resolveHttpOptions } from "./options.js";

/** Time for clients to close connections without calls under way, ms. */
const LINGER_MS = 250;

/** Serves pages and services. Throws a Fault "address_invalid" for an address outside loopback, "address_in_use" or "permission_denied". */
export async function listenHttp(
  options: HttpListenOptions,
  services: readonly HttpService[],
): Promise<ServiceListener> {
  const resolved = resolveHttpOptions(options);
  const frontDoor = createFrontDoor(services, resolved);
  const calls = new Set<Promise<void>>();
  const servers = createHttpServers(resolved, (exchange) => {
    const call = new Promise<void>((resolve) => {
      exchange.onceGone(() => {
        calls.delete(call);
        resolve();
      });
    });
    calls.add(call);
    void frontDoor(exchange);
  });
  const listening = await listenForCalls(resolved.address, { ...resolved, hasPages: true }, servers.take);
  let drained: Promise<void> | undefined;
  return {
    address: listening.address,
    renew: listening.renew,
    stop: async () => {
      await listening.stop();
      servers.stop();
    },
    // Calls end first, then sessions, then sockets.
    drain: (withinMs = resolved.closeTimeoutMs) => {
      const inOrder = async (closed: Promise<unknown>): Promise<void> => {
        // The owners have ended their streams; streams opened since then end here.
        const fault = new Fault("shutting_down", "The daemon is stopping. Call again when it has started.");
        for (const service of services) service.endStreams(fault, withinMs);
        await Promise.all(calls);
        servers.goAway();
        await within(LINGER_MS, closed, { wakeAt: resolved.after });
      };
      drained ??= listening.end(withinMs, inOrder, servers.goAway);
      return drained;
    },
  };
}
