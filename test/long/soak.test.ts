// Ten minutes of everything at once, in cycles: after each, when all have gone, nothing of it may be left. `npm run test:soak`: SOAK_SECONDS
// changes it.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { type Chance, createChance } from "../support/chance.js";
import { createWireSniffer, type Message, type WireSniffer } from "../support/oracles/wire-sniffer.js";
import {
  anonymousMemory,
  createMortalDaemon,
  type MortalDaemon,
  openDescriptors,
} from "../support/peers/mortal-daemon.js";
import { plainPeer, rpcPeer } from "../support/peers/peers.js";
import { fixture } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { pause, runAgent } from "./crash/agent.js";
import { ipcConnection } from "./crash/ipc-connection.js";
import { type RunningListener, startListener } from "./crash/listener.js";
import { type AskedQuestion, headOf, type SentSession } from "./crash/record.js";
import { median, tell } from "./figures.js";
import { callTools, RELAYED_SETTINGS, recordUnits } from "./other-protocols.js";

beforeAll(ensureBuilt, 120_000);

const SECONDS = Number(process.env.SOAK_SECONDS ?? 600);
const BUSY_MS = 12_000;
const MIB = 1024 * 1024;
const TRANSPORTS = ["socket", "grpc", "connect"] as const;
const LISTENER_TRANSPORTS = ["length-prefixed", "json-rpc", "grpc", "connect"] as const;
/** Small, so that what is kept reaches its bounds at once and is let go of all the time. */
const SETTINGS = [
  ...["--journal-max-events", "1024", "--journal-max-bytes", `${MIB}`],
  ...["--journal-retention-bytes", `${MIB}`, "--journal-retention-seconds", "20"],
  ...["--agent-grace-seconds", "2", "--agent-idle-seconds", "3"],
  ...["--confirmation-grace-seconds", "1", "--reconnect-grace-seconds", "1", "--max-lag-seconds", "2"],
  ...RELAYED_SETTINGS,
];

/** They load modules, have code compiled, and fill what is remembered of those who come back. */
const WARMING_CYCLES = 12;
const LEAST_CYCLES = WARMING_CYCLES + 6;
/** More than a daemon remembers of sessions that ended (4,096), for a day at least. */
const REMEMBERED_SESSIONS = 4200;
const SESSIONS_A_MESSAGE = 30;
/** Names that come back so often that all which is remembered of them is there after a few cycles. */
const FICKLE_NAMES = 20;

interface Sample {
  readonly rssAnon: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly descriptors: number;
  readonly resources: number;
}

/** What a daemon that nobody talks to is made of. */
async function probe(daemon: MortalDaemon, path: string): Promise<Sample & { readonly byName: unknown }> {
  const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { count: 0 });
  const { count } = read();
  process.kill(daemon.pid(), "SIGUSR2");
  while (read().count === count) await pause(20);
  const { heapUsed, external, resources } = read();
  // What is done at the end of a turn is not kept.
  const { Immediate: _, ...byName } = resources as Readonly<Record<string, number>>;
  return {
    rssAnon: anonymousMemory(daemon.pid()),
    heapUsed,
    external,
    descriptors: openDescriptors(daemon.pid()).length,
    resources: Object.values(byName).reduce((sum, one) => sum + one, 0),
    byName,
  };
}

/** Sessions with outputs and a question each, until those that are remembered take the places of others: what is kept of them grows no more. */
async function fillMemory(daemon: MortalDaemon): Promise<void> {
  const agent = rpcPeer(await ipcConnection(daemon.socket, "newline"), createWireSniffer());
  const say = (number: number, kind: string, fields: Message): Message => ({
    type: `aaep:agent.${kind}`,
    session_id: `sess_Before${number}`,
    producer: { agent_id: "before" },
    ...fields,
  });
  const ask = (number: number): readonly Message[] => [
    say(number, "session.started", { summary_normal: `Session ${number} of those before.` }),
    say(number, "output.streaming", { output_id: "out_1", chunk: "Dear reader.", position: 0, complete: true }),
    say(number, "awaiting.confirmation", {
      action: `Send letter ${number}.`,
      consequence: "It cannot be taken back.",
      risk_level: "medium",
      default_decision: "reject",
      timeout_seconds: 60,
      reply_token: `rpl_Before${number}`,
    }),
  ];
  const end = (number: number): readonly Message[] => [
    say(number, "session.completed", { summary_normal: `Session ${number} has ended.` }),
  ];
  const publishAll = async (events: (number: number) => readonly Message[]): Promise<void> => {
    for (let from = 0; from < REMEMBERED_SESSIONS; from += SESSIONS_A_MESSAGE) {
      const numbers = Array.from({ length: SESSIONS_A_MESSAGE }, (_, index) => from + index);
      await agent.request("aaep.publish", numbers.flatMap(events));
    }
  };
  await publishAll(ask);
  // Nobody is there to answer: the default applies (R6).
  while ((await agent.request("aaepd.status", { limit: 1 })).question_count !== 0) await pause(100);
  await publishAll(end);
  await agent.close();
}

