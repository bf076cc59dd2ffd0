import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import type { PeekableConnection } from "../../src/contracts/transport.js";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import { FRAMINGS, type Framing, join } from "../../transports/framing/framings.js";
import { createIpcTransport } from "../../transports/ipc/listen.js";
import { type Pair, transportContract } from "../contract/transport-contract.js";
import { createChance } from "../support/chance.js";
import { isWhole } from "../support/extent.js";
import { drain } from "../support/peers/frames.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const MAX_FRAME_BYTES = 1024 * 1024 + 1000;

async function open(framing: Framing): Promise<Pair> {
  const path = joinPath(temporaryDirectory(), "a.sock");
  let accept: (connection: PeekableConnection<Uint8Array>) => void = () => {};
  const accepted = new Promise<PeekableConnection<Uint8Array>>((resolve) => {
    accept = resolve;
  });
  const listener = await createIpcTransport({ path, framing, maxFrameBytes: MAX_FRAME_BYTES }).listen((connection) =>
    accept(connection),
  );
  const socket = connect({ path, allowHalfOpen: true });
  await new Promise((resolve) => socket.once("connect", resolve));
  const client = createByteConnection(
    { readable: socket, writable: socket },
    { label: "client", trust: "same-user" },
    { framing },
  );
  const server = await accepted;
  return {
    server,
    peekable: server,
    client,
    killClient: () => socket.destroy(),
    writeRaw: (bytes) => socket.write(bytes),
    stop: listener.stop,
  };
}

async function listenTwice(): Promise<unknown> {
  const directory = mkdtempSync(joinPath(tmpdir(), "aaepd-"));
  const transport = createIpcTransport({ path: joinPath(directory, "a.sock") });
  // The second start looks whether the first is alive; an owner lets go of a peer that ends.
  const listener = await transport.listen((connection) => void drain(connection));
  const fault: unknown = await transport.listen(() => {}).catch((caught: unknown) => caught);
  await listener.stop();
  rmSync(directory, { recursive: true });
  return fault;
}

/** Bytes of every value, or, between line ends, an object of JSON. */
function frameOf(framing: Framing, bytes: number, seed: number): Uint8Array {
  if (framing === "newline")
    return Buffer.from(bytes < 3 ? "{".repeat(bytes) : `{"${String(seed % 10).repeat(bytes - 3)}}`);
  const { next } = createChance(seed);
  return Uint8Array.from({ length: bytes }, () => next() * 256);
}

for (const framing of isWhole ? FRAMINGS : FRAMINGS.slice(0, 1)) {
  transportContract({
    name: `ipc, ${framing}`,
    maxFrameBytes: MAX_FRAME_BYTES,
    frameOf: (bytes, seed) => frameOf(framing, bytes, seed),
    // A line of nothing is passed over.
    smallestFrameBytes: framing === "newline" ? 1 : 0,
    onTheWire: (frames) => join(framing, frames),
    trust: "same-user",
    open: () => open(framing),
    listenTwice,
  });
}
