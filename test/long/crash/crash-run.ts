// A daemon that is killed again and again under load, with everybody who talks to it, and what came of it.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Chance, createChance } from "../../support/chance.js";
import { createWireSniffer, type Message, type WireSniffer } from "../../support/oracles/wire-sniffer.js";
import { auditEntries, createMortalDaemon, type MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { rpcPeer } from "../../support/peers/peers.js";
import { pause, runAgent } from "./agent.js";
import { type AgentTransport, openAgentLink } from "./agent-links.js";
import { ipcConnection } from "./ipc-connection.js";
import { judge, type Verdict } from "./judge.js";
import { type ListenerOptions, type RunningListener, startListener } from "./listener.js";
import {
  type AskedQuestion,
  type AuditedLine,
  headOf,
  markOf,
  outcomeLine,
  type Recording,
  type SentSession,
} from "./record.js";

export interface CrashOptions {
  readonly directory: string;
  readonly seed: number;
  readonly kills: number;
  /** Orderly stops among the kills, each followed by a start (R8b). Default 0. */
  readonly restarts?: number;
  /** Of the daemon; `run` counts its starts. */
  readonly options?: (run: number) => readonly string[];
  /** Agents on each transport. Default 2. */
  readonly agentsEach?: number;
  /** How likely it is that an agent leaves a session. Default 0.03. */
  readonly abandons?: number;
  /** Most events that are acknowledged between two kills. Default 120. */
  readonly longestRunEvents?: number;
  /** How likely it is that a run goes on for some seconds more. Default 0.2. */
  readonly longRuns?: number;
  /** How long it runs at all where there are no kills, ms. */
  readonly calmMs?: number;
  readonly onKill?: (kills: number) => void;
  /** Looks at what is recorded while it runs; called once. */
  readonly watch?: (recording: () => Recording) => void;
  /** How long nothing may come at the end before what is missing counts as lost, s. Default 40. */
  readonly patienceSeconds?: number;
}

export interface CrashReport extends Verdict {
  readonly kills: number;
  readonly killsBeforeReady: number;
  /** Ends, of either kind, and orderly ones that found questions open. */
  readonly endsWithQuestions: number;
  readonly restartsWithQuestions: number;
  readonly starts: number;
  readonly connections: number;
  readonly exitCode: number | null;
  readonly recording: Recording;
}

const GRACE_SECONDS = 20;
const LOOK_MS = 3;
/** Where everybody only waits for somebody. */
const LONGEST_RUN_MS = 4000;
const LONG_RUN_MS = [1500, 4500] as const;
const SETTINGS = [
  "--agent-grace-seconds",
  `${GRACE_SECONDS}`,
  "--agent-idle-seconds",
  "10",
  // Whoever answers is away for a moment after each kill.
  "--confirmation-grace-seconds",
  "20",
  "--reconnect-grace-seconds",
  "20",
];
const PROGRESS = "aaep:agent.progress.updated";
const EXACT = { coalesce_boundaries: ["none"] };
const ABLE = { supports_confirmation_reply: true, supports_clarification_reply: true };

type Terms = Omit<ListenerOptions, "daemon" | "sniffer" | "chance" | "questions" | "accidents" | "head" | "isStopping">;

const ALOUD = { coalesce_boundaries: ["sentence", "completion"] };

/** On each transport one that misses nothing; the others with terms of their own, and half of all slow in one way or another. */
export const LISTENERS: readonly Terms[] = [
  { name: "log", transport: "length-prefixed", capabilities: EXACT, isExact: true, breaksPerSecond: 0.1 },
  { name: "desk", transport: "grpc", capabilities: { ...EXACT, ...ABLE }, isExact: true, breaksPerSecond: 0.05 },
  { name: "phone", transport: "connect", capabilities: { ...EXACT, ...ABLE }, isExact: true },
  {
    name: "reader",
    transport: "json-rpc",
    capabilities: { ...ALOUD, max_events_per_second: 200, ...ABLE },
    isExact: false,
    breaksPerSecond: 0.1,
    pingsPerSecond: 1,
  },
  {
    name: "braille",
    transport: "connect",
    capabilities: { ...ALOUD, max_events_per_second: 60 },
    isExact: false,
    stallsPerSecond: 0.2,
  },
  {
    name: "words",
    transport: "grpc",
    capabilities: {
      coalesce_boundaries: ["word"],
      event_filters: { include: ["aaep:agent.output.*", "aaep:agent.session.*"], exclude: [] },
    },
    wants: (type) => /^aaep:agent\.(?:output|session)\./.test(type),
    isExact: false,
  },
  {
    name: "digest",
    transport: "newline",
    capabilities: { coalesce_boundaries: ["completion"], event_filters: { include: ["*"], exclude: [PROGRESS] } },
    wants: (type) => type !== PROGRESS,
    isExact: false,
    stallsPerSecond: 0.2,
    longestStallMs: 4000,
  },
  {
    name: "visitor",
    transport: "json-rpc",
    capabilities: EXACT,
    isExact: true,
    awayMs: 4000,
    breaksPerSecond: 0.5,
    pingsPerSecond: 2,
  },
];

/** Plays it, waits until everything owed has come, and judges. */
export async function crashRun(options: CrashOptions): Promise<CrashReport> {
  const { directory, seed, kills, agentsEach = 2, longestRunEvents = 120, longRuns = 0.2 } = options;
  const chance = createChance(seed);
  const sniffer = createWireSniffer();
  const accidents: string[] = [];
  const sessions: SentSession[] = [];
  const questions: AskedQuestion[] = [];
  const openQuestions = new Set<AskedQuestion>();
  const ends: ("kill" | "restart" | undefined)[] = [];
  let open: Recording["open"] = { sessions: new Set(), questions: new Set() };
  let isStopping = false;
  let areListenersStopping = false;
  mkdirSync(join(directory, "audit"), { mode: 0o700, recursive: true });
  const daemon = createMortalDaemon({
    directory,
    options: (run) => [...SETTINGS, ...(options.options?.(run) ?? [])],
  });
  if (!(await daemon.start().ready)) throw new Error(`It did not start: ${daemon.stderr()}`);

  const listeners = LISTENERS.map((terms) =>
    startListener({
      ...terms,
      daemon,
      sniffer,
      questions,
      accidents,
      head: () => headOf(sessions),
      chance: chance.fork(terms.name),
      isStopping: () => areListenersStopping,
    }),
  );
  await Promise.all(listeners.map(({ joined }) => joined));
  await greet(daemon, sniffer, sessions);
  for (const one of listeners) while (one.heardCount() === 0 || !one.hasPlace()) await pause(10);
  const transports: readonly AgentTransport[] = ["socket", "grpc", "connect"];
  const names = transports.flatMap((transport) =>
    Array.from({ length: agentsEach }, (_, index) => ({ transport, name: `${transport}${index}x${seed % 1000}` })),
  );
  const agents = names.map(({ transport, name }) =>
    runAgent({
      name,
      transport,
      daemon,
      sniffer,
      chance: chance.fork(name),
      sessions,
      questions,
      openQuestions,
      accidents,
      isStopping: () => isStopping,
      graceMs: GRACE_SECONDS * 1000,
      paceMs: 12,
      abandons: options.abandons ?? 0.03,
    }),
  );

  const recordingNow = (): Recording => ({
    sessions,
    questions,
    listeners: listeners.map(({ listening }) => listening),
    ends,
    open,
    audited: existsSync(daemon.auditFolder) ? auditedLines(daemon.auditFolder) : [],
    accidents: [...accidents, ...daemon.accidents(), ...sniffer.violations()],
  });
  options.watch?.(recordingNow);

  const fates = await endAgainAndAgain(daemon, chance.fork("kills"), accidents, options, ends, {
    openQuestions,
    acknowledgedCount: () =>
      sessions.reduce((sum, { events }) => sum + events.filter((one) => one.epoch !== undefined).length, 0),
    longestRunEvents,
    longRuns,
  });
  if (!daemon.isUp()) await daemon.start().ready;
  await pause(options.calmMs ?? 0);
  isStopping = true;
  await Promise.all(agents);
  for (const { calmDown } of listeners) calmDown();
  await untilAllHasCome(recordingNow, listeners, options.patienceSeconds ?? 40);
  open = await openNow(daemon, sniffer);
  areListenersStopping = true;
  await Promise.all(listeners.map(({ ended }) => ended));
  const exitCode = await daemon.stop();
  const recording = recordingNow();
  return {
    ...judge(recording),
    ...fates,
    kills,
    starts: daemon.run(),
    connections: listeners.reduce((sum, one) => sum + one.connections(), 0),
    exitCode,
    recording,
  };
}

interface Load {
  readonly openQuestions: ReadonlySet<AskedQuestion>;
  readonly acknowledgedCount: () => number;
  readonly longestRunEvents: number;
  readonly longRuns: number;
}

type Fates = Pick<CrashReport, "killsBeforeReady" | "endsWithQuestions" | "restartsWithQuestions">;

/** At instants that nobody chooses: under load, before it listens, and twice in a row. */
async function endAgainAndAgain(
  daemon: MortalDaemon,
  chance: Chance,
  accidents: string[],
  { kills, restarts = 0, onKill }: CrashOptions,
  ends: ("kill" | "restart" | undefined)[],
  { openQuestions, acknowledgedCount, longestRunEvents, longRuns }: Load,
): Promise<Fates> {
  let killsBeforeReady = 0;
  let endsWithQuestions = 0;
  let restartsWithQuestions = 0;
  let restartsLeft = restarts;
  for (let kill = 1; kill <= kills || restartsLeft > 0; kill += 1) {
    // Counted in what was done, so that a busy machine does as much between two kills; sometimes it has just begun to listen.
    const goal = acknowledgedCount() + (chance.isLikely(0.15) ? 0 : chance.between(1, longestRunEvents));
    const wantsQuestion = chance.isLikely(0.6);
    const isTime = (): boolean => acknowledgedCount() >= goal && (!wantsQuestion || openQuestions.size > 0);
    for (let waitedMs = 0; !isTime() && waitedMs < LONGEST_RUN_MS; waitedMs += LOOK_MS) await pause(LOOK_MS);
    if (!wantsQuestion) await pause(chance.between(0, 30));
    // Some runs are so long that those who take slowly get further (R17).
    if (chance.isLikely(longRuns)) await pause(chance.between(...LONG_RUN_MS));
    for (const question of openQuestions) question.openAtKills += 1;
    if (openQuestions.size > 0) endsWithQuestions += 1;
    if (restartsLeft > 0 && (kill > kills || chance.isLikely(restartsLeft / (restartsLeft + kills - kill + 1)))) {
      if (openQuestions.size > 0) restartsWithQuestions += 1;
      restartsLeft -= 1;
      kill -= 1;
      ends[daemon.run()] = "restart";
      const code = await daemon.stop();
      if (code !== 0) accidents.push(`it ended with ${code} when it was asked to stop`);
      if (!(await daemon.start().ready)) throw new Error(`It did not start again: ${daemon.stderr().slice(-2000)}`);
      continue;
    }
    ends[daemon.run()] = "kill";
    await daemon.kill();
    onKill?.(kill);
    if (chance.isLikely(0.2)) await pause(chance.between(0, 300));
    let { ready } = daemon.start();
    while (kill < kills && chance.isLikely(0.15)) {
      kill += 1;
      await Promise.race([ready, pause(chance.between(0, 600))]);
      if (!daemon.isUp()) killsBeforeReady += 1;
      ends[daemon.run()] = "kill";
      await daemon.kill();
      onKill?.(kill);
      ({ ready } = daemon.start());
    }
    if (!(await ready)) throw new Error(`It did not start after kill ${kill}: ${daemon.stderr().slice(-2000)}`);
  }
  return { killsBeforeReady, endsWithQuestions, restartsWithQuestions };
}

/** A first session, which everybody hears. */
async function greet(daemon: MortalDaemon, sniffer: WireSniffer, sessions: SentSession[]): Promise<void> {
  const link = await openAgentLink("socket", daemon, sniffer);
  const session: SentSession = { id: "sess_hello", agent: "hello", events: [], lost: undefined };
  sessions.push(session);
  for (const kind of ["started", "completed"]) {
    const event = {
      type: `aaep:agent.session.${kind}`,
      event_id: `evt_hello${kind}`,
      session_id: session.id,
      producer: { agent_id: "hello" },
      summary_normal: `Hello ${kind}.`,
    };
    const { events } = await link.publish([event]);
    const [place] = events as readonly [{ readonly epoch: number }];
    const { event_id: id, type, session_id: sessionId } = event;
    const sent = {
      id,
      type,
      sessionId,
      text: undefined,
      mark: markOf(event),
      ackedInRun: daemon.run(),
      otherEpochs: [],
    };
    session.events.push({ ...sent, epoch: place.epoch });
  }
  await link.close();
}

/** Until the judge finds nothing missing, or nothing has come for long. */
async function untilAllHasCome(
  recording: () => Recording,
  listeners: readonly RunningListener[],
  patienceSeconds: number,
): Promise<void> {
  const heard = (): number => listeners.reduce((sum, one) => sum + one.heardCount(), 0);
  let before = -1;
  // An agent that left is given up after its grace, and one by single calls after its lease besides.
  for (let still = 0; still < patienceSeconds; still += 1) {
    const now = heard();
    if (now !== before) still = 0;
    // As long as something comes it is not worth the trouble.
    else if (judge(recording()).counts.lost === 0) return;
    before = now;
    await pause(1000);
  }
}

/** What the daemon itself holds to be open. */
async function openNow(daemon: MortalDaemon, sniffer: WireSniffer): Promise<Recording["open"]> {
  const peer = rpcPeer(await ipcConnection(daemon.socket, "newline"), sniffer, "asking");
  const { sessions } = await peer.request("aaepd.status", { limit: 1000 });
  const asked = peer.subscription();
  await asked.subscribe({
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: "asking",
    capabilities: { ...EXACT, ...ABLE },
  });
  const questions = await asked.listPending();
  await peer.close();
  return {
    sessions: new Set((sessions as readonly Message[]).map(({ session_id: id }) => String(id))),
    questions: new Set(questions.map(({ event_id: id }) => String(id))),
  };
}

/** The lines of the audit log that tell how questions ended. */
export function auditedLines(folder: string): Recording["audited"] {
  return auditEntries(folder).flatMap((entry): readonly AuditedLine[] => {
    const common = { token: String(entry.reply_token), line: JSON.stringify(entry) };
    if (entry.kind === "outcome")
      return [{ ...common, kind: "outcome", outcome: outcomeLine(entry.outcome as Message) }];
    if (entry.kind !== "reply" || entry.fate !== "counted") return [];
    return [
      { ...common, kind: "counted", outcome: outcomeLine({ ...(entry.reply as Message), resolved_by: "reply" }) },
    ];
  });
}
