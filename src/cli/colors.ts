import { createColors } from "picocolors";
import type { Colors } from "picocolors/types.js";
import type { CommandIo } from "./command-io.js";

/** Colour only where somebody looks (A21): on a terminal, unless NO_COLOR or a dumb terminal says otherwise. */
export function colorsFor({ stdout, environment }: Pick<CommandIo, "stdout" | "environment">): Colors {
  return createColors(stdout.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb");
}
