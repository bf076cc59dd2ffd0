import type { Connection } from "../../src/contracts/transport.js";
import { createByteConnection } from "../framing/byte-connection.js";
import type { ByteConnectionOptions } from "../framing/options.js";
import { faultFromNodeError } from "../node-errors.js";
import { connectToOwn } from "./own-socket.js";
import { assertPathFits, currentPlace, labelOf } from "./paths.js";

/**
 * Connects to a local socket of this user's own, or to a named pipe. Rejects with a Fault "not_found", "permission_denied" or "address_invalid": see
 * `holdOwnSocket`.
 */
export async function connectIpc(path: string, options: ByteConnectionOptions = {}): Promise<Connection<Uint8Array>> {
  assertPathFits(path, currentPlace());
  const socket = connectToOwn(path, true);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => {
      if (!socket.destroyed) resolve();
    });
    socket.once("error", (error) => reject(faultFromNodeError(error, path)));
  });
  socket.removeAllListeners("error");
  return createByteConnection(
    { readable: socket, writable: socket },
    { label: labelOf(path), trust: "same-user" },
    options,
  );
}
