import { createColors } from "picocolors";
import type { Colors } from "picocolors/types.js";
import type { CommandIo } from "./command-io.js";

/** Whether control sequences may be written: on a terminal that is not dumb, unless NO_COLOR requests plain text. */
export function takesControls({ stdout, environment }: Pick<CommandIo, "stdout" | "environment">): boolean {
  return stdout.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
}

/** Colours on a terminal only, unless NO_COLOR, FORCE_COLOR=0 or a dumb terminal forbids them. */
export function colorsFor(io: Pick<CommandIo, "stdout" | "environment">): Colors {
  return createColors(takesControls(io) && io.environment.FORCE_COLOR !== "0");
}
