// Writes the events of a journal as they were journaled. Only one block is in memory at a time.
import { usage } from "../../base/errors.js";
import { shownJson } from "../../base/json-line.js";
import type { Epoch } from "../../engine/event/event.js";
import type { StoredBlock } from "../../storage/blocks/block.js";
import { createAgentsParts } from "../recordings/recording.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { jsonText } from "../terminal/shown-text.js";
import { journalFacts } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { noSuchSession, readJournal } from "./read-journal.js";

export interface JournalExportOptions extends JournalChoiceOptions {
  readonly session?: readonly string[];
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  readonly agentEventsOnly?: true;
  readonly withEpochs?: true;
}

export function runJournalExport(options: JournalExportOptions, io: CommandIo): Promise<void> {
  return runCommand(io, () => exportEvents(options, io));
}

/** Throws "usage" if no time lies between the two: empty output would look like an empty journal. */
function assertTimeBetween({ since, until }: JournalExportOptions): void {
  if (since === undefined || until === undefined || since < until) return;
  const [from, to] = [since, until].map((at) => new Date(at).toISOString());
  throw usage(`--until (${to}) is not after --since (${from}). Give a later --until, or leave one of them out.`);
}

async function exportEvents(options: JournalExportOptions, io: CommandIo): Promise<ExitCode> {
  assertTimeBetween(options);
  const output = createLineWriter(io.stdout);
  const status = createLineWriter(io.stderr);
  const unseen = new Set(options.session);
  const lineOf = lineMaker(options);
  let isStopped = false;
  let damagedCount = 0;
  const cancelInterrupt = io.onInterrupt(() => {
    isStopped = true;
  });
  const journal = await readJournal(options, io.environment);
  try {
    for (const { block, first, count, length } of journal.blocks()) {
      if (output.hasGone() || isStopped) break;
      if (block === undefined) {
        damagedCount += 1;
        await status.write(
          `Warning: ${counted(count, "event")} from epoch ${first} cannot be read: the record is ${length === 0 ? "not there" : "damaged"}.`,
        );
        continue;
      }
      for (let index = 0; index < count; index += 1) {
        if (!isAsked(block, index, options)) continue;
        if (unseen.size > 0) unseen.delete(block.facts(index).sessionId);
        const line = isInTime(block.wallTime(index), options) ? lineOf(block, index, first + index) : undefined;
        if (line !== undefined) await output.write(line);
      }
    }
    await output.flush();
    if (output.hasGone()) return EXIT.ok;
    if (isStopped) return EXIT.interrupted;
    const [unknown] = unseen;
    if (unknown !== undefined) throw noSuchSession(unknown, journalFacts(journal.blocks()), journal.place.path);
    return damagedCount > 0 ? EXIT.fault : EXIT.ok;
  } finally {
    cancelInterrupt();
    await journal.close();
  }
}

function isAsked(block: StoredBlock, index: number, { session }: JournalExportOptions): boolean {
  return session === undefined || session.some((sessionId) => block.isAmong(index, { sessionId }));
}

function isInTime(at: number, { since, until }: JournalExportOptions): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until);
}

type LineMaker = (block: StoredBlock, index: number, epoch: Epoch) => string | undefined;

/** A line maker returns undefined for events that are left out. */
function lineMaker({ agentEventsOnly, withEpochs }: JournalExportOptions): LineMaker {
  if (agentEventsOnly === true) return agentsLines();
  if (withEpochs !== true) return (block, index) => lineFrom(block.source(index));
  return (block, index, epoch) => {
    const received = new Date(block.wallTime(index)).toISOString();
    return `{"epoch":${epoch},"received":"${received}","event":${lineFrom(block.source(index))}}`;
  };
}

/** Makes lines of the agents' part of each event, in the original text if nothing of it is left out. */
function agentsLines(): LineMaker {
  const agentsPart = createAgentsParts();
  return (block, index) => {
    const { event, source } = block.entry(index, 0);
    const part = agentsPart(event);
    if (part === undefined) return undefined;
    return part === event && source !== undefined ? lineFrom(source) : jsonText(part);
  };
}

/** Line ends in JSON separate tokens, where a space has the same meaning. */
function lineFrom(source: string): string {
  return shownJson(/[\r\n]/.test(source) ? source.replace(/[\r\n]/g, " ") : source);
}
