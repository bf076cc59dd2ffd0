// Tells the service manager the state of the daemon, by the messages of `sd_notify`. `systemd-notify` sends each message, because Node has no
// datagram sockets in the file system. It is a process of its own, so the unit needs `NotifyAccess=all`.
import { execFile } from "node:child_process";
import { faultFrom } from "../../base/errors.js";
import type { Log } from "../../contracts/log.js";
import type { ServiceVariables } from "./service-variables.js";

const PROGRAM = "systemd-notify";
/** Time for the program to end, ms. It waits until the manager has read the message. */
const PATIENCE_MS = 10_000;
const REMEDY =
  "install systemd-notify, or write Type=exec into the unit: with Type=notify the manager ends a daemon that it does not hear of";

export type ServiceManager = ReturnType<typeof createServiceManager>;

/** The first three calls of the manager return at once. No call throws. */
export function createServiceManager(
  { notifySocket, watchdogMs }: Pick<ServiceVariables, "notifySocket" | "watchdogMs">,
  log: Pick<Log, "warn">,
) {
  const environment = { ...process.env, NOTIFY_SOCKET: notifySocket };
  // One after the other: each message has a process of its own, and the manager has to get the messages in order.
  let last: Promise<void> = Promise.resolve();
  let isWatched = false;

  const send = (...assignments: readonly string[]): void => {
    last = last
      .then(() => run(assignments, environment))
      .catch((caught: unknown) =>
        log.warn({ reason: faultFrom(caught).sentence, remedy: REMEDY }, "the service manager could not be told"),
      );
  };

  return {
    /** The daemon accepts at every address. From the first call on, the manager gets signs of life if it wants any. */
    ready: (): void => {
      send("READY=1", "STATUS=Accepts agents and listeners.");
      if (isWatched || watchdogMs === undefined) return;
      isWatched = true;
      // Half of the time, as the manager advises.
      setInterval(send, watchdogMs / 2, "WATCHDOG=1").unref();
    },
    /** The daemon reads its configuration again. `ready` follows. Managers compare the time with their own monotonic clock. */
    reloading: (): void => send("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    stopping: (): void => send("STOPPING=1", "STATUS=Hands over what is left."),
    /** Resolves when every message has arrived, or after `withinMs`. */
    settled: async (withinMs: number): Promise<void> => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([last, late]);
      clearTimeout(timer);
    },
  };
}

/** Runs the program to its end. Rejects if it fails or is missing. */
function run(assignments: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(PROGRAM, assignments, { env, timeout: PATIENCE_MS }, (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}
