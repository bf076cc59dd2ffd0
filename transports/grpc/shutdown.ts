import type { Socket } from "node:net";
import type { Server } from "@grpc/grpc-js";
import type { Millis } from "../../src/contracts/clock.js";
import type { ResolvedGrpcOptions } from "./options.js";

/**
 * Tells every client to begin no more calls, waits for those under way until their answers have left (G4), and after `withinMs` ends what is
 * still there (G3). Never rejects.
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
  // Its own word is not waited for: on Node 26 it comes at once where connections were injected, whatever is under way on them. Each connection ends
  // with its last call. What it might fail with is that it had no listener, which is so.
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
