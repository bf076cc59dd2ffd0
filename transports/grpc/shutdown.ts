import type { Socket } from "node:net";
import type { Server } from "@grpc/grpc-js";
import type { Millis } from "../../src/contracts/clock.js";
import type { ResolvedGrpcOptions } from "./options.js";

/**
 * Tells every client to begin no more calls, waits until the answers of calls under way have left, and ends the rest after `withinMs`.
 * Never rejects.
 */
export async function drainServer(
  server: Server,
  sockets: ReadonlyMap<Socket, unknown>,
  withinMs: Millis,
  after: ResolvedGrpcOptions["after"],
): Promise<void> {
  const closed = Promise.all(
    [...sockets.keys()].map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))),
  );
  // The callback is not awaited: on Node 26 it comes at once for injected connections, whatever is under way on them. Each connection ends with its
  // last call. The callback's possible error, that the server had no listener, is expected.
  server.tryShutdown(() => {});
  await new Promise<void>((resolve) => {
    const cancel = after(withinMs, resolve);
    void closed.then(() => {
      cancel();
      resolve();
    });
  });
  server.forceShutdown();
  for (const socket of sockets.keys()) socket.destroy();
  await closed;
}
