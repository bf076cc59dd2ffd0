import { createColors } from "picocolors";
import type { Colors } from "picocolors/types.js";
import type { CommandIo } from "./command-io.js";

/** Colour only where somebody looks (A21): on a terminal, unless NO_COLOR, FORCE_COLOR=0 or a dumb terminal says otherwise. */
export function colorsFor({ stdout, environment }: Pick<CommandIo, "stdout" | "environment">): Colors {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  return createColors(stdout.isTTY === true && !NO_COLOR && FORCE_COLOR !== "0" && TERM !== "dumb");
}
