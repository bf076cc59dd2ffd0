// The journals of this user: damage, files that were set aside, and the time of the newest event.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { faultFrom } from "../../base/errors.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { openJournalReader } from "../../storage/journal-reader.js";
import { DATA_FILE, inspectDataFile } from "../../storage/lmdb/data-file.js";
import { counted, shownBytes } from "../terminal/amounts.js";
import { journalDirectoryOf } from "./folder-findings.js";
import type { Patient } from "./patient.js";

/** Most journals examined; the configured one comes first. */
const MOST_JOURNALS = 16;

interface ExaminedJournals {
  readonly findings: readonly Finding[];
  /** Receipt of the newest event, ms since 1970; minus infinity without one. */
  readonly newestAt: number;
}

export async function examineJournals(patient: Patient): Promise<ExaminedJournals> {
  const chosen = journalDirectoryOf(patient);
  if (chosen === undefined) return told(fact("memory", "The journal is in memory, and ends with the daemon."));
  const root = stateDirectory(patient.io.environment, "journal");
  const others = patient.configuration.journal.kind === "auto" ? namesIn(root).map((name) => join(root, name)) : [];
  const directories = [...new Set([chosen, ...others])].filter((path) => existsSync(join(path, DATA_FILE)));
  if (directories.length === 0) return told(fact("none", `There is no journal yet. serve makes one in ${chosen}.`));
  const examined: ExaminedJournals[] = [];
  for (const directory of directories.slice(0, MOST_JOURNALS))
    examined.push(told(...setAside(directory)), await examineOne(directory));
  return {
    findings: examined.flatMap(({ findings }) => findings),
    newestAt: Math.max(...examined.map(({ newestAt }) => newestAt)),
  };
}

function told(...findings: readonly Finding[]): ExaminedJournals {
  return { findings, newestAt: Number.NEGATIVE_INFINITY };
}

function setAside(directory: string): readonly Finding[] {
  const [first, ...others] = namesIn(directory).filter(
    (name) => name.startsWith(`${DATA_FILE}.damaged-`) && !name.endsWith("-lock"),
  );
  if (first === undefined) return [];
  const journals = counted(others.length + 1, "damaged journal");
  const message = `${directory} has ${journals} set aside: ${first}${others.length > 0 ? " and others" : ""}.`;
  return [advice("set_aside", message, "Keep them to find the cause of the damage, or delete them.")];
}

async function examineOne(directory: string): Promise<ExaminedJournals> {
  const path = join(directory, DATA_FILE);
  try {
    // A file in use changes while it is read, and its daemon reports damage by itself.
    const owner = journalOwner(directory);
    const verdict = inspectDataFile(path, owner === undefined);
    if (verdict.kind === "none") return told(fact("empty", `The journal ${directory} is empty.`));
    if (verdict.kind === "damaged") return damaged(`The journal ${path} is damaged: ${verdict.reason}.`);
    const reader = await openJournalReader(directory);
    try {
      const { eventCount, bytes, head } = reader.totals() ?? { eventCount: 0, bytes: 0, head: 0 };
      let newestAt = Number.NEGATIVE_INFINITY;
      for (const { block, count } of eventCount === 0 ? [] : reader.blocks(head))
        newestAt = block?.wallTime(count - 1) ?? newestAt;
      const writes = owner === undefined ? "" : ` Process ${owner} writes to it.`;
      const message = `The journal ${directory} is sound: ${eventCount} events, ${shownBytes(bytes)}.${writes}`;
      return { findings: [fact("journal", message)], newestAt };
    } finally {
      await reader.close();
    }
  } catch (caught) {
    return damaged(faultFrom(caught).sentence);
  }
}

function damaged(why: string): ExaminedJournals {
  const remedy =
    "Keep a copy of the folder. The next start sets the file aside and begins a new journal (docs/journal.md).";
  return told(problem("journal_damaged", why, remedy));
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
