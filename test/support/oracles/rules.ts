// What the oracles of delivery take for right where two texts of the rulings differ. The judges are the same.

export interface Rules {
  /** R4, `overtook`: at least as many as followed of its session, or only that something followed. */
  readonly overtook: "count" | "mark";
  /** R4: behind a critical event an agent's next state begins where the last one ended that was told, or anew behind the mark. */
  readonly chain: "unbroken" | "anew";
  /** R12, R17: whether a cursor names the outputs of which text was given. If not, that text comes again, and the listener drops it. */
  readonly cursor: "outputs" | "epoch";
  /** R17: how a place is met of which a kill took back what was given. */
  readonly voidPlace: "rolled_back" | "gap";
  /** R27: what is lost is declared for each session, or once for all of them. */
  readonly gap: "session" | "once";
  /** R32: text that waits when terms change is cut again by the new ones, or stays as it was cut, with no hint where none of the new set fits. */
  readonly waitingText: "recut" | "kept";
  /** R26: the empty end of a text that is skipped, and the end of a session where everything is, go ahead of place, pause and budget, or in their turn. */
  readonly skip: "ahead" | "in_turn";
}

/** Delivery to the code point, as the daemon has it. */
export const EXACT: Rules = {
  overtook: "count",
  chain: "unbroken",
  cursor: "outputs",
  voidPlace: "rolled_back",
  gap: "session",
  waitingText: "recut",
  skip: "ahead",
};

/** Exact within a connection, and at least once across connections. */
export const LEVEL: Rules = {
  overtook: "mark",
  chain: "anew",
  cursor: "epoch",
  voidPlace: "gap",
  gap: "once",
  waitingText: "kept",
  skip: "in_turn",
};
