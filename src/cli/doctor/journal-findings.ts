// The journals of this user: damage, files that were set aside, and the time of the newest event.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { faultFrom } from "../../base/errors.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { openJournalReader } from "../../storage/journal-reader.js";
import { DATA_FILE, inspectDataFile } from "../../storage/lmdb/data-file.js";
import { shownBytes } from "../terminal/shown-bytes.js";
import { journalDirectoryOf } from "./folder-findings.js";
import type { Patient } from "./patient.js";

/** Most journals examined; the configured one comes first. */
const MOST_JOURNALS = 16;

export interface ExaminedJournals {
  readonly findings: readonly Finding[];
  /** Receipt of the newest event, ms since 1970. */
  readonly newestAt: number | undefined;
}

export async function examineJournals(patient: Patient): Promise<ExaminedJournals> {
  const chosen = journalDirectoryOf(patient);
  if (chosen === undefined)
    return {
      findings: [fact("memory", "The journal is in memory, and ends with the daemon.")],
      newestAt: undefined,
    };
  const root = stateDirectory(patient.io.environment, "journal");
  const others = patient.configuration.journal.kind === "auto" ? namesIn(root).map((name) => join(root, name)) : [];
  const directories = [...new Set([chosen, ...others])].filter((path) => existsSync(join(path, DATA_FILE)));
  if (directories.length === 0)
    return {
      findings: [fact("none", `There is no journal yet. serve makes one in ${chosen}.`)],
      newestAt: undefined,
    };
  const findings: Finding[] = [];
  let newestAt: number | undefined;
  for (const directory of directories.slice(0, MOST_JOURNALS)) {
    const examined = await examineOne(directory);
    findings.push(...examined.findings);
    newestAt = later(newestAt, examined.newestAt);
  }
  return { findings, newestAt };
}

async function examineOne(directory: string): Promise<ExaminedJournals> {
  const path = join(directory, DATA_FILE);
  const findings: Finding[] = [];
  const aside = namesIn(directory).filter(
    (name) => name.startsWith(`${DATA_FILE}.damaged-`) && !name.endsWith("-lock"),
  );
  if (aside.length > 0) {
    const message = `${directory} has ${aside.length === 1 ? "a damaged journal that was" : `${aside.length} damaged journals that were`} set aside: ${aside[0]}${aside.length > 1 ? " and others" : ""}.`;
    findings.push(advice("set_aside", message, "Keep them to find the cause of the damage, or delete them."));
  }
  const damaged = (why: string): ExaminedJournals => {
    const remedy =
      "Keep a copy of the folder. The next start sets the file aside and begins a new journal (docs/journal.md).";
    return { findings: [...findings, problem("journal_damaged", why, remedy)], newestAt: undefined };
  };
  try {
    // A file in use changes while it is read, and its daemon reports damage by itself.
    const owner = journalOwner(directory);
    const verdict = inspectDataFile(path, owner === undefined);
    if (verdict.kind === "none")
      return {
        findings: [...findings, fact("empty", `The journal ${directory} is empty.`)],
        newestAt: undefined,
      };
    if (verdict.kind === "damaged") return damaged(`The journal ${path} is damaged: ${verdict.reason}.`);
    const reader = await openJournalReader(directory);
    try {
      const totals = reader.totals();
      let newestAt: number | undefined;
      for (const { block, count } of totals === undefined || totals.eventCount === 0 ? [] : reader.blocks(totals.head))
        newestAt = block?.wallTime(count - 1) ?? newestAt;
      const writes = owner === undefined ? "" : ` Process ${owner} writes to it.`;
      const size = `${totals?.eventCount ?? 0} events, ${shownBytes(totals?.bytes ?? 0)}`;
      return {
        findings: [...findings, fact("journal", `The journal ${directory} is sound: ${size}.${writes}`)],
        newestAt,
      };
    } finally {
      await reader.close();
    }
  } catch (caught) {
    return damaged(faultFrom(caught).sentence);
  }
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
