// Gives the free space of a journal back to the disk: by itself, or through the daemon that has the journal.
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../base/errors.js";
import { ipcRpcConnector } from "../../client/node.js";
import { compactJournal } from "../../daemon/journal/compact-journal.js";
import type { CompactedJournal } from "../../daemon/journal/compaction-requests.js";
import { journalOwner } from "../../daemon/journal/journal-folder.js";
import { DATA_FILE } from "../../storage/lmdb/data-file.js";
import { type ChosenSocket, chosenSocket, connectingTo } from "../shell/chosen-socket.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { listeningDaemons, usualSocket } from "../shell/find-socket.js";
import { runCommand } from "../shell/run-command.js";
import { askStatus } from "../status/ask-status.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { shownBytes } from "../terminal/shown-bytes.js";
import { journalDirectory } from "./journal-choice.js";
import type { JournalChoiceOptions } from "./journal-options.js";

export interface JournalCompactOptions extends JournalChoiceOptions {
  readonly socket?: string;
}

export function runJournalCompact(options: JournalCompactOptions, io: CommandIo): Promise<void> {
  return runCommand(io, () => compact(options, io));
}

async function compact(options: JournalCompactOptions, io: CommandIo): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const directory = journalDirectory(options, io.environment);
  const owner = journalOwner(directory);
  const { before, after } =
    owner === undefined ? await compactAlone(directory) : await compactThrough(directory, owner, options, io);
  await output.write(`Journal ${directory}: ${shownBytes(before)} before, ${shownBytes(after)} now.`);
  await output.flush();
  return EXIT.ok;
}

interface Lengths {
  readonly before: number;
  readonly after: number;
}

async function compactAlone(directory: string): Promise<Lengths> {
  const { bytesBefore, bytesAfter } = await compactJournal(directory);
  return { before: bytesBefore, after: bytesAfter };
}

async function compactThrough(
  directory: string,
  owner: number,
  { socket }: JournalCompactOptions,
  io: CommandIo,
): Promise<Lengths> {
  const daemon = await daemonOf(directory, owner, socket, io);
  io.stderr.write(`Process ${owner} has this journal. It compacts it, and goes on meanwhile.\n`);
  const connect = connectingTo(daemon, ipcRpcConnector(daemon.path));
  const connection = await connect({ request: () => ({}), notification: () => {} });
  try {
    const { bytes_before: before, bytes_after: after } = (await connection.request(
      "aaepd.compact_journal",
      {},
    )) as CompactedJournal;
    return { before, after };
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "unknown_method") throw caught;
    const sentence = `The daemon at ${daemon.path} is of an earlier version, which cannot compact its journal. Stop it, and compact the journal then.`;
    throw new Fault("unsupported", sentence, { origin: "peer" });
  } finally {
    await connection.close();
  }
}

/** Finds the daemon that has the journal, by its status: a number of a process alone may be of another container. */
async function daemonOf(
  directory: string,
  owner: number,
  named: string | undefined,
  io: CommandIo,
): Promise<ChosenSocket> {
  const path = realPathOf(join(directory, DATA_FILE));
  const chosen = named === undefined ? undefined : chosenSocket(named, io.environment);
  const candidates = chosen === undefined ? await usualSockets(io) : [chosen];
  for (const candidate of candidates) {
    // A daemon that nobody named need not answer.
    const status = await askStatus({ ...candidate, socketPath: candidate.path }, io).catch((caught: unknown) => {
      if (named !== undefined) throw caught;
      return undefined;
    });
    if (status?.journal.path !== undefined && realPathOf(status.journal.path) === path) return candidate;
  }
  const place = named === undefined ? "no socket of it was found" : `another daemon listens at ${named}`;
  const sentence = `The journal in ${directory} is in use by process ${owner}, and ${place}. Name its socket (--socket), or stop it.`;
  throw new Fault("address_in_use", sentence, { origin: "local" });
}

/** The socket of the variable first, then those in the usual folders. */
async function usualSockets({ daemonDirectories, environment }: CommandIo): Promise<readonly ChosenSocket[]> {
  const byVariable = chosenSocket(undefined, environment);
  const paths =
    daemonDirectories.length === 0
      ? [usualSocket()]
      : (await listeningDaemons(daemonDirectories)).map(({ socketPath }) => socketPath);
  return [...(byVariable === undefined ? [] : [byVariable]), ...paths.map((path) => ({ path, isByVariable: false }))];
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
