// How wide text may be where somebody reads it.

/** Columns where nobody says how many there are. */
export const USUAL_COLUMNS = 80;

/** A stream that may be a terminal. */
export interface MaybeTerminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The columns of a terminal; undefined where it is none or does not know, as a terminal of 0 columns. */
export function terminalColumns({ isTTY, columns }: MaybeTerminal): number | undefined {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : undefined;
}
