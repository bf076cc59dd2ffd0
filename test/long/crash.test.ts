// Kills at any instant, and nothing that was acknowledged is lost, reversed or said twice (R3, R8, R17, R29).
// `npm run test:crash` is the long run: CRASH_KILLS and CRASH_SEED change it, and CRASH_RESTARTS the orderly stops among them (R8b).
// CRASH_RECORD names a file that the recording is written to, for a fault that has to be understood.
import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isLong, isWhole } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { type CrashReport, crashRun, LISTENERS } from "./crash/crash-run.js";

beforeAll(ensureBuilt, 120_000);

const kills = Number(process.env.CRASH_KILLS ?? (isLong ? 300 : 8));
const restarts = Number(process.env.CRASH_RESTARTS ?? (isLong ? 50 : 2));
const seed = Number(process.env.CRASH_SEED ?? (isLong ? Date.now() % 1_000_000 : 5));

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

function summaryOf({ counts, connections, ...report }: CrashReport): string {
  const { kills, killsBeforeReady, endsWithQuestions, restartsWithQuestions, starts } = report;
  const ends = { kills, restarts, killsBeforeReady, endsWithQuestions, restartsWithQuestions, starts };
  const { resumed, ...others } = counts;
  const met = Object.fromEntries(Object.entries(resumed).map(([how, count]) => [`placesMetAs${how}`, count]));
  const lines = { ...ends, listenerConnections: connections, ...others, ...met };
  return [
    ...Object.entries(lines).map(
      ([name, count]) => `  ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}: ${count}`,
    ),
    ...(["kill", "restart", "break"] as const).map((cause) => `  ${heardAgain(report.returns, cause)}`),
  ].join("\n");
}

/** What was heard a second time by those who came back. */
function heardAgain(returns: CrashReport["returns"], cause: CrashReport["returns"][number]["cause"]): string {
  const those = returns.filter((one) => one.cause === cause);
  const sum = (of: (one: (typeof those)[number]) => number): number => those.reduce((all, one) => all + of(one), 0);
  const characters = sum((one) => one.characters);
  const events = sum((one) => one.events);
  const worst = those.reduce((most, one) => (one.characters > (most?.characters ?? 0) ? one : most), those[0]);
  const each = (count: number): string => (count / Math.max(1, those.length)).toFixed(1);
  return `heard again after a ${cause}: ${characters} characters and ${events} events by ${those.length} that came back, ${each(characters)} and ${each(events)} each; at worst ${worst?.characters ?? 0} characters, by ${worst?.listener}`;
}

describe.skipIf(!isWhole && !isLong)("a daemon that is killed under load", () => {
  it(
    `keeps what it acknowledged over ${kills} kills and ${restarts} orderly restarts (seed ${seed})`,
    async () => {
      const directory = temporaryDirectory();
      const report = await crashRun({
        directory,
        seed,
        kills,
        restarts,
        // Nobody waits for the end of a grace in the short run.
        ...(isLong ? {} : { abandons: 0, longestRunEvents: 60 }),
        // A share of the runs waits for the disk.
        options: (run) => ["--journal", `${directory}/journal`, "--journal-policy", run % 4 === 3 ? "durable" : "os"],
        onKill: (kill) => {
          if (isLong && kill % 25 === 0) tell(`${new Date().toISOString()} kill ${kill}`);
        },
      });
      const { CRASH_RECORD: record } = process.env;
      if (record !== undefined) writeFileSync(record, JSON.stringify(report));
      tell(`crash test, seed ${seed}:\n${summaryOf(report)}`);
      expect(report.faults.slice(0, 20)).toStrictEqual([]);
      const { counts } = report;
      expect(counts.lost + counts.reordered + counts.duplicated + counts.invented + counts.gaps).toBe(0);
      expect(counts.again + counts.ranAhead + counts.fell + counts.stale + counts.summed + counts.ghosts).toBe(0);
      // The journal is kept, so no place in it can be unknown.
      expect(Object.keys(counts.resumed).sort()).toStrictEqual(expect.arrayContaining(["all", "undefined"]));
      expect([counts.resumed.unknown, counts.resumed.undefined]).toStrictEqual([undefined, LISTENERS.length]);
      expect(counts.resolvedTwice + counts.forgotten + counts.missingInAudit).toBe(0);
      expect(report.exitCode).toBe(0);
      // What was judged is worth judging.
      expect(counts.acknowledged).toBeGreaterThan(kills * 10);
      expect(counts.openAtKills).toBeGreaterThan(0);
      expect(counts.repliedAfterKill).toBeGreaterThan(0);
      expect(counts.sessionsLostToGrace + counts.falselyLost).toBe(0);
      // Chance decides which ends leave questions open, and three are few: at least one of them, and half of fifty.
      expect(report.restartsWithQuestions).toBeGreaterThanOrEqual(isLong ? restarts / 2 : 1);
    },
    60_000 + kills * 30_000,
  );
});
