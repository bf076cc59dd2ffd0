// Two questions to a journal, which it answers like an append without events (R29).
import type { Journal } from "../../contracts/journal.js";

interface AskedJournal {
  /** Resolves when all that was put so far is safe; undefined if it is safe already. Throws or rejects while the journal fails. */
  readonly whenDurable: () => Promise<void> | undefined;
  /** The fault with which the journal refuses every event at present; undefined while it takes them. */
  readonly refusal: () => unknown;
}

export function askedOf(journal: Pick<Journal, "append">): AskedJournal {
  let last: Promise<void> | undefined;
  return {
    whenDurable: () => journal.append(NO_EVENTS).durable,
    refusal: () => {
      try {
        const { durable } = journal.append(NO_EVENTS);
        // Nobody waits for this promise, so its rejection is no error. All events of a group have the same one.
        if (durable !== last) durable?.catch(() => undefined);
        last = durable;
        return undefined;
      } catch (caught) {
        return caught;
      }
    },
  };
}

const NO_EVENTS: readonly never[] = [];
