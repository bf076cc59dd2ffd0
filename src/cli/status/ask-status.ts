// Asks one daemon for its status.
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import { askDaemon } from "../shell/ask-daemon.js";
import type { CommandIo } from "../terminal/command-io.js";

/** Rejects with a Fault if no daemon answers there, within 5 s. */
export async function askStatus(
  path: string,
  { clock }: Pick<CommandIo, "clock">,
  isByVariable = false,
): Promise<DaemonStatus> {
  return (await askDaemon({ path, isByVariable }, "aaepd.status", clock)) as DaemonStatus;
}

/** Undefined where no daemon answers. */
export function statusAt(...asked: Parameters<typeof askStatus>): Promise<DaemonStatus | undefined> {
  return askStatus(...asked).catch(() => undefined);
}
