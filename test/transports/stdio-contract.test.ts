import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join as joinPath } from "node:path";
import { PassThrough } from "node:stream";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import { DEFAULT_MAX_FRAME_BYTES, join } from "../../transports/framing/framings.js";
import { createStdioConnection } from "../../transports/stdio/stdio-connection.js";
import { takeStdio } from "../../transports/stdio/take-stdio.js";
import { type Pair, transportContract } from "../contract/transport-contract.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** What a child's stdio is made of on Unix: a pair of joined sockets for each direction. */
async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(joinPath(temporaryDirectory(), "s"));
  await once(server, "listening");
  const near = connect({ path: server.address() as string, allowHalfOpen: true });
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  return [near, far];
}

async function open(): Promise<Pair> {
  const [parentIn, stdin] = await socketPair();
  const [stdout, parentOut] = await socketPair();
  const stdio = takeStdio({ stdin, stdout, stderr: new PassThrough() });
  const server = createStdioConnection(stdio);
  const client = createByteConnection(
    { readable: parentOut, writable: parentIn },
    { label: "child", trust: "same-user" },
    { framing: "newline" },
  );
  const sockets = [parentIn, stdin, stdout, parentOut];
  // The process's own descriptors close with the process, and each unused direction with the pair.
  void Promise.all([server.closed, client.closed]).then(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    server,
    peekable: server,
    client,
    killClient: () => {
      parentIn.destroy();
      parentOut.destroy();
    },
    writeRaw: (bytes) => parentIn.write(bytes),
    stop: async () => {},
  };
}

transportContract({
  name: "stdio",
  maxFrameBytes: DEFAULT_MAX_FRAME_BYTES,
  frameOf: (bytes, seed) => Buffer.from(bytes < 3 ? "{".repeat(bytes) : `{"${String(seed % 10).repeat(bytes - 3)}}`),
  smallestFrameBytes: 1,
  onTheWire: (frames) => join("newline", frames),
  trust: "parent",
  open,
  listenTwice: { notBecause: "a process has one stdio" },
});
