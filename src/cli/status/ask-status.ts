// Asks one daemon for its status.
import { Fault } from "../../base/errors.js";
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import { askDaemon } from "../shell/ask-daemon.js";
import type { CommandIo } from "../terminal/command-io.js";

/** Rejects with a Fault if no daemon answers there, within 5 s. */
export async function askStatus(
  path: string,
  { clock }: Pick<CommandIo, "clock">,
  isByVariable = false,
): Promise<DaemonStatus> {
  try {
    return (await askDaemon({ path, isByVariable }, "aaepd.status", clock)) as DaemonStatus;
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "unknown_method") throw caught;
    const sentence = `The program at ${path} has no status. Ask the daemon of aaepd, at the socket of its own.`;
    throw new Fault("unsupported", sentence, { origin: "peer" });
  }
}

/** Undefined where no daemon answers. */
export function statusAt(...asked: Parameters<typeof askStatus>): Promise<DaemonStatus | undefined> {
  return askStatus(...asked).catch(() => undefined);
}
