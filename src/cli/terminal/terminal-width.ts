// The width of text for its reader.

import type { Environment } from "./command-io.js";

/** Columns if the width is unknown. */
export const USUAL_COLUMNS = 80;

/** A stream that may be a terminal. */
export interface MaybeTerminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The columns of a terminal; undefined if the stream is no terminal or has no width, as a terminal of 0 columns. */
export function terminalColumns({ isTTY, columns }: MaybeTerminal): number | undefined {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : undefined;
}

const LEAST_HELP_WIDTH = 40;

/** Columns for help: those of the terminal, else COLUMNS, else 80. */
export function helpWidth(output: MaybeTerminal, environment: Environment): number {
  const asked = terminalColumns(output) ?? Number(environment.COLUMNS);
  return Number.isInteger(asked) && asked >= LEAST_HELP_WIDTH ? asked : USUAL_COLUMNS;
}
