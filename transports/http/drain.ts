import type { Socket } from "node:net";
import { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { Exchange } from "./exchange.js";
import type { HttpServers } from "./http-servers.js";
import type { HttpService } from "./http-service.js";
import type { ResolvedHttpOptions } from "./options.js";

/** Tracks everything under way, and ends it: calls first, then sessions, then sockets. */
export interface Drain {
  readonly addCall: (exchange: Exchange) => void;
  /** Resolves when every socket has closed, after `withinMs` at the latest; default: the transport's time limit. Never rejects. */
  readonly run: (servers: HttpServers, sockets: ReadonlyMap<Socket, unknown>, withinMs?: Millis) => Promise<void>;
}

/** Time for clients to close connections without calls under way, ms. */
const LINGER_MS = 250;

export function createDrain(
  services: readonly HttpService[],
  options: Pick<ResolvedHttpOptions, "after" | "closeTimeoutMs">,
): Drain {
  const calls = new Set<Promise<void>>();

  const within = (milliseconds: number, what: Promise<unknown>): Promise<void> =>
    new Promise((resolve) => {
      const cancel = options.after(milliseconds, resolve);
      void what.then(() => {
        cancel();
        resolve();
      });
    });

  return {
    addCall: ({ signal }) => {
      const call = new Promise<void>((resolve) => {
        signal.addEventListener(
          "abort",
          () => {
            calls.delete(call);
            resolve();
          },
          { once: true },
        );
      });
      calls.add(call);
    },
    run: async (servers, sockets, withinMs = options.closeTimeoutMs) => {
      // The owners have ended their streams; streams opened since then end here.
      const fault = new Fault("shutting_down", "The daemon is stopping. Call again when it has started.");
      for (const service of services) service.endStreams(fault, withinMs);
      const closed = Promise.all(
        [...sockets.keys()].map((socket) => new Promise<void>((resolve) => socket.once("close", resolve))),
      );
      const inOrder = Promise.all(calls).then(() => {
        servers.goAway();
        return within(LINGER_MS, closed);
      });
      await within(withinMs, inOrder);
      servers.goAway();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
}
