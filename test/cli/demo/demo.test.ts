import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createColors } from "picocolors";
import { expect, test } from "vitest";
import { registerDemo } from "../../../src/cli/demo/demo.js";
import { createDemoLines, type DemoEntry } from "../../../src/cli/demo/demo-lines.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runCommandLine, type Stage, startCommandLine } from "../command-stage.js";

const NAMES = ["Reader", "Braille", "Debugger"];
const colors = createColors(false);

function demo(stage: Stage, ...argv: readonly string[]): Promise<void> {
  ensureBuilt();
  return run(registerDemo, stage, ...argv);
}

function entry(listener: number, text: string, isPiece = false): DemoEntry {
  return { listener, what: "text", text, isCritical: false, isPiece };
}

test("lines say who receives, and count pieces in place of showing them", () => {
  const view = createDemoLines(NAMES, colors);
  const lines = [
    ...view.show(entry(2, "To", true), 1),
    ...view.show(entry(0, "Hello."), 1.5),
    ...view.show(entry(2, " go", true), 2),
    ...view.show({ listener: 2, what: "error", text: "Stop.", isCritical: true, isPiece: false }, 2.5),
    ...view.show({ listener: 1, what: "completed", text: "", isCritical: false, isPiece: false }, 3),
    ...view.show(entry(2, "!", true), 3),
    ...view.flush(12),
    ...view.flush(13),
  ];
  expect(lines).toEqual([
    "1.5 s, Reader: text: Hello.",
    "2.5 s, Debugger: text in 2 pieces",
    "2.5 s, Debugger: critical error: Stop.",
    "3.0 s, Braille: completed",
    "12.0 s, Debugger: text in 1 piece",
  ]);
  expect(createDemoLines(["Reader"], colors).show(entry(0, "Hello."), 1)).toEqual(["1.0 s, text: Hello."]);
});

test("R10: three different streams of one session, each complete; nothing is left behind", async () => {
  expectNothingLeftOpen();
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith("aaepd-demo-"));
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
  expect(out).toMatch(
    /Braille display\n(?: {2}.*\n)* {2}got: \d+ events, \d+ of text, \d+ critical, after \d+ ms at most\n/,
  );
  expect(out).not.toContain("holds no answers");
  expect(out).toMatch(/^[\d.]+ s, Debugging tool: text in \d+ pieces$/m);
  expect(out).not.toMatch(/: $/m);
  const braille = [...out.matchAll(/^[\d.]+ s, Braille display: text: (.*)$/gm)].map(([, line = ""]) => line.length);
  expect(Math.max(...braille)).toBeLessThanOrEqual(80);
  expect(braille.length).toBeGreaterThan(10);
  expect(got[0]).toBeLessThan(200);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith("aaepd-demo-"))).toEqual(before);
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
