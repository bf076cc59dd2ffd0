// Gives the free space of a journal back to the disk.
import { compactJournal } from "../../daemon/journal/compact-journal.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { shownBytes } from "../terminal/shown-bytes.js";
import { journalDirectory } from "./journal-choice.js";
import type { JournalChoiceOptions } from "./journal-options.js";

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
