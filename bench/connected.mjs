// A connection to a Unix socket.
import { createConnection } from "node:net";

/** Resolves when the connection is open. A server that accepts more slowly than it is called has no room for some time; then the call is repeated. */
export async function connected(path) {
  for (;;) {
    const socket = createConnection(path);
    const error = await new Promise((resolve) => {
      socket.once("connect", () => resolve(undefined));
      socket.once("error", resolve);
    });
    if (error === undefined) {
      socket.removeAllListeners("error");
      return socket;
    }
    if (error.code !== "EAGAIN") throw error;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
