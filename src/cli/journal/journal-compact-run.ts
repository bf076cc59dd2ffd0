// Gives the free space of a stopped journal back to the disk.

import { Fault } from "../../base/errors.js";
import { compactJournal } from "../../daemon/journal/compact-journal.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
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
  const owner = journalOwner(directory);
  if (owner !== undefined) {
    const sentence = `The journal in ${directory} is in use by process ${owner}. Stop that daemon, and compact the journal then. A start compacts it by itself where more than half of it is free.`;
    throw new Fault("address_in_use", sentence, { origin: "local" });
  }
  const { bytesBefore, bytesAfter } = await compactJournal(directory);
  await output.write(`Journal ${directory}: ${shownBytes(bytesBefore)} before, ${shownBytes(bytesAfter)} now.`);
  await output.flush();
  return EXIT.ok;
}
