// Gives the free space of a stopped journal back to the disk, backs a journal up, and restores one.
import { Fault, usage } from "../../base/errors.js";
import { readPath } from "../../daemon/config/config-values.js";
import { backUpJournal, compactJournal, restoreJournal } from "../../daemon/journal/copy-journal.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { counted, shownBytes } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { hasJournal, journalDirectory } from "./read-journal.js";

export function runJournalCompact(options: JournalChoiceOptions, io: CommandIo): Promise<void> {
  return telling(io, async () => {
    const directory = journalDirectory(options, io.environment);
    assertStopped(
      directory,
      "compact the journal then. A start compacts it by itself where more than half of it is free",
    );
    const { bytesBefore, bytesAfter } = await compactJournal(directory);
    return [`Journal ${directory}: ${shownBytes(bytesBefore)} before, ${shownBytes(bytesAfter)} now.`];
  });
}

export function runJournalBackup(folder: string, options: JournalChoiceOptions, io: CommandIo): Promise<void> {
  return telling(io, async () => {
    const directory = journalDirectory(options, io.environment);
    const backup = folderOf(folder);
    const { bytesAfter } = await backUpJournal(directory, backup);
    return [
      `Backed up the journal ${directory} to ${backup}: ${shownBytes(bytesAfter)}.`,
      "It has the full text of agents. Keep it as private as the journal.",
    ];
  });
}

export function runJournalRestore(folder: string, options: JournalChoiceOptions, io: CommandIo): Promise<void> {
  return telling(io, async () => {
    const backup = folderOf(folder);
    if (!hasJournal(backup)) throw usage(`There is no journal in ${backup}. Name the folder of a backup.`);
    const directory = journalDirectory(options, io.environment, true);
    assertStopped(directory, "restore then. A service is stopped by: systemctl --user stop aaepd.socket aaepd.service");
    const { eventCount, kept } = await restoreJournal(backup, directory, io.clock.wallTime());
    return [
      `Restored the journal ${directory}: ${counted(eventCount, "event")}.`,
      ...(kept === undefined
        ? []
        : [`What was there before is kept as ${kept}. Delete it when you no longer need it.`]),
    ];
  });
}

function telling(io: CommandIo, work: () => Promise<readonly string[]>): Promise<void> {
  const action = async (): Promise<ExitCode> => {
    await writeLines(io.stdout, (await work()).map(shownText));
    return EXIT.ok;
  };
  return runCommand(io, action, ({ code }) => (code === "usage" ? EXIT.usage : EXIT.fault));
}

function folderOf(text: string): string {
  const read = readPath(text, "the folder of a backup");
  if (read.kind === "value") return read.value;
  throw usage(`folder is ${JSON.stringify(text)}. Give ${read.wanted}.`);
}

function assertStopped(directory: string, then: string): void {
  const owner = journalOwner(directory);
  if (owner === undefined) return;
  const sentence = `The journal in ${directory} is in use by process ${owner}. Stop that daemon, and ${then}.`;
  throw new Fault("address_in_use", sentence, { origin: "local" });
}