/** Resolves when nobody is there any more but who asks. */
async function untilQuiet(daemon: MortalDaemon): Promise<Message> {
  const asking = rpcPeer(await ipcConnection(daemon.socket, "newline"), createWireSniffer());
  for (let turn = 0; ; turn += 1) {
    const status = await asking.request("aaepd.status", { limit: 3 });
    const { session_count, subscription_count, question_count, connections, subscriptions } = status;
    // The Field of Akashik goes on listening.
    const own = (subscriptions as readonly Message[]).filter((one) => one.subscriber_id === "aaepd-akashik").length;
    const others = Object.values(connections as Record<string, number>).reduce((sum, one) => sum + one, -1);
    if (session_count === 0 && subscription_count === own && question_count === 0 && others <= 0) {
      await asking.close();
      return status;
    }
    if (turn > 600) throw new Error(`It did not come to rest: ${JSON.stringify(status).slice(0, 3000)}`);
    await pause(100);
  }
}

/** Changes its terms, pauses, skips, and takes its leave in order. */
async function beFickle(daemon: MortalDaemon, sniffer: WireSniffer, chance: Chance, until: number): Promise<number> {
  let subscriptions = 0;
  while (performance.now() < until) {
    const peer = plainPeer(await ipcConnection(daemon.socket, chance.pick(["newline", "length-prefixed"])), sniffer);
    await peer.subscribe({
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: `fickle-${chance.between(1, FICKLE_NAMES)}`,
      capabilities: { coalesce_boundaries: [chance.pick(["none", "word", "sentence"])] },
    });
    subscriptions += 1;
    for (let turn = chance.between(0, 4); turn > 0; turn -= 1) {
      await pause(chance.between(10, 150));
      await peer.renegotiate({
        max_events_per_second: chance.between(1, 100),
        aaepd: { paused: chance.isLikely(0.3) },
      });
      if (chance.isLikely(0.3)) await peer.skip({});
    }
    if (chance.isLikely(0.7)) await peer.close();
    else await peer.connection.close();
  }
  return subscriptions;
}

async function busyCycle(
  daemon: MortalDaemon,
  chance: Chance,
  cycle: number,
): Promise<Readonly<Record<"events" | "heard" | "connections" | "calls" | "units", number>>> {
  const sniffer = createWireSniffer();
  const sessions: SentSession[] = [];
  const questions: AskedQuestion[] = [];
  let isStopping = false;
  let areListenersStopping = false;
  const until = performance.now() + BUSY_MS;
  const common = { daemon, sniffer, questions, accidents: [] as string[] };
  const listeners: RunningListener[] = LISTENER_TRANSPORTS.flatMap((transport) =>
    [0, 1, 2].map((kind) => {
      const name = `${transport}-${kind}-${cycle % 3}`;
      const able = { supports_confirmation_reply: true, supports_clarification_reply: true };
      return startListener({
        ...common,
        name,
        transport,
        chance: chance.fork(`${name}${cycle}`),
        capabilities: [
          { coalesce_boundaries: ["none"], ...able },
          { coalesce_boundaries: ["sentence"], max_events_per_second: 20 },
          { coalesce_boundaries: ["word"], cognitive_load: "low" },
        ][kind] as Message,
        isExact: false,
        head: () => headOf(sessions),
        pingsPerSecond: 1,
        breaksPerSecond: 0.5,
        stallsPerSecond: kind === 2 ? 0.5 : 0,
        isStopping: () => areListenersStopping,
      });
    }),
  );
  const agents = TRANSPORTS.map((transport) => {
    const name = `${transport}${cycle}x`;
    return runAgent({
      ...common,
      name,
      transport,
      chance: chance.fork(name),
      sessions,
      openQuestions: new Set(),
      isStopping: () => isStopping,
      graceMs: 2000,
      paceMs: 5,
      abandons: 0.1,
    });
  });
  const relayed = callTools(daemon.socket, () => isStopping);
  const recorded = recordUnits(daemon.socket, () => isStopping);
  const fickle = beFickle(daemon, sniffer, chance.fork(`fickle${cycle}`), until);
  await pause(BUSY_MS);
  isStopping = true;
  const subscriptions = await fickle;
  await Promise.all(agents);
  const [calls, units] = await Promise.all([relayed, recorded]);
  areListenersStopping = true;
  await Promise.all(listeners.map(({ ended }) => ended));
  expect(sniffer.violations()).toStrictEqual([]);
  return {
    events: sessions.reduce((sum, { events }) => sum + events.length, 0),
    heard: listeners.reduce((sum, one) => sum + one.heardCount(), 0),
    connections: subscriptions + listeners.reduce((sum, one) => sum + one.connections(), 0),
    calls,
    units,
  };
}

