import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { registerDemo } from "../../../src/cli/demo/demo.js";
import type { Seat } from "../../../src/cli/demo/demo-listeners.js";
import { createDemoScreen } from "../../../src/cli/demo/demo-screen.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runCommandLine, type Stage, startCommandLine } from "../command-stage.js";

function demo(stage: Stage, ...argv: readonly string[]): Promise<Stage> {
  ensureBuilt();
  return run(registerDemo, stage, ...argv);
}

test("lines say who receives, and count pieces in place of showing them", () => {
  const lines: string[] = [];
  let now = 1000;
  const { io: own } = createStage();
  const io = { ...own, clock: { ...own.clock, now: () => now } };
  const screenOf = (only?: readonly string[]) =>
    createDemoScreen({ io, write: (line) => void lines.push(line.replace(/^1\.5 s, /, "")), language: "en", only });
  const event = (type: string, more: object) => ({ type: `aaep:agent.${type}`, ...more }) as unknown as Envelope;
  const chunk = (text: string) => event("output.streaming", { chunk: text });
  const screen = screenOf();
  const [reader, braille, debuggingTool] = screen.seats as [Seat, Seat, Seat];
  now += 1500;
  screen.showEvent(debuggingTool, chunk("To"));
  screen.showEvent(reader, chunk("Hello."));
  screen.showEvent(debuggingTool, chunk(" go"));
  screen.showEvent(debuggingTool, event("session.errored", { summary_normal: "Stop.", urgency: "critical" }));
  screen.showEvent(braille, event("session.completed", {}));
  screen.showEvent(debuggingTool, chunk("!"));
  screen.end(["End."]);
  const alone = screenOf(["Braille display"]);
  now += 1500;
  for (const seat of alone.seats) alone.showEvent(seat, chunk("Hello."));
  expect(lines).toEqual([
    "Screen reader: text: Hello.",
    "Debugging tool: text in 2 pieces",
    "Debugging tool: critical error: Stop.",
    "Braille display: completed",
    "Debugging tool: text in 1 piece",
    "End.",
    "text: Hello.",
  ]);
});

test("R10: three different streams of one session, each complete; nothing is left behind", async () => {
  expectNothingLeftOpen();
  // Other demos of this machine have their folders beside.
  const folder = temporaryDirectory();
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stage = createStage({ environment: cleanEnvironment(temporaryDirectory()) });
  await demo(stage, "--session", "parallel-tools", "--speed", "20");
  expect(stage.err()).toBe("");
  expect(stage.exitCode()).toBe(0);
  const out = stage.out();
  expect(out).toMatch(/Screen reader: no rate limit, text by sentence and completion, terse, .*180 words a minute/);
  expect(out).toContain("Braille display: 1 event a second, text by sentence and completion, terse");
  expect(out).toContain("Debugging tool: no rate limit, text as it comes, detailed");
  expect(out.match(/text: complete, every character once and in order/g)).toHaveLength(3);
  expect(out.match(/critical error: /g)).toHaveLength(3);
  const got = [...out.matchAll(/got: (\d+) events/g)].map(([, count]) => Number(count));
  // All of them, unless a busy machine kept the tool from reading for a moment: what waits then may merge (R10, R11).
  expect(got[2]).toBeLessThanOrEqual(397);
  expect(got[2]).toBeGreaterThan(390);
  expect(out).toMatch(/Braille display\n(?: {2}.*\n)* {2}got: \d+ events, \d+ of text, \d+ critical\n/);
  expect(out).not.toContain("holds no answers");
  expect(out).toMatch(/^[\d.]+ s, Debugging tool: text in \d+ pieces$/m);
  expect(out).not.toMatch(/: $/m);
  const braille = [...out.matchAll(/^[\d.]+ s, Braille display: text: (.*)$/gm)].map(([, line = ""]) => line.length);
  expect(Math.max(...braille)).toBeLessThanOrEqual(80);
  expect(braille.length).toBeGreaterThan(10);
  expect(got[0]).toBeLessThan(200);
  expect(readdirSync(folder).filter((name) => name.startsWith("aaepd-demo-"))).toEqual([]);
});

