// A daemon of an agent's own: `aaepd stdio` as a child, whose pipes are its connection. For Node.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { delimiter, isAbsolute, join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import { faultFromNodeError } from "../../transports/node-errors.js";
import { Fault, faultFrom } from "../base/errors.js";
import { wholeEnd } from "../base/whole-end.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";

export interface SpawnedDaemonOptions {
  /** Further options of `aaepd stdio`, such as `["--confirmation-grace-seconds", "20"]`. Default none. */
  readonly argv?: readonly string[] | undefined;
  /** The program that Node runs. Default: `aaepd/bin` beside this package, else the `aaepd` on PATH. */
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
  const { createRpcConnection } = await import("../../transports/json-rpc/rpc-peer.js");
  const child = spawn(process.execPath, [program, "stdio", "--producer-id", nameOf(producerId), ...argv], {
    stdio: ["pipe", "pipe", "pipe"],
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
  /** It has answered, so its later words are no reason why it did not start. */
  let hasStarted = false;
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (more: string) => {
    words = (words + more).slice(-MOST_WORDS);
  });
  child.stderr.on("error", () => {});
  const streams = { readable: child.stdout, writable: child.stdin };
  const peer = { label: `child ${child.pid}`, trust: "same-user" } as const;
  const connection = createRpcConnection(createByteConnection(streams, peer, { framing: "newline" }), handlers);
  const closed = connection.closed.then(async (info) => {
    // A child that ends says why before.
    const hasEnded = Promise.all([exited, finished(child.stderr).catch(() => {})]);
    await Promise.race([hasEnded, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    const fault = hasStarted ? undefined : reasonOf(words, child.exitCode);
    return fault === undefined ? info : { ...info, fault };
  });
  return {
    ...connection,
    closed,
    request: async (method, params) => {
      try {
        const answer = await connection.request(method, params);
        hasStarted = true;
        return answer;
      } catch (caught) {
        const isGone = faultFrom(caught).code === "peer_gone";
        throw (isGone ? (await closed).fault : undefined) ?? caught;
      }
    },
    unref: () => {
      connection.unref?.();
      child.unref();
      (child.stderr as Partial<Socket>).unref?.();
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

/** `aaepd/bin` of this package or of the one installed beside it, also from within a bundle; otherwise that of the `aaepd` on PATH. */
function ownProgram(): string {
  try {
    // A bundle in CommonJS has `__filename` in place of `import.meta`.
    return createRequire(import.meta.url ?? __filename).resolve("aaepd/bin");
  } catch (caught) {
    const program = programOnPath();
    if (program !== undefined) return program;
    const sentence =
      "The program that starts a daemon is not there: the package aaepd is neither installed beside this program nor on PATH. Install it, or give spawn.program.";
    throw new Fault("not_found", sentence, { origin: "local", cause: caught });
  }
}

/** npm installs a program for all folders as a link on PATH. On Windows it is a script, which Node cannot run. */
function programOnPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    try {
      const program = realpathSync(join(folder, "aaepd"));
      if (program.endsWith(".js")) return program;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/** UTF-16 units of standard error that are kept, and how long they may take after the connection has ended, ms. */
const MOST_WORDS = 4096;
const LAST_WORDS_MS = 500;

/** Why a daemon could not start, in its own words or Node's; undefined if it did not say so. */
function reasonOf(words: string, exitCode: number | null): Fault | undefined {
  const [, sentence] = /^Error: (.+)$/m.exec(words) ?? [];
  if (sentence === undefined) return undefined;
  // EXIT_CODES.usage of the daemon.
  return new Fault(exitCode === 2 ? "usage" : "not_found", `It could not be started: ${sentence}`);
}

/** The id that the daemon gives its socket and itself; the agent's events have the whole one. */
function nameOf(producerId: string): string {
  const plain = producerId.replace(/\p{Cc}/gu, "_");
  return plain.slice(0, wholeEnd(plain, LONGEST_NAME));
}

/** UTF-16 units of `--producer-id`. */
const LONGEST_NAME = 64;

/** The daemon ends within 2 s of its input (R8a). */
const LONGEST_END_MS = 3000;
