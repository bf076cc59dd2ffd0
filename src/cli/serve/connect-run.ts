// Bytes between standard input and output and the daemon's socket. Bundled by itself: a listener elsewhere waits for its start.
import { once } from "node:events";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { connectToOwn } from "../../../transports/ipc/own-socket.js";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import type { CommandContext } from "../shell/context.js";
import { connectingTo, socketOf } from "../shell/find-socket.js";
import { EXIT, runCommand } from "../shell/run-command.js";
import { processIo } from "../terminal/command-io.js";

interface Streams {
  readonly io: CommandContext["io"];
  readonly stdio: Pick<CommandContext["stdio"], "readable" | "writable">;
}

/** `aaepd connect` without options, for bin/aaepd.js. */
export function main(): Promise<void> {
  return runConnect({}, { io: processIo(), stdio: { readable: process.stdin, writable: process.stdout } });
}

/** Ends when the daemon does, and ends the daemon's side when standard input does. The exit code is 69 if the connection breaks. */
export function runConnect(
  { socket: given }: { readonly socket?: string },
  { io, stdio: { readable, writable } }: Streams,
): Promise<void> {
  return runCommand(io, async () => {
    const chosen = await socketOf(given, io);
    const { path } = chosen;
    const socket = await connectingTo(chosen, connected)(path);
    let isInterrupted = false;
    const cancelInterrupt = io.onInterrupt(() => {
      isInterrupted = true;
      socket.destroy();
    });
    writable.on("error", () => {});
    const sending = pipeline(readable, socket).catch(() => {});
    try {
      await pipeline(socket, writable, { end: false });
    } catch (caught) {
      // Its reader has gone, as at the end of `aaepd connect | head -1`, or a person has had enough.
      if (!isInterrupted && writable.errored === null) throw faultFromNodeError(caught, path);
    } finally {
      cancelInterrupt();
      readable.destroy();
      await sending;
    }
    return EXIT.ok;
  });
}

async function connected(path: string): Promise<Socket> {
  try {
    const socket = connectToOwn(path, true);
    await once(socket, "connect");
    return socket;
  } catch (caught) {
    throw faultFromNodeError(caught, path);
  }
}
