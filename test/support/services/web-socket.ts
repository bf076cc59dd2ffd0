import { Writable } from "node:stream";
import { WebSocket } from "ws";
import type { Connection } from "../../../src/contracts/transport.js";
import { WebSocketConnection } from "../../../transports/event-streams/websocket-connection.js";
import { platformAfter } from "../../../transports/framing/options.js";

/** Opens the WebSocket of a daemon, at the path of AAEP's appendix. `address` is that of its HTTP server. */
export async function openWebSocket(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Connection<Uint8Array>> {
  const path = address.startsWith("unix:") ? `ws+unix:${address.slice("unix:".length)}:` : `ws://${address}`;
  const socket = new WebSocket(`${path}/aaep/v1/ws`, "aaep.v1", { headers });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  const options = {
    closeTimeoutMs: 2000,
    after: platformAfter,
  };
  return new WebSocketConnection(socket, masked(socket), { label: "test", trust: "same-user" }, options);
}

/** Frames without a mask go out by the library, which masks them as a client must. They come whole, and are shorter than 4 GiB. */
export function masked(socket: WebSocket): Writable {
  return new Writable({
    write(frames: Buffer, _, done) {
      for (let at = 0; at < frames.length; ) {
        const short = frames.readUInt8(at + 1);
        const head = short < 126 ? 2 : short === 126 ? 4 : 10;
        const end =
          at + head + (short < 126 ? short : frames.readUInt32BE(at + head - 4) & (short === 126 ? 0xff_ff : -1));
        socket.send(frames.subarray(at + head, end), { binary: false });
        at = end;
      }
      done();
    },
  });
}
