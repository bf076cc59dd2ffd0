// The parts of a process that a command uses, passed in so that commands are tested without one.
import type { Readable, Writable } from "node:stream";
import { currentPlace, ipcDirectories } from "../../../transports/ipc/paths.js";
import type { IdSource } from "../../base/ids.js";
import type { Clock } from "../../contracts/clock.js";
import type { ProcessHost } from "../../daemon/lifecycle.js";
import { createClock } from "../../daemon/platform/clock.js";
import { createIdSource } from "../../daemon/platform/ids.js";

/** A stream for lines; a terminal also has a width. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** A stream to read; a terminal has `isTTY`. */
type Input = Readable & { readonly isTTY?: boolean };

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** A daemon takes from it what a service manager passed. */
  readonly environment: Record<string, string | undefined>;
  /** Folders with daemons of this user (AAEP appendix B), the usual one first. Empty if the platform has no such folders. */
  readonly daemonDirectories: readonly string[];
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Calls `run` when the user or the system asks the command to stop. Returns the cancellation. */
  readonly onInterrupt: (run: () => void) => () => void;
  readonly setExitCode: (code: number) => void;
  /** Hears signals, and is ended by commands that run a daemon. */
  readonly host: ProcessHost;
  /** Ends the process as one that the signal has killed. */
  readonly endBySignal: (signal: NodeJS.Signals) => void;
  /** Whether the process is the command's alone: a daemon then sets flags of V8, and changes the console. */
  readonly ownsProcess: boolean;
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
    host: process,
    endBySignal: (signal) => {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    },
    ownsProcess: true,
  };
}
