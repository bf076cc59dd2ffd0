import fc from "fast-check";
import { expect, it } from "vitest";
import { unseal } from "../../../src/storage/checksums/sealed.js";
import type { Table, TableKey, Writes } from "../../../src/storage/lmdb/tables.js";
import { writeState } from "../../../src/storage/lmdb-block-store.js";
import { PendingState } from "../../../src/storage/state/durable-state.js";
import { collectLog } from "../../support/collected-log.js";

const isUnder = (key: TableKey, prefix: TableKey): boolean => prefix.every((part, index) => key[index] === part);

const pendingOver = (stored: (prefix: TableKey) => Iterable<readonly [TableKey, Buffer]>) =>
  new PendingState({
    stored,
    log: collectLog(),
    changed: () => undefined,
    damaged: (key) => expect.fail(`${JSON.stringify(key)} is damaged`),
  });

/** A table in memory, whose writes are all of them done or none. */
function memoryTable() {
  const stored = new Map<string, { key: TableKey; value: Buffer }>();
  const under = (prefix: TableKey = []) => [...stored.values()].filter(({ key }) => isUnder(key, prefix));
  const table: Table = {
    get: (key) => stored.get(JSON.stringify(key))?.value,
    keys: ({ prefix, limit }) =>
      under(prefix)
        .slice(0, limit)
        .map(({ key }) => key),
    entries: ({ prefix }) => under(prefix),
  };
  const commit = (work: (writes: Writes) => void, isFailing: boolean): { readonly removed: number } => {
    const done: (() => void)[] = [];
    let removed = 0;
    work({
      put: (_, key, value) => void done.push(() => stored.set(JSON.stringify(key), { key, value })),
      remove: (_, key) => {
        removed += 1;
        done.push(() => stored.delete(JSON.stringify(key)));
      },
    });
    if (!isFailing) for (const one of done) one();
    return { removed };
  };
  const recovered = (prefix: TableKey) => under(prefix).map(({ key, value }) => [key, value] as const);
  const contents = () => {
    const read = [...stored.values()].map(({ key, value }) => {
      const one = unseal(value);
      return [JSON.stringify(key), one.kind === "whole" ? one.value : undefined] as const;
    });
    return Object.fromEntries(read);
  };
  return { table, commit, recovered, contents, count: () => stored.size };
}

const part = fc.constantFrom<string | number>("a", "b", 1, 2);
const key = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ["kind", ...parts] as const);
const operation = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("drop" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("removeAll" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("commit" as const), isFailing: fc.boolean() }) },
);

it("R29: what is kept is what was put last and not removed since, whatever failed and however little goes at once", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), (operations, atOnce) => {
      const disk = memoryTable();
      const state = pendingOver(disk.recovered);
      const model = new Map<string, { key: TableKey; value: number }>();
      const commit = (isFailing: boolean): boolean => {
        const changes = state.take();
        if (changes === undefined) return false;
        let unfinished: readonly TableKey[] = [];
        disk.commit((writes) => {
          unfinished = writeState(disk.table, state.writesOf(changes), writes, atOnce);
        }, isFailing);
        if (isFailing) state.giveBack(changes);
        else state.written(unfinished);
        return true;
      };
      operations.forEach((one, index) => {
        if (one.do === "commit") {
          commit(one.isFailing);
          return;
        }
        if (one.do === "removeAll") {
          state.removeAll(one.key);
          for (const [name, known] of model) if (isUnder(known.key, one.key)) model.delete(name);
          return;
        }
        state.put(one.key, () => (one.do === "put" ? index : undefined));
        if (one.do === "put") model.set(JSON.stringify(one.key), { key: one.key, value: index });
        else model.delete(JSON.stringify(one.key));
      });
      for (let count = 0; commit(false); count += 1) if (count > 1000) expect.fail("it never ends");
      expect(disk.contents()).toEqual(Object.fromEntries([...model].map(([name, { value }]) => [name, value])));
    }),
  );
});

it("R29: what a session leaves behind goes over many groups, so that nobody waits for it", () => {
  const disk = memoryTable();
  const state = pendingOver(disk.recovered);
  const commit = () => {
    const changes = state.take();
    if (changes === undefined) return undefined;
    let unfinished: readonly TableKey[] = [];
    const { removed } = disk.commit((writes) => {
      unfinished = writeState(disk.table, state.writesOf(changes), writes);
    }, false);
    state.written(unfinished);
    return removed;
  };
  for (let index = 0; index < 10_000; index += 1) state.put(["fact", "sess_1", index], () => index);
  commit();
  expect(disk.count()).toBe(10_000);
  state.removeAll(["fact", "sess_1"]);
  const removed: number[] = [];
  for (let count = commit(); count !== undefined; count = commit()) removed.push(count);
  expect(Math.max(...removed)).toBeLessThanOrEqual(512);
  expect(disk.count()).toBe(0);
});
