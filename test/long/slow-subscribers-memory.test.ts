// R18: slow subscribers cost nothing. `npm run test:memory`: MEMORY_EVENTS and PAIR_EVENTS change it.
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { anonymousMemory, createMortalDaemon, type MortalDaemon } from "../support/peers/mortal-daemon.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { median, tell } from "./figures.js";
import { openFloodAgent } from "./flood/flood-agent.js";
import { openRawListener, type Pace, type RawListener } from "./flood/raw-listener.js";

beforeAll(ensureBuilt, 120_000);

const EVENTS = Number(process.env.MEMORY_EVENTS ?? 2_000_000);
const PAIR_EVENTS = Number(process.env.PAIR_EVENTS ?? 200_000);
const PAIRS = 5;
const MIB = 1024 * 1024;
const MOST_GROWTH_MIB = 96;
const MOST_SLOWDOWN = 0.15;
/** Nobody is closed for being slow. */
const LIFTED = ["--max-lag-seconds", "86400", "--max-lag-events", "16777216"];
const SAMPLE_MS = 200;

type Crowd = readonly (readonly [pace: Pace, count: number])[];
const FAST: Crowd = [["all", 10]];
const ALL: Crowd = [...FAST, ["never", 50], ["one a second", 50]];

async function startDaemon(directory: string, journal: readonly string[]): Promise<MortalDaemon> {
  const daemon = createMortalDaemon({ directory, services: [], options: [...LIFTED, ...journal] });
  onTestFinished(daemon.kill);
  expect(await daemon.start().ready).toBe(true);
  return daemon;
}

async function gather(daemon: MortalDaemon, crowd: Crowd): Promise<ReadonlyMap<Pace, readonly RawListener[]>> {
  const gathered = new Map<Pace, readonly RawListener[]>();
  for (const [pace, count] of crowd) {
    const names = Array.from({ length: count }, (_, index) => `${pace.replaceAll(" ", "-")}-${index}`);
    gathered.set(pace, await Promise.all(names.map((name) => openRawListener(daemon.socket, name, pace))));
  }
  return gathered;
}

interface Flooded {
  readonly eventsPerSecond: number;
  readonly growthMib: number;
  readonly endGrowthMib: number;
}

/** Publishes, until all who read everything have everything. */
async function flood(daemon: MortalDaemon, crowd: Crowd, events: number): Promise<Flooded> {
  const before = anonymousMemory(daemon.pid());
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, anonymousMemory(daemon.pid()));
  }, SAMPLE_MS);
  const gathered = await gather(daemon, crowd);
  const agent = await openFloodAgent(daemon.socket, "sess_flood");
  const began = performance.now();
  const fast = gathered.get("all") ?? [];
  await Promise.all([agent.publish(events), ...fast.map((listener) => listener.reached(events))]);
  const seconds = (performance.now() - began) / 1000;
  clearInterval(sampling);
  const end = anonymousMemory(daemon.pid());
  const everybody = [...gathered.values()].flat();
  expect(fast.map((listener) => listener.outOfOrder())).toStrictEqual(fast.map(() => undefined));
  expect(everybody.filter((listener) => !listener.isOpen())).toStrictEqual([]);
  for (const listener of gathered.get("one a second") ?? []) expect(listener.outOfOrder()).toBe(undefined);
  for (const listener of everybody) listener.close();
  agent.close();
  return {
    eventsPerSecond: events / seconds,
    growthMib: (Math.max(most, end) - before) / MIB,
    endGrowthMib: (end - before) / MIB,
  };
}

describe.each([
  ["in memory", () => ["--journal", "memory"]],
  ["on disk", (directory: string) => ["--journal", `${directory}/journal`]],
] as const)("with the journal %s, 50 that never read and 50 that read one event a second", (where, journal) => {
  it(`cost less than ${MOST_GROWTH_MIB} MiB over ${EVENTS} events`, async () => {
    const directory = temporaryDirectory();
    const daemon = await startDaemon(directory, journal(directory));
    const { eventsPerSecond, growthMib, endGrowthMib } = await flood(daemon, ALL, EVENTS);
    tell(
      `journal ${where}: ${EVENTS} events at ${Math.round(eventsPerSecond)}/s to 10 that read; anonymous memory grew by ${growthMib.toFixed(1)} MiB at most, ${endGrowthMib.toFixed(1)} MiB at the end`,
    );
    expect(growthMib).toBeLessThan(MOST_GROWTH_MIB);
    expect(await daemon.stop()).toBe(0);
    expect(daemon.accidents()).toStrictEqual([]);
  }, 1_800_000);

  it(`leave the others ${100 - MOST_SLOWDOWN * 100} % of their throughput`, async () => {
    const ratios: number[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const speeds = { alone: 0, together: 0 };
      const order = pair % 2 === 0 ? (["alone", "together"] as const) : (["together", "alone"] as const);
      for (const which of order) {
        const directory = temporaryDirectory();
        const daemon = await startDaemon(directory, journal(directory));
        const { eventsPerSecond } = await flood(daemon, which === "alone" ? FAST : ALL, PAIR_EVENTS);
        speeds[which] = eventsPerSecond;
        await daemon.stop();
      }
      ratios.push(speeds.together / speeds.alone);
      tell(
        `journal ${where}, pair ${pair + 1}: ${Math.round(speeds.alone)}/s alone, ${Math.round(speeds.together)}/s with the slow ones`,
      );
    }
    tell(`journal ${where}: median ratio ${median(ratios).toFixed(3)}`);
    expect(median(ratios)).toBeGreaterThan(1 - MOST_SLOWDOWN);
  }, 1_800_000);
});
