// Finds a session in a journal, and offers its replay until the command is stopped.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import { resolveConfiguration } from "../../daemon/config/config-sources.js";
import type { DaemonOptions } from "../../daemon/config/daemon-options.js";
import { stopTimes } from "../../daemon/config/stop-times.js";
import type { Daemon } from "../../daemon/daemon.js";
import { engineOptionsOf } from "../../daemon/engine-options.js";
import { createSegmenter } from "../../daemon/platform/segmenter.js";
import type { Pace } from "../../daemon/replay/player.js";
import { createReplayEngine } from "../../daemon/replay/replay-engine.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { CommandContext } from "../shell/context.js";
import { keepHeapClose } from "../shell/heap-growth.js";
import { logOptions } from "../shell/log-format.js";
import { counted } from "../terminal/counted.js";
import { jsonText } from "../terminal/json-text.js";
import { shownText } from "../terminal/shown-text.js";
import { journalFacts, type SessionFacts } from "./journal-facts.js";
import type { JournalChoiceOptions } from "./journal-options.js";
import { journalSession, playedLengthMs } from "./journal-session.js";
import { readJournal } from "./read-journal.js";
import { noSuchSession } from "./session-choice.js";

export interface ReplayCommandOptions extends JournalChoiceOptions {
  readonly session: string;
  readonly speed: number;
  /** Seconds. */
  readonly longestPause?: number;
  readonly once?: true;
  readonly socket: string;
}

/** Names the socket, so that nobody mistakes the replay for a daemon that agents publish into. */
const PRODUCER_ID = "aaepd-replay";
const NAME_LENGTH = 100;

/** Rejects with a Fault if the replay cannot begin; otherwise ends the process when it is over. */
export async function runReplay(options: ReplayCommandOptions, context: CommandContext): Promise<void> {
  const journal = await readJournal(options, process.env);
  keepHeapClose();
  const [{ createLog }, { createClock }, { createIdSource, sha256Hex }, { readVersion }, { runDaemon }, startDaemon] =
    await Promise.all([
      import("../../daemon/platform/log.js"),
      import("../../daemon/platform/clock.js"),
      import("../../daemon/platform/ids.js"),
      import("../../daemon/platform/version.js"),
      import("../../daemon/lifecycle.js"),
      context.loadDaemon(),
    ]);
  const facts = journalFacts(journal.blocks());
  const session = facts.sessions.get(options.session);
  if (session === undefined) throw noSuchSession(options.session, facts, journal.place.path);

  const pace: Pace = {
    speed: options.speed,
    longestPauseMs: options.longestPause === undefined ? undefined : options.longestPause * 1000,
  };
  const lengthMs = playedLengthMs(session, journal.blocks, pace);
  const configuration = configurationOf(options);
  const log = createLog(configuration.logLevel, await logOptions(configuration.logFormat));
  const clock = createClock();
  const ids = createIdSource();
  const version = readVersion();
  let running: Daemon | undefined;
  const common = { ...configuration, declaredProducerId: undefined, log, clock, ids, sha256Hex, version };
  const engine = createReplayEngine(
    { clock, ids, log, idServices: { sha256Hex }, segmenter: createSegmenter(), validate: () => {} },
    engineOptionsOf(common),
    {
      ...pace,
      session: journalSession(session, journal.blocks),
      listenerGone: (leftCount) => {
        if (options.once === true && leftCount === 0) void running?.stop("signal");
      },
    },
  );
  const manifest = {
    agent_id: PRODUCER_ID,
    agent_version: version,
    agent_name: shortenedText(`Replay of ${session.sessionId}`, NAME_LENGTH),
  };
  const daemonOptions: DaemonOptions = { ...common, engine, manifest };
  await runDaemon({
    log,
    start: () => startDaemon(daemonOptions),
    ready: (daemon) => {
      running = daemon;
      process.stderr.write(`${sentencesOf(session, options, lengthMs)}\n`);
      const { endpoints } = daemon;
      const line = { pid: process.pid, producer_id: PRODUCER_ID, session_id: session.sessionId, endpoints };
      context.stdio.writable.write(`${jsonText(line)}\n`);
    },
    stdin: undefined,
    watchParent: false,
    stopWithinMs: () => stopTimes(configuration, false).totalMs,
  });
}

/** Takes the subscriber options from the user's settings of daemons. A replay stores nothing, and offers only its socket. */
function configurationOf({ socket, config }: ReplayCommandOptions) {
  if (socket === "off") throw noSocket(socket);
  const { configuration, sources } = resolveConfiguration({
    command: "serve",
    flags: { socket, producerId: PRODUCER_ID, grpc: "off", http: "off", audit: "off", journal: "memory" },
    configFile: config,
    environment: process.env,
  });
  // Standard error already reports the replay in words, so the log is quieter by default.
  return sources.logLevel.kind === "default" ? { ...configuration, logLevel: "warn" as const } : configuration;
}

function noSocket(socket: string): Fault {
  const sentence = `--socket is ${JSON.stringify(socket)}. Give the path of a socket, or auto: a replay needs a socket.`;
  return new Fault("usage", sentence, { origin: "local" });
}

function sentencesOf(session: SessionFacts, options: ReplayCommandOptions, lengthMs: Millis): string {
  const { sessionId, agentId, eventCount, missingCount, state } = session;
  const { speed, longestPause, once } = options;
  const seconds = Math.round(lengthMs / 1000);
  const shortened = longestPause === undefined ? "" : ` without pauses longer than ${counted(longestPause, "second")}`;
  const pace = `${speed === 1 ? "" : ` at ${speed} times its pace`}${shortened}`;
  const missing =
    missingCount === 0 ? "" : ` ${counted(missingCount, "event")} of it can no longer be read. Gaps mark their places.`;
  const isOpen = state === "open" ? " The journal does not have its end." : "";
  const until = once === true ? "until the first listener has gone" : "until it is stopped";
  return shownText(
    `Playing ${sessionId} of ${agentId}, ${counted(eventCount, "event")}, ${counted(seconds, "second")}${pace} to each subscriber, ${until}.${isOpen}${missing}`,
  );
}
