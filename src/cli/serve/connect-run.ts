import { once } from "node:events";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { connectToOwn } from "../../../transports/ipc/own-socket.js";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { chosenSocket } from "../shell/chosen-socket.js";
import type { CommandContext } from "../shell/context.js";
import { EXIT } from "../shell/exit-codes.js";
import { findSocket } from "../shell/find-socket.js";
import { runCommand } from "../shell/run-command.js";

/** Ends when the daemon does, and ends the daemon's side when standard input does. */
export function runConnect(
  { socket: given }: { readonly socket?: string },
  { io, stdio }: Pick<CommandContext, "io" | "stdio">,
): Promise<void> {
  return runCommand(io, async () => {
    const path = chosenSocket(given, io.environment)?.path ?? (await findSocket(io.daemonDirectories));
    const socket = await connected(path);
    const cancelInterrupt = io.onInterrupt(() => socket.destroy());
    const sending = pipeline(stdio.readable, socket).catch(() => {});
    await pipeline(socket, stdio.writable, { end: false }).catch(() => {});
    cancelInterrupt();
    stdio.readable.destroy();
    await sending;
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
