// The daemons that `tail` and `speak` follow. Those of `--from` are reached by a command, such as `ssh HOST aaepd connect`: its standard input and
// output are the connection.

import { type ChildProcess, spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import { createByteConnection } from "../../../transports/framing/byte-connection.js";
import { Fault } from "../../base/errors.js";
import { type DiscoverDaemonsOptions, discoverDaemons } from "../../client/discovery/discover-daemons.js";
import type { Discovery } from "../../client/listener/types.js";
import type { Timers } from "../../client/timers.js";
import type { Connection } from "../../contracts/transport.js";
import type { CommandIo, Environment } from "../terminal/command-io.js";

/** A command that ended without a connection is started again after this, ms. After a connection that stood it is started sooner. */
const AGAIN_MS = 10_000;
/** UTF-16 units of what a command says last on standard error. */
const LONGEST_COMPLAINT = 200;
/** Begins the names of these daemons. */
const FROM = "from ";

export interface FollowedDaemons extends Pick<DiscoverDaemonsOptions, "framing" | "onLooked" | "onStale"> {
  /** The commands of `--from`. */
  readonly from: readonly string[] | undefined;
  /** Whether the daemons of this user are followed beside them. */
  readonly local: true | undefined;
  /** Takes the sentence of a folder whose daemons cannot be seen. */
  readonly warn: (sentence: string) => void;
}

/** All daemons of this user, or those of `--from`, or both. */
export function followedDaemons({ from, local, warn, ...here }: FollowedDaemons, io: CommandIo): readonly Discovery[] {
  const { environment, daemonDirectories: directories, clock: timers } = io;
  const elsewhere = from === undefined ? [] : [daemonsFrom(from, environment, timers)];
  if (elsewhere.length > 0 && local !== true) return elsewhere;
  const onLeftOut = ({ sentence }: Fault): void => warn(`Warning: ${sentence} Its daemons are not followed.`);
  return [...elsewhere, discoverDaemons({ directories, timers, onLeftOut, ...here })];
}

/** A daemon for each command of the shell, labelled by it, as in "ssh HOST" for `ssh HOST aaepd connect`. */
function daemonsFrom(commands: readonly string[], environment: Environment, timers: Timers): Discovery {
  return {
    watch: ({ appeared }) => {
      let cancel = (): void => {};
      const start = (): void => {
        for (const command of commands)
          appeared({
            name: `${FROM}${command}`,
            label: command.trim().replace(/(?: -e| --)? aaepd connect$/, ""),
            connect: () => connectFrom(command, environment),
          });
        cancel = timers.wakeAt(timers.now() + AGAIN_MS, start);
      };
      start();
      return () => cancel();
    },
  };
}

/** Whether the daemon is reached by a command. */
export function isFrom({ name }: { readonly name: string }): boolean {
  return name.startsWith(FROM);
}

async function connectFrom(command: string, environment: Environment): Promise<Connection<Uint8Array>> {
  const child = spawn(command, {
    shell: true,
    detached: true,
    env: { ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaint = "";
  let wasHeard = false;
  child.stdout.once("data", () => {
    wasHeard = true;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-2 * LONGEST_COMPLAINT);
  });
  // Between them and the connection, because the end of the command says more than a broken pipe.
  const [readable, writable] = [new PassThrough(), new PassThrough()];
  child.stdout.pipe(readable, { end: false });
  writable.pipe(child.stdin.on("error", () => {}));
  child.once("error", (error) => readable.destroy(new Fault("peer_gone", `It was not started: ${error.message}`)));
  child.once("close", (code, signal) => {
    if (code === 0) readable.end();
    else readable.destroy(ended(signal ?? `code ${code}`, complaint, wasHeard));
  });
  const peer = { label: command, trust: "same-user" } as const;
  const connection = createByteConnection({ readable, writable }, peer, { framing: "newline" });
  void connection.closed.then(() => endGroup(child));
  return connection;
}

function ended(how: string, complaint: string, wasHeard: boolean): Fault {
  const last = complaint.trim().split("\n").at(-1)?.slice(-LONGEST_COMPLAINT) ?? "";
  return new Fault("peer_gone", `The command has ended (${how})${last === "" ? "." : `: ${last}`}`, {
    origin: "local",
    ...(wasHeard ? {} : { retryAfterSeconds: AGAIN_MS / 1000 }),
  });
}

/** Ends the shell and what it has started, which are a process group. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid);
  } catch {
    // It has ended meanwhile, or the system has no groups and the shell ends with its input.
  }
}
