// R3, R5, R8: `serve` on disk is killed again and again under agents that stream and ask. Their programs notice nothing, each listener has all text
// once, and each question has one outcome. `npm run test:agent-kills` is the long run: AGENT_KILLS and AGENT_SEED change it.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import type { SubscriberReply } from "../../src/client/listener/types.js";
import { eventually } from "../cli/command-stage.js";
import { type Heard, listenAt } from "../client/agent/agent-stage.js";
import { ensureBuilt } from "../support/built.js";
import { type Chance, createChance } from "../support/chance.js";
import { isLong, isWhole } from "../support/extent.js";
import { createMortalDaemon, type MortalDaemon } from "../support/peers/mortal-daemon.js";
import { fixture } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { auditedLines } from "./crash/crash-run.js";
import { outcomeLine } from "./crash/record.js";
import { median, tell } from "./figures.js";

beforeAll(ensureBuilt, 120_000);

const kills = Number(process.env.AGENT_KILLS ?? (isLong ? 100 : 4));
const seed = Number(process.env.AGENT_SEED ?? (isLong ? Date.now() % 1_000_000 : 5));

/** A run lasts until the agents have told so many lines, so that a busy machine does as much between two kills; at most so long, ms. */
const LONGEST_RUN_LINES = 12;
const LONGEST_RUN_MS = 15_000;
/** The time without a daemon, ms. With its start, it is back within two seconds, unless the machine has other work. */
const LONGEST_GAP_MS = 1200;
/** A reply may be lost with the daemon, so it is repeated until its question has an outcome, ms. */
const REPLY_AGAIN_MS = 250;
/** How long all text may take to arrive after the last restart, ms. */
const PATIENCE_MS = 180_000;

/** A session waits for its agent, however slow the machine is. */
const PATIENT = ["--agent-grace-seconds", "120"];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface ToldSession {
  readonly description: string;
  readonly id: string;
  readonly text: string;
  readonly dropped: number;
}

/** What the agents' programs printed. */
interface Told {
  readonly sessions: ToldSession[];
  readonly asked: Set<string>;
  /** By the token of the question. */
  readonly outcomes: Map<string, string[]>;
  readonly troubles: unknown[];
  statusChanges: number;
  lines: number;
  ends: number;
}

interface RunningAgent {
  readonly stop: () => void;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

function startAgent(name: string, way: string, address: string, agentSeed: number, told: Told): RunningAgent {
  const argv = [fixture("streaming-agent.mjs"), name, way, address, String(agentSeed)];
  const child: ChildProcess = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => note(JSON.parse(line), told));
  return {
    stop: () => void child.stdin?.end(),
    ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, stderr }))),
  };
}

function note(line: Readonly<Record<string, unknown>>, told: Told): void {
  const token = String(line.reply_token);
  told.lines += 1;
  switch (line.kind) {
    case "session":
      told.sessions.push(line as unknown as ToldSession);
      break;
    case "asks":
      told.asked.add(token);
      break;
    case "outcome": {
      const outcomes = told.outcomes.get(token) ?? [];
      told.outcomes.set(token, [...outcomes, outcomeLine(line.outcome as Readonly<Record<string, unknown>>)]);
      break;
    }
    case "trouble":
      told.troubles.push(line);
      break;
    case "status":
      told.statusChanges += 1;
      break;
    default:
      told.ends += 1;
  }
}

/** Listeners with terms of every kind. Two of them answer, each in its own way, and the first reply counts. */
async function startListeners(daemon: MortalDaemon, told: Told, chance: Chance): Promise<readonly Heard[]> {
  const answerBy = (name: string) => {
    const own = chance.fork(name);
    const replyTo = async ({ type, reply_token }: Envelope): Promise<void> => {
      const token = String(reply_token);
      const isClarification = type.endsWith("clarification");
      const decision = own.isLikely(0.5) ? "accept" : "reject";
      const reply: SubscriberReply = isClarification
        ? { reply_token: token, response: name, decided_by: name }
        : { reply_token: token, decision, decided_by: name };
      await pause(own.between(0, 800));
      while (!told.outcomes.has(token)) {
        listeners.get(name)?.subscriber.reply(reply);
        await pause(REPLY_AGAIN_MS);
      }
    };
    return (event: Envelope): undefined => void replyTo(event);
  };
  const listeners = new Map<string, Heard>();
  const terms = [
    { name: "pieces", capabilities: { coalesce_boundaries: ["none"] }, answer: answerBy("pieces") },
    { name: "sentences", capabilities: { coalesce_boundaries: ["sentence"] }, answer: answerBy("sentences") },
    { name: "slow", capabilities: { coalesce_boundaries: ["sentence"], max_events_per_second: 200 } },
    { name: "words", capabilities: { coalesce_boundaries: ["word"] } },
  ] as const;
  for (const { name, ...options } of terms)
    listeners.set(
      name,
      await listenAt(daemon.socket, {
        name,
        ...options,
        capabilities: { ...options.capabilities, coalesce_boundaries: [...options.capabilities.coalesce_boundaries] },
      }),
    );
  return [...listeners.values()];
}

/** What a listener has of each session, by the session's id. */
function heardSessions({ events }: Heard): ReadonlyMap<string, { text: string; starts: number; ends: number }> {
  const sessions = new Map<string, { text: string; starts: number; ends: number }>();
  for (const { session_id: id, type, chunk } of events) {
    const session = sessions.get(id) ?? { text: "", starts: 0, ends: 0 };
    sessions.set(id, session);
    if (typeof chunk === "string") session.text += chunk;
    if (type.endsWith("session.started")) session.starts += 1;
    if (/session\.(completed|errored|cancelled)$/.test(type)) session.ends += 1;
  }
  return sessions;
}