it(
  `nothing grows over ${SECONDS} seconds`,
  async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "audit"), { mode: 0o700 });
    const path = join(directory, "probe.json");
    const daemon = createMortalDaemon({
      directory,
      options: [...SETTINGS, "--journal", join(directory, "journal"), "--journal-policy", "os"],
      nodeOptions: ["--expose-gc", "--import", fixture("soak-probe.mjs")],
      environment: { SOAK_PROBE: path },
    });
    onTestFinished(daemon.kill);
    expect(await daemon.start().ready).toBe(true);
    await fillMemory(daemon);
    const chance = createChance(Number(process.env.SOAK_SEED ?? 11));
    const samples: Sample[] = [];
    const began = performance.now();
    for (let cycle = 0; samples.length < LEAST_CYCLES || performance.now() - began < SECONDS * 1000; cycle += 1) {
      const { events, heard, connections, calls, units } = await busyCycle(daemon, chance.fork(`cycle${cycle}`), cycle);
      const { totals } = await untilQuiet(daemon);
      const { byName, ...sample } = await probe(daemon, path);
      samples.push(sample);
      const mib = (bytes: number): string => (bytes / MIB).toFixed(1);
      tell(
        `cycle ${cycle + 1}: ${events} events, ${heard} heard, ${connections} subscriptions, ${calls} calls, ${units} units; anonymous ${mib(sample.rssAnon)} MiB, heap ${mib(sample.heapUsed)} MiB, external ${mib(sample.external)} MiB, ${sample.descriptors} descriptors, resources ${JSON.stringify(byName)}, published in all ${(totals as Message).published}`,
      );
    }
    const settled = samples.slice(WARMING_CYCLES);
    const third = Math.ceil(settled.length / 3);
    const growth = (of: (sample: Sample) => number): number =>
      median(settled.slice(-third).map(of)) - median(settled.slice(0, third).map(of));
    tell(
      `from the first third of the cycles to the last: anonymous ${(growth(({ rssAnon }) => rssAnon) / MIB).toFixed(1)} MiB, heap ${(growth(({ heapUsed }) => heapUsed) / MIB).toFixed(2)} MiB, descriptors ${growth(({ descriptors }) => descriptors)}, resources ${growth(({ resources }) => resources)}`,
    );
    expect(growth(({ descriptors }) => descriptors)).toBeLessThanOrEqual(0);
    // Whoever asked how it stands may not have gone yet.
    expect(growth(({ resources }) => resources)).toBeLessThanOrEqual(1);
    expect(growth(({ heapUsed }) => heapUsed)).toBeLessThan(3 * MIB);
    expect(growth(({ external }) => external)).toBeLessThan(3 * MIB);
    expect(growth(({ rssAnon }) => rssAnon)).toBeLessThan(24 * MIB);
    expect(await daemon.stop()).toBe(0);
    expect(daemon.accidents()).toStrictEqual([]);
  },
  SECONDS * 3000 + 600_000,
);
