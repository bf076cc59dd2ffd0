// A proxy in front of a child: the child has our standard input and output as its own, line by line unchanged, and our standard error itself.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { usage } from "../../base/errors.js";
import { QUIET_TIMERS } from "../../client/timers.js";
import type { RunOptions } from "../adapter.js";
import { createLateReading } from "./late-reading.js";
import { type LineReader, relayLines } from "./line-relay.js";

/** The host's side: its output is `readable`, its input `writable`. */
export interface HostSide {
  readonly readable: Readable;
  readonly writable: Writable;
}

interface ProxyOptions extends Pick<RunOptions, "command" | "environment" | "onFault"> {
  readonly host: HostSide;
  /** Reads the lines from the host to the child. */
  readonly fromHost: LineReader;
  /** Reads the lines from the child to the host. */
  readonly fromChild: LineReader;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the host's side had ended before. */
  readonly isAfterHost: boolean;
}

export interface RunningProxy {
  readonly pid: number;
  /** Writes a line of our own to the child, between two lines of the host. */
  readonly toChild: (line: string) => void;
  /** Writes a line of our own to the host, between two lines of the child. */
  readonly toHost: (line: string) => void;
  /** Has all lines read that have passed by now. Needed before anything that comes by another way: an answer, an instant, the end. */
  readonly catchUp: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves when the child has ended, and the host has taken everything that it wrote. */
  readonly ended: Promise<ChildEnd>;
}

/** How long a pipe that a grandchild keeps open may be silent after the end of the child, ms. */
const SILENCE_MS = 200;

/** Starts the child. Rejects with a Fault "usage" if it cannot be started. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { command, environment, host, onFault } = options;
  const [program, ...words] = command;
  const child = spawn(program, words, { env: environment, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<Pick<ChildEnd, "code" | "signal">>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Before anything is awaited, because a quick child may have written by then.
  const { stdin, stdout } = child;
  const late = createLateReading();
  let hasHostEnded = false;
  const down = relayLines({ source: host.readable, sink: stdin, reader: options.fromHost, late, onFault });
  void down.ended.then(() => {
    hasHostEnded = true;
    stdin.end();
  });
  const up = relayLines({ source: stdout, sink: host.writable, reader: options.fromChild, late, onFault });
  const pid = await spawned(child, program);
  const ended = exited.then(async (end) => {
    const isAfterHost = hasHostEnded;
    await Promise.race([up.ended, silence(stdout, up.isFlowing)]);
    await new Promise<void>((resolve) => {
      if (host.writable.destroyed || host.writable.errored) resolve();
      else host.writable.once("error", () => resolve()).end(() => resolve());
    });
    return { ...end, isAfterHost };
  });
  return {
    pid,
    toChild: down.inject,
    toHost: up.inject,
    catchUp: late.catchUp,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** Resolves with its process when it has started. Rejects with a Fault "usage" if it cannot be started. */
export async function spawned(child: ChildProcess, program: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (caught) => {
      const fault = faultFromNodeError(caught, program);
      const why = fault.code === "not_found" ? "There is no such program." : fault.sentence;
      reject(usage(`${program} cannot be started. ${why}`, caught));
    });
  });
  // A later error of the child object is a signal that could not be sent: the child has ended by then.
  child.on("error", () => {});
  return child.pid ?? 0;
}

/** Resolves when nothing has come for a while although the sink takes. */
export function silence(source: Readable, isFlowing: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    let hasCome = true;
    source.on("data", () => {
      hasCome = true;
    });
    const timer = setInterval(() => {
      if (!hasCome && isFlowing()) {
        clearInterval(timer);
        resolve();
      }
      hasCome = false;
    }, SILENCE_MS);
  });
}

/** Returns the function to call whenever `dueAt` may have changed. `wake` is then called at that instant. */
export function createWaking(dueAt: () => number | undefined, wake: () => void): () => void {
  let planned: { readonly at: number; readonly cancel: () => void } | undefined;
  const due = (): void => {
    planned = undefined;
    wake();
  };
  return () => {
    const at = dueAt();
    if (at === planned?.at) return;
    planned?.cancel();
    planned = at === undefined ? undefined : { at, cancel: QUIET_TIMERS.wakeAt(at, due) };
  };
}