test("the user of the screen reader answers what the recorded agent asks, and the recording waits for the outcome", async () => {
  const stage = createStage({ environment: cleanEnvironment(temporaryDirectory()) });
  await demo(stage, "--session", "japanese-travel", "--speed", "100");
  expect([stage.exitCode(), stage.err()]).toEqual([0, ""]);
  const out = stage.out();
  expect(out.split("\n")[1]).toMatch(/^A recording holds no answers\. The user of the screen reader answers /);
  expect(out).toMatch(/^[\d.]+ s, Screen reader: answer: reject$/m);
  expect(out).toMatch(/^[\d.]+ s, Braille display: critical state: Rejected\.$/m);
  expect(out).not.toContain("Withdrawn");
  expect(out.indexOf("answer: reject")).toBeGreaterThan(out.indexOf("critical confirm: "));
});

test("--only takes the name of each listener, in upper or lower case, and refuses another before anything starts", async () => {
  const { io } = createStage();
  const names = createDemoScreen({ io, write: () => undefined, language: "en", only: undefined }).seats.map(
    ({ listener }) => listener.name.toLowerCase(),
  );
  // The session is looked for when the names have been read.
  const known = await runCommandLine(["demo", "--session", "none", "--only", names.join(",")]);
  expect([known.code, known.stderr]).toEqual([2, expect.stringContaining("none")]);
  expect(known.stderr).not.toContain("is not known");
  const unknown = await runCommandLine(["demo", "--only", "Nobody"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('"Nobody" is not known. Give some of Screen reader, Braille display, Debugging tool.'),
  ]);
});

test("--only shows the listeners that it names; with --interactive the person at the keyboard answers, and without answers there is nobody to ask", async () => {
  ensureBuilt();
  const argv = ["demo", "-i", "--speed", "100", "--only", "Screen reader"];
  const answered = startCommandLine(argv);
  answered.stdin.write("c2\n");
  expect((await answered.ended).code).toBe(0);
  expect(answered.stdout()).toContain("Choice 2: At 65\n");
  expect(answered.stdout()).toMatch(/Sent: At 65\.\nQuestion 1 has ended: Answered\.\n/);
  expect(answered.stdout()).toMatch(/^[\d.]+ s, started: /m);
  expect(answered.stdout()).not.toMatch(/Braille|Debugging|pieces/);
  expect(answered.stdout().match(/text: complete, every character once and in order/g)).toHaveLength(1);
  const alone = await runCommandLine(argv);
  expect(alone.code).toBe(2);
  expect(alone.stderr).toContain("Error: --interactive has nobody to ask");
});

test.each(isWhole ? (["SIGINT", "SIGKILL"] as const) : (["SIGINT"] as const))(
  "ended by %s, its daemon goes with it; it was to take 20 s, 15 of them for the session",
  async (signal) => {
    ensureBuilt();
    const temporary = temporaryDirectory();
    const environment = { ...cleanEnvironment(temporaryDirectory()), TMPDIR: temporary };
    const program = startProgram(["demo"], { environment });
    const [title] = await program.stdoutLines(6);
    expect(title).toBe(
      "The session retirement-planner of Retirement Planner: 636 events and 1909 characters of text in 15 seconds, at 2.1 times its pace.",
    );
    const [directory = "", ...others] = readdirSync(temporary);
    const socket = join(temporary, directory, "demo.sock");
    expect([others, existsSync(socket)]).toEqual([[], true]);
    program.child.kill(signal);
    const isInterrupted = signal === "SIGINT";
    expect(await program.ended).toEqual(isInterrupted ? { code: 130, signal: null } : { code: null, signal });
    await expect.poll(() => existsSync(socket), { timeout: 60_000 }).toBe(false);
    if (isInterrupted) expect(readdirSync(temporary)).toEqual([]);
  },
);

test("when nobody reads any more it ends quietly", async () => {
  ensureBuilt();
  const program = startProgram(["demo", "--speed", "5"]);
  await program.stdoutLines(6);
  program.child.stdout.destroy();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe("");
});
