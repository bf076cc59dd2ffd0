import fc from "fast-check";
import { expect, it } from "vitest";
import { unseal } from "../../../src/storage/checksums/sealed.js";
import { PendingState } from "../../../src/storage/state/durable-state.js";
import { collectLog } from "../../support/collected-log.js";

const part = fc.constantFrom<string | number>("a", "b", 1, 2);
const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ["kind", ...parts] as const);
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("drop" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("commit" as const), isFailing: fc.boolean() }) },
);

it("R29: what is kept is what was put last and not removed since, whatever failed", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const disk = new Map<string, unknown>();
      const state = new PendingState({
        stored: () => [],
        log: collectLog(),
        changed: () => undefined,
        damaged: (damaged) => expect.fail(`${JSON.stringify(damaged)} is damaged`),
      });
      const model = new Map<string, number>();
      const commit = (isFailing: boolean): void => {
        const changes = state.take();
        if (changes === undefined) return;
        const writes = state.writesOf(changes);
        if (isFailing) {
          state.giveBack(changes);
          return;
        }
        for (const [written, value] of writes) {
          if (value === undefined) disk.delete(JSON.stringify(written));
          else disk.set(JSON.stringify(written), unseal(value));
        }
      };
      operations.forEach((one, index) => {
        if (one.do === "commit") {
          commit(one.isFailing);
          return;
        }
        state.put(one.key, () => (one.do === "put" ? index : undefined));
        if (one.do === "put") model.set(JSON.stringify(one.key), index);
        else model.delete(JSON.stringify(one.key));
      });
      commit(false);
      expect(state.take()).toBeUndefined();
      expect(Object.fromEntries(disk)).toEqual(Object.fromEntries(model));
    }),
  );
});
