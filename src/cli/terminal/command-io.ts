// What a command touches of its process, handed in so that commands are tested without one.
import type { Readable, Writable } from "node:stream";
import { currentPlace, ipcDirectories } from "../../../transports/ipc/paths.js";
import type { IdSource } from "../../base/ids.js";
import type { Clock } from "../../contracts/clock.js";
import { createClock } from "../../daemon/platform/clock.js";
import { createIdSource } from "../../daemon/platform/ids.js";

/** A stream that lines are written to; a terminal says how wide it is. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** A stream that is read; a terminal says that it is one. */
export type Input = Readable & { readonly isTTY?: boolean };

export interface CommandIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folders in which daemons of this user stand (AAEP appendix B), the usual one first. None where they stand in no folder. */
  readonly daemonDirectories: readonly string[];
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Calls `run` when the user or the system asks the command to stop. Answers the cancellation. */
  readonly onInterrupt: (run: () => void) => () => void;
  readonly setExitCode: (code: number) => void;
}

export function processIo(): CommandIo {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    daemonDirectories: ipcDirectories(currentPlace()),
    clock: createClock(),
    ids: createIdSource(),
    onInterrupt: (run) => {
      const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
      for (const signal of signals) process.on(signal, run);
      return () => {
        for (const signal of signals) process.off(signal, run);
      };
    },
    setExitCode: (code) => {
      process.exitCode = code;
    },
  };
}
