// `aaepd journal inspect`: lines for people, one fact a line, or one JSON document.
import { LAYOUT_VERSION } from "../../storage/lmdb/meta.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { counted, shownBytes } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import {
  type BootFacts,
  type DamagedPart,
  type JournalFacts,
  journalFacts,
  type SessionFacts,
} from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { type JournalPlace, noSuchSession, readJournal } from "./read-journal.js";

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

/** Most sessions listed; the older ones are only counted, unless all are requested. */
const SHOWN_SESSIONS = 20;

export function reportLines(place: JournalPlace, facts: JournalFacts, showsAll: boolean): readonly string[] {
  const { path, writerPid, diskBytes } = place;
  const { eventCount, bytes, oldestAt, newestAt, boots, sessions, damaged } = facts;
  const left = showsAll ? 0 : Math.max(0, sessions.size - SHOWN_SESSIONS);
  const writer = writerPid === undefined ? "no daemon writes to it" : `process ${writerPid} writes to it`;
  return [
    `Journal ${path}: layout version ${LAYOUT_VERSION}, ${writer}.`,
    `${counted(eventCount, "event")}${oldestAt === undefined ? "" : `, received from ${isoTime(oldestAt)} to ${isoTime(newestAt)}`}.`,
    `${shownBytes(diskBytes)} on disk, ${shownBytes(bytes)} of them events.`,
    damaged.length === 0 ? "Nothing is damaged." : `${counted(damaged.length, "damaged record")}:`,
    ...damaged.map(damagedLine),
    boots.length === 0 ? "No boot of a daemon." : `${counted(boots.length, "boot")}:`,
    ...boots.map(bootLine),
    sessions.size === 0 ? "No session." : `${counted(sessions.size, "session")}${left === 0 ? "" : ", the newest"}:`,
    ...[...sessions.values()].slice(left).map(sessionLine),
    ...(left === 0 ? [] : [`  and ${left} before these; --all shows them.`]),
  ];
}

export function sessionLines(session: SessionFacts): readonly string[] {
  const { sessionId, agentId, agentName, firstEpoch, lastEpoch, firstAt, lastAt, eventCount, missingCount } = session;
  return [
    `Session ${shownText(sessionId)}: ${stateInWords(session)}.`,
    `Agent: ${shownText(agentName === undefined ? agentId : `${agentName} (${agentId})`)}.`,
    `${counted(eventCount, "event")}, received from ${isoTime(firstAt)} to ${isoTime(lastAt)}, epochs ${firstEpoch} to ${lastEpoch}.`,
    missingCount === 0 ? "Nothing of it is missing." : `${counted(missingCount, "event")} of it can no longer be read.`,
  ];
}

/** Times are instants of RFC 3339; a missing time is null. */
export function reportDocument(place: JournalPlace, facts: JournalFacts): object {
  return {
    path: place.path,
    layout_version: LAYOUT_VERSION,
    writer_pid: place.writerPid ?? null,
    disk_bytes: place.diskBytes,
    event_bytes: facts.bytes,
    events: facts.eventCount,
    oldest: instantOf(facts.oldestAt),
    newest: instantOf(facts.newestAt),
    boots: facts.boots.map(stretchDocument),
    sessions: [...facts.sessions.values()].map(sessionDocument),
    damaged: facts.damaged.map(({ firstEpoch, eventCount, bytes, afterAt }) => ({
      first_epoch: firstEpoch,
      events: eventCount,
      bytes,
      after: instantOf(afterAt),
    })),
  };
}

export function sessionDocument(session: SessionFacts): object {
  return {
    session_id: session.sessionId,
    agent_id: session.agentId,
    ...(session.agentName === undefined ? {} : { agent_name: session.agentName }),
    state: session.state,
    missing_events: session.missingCount,
    ...stretchDocument(session),
  };
}

function stretchDocument({ firstEpoch, lastEpoch, eventCount, firstAt, lastAt }: BootFacts): object {
  const instants = { first: instantOf(firstAt), last: instantOf(lastAt) };
  return { events: eventCount, first_epoch: firstEpoch, last_epoch: lastEpoch, ...instants };
}

function damagedLine({ firstEpoch, eventCount, bytes, afterAt }: DamagedPart): string {
  const after = afterAt === undefined ? "at the beginning" : `after what was received at ${isoTime(afterAt)}`;
  const size = bytes === 0 ? "not there" : `${bytes} bytes`;
  return `  ${counted(eventCount, "event")} from epoch ${firstEpoch}, ${size}, ${after}`;
}

function bootLine({ firstEpoch, lastEpoch, eventCount, firstAt, lastAt }: BootFacts): string {
  return `  ${isoTime(firstAt)} to ${isoTime(lastAt)}: ${counted(eventCount, "event")}, epochs ${firstEpoch} to ${lastEpoch}`;
}

function sessionLine(session: SessionFacts): string {
  const { sessionId, agentId, firstAt, lastAt, eventCount, missingCount } = session;
  const missing = missingCount === 0 ? "" : `, ${missingCount} missing`;
  const facts = `${stateInWords(session)}, ${agentId}, ${counted(eventCount, "event")}${missing}`;
  return `  ${shownText(`${sessionId}: ${facts}, ${isoTime(firstAt)} to ${isoTime(lastAt)}`)}`;
}

function stateInWords({ state }: SessionFacts): string {
  return state === "open" ? "open" : `ended, ${state}`;
}

function instantOf(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}

function isoTime(at: number | undefined): string {
  return new Date(at ?? 0).toISOString();
}
