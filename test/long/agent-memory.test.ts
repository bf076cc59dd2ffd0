// An agent may live for months in a program of somebody else's: whatever it is handed, and whatever becomes of its daemon, its memory stays level.
// `npm run test:agent-memory` is the long run, with 10 million tokens.
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isLong, isWhole } from "../support/extent.js";
import { createMortalDaemon } from "../support/peers/mortal-daemon.js";
import { fixture, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

const MIB = 1024 * 1024;
/** Growth from a tenth of the work to all of it. A queue that fills up in the first tenth does not count. */
const MOST_HEAP_MIB = 4;
const MOST_RESIDENT_MIB = 48;

interface Told {
  readonly status: string;
  readonly done: number;
  readonly heapUsed: number;
  readonly rss: number;
}

/** Where sessions wait, a tenth of the short run fills the room for them. */
const CASES = [
  { work: "tokens", count: isLong ? 10_000_000 : 500_000, daemon: "none" },
  { work: "tokens", count: isLong ? 10_000_000 : 500_000, daemon: "held" },
  { work: "tokens", count: isLong ? 10_000_000 : 500_000, daemon: "killed" },
  { work: "sessions", count: isLong ? 1_000_000 : 50_000, daemon: "none" },
  { work: "sessions", count: isLong ? 200_000 : 50_000, daemon: "held" },
  { work: "sessions", count: isLong ? 200_000 : 50_000, daemon: "killed" },
  { work: "conversations", count: isLong ? 20_000 : 1000, daemon: "there" },
] as const;

describe.skipIf(!isWhole && !isLong)("the memory of an agent's program", () => {
  it.each(CASES)(
    "stays level over $count $work with its daemon $daemon",
    async ({ work, count, daemon: state }) => {
      const daemon = createMortalDaemon({
        directory: temporaryDirectory(),
        services: [],
        options: ["--journal", "memory"],
      });
      onTestFinished(daemon.kill);
      if (state !== "none") expect(await daemon.start().ready).toBe(true);
      const sockets = state === "none" ? [] : [daemon.socket];
      const program = startProgram([work, String(count), ...sockets], {
        entry: fixture("agent-memory.mjs"),
        nodeOptions: ["--expose-gc"],
      });
      await program.stdoutLines(1);
      if (state === "held") process.kill(daemon.pid(), "SIGSTOP");
      if (state === "killed") await daemon.kill();
      program.child.stdin.write("\n");
      expect(await program.ended).toEqual({ code: 0, signal: null });
      const told = program
        .stdout()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Told);
      const lines = told.map(
        ({ done, status, heapUsed, rss }) =>
          `${done} ${status}: heap ${(heapUsed / MIB).toFixed(1)} MiB, resident ${(rss / MIB).toFixed(1)} MiB`,
      );
      process.stdout.write(`${work}, daemon ${state}: ${lines.join("; ")}\n`);
      expect(program.stderr()).toBe("");
      expect(told).toHaveLength(3);
      const [, tenth, all] = told;
      if (tenth === undefined || all === undefined) return expect.fail("it told too little");
      expect((all.heapUsed - tenth.heapUsed) / MIB).toBeLessThan(MOST_HEAP_MIB);
      expect((all.rss - tenth.rss) / MIB).toBeLessThan(MOST_RESIDENT_MIB);
    },
    1_800_000,
  );
});
