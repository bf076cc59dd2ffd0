// What every journal does whose disk takes nothing for a while (R29). One function, called by a small test file of each.
import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import type { Journal } from "../../src/contracts/journal.js";
import { newEvent } from "../support/rigs/journal-rig.js";

export interface FailingJournal {
  readonly journal: Journal;
  readonly setFailing: (isFailing: boolean) => void;
  /** What waits is written, or is found not to be. */
  readonly attempt: () => Promise<void>;
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (caught) {
    if (caught instanceof Fault) return caught.code;
    throw caught;
  }
  return "taken";
}

export function failingJournalContract(name: string, open: () => Promise<FailingJournal>): void {
  describe(`R29: the contract of a journal whose disk takes nothing: ${name}`, () => {
    it("takes neither events nor the question whether all is safe, until it recovers", async () => {
      const { journal, setFailing, attempt } = await open();
      journal.append([newEvent("safe")]);
      await attempt();
      expect(journal.durable()).toBeUndefined();

      setFailing(true);
      const { durable } = journal.append([newEvent("owed")]);
      const asked = journal.durable();
      const refusals = Promise.allSettled([durable, asked]);
      await attempt();
      const refused = { status: "rejected", reason: { code: "storage_unavailable" } };
      expect(await refusals).toMatchObject([refused, refused]);
      const head = journal.head();
      expect(codeOf(() => journal.durable())).toBe("storage_unavailable");
      expect(journal.refusal()?.code ?? "taken").toBe("storage_unavailable");
      await attempt();
      expect(journal.refusal()?.code ?? "taken").toBe("storage_unavailable");
      expect(journal.head()).toBe(head);

      setFailing(false);
      await attempt();
      expect(journal.refusal()?.code ?? "taken").toBe("taken");
      expect(journal.durable()).toBeUndefined();
      expect(journal.status()).toMatchObject({ eventCount: 2, durableEpoch: head, failure: undefined });
      await journal.close();
    });

    it("takes no question about what is kept beside events either", async () => {
      const { journal, setFailing, attempt } = await open();
      setFailing(true);
      journal.durableState.put(["token", "a"], () => 1);
      const refusal = Promise.allSettled([journal.durable()]);
      await attempt();
      expect(await refusal).toMatchObject([{ status: "rejected", reason: { code: "storage_unavailable" } }]);
      expect(journal.refusal()?.code ?? "taken").toBe("storage_unavailable");
      setFailing(false);
      await attempt();
      expect(journal.durable()).toBeUndefined();
      expect([...journal.durableState.recovered(["token"])]).toEqual([[["token", "a"], 1]]);
      await journal.close();
    });
  });
}
