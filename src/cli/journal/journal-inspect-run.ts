// Reports the contents of a journal.
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { jsonText } from "../terminal/json-text.js";
import { writeLines } from "../terminal/line-writer.js";
import { journalFacts } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { reportDocument, reportLines, sessionDocument, sessionLines } from "./journal-report.js";
import { readJournal } from "./read-journal.js";
import { noSuchSession } from "./session-choice.js";

export interface JournalInspectOptions extends JournalChoiceOptions {
  readonly session?: string;
  readonly all?: true;
  readonly json?: true;
}

export function runJournalInspect(options: JournalInspectOptions, io: CommandIo): Promise<void> {
  return runCommand(io, () => inspect(options, io));
}

async function inspect(options: JournalInspectOptions, io: CommandIo): Promise<ExitCode> {
  const asJson = options.json === true;
  const journal = await readJournal(options, io.environment);
  try {
    const facts = journalFacts(journal.blocks());
    const code = facts.damaged.length > 0 ? EXIT.fault : EXIT.ok;
    const lines = (): readonly string[] => {
      if (options.session === undefined) {
        return asJson
          ? [jsonText(reportDocument(journal.place, facts), 2)]
          : reportLines(journal.place, facts, options.all === true);
      }
      const session = facts.sessions.get(options.session);
      if (session === undefined) throw noSuchSession(options.session, facts, journal.place.path);
      return asJson ? [jsonText(sessionDocument(session), 2)] : sessionLines(session);
    };
    await writeLines(io.stdout, lines());
    return options.session === undefined ? code : EXIT.ok;
  } finally {
    await journal.close();
  }
}
