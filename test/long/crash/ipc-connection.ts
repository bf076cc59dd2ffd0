import { connect } from "node:net";
import type { Connection } from "../../../src/contracts/transport.js";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import type { Framing } from "../../../transports/framing/framings.js";

/** Rejects where nobody listens. */
export async function ipcConnection(path: string, framing: Framing): Promise<Connection<Uint8Array>> {
  const socket = connect({ path, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return createByteConnection(
    { readable: socket, writable: socket },
    { label: "test", trust: "same-user" },
    { framing },
  );
}
