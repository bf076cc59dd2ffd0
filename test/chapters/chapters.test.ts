// AAEP chapters 4, 5 and 6, walked by a client that was written from them alone: the program beside this file, in Python's standard library. It talks
// to real daemons in every way that a subscriber has, and tells each of its checks in a line; each line is a test here.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isWhole } from "../support/extent.js";
import { createMortalDaemon, type MortalDaemon } from "../support/peers/mortal-daemon.js";
import { PROGRAM } from "../support/peers/program.js";

const WALK = fileURLToPath(new URL("main.py", import.meta.url));
const QUICK_CLOCK = new URL("../fixtures/quick-clock.mjs", import.meta.url).href;
// Checks count on some of it: that a sixth subscription is one too many, and that nothing is left of an agent that has gone.
const OPTIONS = [
  ...["--journal", "memory", "--log-level", "error"],
  // As long as may be, for the daemon whose clock is quick.
  ...["--handshake-timeout-seconds", "3600", "--max-lag-seconds", "3600"],
  ...["--max-concurrent-subscriptions", "5", "--agent-grace-seconds", "0"],
];

const ALL_WAYS = [
  { way: "socket", title: "over the socket, each message after its length" },
  { way: "lines", title: "over the socket, each message a line" },
  { way: "headers", title: "over the socket, JSON-RPC with headers" },
  { way: "stdio", title: "over a child's pipes, JSON-RPC in lines" },
  { way: "grpc", title: "over gRPC, AaepService" },
  { way: "quick", title: "over the socket, of a daemon whose clock is quick" },
] as const;
const SHORT: ReadonlySet<string> = new Set(["lines", "grpc", "quick"]);
const WAYS = ALL_WAYS.filter(({ way }) => isWhole || SHORT.has(way));

