// Asks one daemon for its status.
import { Fault } from "../../base/errors.js";
import { ipcRpcConnector } from "../../client/node.js";
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import { connectingTo } from "../shell/chosen-socket.js";
import type { CommandIo } from "../terminal/command-io.js";

/** Longest wait for one daemon, ms. A daemon that does not answer is reported, and does not hold up the others. */
const ANSWER_TIMEOUT_MS = 5000;

export interface AskedSocket {
  readonly socketPath: string;
  readonly isByVariable?: boolean;
}

/** Rejects with a Fault if no daemon answers there, within 5 s. */
export async function askStatus(
  { socketPath, isByVariable = false }: AskedSocket,
  io: Pick<CommandIo, "clock">,
): Promise<DaemonStatus> {
  const connect = connectingTo({ path: socketPath, isByVariable }, ipcRpcConnector(socketPath));
  const connection = await connect({ request: () => ({}), notification: () => {} });
  const patience = elapsed(io, ANSWER_TIMEOUT_MS);
  try {
    const late = patience.done.then(() => {
      const sentence = `The daemon at ${socketPath} did not answer within ${ANSWER_TIMEOUT_MS / 1000} s.`;
      throw new Fault("timed_out", sentence, { origin: "local" });
    });
    // The form of this version. Members that another version lacks are not reported.
    return (await Promise.race([connection.request("aaepd.status", {}), late])) as DaemonStatus;
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "unknown_method") throw caught;
    const sentence = `The daemon at ${socketPath} is of an earlier version, which has no status. Restart it.`;
    throw new Fault("unsupported", sentence, { origin: "peer" });
  } finally {
    patience.cancel();
    await connection.close();
  }
}

export interface Elapsing {
  readonly done: Promise<void>;
  /** Cancels the timer; `done` then never resolves. */
  readonly cancel: () => void;
}

export function elapsed({ clock }: Pick<CommandIo, "clock">, milliseconds: number): Elapsing {
  let cancel = (): void => {};
  const done = new Promise<void>((resolve) => {
    cancel = clock.wakeAt(clock.now() + milliseconds, resolve);
  });
  return { done, cancel };
}
