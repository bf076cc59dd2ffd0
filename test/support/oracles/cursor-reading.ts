// A cursor (R17), read by the oracles' own hand: cursors are opaque to clients, and an oracle that asked the daemon would believe it.

export interface CursorFacts {
  readonly journal: string;
  /** Everything up to this epoch was handed over. */
  readonly after: number;
}

const FORM = /^c1\.([0-9a-f]{32})\.(\d+)$/;

export function cursorFacts(cursor: string): CursorFacts {
  const [, journal, digits] = FORM.exec(cursor) ?? [];
  if (journal === undefined) throw new Error(`${cursor} is no cursor`);
  return { journal, after: Number(digits) };
}