interface Walk {
  readonly daemon: MortalDaemon | undefined;
  readonly child: ChildProcess;
  /** What it said of each check: nothing, or what was wrong. */
  readonly verdicts: Promise<ReadonlyMap<string, string>>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

function python(...argv: readonly string[]): { readonly isThere: boolean; readonly lines: readonly string[] } {
  const { error, stdout, stderr, status } = spawnSync("python3", ["-B", ...argv], { encoding: "utf8" });
  if (error === undefined && status !== 0) throw new Error(stderr);
  return { isThere: error === undefined, lines: (stdout ?? "").split("\n").filter((line) => line !== "") };
}

const { isThere, lines: listed } = python(WALK, "--list");
const CHECKS = WAYS.flatMap((one) => {
  const names = listed.flatMap((line) => (line.startsWith(`${one.way}\t`) ? [line.slice(one.way.length + 1)] : []));
  return names.length === 0 ? [] : [{ ...one, names }];
});

/** What each way walks through, the quick one aside: paragraphs with an example, and those with rules of the wire. */
const PARAGRAPHS = [
  ...["4.1.1", "4.1.2", "4.1.3", "4.1.4", "4.2.1", "4.2.2", "4.3.1", "4.3.2", "4.3.3", "4.4.1", "4.4.2", "4.4.3"],
  ...["4.5.1", "4.5.2", "4.5.3", "4.5.4", "4.6"],
  ...["5.1", "5.2.1", "5.2.2", "5.2.3", "5.3", "5.3.1.2", "5.3.1.3", "5.3.1.4", "5.3.1.5", "5.3.1.6", "5.3.1.7"],
  ...["5.3.1.8", "5.3.1.9", "5.3.1.10", "5.3.1.11", "5.3.2", "5.4.4", "5.5.3", "5.5.4", "5.6.1", "5.6.3", "5.7"],
  ...["5.7.1", "5.7.2", "5.8", "5.8.1", "5.8.2", "5.9", "5.10", "5.10.1", "5.11"],
  ...["6.1", "6.2.1", "6.2.2", "6.3.1", "6.3.2", "6.3.3", "6.3.4", "6.3.5", "6.4", "6.4.1", "6.5.2", "6.5.4", "6.6"],
  ...["6.7", "6.7.2", "6.8", "6.10"],
];

const directories: string[] = [];
const walks = new Map<string, Walk>();

async function begin(way: string): Promise<Walk> {
  const directory = mkdtempSync(join(tmpdir(), "aaepd-"));
  directories.push(directory);
  const nodeOptions = way === "quick" ? ["--import", QUICK_CLOCK] : [];
  const daemon =
    way === "stdio"
      ? undefined
      : createMortalDaemon({ directory, services: way === "grpc" ? ["grpc"] : [], options: OPTIONS, nodeOptions });
  if (daemon !== undefined) expect(await daemon.start().ready).toBe(true);
  const socket = daemon?.socket ?? join(directory, "a.sock");
  const command = [process.execPath, PROGRAM, "stdio", "--socket", socket, "--audit", "off", ...OPTIONS];
  const argv = [way, "--socket", socket, ...(daemon === undefined ? ["--daemon", ...command] : [])];
  const services = way === "grpc" ? ["--grpc", join(directory, "a.grpc")] : [];
  const child = spawn("python3", ["-B", WALK, ...argv, ...services], {
    env: { ...process.env, XDG_RUNTIME_DIR: directory, XDG_STATE_HOME: directory, XDG_CONFIG_HOME: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { daemon, child, ...listen(child, daemon) };
}

/** What it tells, line by line; it asks for the daemon's stop when it wants to see one. */
function listen(child: ChildProcess, daemon: MortalDaemon | undefined): Pick<Walk, "verdicts" | "ended"> {
  if (child.stdout === null || child.stderr === null) throw new Error("The walk has no pipes.");
  const told = new Map<string, string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line === "stop") void daemon?.stop();
    const [, verdict, name = "", wrong = ""] = /^(ok|FAILED) (.*?)(?: — (.*))?$/.exec(line) ?? [];
    if (verdict !== undefined) told.set(name, verdict === "ok" ? "" : wrong);
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Awaited<Walk["ended"]>>((resolve) => {
    child.on("close", (code) => resolve({ code, stderr }));
  });
  return { verdicts: ended.then(() => told), ended };
}

beforeAll(async () => {
  ensureBuilt();
  // All at once: most of the time they wait for a rate or a deadline.
  await Promise.all(CHECKS.map(async ({ way }) => walks.set(way, await begin(way))));
}, 180_000);

afterAll(async () => {
  for (const { child, daemon } of walks.values()) {
    child.kill("SIGKILL");
    await daemon?.kill();
  }
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

it("finds python3, in which the walk is written", () => {
  expect(isThere, "There is no python3 here: install Python 3.8 or newer, then run the tests again.").toBe(true);
});

for (const { way, title, names } of CHECKS) {
  describe(`AAEP ch. 4, 5, 6 ${title}`, () => {
    const walk = (): Walk => {
      const found = walks.get(way);
      if (found === undefined) throw new Error("It was not started.");
      return found;
    };

    for (const name of names) {
      it(name, async () => {
        const verdicts = await walk().verdicts;
        expect(verdicts.get(name) ?? `It was never told. ${(await walk().ended).stderr}`).toBe("");
      });
    }

    it("nothing is left out", () => {
      const expected = way === "quick" ? ["6.4.3"] : PARAGRAPHS;
      expect(expected.filter((paragraph) => !names.some((name) => name.startsWith(`§${paragraph}:`)))).toEqual([]);
    });

    it("all of it was told, and the daemon had no accident", async () => {
      const { verdicts, ended, daemon } = walk();
      expect([...(await verdicts).keys()]).toEqual(names);
      expect(await ended).toEqual({ code: 0, stderr: "" });
      expect(daemon?.accidents() ?? []).toEqual([]);
    });
  });
}
