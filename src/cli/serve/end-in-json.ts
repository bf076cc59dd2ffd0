// The end of a daemon that could not start, as lines of its log.
import type { Fault } from "../../base/errors.js";
import { startExitCode } from "../../daemon/platform/exit-codes.js";
import { createLog } from "../../daemon/platform/log.js";

/** Time for the lines, ms. */
const FLUSH_MS = 100;

/** Writes a line for each sentence of the fault, and ends the process with the exit code that the lines name. */
export async function endInJson(fault: Fault): Promise<never> {
  const exitCode = startExitCode(fault);
  const log = createLog("error");
  for (const reason of fault.sentence.split("\n"))
    log.error({ code: fault.code, reason, exitCode }, "the daemon could not start");
  await log.flush(FLUSH_MS);
  process.exit(exitCode);
}
