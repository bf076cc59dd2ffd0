// Versions of a journal's layout, and the steps from an older version to the present one (docs/journal.md).
import { Fault } from "../../base/errors.js";
import { seal, unseal } from "../checksums/sealed.js";
import type { Environment } from "./environment.js";
import type { TableKey, Tables, Writes } from "./tables.js";

/** The layout that this build writes. */
export const LAYOUT_VERSION = 4;

const KEY: TableKey = ["layout"];

/** The step from version `from` to version `from + 1`, in one transaction. */
export interface Migration {
  readonly from: number;
  readonly migrate: (tables: Tables, writes: Writes) => void;
  /** A table that goes, before the step. */
  readonly drops?: string;
}

/** State of layout 1 alone: the places of subscribers, which their clients keep since (R17), and the beginnings of outputs. */
const KINDS_OF_LAYOUT_1 = ["point", "low", "return", "output"];

/** One step for each version before the present one, ascending. */
const MIGRATIONS: readonly Migration[] = [
  {
    from: 1,
    migrate: ({ state }, writes) => {
      for (const kind of KINDS_OF_LAYOUT_1)
        for (const key of state.keys({ prefix: [kind] })) writes.remove("state", key);
    },
  },
  {
    from: 2,
    migrate: ({ state }, writes) => {
      for (const { key, value } of state.entries({ prefix: ["run"] })) {
        writes.remove("state", key);
        writes.put("state", ["boot", ...key.slice(1)], value);
      }
    },
  },
  // Layout 3 had the ids of all events (R3), and events that said nothing new; those were "absorbed" in layout 2.
  {
    from: 3,
    drops: "ids",
    migrate: ({ state }, writes) => {
      for (const key of state.keys({ prefix: ["fact"] }))
        if (key[2] === "suppressed" || key[2] === "absorbed") writes.remove("state", key);
    },
  },
];

/** The version in the file; undefined for a new file. Throws a Fault "storage_unavailable" if the record of it is damaged. */
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

/** Throws a Fault "storage_unavailable" for a file of a newer build. */
export function assertReadable(version: number, path: string, current: number = LAYOUT_VERSION): void {
  if (version <= current) return;
  throw new Fault(
    "storage_unavailable",
    `The journal ${path} has layout ${version}, and this build of aaepd knows layouts up to ${current}. Use the newer build, or name another folder (--journal).`,
    { origin: "local" },
  );
}

/**
 * Brings a journal to the present layout, one version after the other. Each version is a transaction of its own, so a kill leaves a whole version.
 * Throws a Fault "storage_unavailable" for a newer layout, and for an older one without a step.
 */
export async function migrate(
  environment: Pick<Environment, "tables" | "commit" | "dropTable">,
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
  current: number = LAYOUT_VERSION,
): Promise<void> {
  const { tables, commit, dropTable } = environment;
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
    if (step.drops !== undefined) await dropTable(step.drops);
    await commit((writes) => {
      step.migrate(tables, writes);
      writeLayout(next, writes);
    });
    version = next;
  }
}
