// Which version of the layout a journal has, and how an older one becomes the present one (docs/journal.md).
import { Fault } from "../../base/errors.js";
import type { Environment } from "./environment.js";
import { seal, unseal } from "./sealed.js";
import type { TableKey, Tables, Writes } from "./tables.js";

/** The layout that this build writes. */
export const LAYOUT_VERSION = 2;

const KEY: TableKey = ["layout"];

/** Makes version `from + 1` of version `from`, in one transaction. */
export interface Migration {
  readonly from: number;
  readonly migrate: (tables: Tables, writes: Writes) => void;
}

/** Of layout 1: the places of subscribers, which their clients keep now (R17), and where outputs began. */
const KINDS_OF_LAYOUT_1 = ["point", "low", "return", "output"];

/** One for each version before the present one, ascending. */
export const MIGRATIONS: readonly Migration[] = [
  {
    from: 1,
    migrate: ({ state }, writes) => {
      for (const kind of KINDS_OF_LAYOUT_1)
        for (const key of state.keys({ prefix: [kind] })) writes.remove("state", key);
    },
  },
];

/** The version that is written there; undefined in a new file. Throws a Fault "storage_unavailable" where it is damaged. */
export function layoutOf(tables: Tables): number | undefined {
  const bytes = tables.meta.get(KEY);
  if (bytes === undefined) return undefined;
  const read = unseal(bytes);
  if (read.kind === "whole" && typeof read.value === "number") return read.value;
  throw new Fault("storage_unavailable", "The journal does not say which version it has: it is damaged.", {
    origin: "local",
  });
}

function writeLayout(version: number, writes: Writes): void {
  writes.put("meta", KEY, seal(version));
}

/** Refuses what a newer build wrote. */
export function assertReadable(version: number, path: string, current: number = LAYOUT_VERSION): void {
  if (version <= current) return;
  throw new Fault(
    "storage_unavailable",
    `The journal ${path} has layout ${version}, and this build of aaepd knows layouts up to ${current}. Use the newer build, or name another folder (--journal).`,
    { origin: "local" },
  );
}

/**
 * Brings a journal to the present layout, one version after the other, each in a transaction of its own: a kill in between leaves a whole one.
 * Throws a Fault "storage_unavailable" for a newer layout, and for an older one that nothing leads on from.
 */
export async function migrate(
  environment: Environment,
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
  current: number = LAYOUT_VERSION,
): Promise<void> {
  const { tables, commit } = environment;
  let version = layoutOf(tables);
  if (version === undefined) {
    await commit((writes) => writeLayout(current, writes));
    return;
  }
  assertReadable(version, path, current);
  while (version < current) {
    const step = migrations.find(({ from }) => from === version);
    if (step === undefined) {
      throw new Fault(
        "storage_unavailable",
        `The journal ${path} has layout ${version}, which this build of aaepd cannot bring to layout ${current}. Name another folder (--journal).`,
        { origin: "local" },
      );
    }
    const next: number = version + 1;
    await commit((writes) => {
      step.migrate(tables, writes);
      writeLayout(next, writes);
    });
    version = next;
  }
}
