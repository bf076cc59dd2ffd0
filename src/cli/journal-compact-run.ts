// Gives the free space of a journal back to the disk.
import { compactJournal } from "../daemon/compact-journal.js";
import type { CommandIo } from "./command-io.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { journalDirectory } from "./journal-choice.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { shownBytes } from "./journal-report.js";
import { createLineWriter } from "./line-writer.js";
import { runCommand } from "./run-command.js";

export function runJournalCompact(options: JournalChoiceOptions, io: CommandIo): Promise<void> {
  return runCommand(io, () => compact(options, io));
}

async function compact(options: JournalChoiceOptions, io: CommandIo): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const directory = journalDirectory(options, io.environment);
  const { bytesBefore, bytesAfter } = await compactJournal(directory);
  await output.write(`Journal ${directory}: ${shownBytes(bytesBefore)} before, ${shownBytes(bytesAfter)} now.`);
  await output.flush();
  return EXIT.ok;
}
