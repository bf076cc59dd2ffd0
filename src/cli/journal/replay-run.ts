// Finds a session in a journal, and plays it once in a daemon of its own.
import { PassThrough } from "node:stream";
import { currentPlace } from "../../../transports/ipc/paths.js";
import { SERVICE_NAMES } from "../../../transports/ways.js";
import { type Fault, faultFrom, usage } from "../../base/errors.js";
import { AgentClient } from "../../client/agent/agent-client.js";
import { childRpcConnector } from "../../client/node.js";
import type { AccessPolicy, Operation } from "../../contracts/access.js";
import type { Millis } from "../../contracts/clock.js";
import { resolveConfiguration } from "../../daemon/config/config-sources.js";
import type { DaemonOptions } from "../../daemon/config/daemon-options.js";
import type { Daemon } from "../../daemon/daemon.js";
import { stopTimes } from "../../daemon/orderly-stop.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { CommandContext } from "../shell/context.js";
import { daemonParts, keepHeapClose, logOptions } from "../shell/daemon-process.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import { journalFacts, type SessionFacts } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { playedLengthMs, type RecordedPace, recordedEvents } from "./journal-session.js";
import { noSuchSession, readJournal } from "./read-journal.js";
import { replaySession } from "./replay-session.js";

export interface ReplayCommandOptions extends JournalChoiceOptions {
  readonly session: string;
  readonly speed: number;
  /** Seconds. */
  readonly longestPause?: number;
  readonly socket: string;
}

/** Names the socket, so that nobody mistakes the replay for a daemon that agents publish into. */
const PRODUCER_ID = "aaepd-replay";
const NAME_LENGTH = 100;

/** Other programs than the replay itself may listen, and ask for the status. */
const FORBIDDEN: ReadonlySet<Operation> = new Set([
  "publish",
  "ask",
  "cancel",
  "outcome",
  "declare",
  "resume",
  "provide",
]);
const LISTENERS_ONLY: AccessPolicy = {
  of: ({ trust }) => ({ may: (operation) => trust === "parent" || !FORBIDDEN.has(operation) }),
};

/** Rejects with a Fault if the replay cannot begin; otherwise ends the process when it is over. */
export async function runReplay(options: ReplayCommandOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  const journal = await readJournal(options, io.environment);
  if (io.ownsProcess) keepHeapClose();
  const { createLog, createClock, createIdSource, sha256Hex, readVersion, runDaemon, startDaemon } =
    await daemonParts(context);
  const facts = journalFacts(journal.blocks());
  const session = facts.sessions.get(options.session);
  if (session === undefined) throw noSuchSession(options.session, facts, journal.place.path);
  const pace: RecordedPace = {
    speed: options.speed,
    longestPauseMs: options.longestPause === undefined ? undefined : options.longestPause * 1000,
  };
  const events = () => recordedEvents(session, journal.blocks, pace);
  const lengthMs = playedLengthMs(session, journal.blocks, pace);
  const configuration = configurationOf(options, io);
  const log = createLog(configuration.logLevel, await logOptions(configuration.logFormat, io.stderr));
  const clock = createClock();
  const ids = createIdSource();
  const version = readVersion();
  const manifest = {
    agent_id: PRODUCER_ID,
    agent_version: version,
    agent_name: shortenedText(`Replay of ${session.sessionId}`, NAME_LENGTH),
  };
  const toDaemon = new PassThrough();
  const fromDaemon = new PassThrough();
  const daemonOptions: DaemonOptions = {
    ...configuration,
    declaredProducerId: undefined,
    log,
    clock,
    ids,
    sha256Hex,
    version,
    manifest,
    accessPolicy: LISTENERS_ONLY,
    playsRecording: true,
    place: currentPlace(io.environment),
    stdio: { readable: toDaemon, writable: fromDaemon },
  };

  async function play(daemon: Daemon): Promise<void> {
    const client = await AgentClient.open(childRpcConnector({ stdin: toDaemon, stdout: fromDaemon }));
    // Its connection opens now: a daemon does not wait for ever for the first message.
    await client.request("aaep.ping", {});
    const onRefused = (number: number, { sentence }: Fault) =>
      void io.stderr.write(`Event ${number} is left out: ${shownText(sentence)}\n`);
    await replaySession({ daemon, client, events: events(), clock, ids, onRefused });
    await daemon.stop("recording_ended");
  }

  await runDaemon<Daemon>({
    host: io.host,
    log,
    start: () => startDaemon(daemonOptions),
    ready: (daemon) => {
      io.stderr.write(`${sentencesOf(session, options, lengthMs)}\n`);
      const { endpoints } = daemon;
      const line = { pid: process.pid, producer_id: PRODUCER_ID, session_id: session.sessionId, endpoints };
      context.stdio.writable.write(`${jsonText(line)}\n`);
      // Without its daemon, which was told to stop, the replay is over; everything else is an error.
      void play(daemon).catch((caught: unknown) => {
        if (faultFrom(caught).code !== "peer_gone") throw caught;
      });
    },
    stdin: undefined,
    watchParent: false,
    stopWithinMs: () => stopTimes(configuration, false).totalMs,
  });
}

/** Takes the subscriber options from the user's settings of daemons. A replay stores nothing, and offers only its socket. */
function configurationOf({ socket, config }: ReplayCommandOptions, { environment }: CommandIo) {
  if (socket === "off") throw noSocket(socket);
  const { configuration, sources } = resolveConfiguration({
    command: "serve",
    flags: {
      socket,
      producerId: PRODUCER_ID,
      ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, "off"])),
      audit: "off",
      journal: "memory",
    },
    configFile: config,
    environment,
  });
  // Standard error already reports the replay in words, so the log is quieter by default.
  const logLevel = sources.logLevel.kind === "default" ? "warn" : configuration.logLevel;
  // No flag turns off the hosts that the configuration starts.
  return { ...configuration, logLevel, a2eProviders: [] };
}

function noSocket(socket: string): Fault {
  return usage(`--socket is ${JSON.stringify(socket)}. Give the path of a socket, or auto: a replay needs a socket.`);
}

function sentencesOf(session: SessionFacts, options: ReplayCommandOptions, lengthMs: Millis): string {
  const { sessionId, agentId, eventCount, missingCount, state } = session;
  const { speed, longestPause } = options;
  const seconds = Math.round(lengthMs / 1000);
  const shortened = longestPause === undefined ? "" : ` without pauses longer than ${counted(longestPause, "second")}`;
  const pace = `${speed === 1 ? "" : ` at ${speed} times its pace`}${shortened}`;
  const missing = missingCount === 0 ? "" : ` ${counted(missingCount, "event")} of it can no longer be read.`;
  const isOpen = state === "open" ? " The journal does not have its end." : "";
  return shownText(
    `Playing ${sessionId} of ${agentId}, ${counted(eventCount, "event")}, ${counted(seconds, "second")}${pace}, when the first subscriber is there.${isOpen}${missing}`,
  );
}