/** Sessions that a listener does not have once and whole, in sentences. */
function faultsOf(heard: Heard, told: Told): readonly string[] {
  const sessions = heardSessions(heard);
  return told.sessions.flatMap(({ id, description, text }) => {
    const session = sessions.get(id);
    if (session?.text === text && session.starts === 1 && session.ends === 1) return [];
    const of =
      session === undefined
        ? "nothing"
        : `${session.starts} starts, ${session.ends} ends, ${session.text.length} characters`;
    return [`${description}: ${of} of ${text.length}: ${difference(session?.text ?? "", text)}`];
  });
}

function difference(heard: string, said: string): string {
  let at = 0;
  while (at < heard.length && heard[at] === said[at]) at += 1;
  return `from ${at} on ${JSON.stringify(heard.slice(at, at + 60))}, not ${JSON.stringify(said.slice(at, at + 60))}`;
}

describe.skipIf(!isWhole && !isLong)("agents whose daemon is killed", () => {
  it(
    `go on over ${kills} kills (seed ${seed})`,
    async () => {
      const chance = createChance(seed);
      const directory = temporaryDirectory();
      const daemon = createMortalDaemon({
        directory,
        options: (run) => [
          "--journal",
          `${directory}/journal`,
          "--journal-policy",
          run % 4 === 3 ? "durable" : "os",
          ...PATIENT,
        ],
      });
      onTestFinished(daemon.kill);
      expect(await daemon.start().ready).toBe(true);
      const told: Told = {
        sessions: [],
        asked: new Set(),
        outcomes: new Map(),
        troubles: [],
        statusChanges: 0,
        lines: 0,
        ends: 0,
      };
      const listeners = await startListeners(daemon, told, chance);
      const agents = (["socket", "grpc", "http"] as const).map((way, index) =>
        startAgent(
          way,
          way,
          daemon[way === "http" ? "http" : way].replace(/^(?=unix:.*http$)/, "http://"),
          seed + index,
          told,
        ),
      );
      await eventually(() => expect(told.statusChanges).toBe(agents.length));

      let killsBeforeReady = 0;
      const gapsMs: number[] = [];
      for (let kill = 1; kill <= kills; kill += 1) {
        const goal = told.lines + chance.between(0, LONGEST_RUN_LINES);
        const until = performance.now() + LONGEST_RUN_MS;
        while (told.lines < goal && performance.now() < until) await pause(5);
        await pause(chance.between(0, 100));
        await daemon.kill();
        const killedAt = performance.now();
        await pause(chance.between(0, LONGEST_GAP_MS));
        const { ready } = daemon.start();
        // Some are killed before they listen.
        if (chance.isLikely(0.1) && kill < kills) killsBeforeReady += 1;
        else {
          expect(await ready).toBe(true);
          gapsMs.push(Math.round(performance.now() - killedAt));
        }
        if (isLong && kill % 10 === 0) tell(`${new Date().toISOString()} kill ${kill}`);
      }
      for (const { stop } of agents) stop();
      for (const { ended } of agents) expect(await ended).toEqual({ code: 0, stderr: "" });
      const faults = (): readonly string[] => listeners.flatMap((one) => faultsOf(one, told));
      for (let waitedMs = 0; waitedMs < PATIENCE_MS && faults().length > 0; waitedMs += 500) await pause(500);
      expect(await daemon.stop()).toBe(0);

      const audited = auditedLines(daemon.auditFolder).filter(({ kind }) => kind === "outcome");
      const auditedOf = (token: string) =>
        new Set(audited.flatMap((one) => (one.token === token ? [one.outcome] : [])));
      const characters = told.sessions.reduce((sum, { text }) => sum + text.length, 0);
      const resumed = listeners.flatMap((one) => one.resumed);
      const met = [...new Set(resumed)].map((how) => `${how} ${resumed.filter((one) => one === how).length}`);
      tell(
        [
          `agents over kills, seed ${seed}: ${kills} kills, ${killsBeforeReady} of them before the daemon listened`,
          `  back after: median ${median(gapsMs)} ms, at most ${Math.max(...gapsMs)} ms`,
          `  sessions: ${told.sessions.length}, characters: ${characters}, questions: ${told.asked.size}`,
          `  changes of status: ${told.statusChanges}, troubles: ${told.troubles.length}`,
          `  places met as: ${met.join(", ")}`,
        ].join("\n"),
      );
      // Nothing was told to `onError`, and nothing was dropped.
      expect(told.troubles).toEqual([]);
      expect(told.ends).toBe(agents.length);
      expect(told.sessions.filter(({ dropped }) => dropped > 0)).toEqual([]);
      expect(new Set(told.sessions.map(({ id }) => id)).size).toBe(told.sessions.length);
      expect(faults()).toEqual([]);
      // Each question has one outcome, for its agent and in the audit log.
      expect([...told.outcomes.keys()].sort()).toEqual([...told.asked].sort());
      for (const [token, outcomes] of told.outcomes) {
        expect(outcomes).toHaveLength(1);
        expect(auditedOf(token)).toEqual(new Set(outcomes));
      }
      expect(daemon.accidents()).toEqual([]);
      // What was judged is worth judging.
      expect(told.sessions.length).toBeGreaterThan(kills);
      expect(told.asked.size).toBeGreaterThan(kills / 2);
      expect(told.statusChanges).toBeGreaterThan(kills);
    },
    300_000 + kills * 30_000,
  );
});
