// Facts about the whole data file, in the table `meta`: the version of its layout, the id of the journal, and its totals.
import { randomBytes } from "node:crypto";
import { Fault } from "../../base/errors.js";
import { recordBytes, type Totals } from "../blocks/totals.js";
import { seal, unseal } from "../checksums/sealed.js";
import type { Environment } from "./environment.js";
import type { Table, TableKey, Tables, Writes } from "./tables.js";

/** The layout that this build writes and reads (docs/journal.md). Layouts 1 to 4 were written before the first release. */
export const LAYOUT_VERSION = 5;

const LAYOUT_KEY: TableKey = ["layout"];
const ID_KEY: TableKey = ["journal"];
const TOTALS_KEY: TableKey = ["totals"];
const ID_FORM = /^[0-9a-f]{32}$/;

/** The value of a fact; undefined if it is missing or damaged. */
function factIn(meta: Table, key: TableKey): unknown {
  const bytes = meta.get(key);
  return bytes === undefined ? undefined : unseal(bytes);
}

/** Throws a Fault "storage_unavailable" if a file has another layout, or if the record of it is damaged. A new file has none yet. */
export function assertLayout({ meta }: Tables, path: string): void {
  const version = meta.get(LAYOUT_KEY) === undefined ? LAYOUT_VERSION : factIn(meta, LAYOUT_KEY);
  if (version === LAYOUT_VERSION) return;
  const sentence =
    typeof version === "number"
      ? `The journal ${path} has layout ${version}, and this build of aaepd knows layout ${LAYOUT_VERSION}. Use the build that wrote it, or name another folder (--journal).`
      : "The journal does not say which version it has: it is damaged.";
  throw new Fault("storage_unavailable", sentence, { origin: "local" });
}

/** Writes the version of the layout into a new file. */
export async function writeLayout({ tables, commit }: Pick<Environment, "tables" | "commit">): Promise<void> {
  if (tables.meta.get(LAYOUT_KEY) === undefined)
    await commit((writes) => writes.put("meta", LAYOUT_KEY, seal(LAYOUT_VERSION)));
}

/**
 * Answers the journal's id: 32 lower-case hex digits, drawn when the journal begins. By the id a cursor of another journal is recognized (R17). A
 * journal without an id, or with a damaged one, gets a new one.
 */
export async function journalId({ tables, commit }: Pick<Environment, "tables" | "commit">): Promise<string> {
  const known = readId(tables.meta);
  if (known !== undefined) return known;
  const id = randomBytes(16).toString("hex");
  await commit((writes) => writes.put("meta", ID_KEY, seal(id)));
  return id;
}

/** The journal's id; undefined if it has none yet, or a damaged one. */
export function readId(meta: Table): string | undefined {
  const known = factIn(meta, ID_KEY);
  return typeof known === "string" && ID_FORM.test(known) ? known : undefined;
}

/** The totals, which every group writes. Undefined in a new journal, and if the record is damaged. */
export function readTotals(meta: Table): Totals | undefined {
  return factIn(meta, TOTALS_KEY) as Totals | undefined;
}

export function writeTotals(totals: Totals, writes: Writes): void {
  writes.put("meta", TOTALS_KEY, seal(totals));
}

/** Counts the totals in the table of blocks, for a journal whose record of them is damaged. Undefined if the table is empty. */
export function countedTotals(blocks: Table): Totals | undefined {
  let totals: Totals | undefined;
  for (const { key, value } of blocks.entries({})) {
    const [first, count] = key.map(Number) as [number, number];
    totals = {
      eventCount: (totals?.eventCount ?? 0) + count,
      bytes: (totals?.bytes ?? 0) + recordBytes(value.length),
      head: first + count - 1,
      lostThrough: totals?.lostThrough ?? first - 1,
    };
  }
  return totals;
}
