// The variables by which systemd and its like hand sockets to a process and name the address for messages about its state.
import { usage } from "../../base/errors.js";

export type ServiceVariables = ReturnType<typeof takeServiceVariables>;

/** The first descriptor behind standard input, output and error. */
const FIRST_DESCRIPTOR = 3;

const NAMES = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"] as const;

/**
 * Reads the variables and removes them from `environment`. Variables that name another process are for that process, which passed them on. Throws a
 * Fault "usage" if the manager passed more than one socket.
 */
export function takeServiceVariables(environment: NodeJS.ProcessEnv, pid: number) {
  const { LISTEN_PID, LISTEN_FDS, NOTIFY_SOCKET, WATCHDOG_PID = String(pid), WATCHDOG_USEC } = environment;
  for (const name of NAMES) delete environment[name];
  const count = LISTEN_PID === String(pid) ? wholeNumber(LISTEN_FDS) : 0;
  if (count > 1) {
    const sentence = `The service manager passed ${count} sockets, and aaepd takes one, its local socket. Leave one ListenStream in the socket unit.`;
    throw usage(sentence);
  }
  const watchdogMicros = WATCHDOG_PID === String(pid) ? wholeNumber(WATCHDOG_USEC) : 0;
  return {
    /** Descriptor of the local socket, which listens already; undefined if the manager passed none. */
    descriptor: count === 1 ? FIRST_DESCRIPTOR : undefined,
    /** The address for messages; undefined if the manager wants none. */
    notifySocket: NOTIFY_SOCKET === "" ? undefined : NOTIFY_SOCKET,
    /** Longest time between two signs of life, ms; undefined if the manager does not watch. */
    watchdogMs: watchdogMicros === 0 ? undefined : watchdogMicros / 1000,
  };
}

function wholeNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
