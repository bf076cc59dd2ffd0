// The end of a daemon that could not start, as lines of its log.
import type { Fault } from "../../base/errors.js";
import { startExitCode } from "../../daemon/platform/exit-codes.js";
import { createLog } from "../../daemon/platform/log.js";
import type { CommandIo } from "../terminal/command-io.js";

/** Time for the lines, ms. */
const FLUSH_MS = 100;

/** Writes a line for each sentence of the fault, and ends the process with the exit code that the lines name. */
export async function endInJson(fault: Fault, { stderr, host }: CommandIo): Promise<void> {
  const exitCode = startExitCode(fault);
  const log = createLog("error", { stream: stderr });
  for (const reason of fault.sentence.split("\n"))
    log.error({ code: fault.code, reason, exitCode }, "the daemon could not start");
  await log.flush(FLUSH_MS);
  host.exit(exitCode);
}
