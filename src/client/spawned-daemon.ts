// A daemon of an agent's own: `aaepd stdio` as a child, whose pipes are its connection. For Node.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import { faultFromNodeError } from "../../transports/node-errors.js";
import { Fault } from "../base/errors.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";

export interface SpawnedDaemonOptions {
  /** Further options of `aaepd stdio`, such as `["--confirmation-grace-seconds", "20"]`. Default none. */
  readonly argv?: readonly string[] | undefined;
  /** The program that Node runs. Default: `aaepd/bin` of this package. */
  readonly program?: string | undefined;
}

/**
 * Starts `aaepd stdio` and connects to it. The child is not in the terminal's group of processes, so that an interrupt reaches the agent alone, which
 * then ends its sessions. It ends with its standard input. Closing the connection waits for the end.
 */
export async function connectSpawned(
  producerId: string,
  handlers: RpcHandlers,
  options: SpawnedDaemonOptions,
): Promise<RpcConnection> {
  const { argv = [], program = ownProgram() } = options;
  // Before there is a child: without this part, nobody would end it.
  const { createRpcConnection } = await import("../../transports/json-rpc/rpc-connection.js");
  const child = spawn(process.execPath, [program, "stdio", "--producer-id", producerId, ...argv], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
    windowsHide: true,
    // In Electron the same program is Node only if it is told so.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
  });
  try {
    await once(child, "spawn");
  } catch (caught) {
    throw faultFromNodeError(caught, "aaepd");
  }
  let giveUp: () => void = () => {};
  const exited = new Promise<void>((resolve) => {
    giveUp = resolve;
    child.once("exit", () => resolve());
  });
  // A child that cannot be told anything is noticed by its connection.
  child.on("error", () => {});
  const streams = { readable: child.stdout, writable: child.stdin };
  const peer = { label: `child ${child.pid}`, trust: "same-user" } as const;
  const connection = createRpcConnection(createByteConnection(streams, peer, { framing: "newline" }), handlers);
  return {
    ...connection,
    unref: () => {
      connection.unref?.();
      child.unref();
    },
    close: async (withinMs) => {
      await connection.close(withinMs);
      // Its subscribers are handed everything first (R8a). A child that does not end is none of the agent's business any more.
      const timer = setTimeout(giveUp, LONGEST_END_MS);
      await exited;
      clearTimeout(timer);
      child.unref();
    },
  };
}

/** `aaepd/bin` of this package, also from within a bundle, as long as the package is installed beside it. */
function ownProgram(): string {
  try {
    // A bundle in CommonJS has `__filename` in place of `import.meta`.
    return createRequire(import.meta.url ?? __filename).resolve("aaepd/bin");
  } catch (caught) {
    const sentence =
      "The program that starts a daemon is not there: the package aaepd is not installed beside this program. Install it, give spawn.program, or start aaepd serve.";
    throw new Fault("not_found", sentence, { origin: "local", cause: caught });
  }
}

/** The daemon ends within 2 s of its input (R8a). */
const LONGEST_END_MS = 3000;
