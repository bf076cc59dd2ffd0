// `aaepd run` and `aaepd say` in front of programs, with a real daemon and without one.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { eventually, type StartedCommand, serve, startAdapter } from "../../cli/command-stage.js";
import { listenAt, stopAt } from "../../client/agent/agent-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { shared } from "../../support/lifetime.js";
import { cleanEnvironment, PROGRAM } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { hostileLines } from "../hostile-lines.js";
import { said } from "../said.js";

ensureBuilt();

const served = shared(() => serve(temporaryDirectory(), "--journal", "memory", "--max-hold-ms", "300"));

async function started(command: "run" | "say", ...argv: readonly string[]) {
  const { environment, socketPath } = await served();
  const name = `Program ${randomUUID().slice(0, 8)}`;
  // A listener that can answer may stop.
  const heard = await listenAt(socketPath, { name, answer: () => undefined, capabilities: {} });
  const program = startAdapter([command, "--name", name, ...argv], environment);
  return { program, heard, name, lines: () => said(heard, name).map((line) => line.trim()) };
}

/** A program of one line, without a daemon. */
function run(script: string) {
  const argv = [PROGRAM, "run", "--", process.execPath, "-e", script];
  const child = spawn(process.execPath, argv, { env: cleanEnvironment(temporaryDirectory()) });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
  return { child, ended, out: () => Buffer.concat(out), err: () => Buffer.concat(err) };
}

async function isEnded({ ended }: StartedCommand, code: number): Promise<void> {
  expect((await ended).code).toBe(code);
}

test("run: both outputs are heard line by line without colours, and the exit code is the end", async () => {
  const script = [
    'console.log("PASS a\\n\\u001b[31mFAIL\\u001b[0m two. Twice.")',
    'console.log("10%\\r50%\\r\\u001b[2K100%")',
    'setTimeout(() => { console.error("oops"); process.exitCode = 3; }, 300)',
  ].join(";");
  const { program, heard, name, lines } = await started("run", "--", process.execPath, "-e", script);
  await isEnded(program, 3);
  expect(program.stdout()).toBe("PASS a\n\u001b[31mFAIL\u001b[0m two. Twice.\n10%\r50%\r\u001b[2K100%\n");
  expect(program.stderr()).toBe("oops\n");
  await eventually(() => expect(lines().at(-1)).toBe("session.errored | The program has ended: code 3."));
  expect(lines().slice(1, -1)).toEqual([
    "output.streaming | PASS a",
    "output.streaming | FAIL two.",
    "output.streaming | Twice.",
    "output.streaming | 100%",
    "output.streaming | oops",
  ]);
  expect(lines()[0]).toMatch(/^session\.started \| Runs /);
  // Each of the two is a text of its own.
  const spoken = heard.events.filter(({ producer, chunk = "" }) => producer?.agent_name === name && chunk !== "");
  const outputs = spoken.map(({ output_id }) => output_id);
  expect(outputs).toEqual([...Array(4).fill(outputs[0]), outputs[4]]);
  expect(outputs[4]).not.toBe(outputs[0]);
});

test("run: a listener's stop is SIGINT, and what the program then says is heard", async () => {
  const script =
    'process.on("SIGINT", () => { console.log("Cleans up."); process.exit(0); }); setInterval(() => {}, 1e6); console.log(process.env.AAEPD_AGENT)';
  const { program, heard, lines, name } = await started("run", "--", process.execPath, "-e", script);
  await eventually(() => expect(lines().join()).toContain(`output.streaming | ${name}`));
  expect(program.stdout()).toBe(`${name}\n`);
  const begun = heard.events.find(({ producer }) => producer?.agent_name === name);
  await stopAt((await served()).socketPath, begun?.session_id);
  await isEnded(program, 0);
  await eventually(() =>
    expect(lines().slice(-2)).toEqual(["output.streaming | Cleans up.", "session.cancelled | Stopped."]),
  );
});

test("run: both outputs and the input are the same bytes, without a daemon", async () => {
  const { child, ended, out, err } = run("process.stdin.pipe(process.stdout); process.stdin.pipe(process.stderr)");
  const sent = Buffer.concat(hostileLines());
  for (let from = 0; from < sent.length; from += 60_001) child.stdin.write(sent.subarray(from, from + 60_001));
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(out().equals(sent)).toBe(true);
  expect(err().equals(sent)).toBe(true);
});

test("run: signals are the program's, and a program that a signal ends ends this one so", async () => {
  const own = run('process.on("SIGTERM", () => process.exit(5)); setInterval(() => {}, 1e6); console.log("ready")');
  await new Promise((resolve) => own.child.stdout.once("data", resolve));
  own.child.kill("SIGTERM");
  expect(await own.ended).toBe(5);
  const killed = run('console.log("ready"); setInterval(() => {}, 1e6)');
  await new Promise((resolve) => killed.child.stdout.once("data", resolve));
  killed.child.kill("SIGINT");
  expect(await killed.ended).toBe("SIGINT");
});

test("run: everything that a program wrote before it ended arrives, also at a slow reader", async () => {
  const { child, ended } = run('process.stdout.write("x".repeat(3_000_000) + "\\n", () => process.exit(0))');
  child.stdout.removeAllListeners("data");
  let count = 0;
  for await (const chunk of child.stdout) {
    count += (chunk as Buffer).length;
    await new Promise(setImmediate);
  }
  expect(count).toBe(3_000_001);
  expect(await ended).toBe(0);
});

test("run: what cannot be started is said", async () => {
  const program = startAdapter(["run", "--", "/nowhere/program"]);
  await isEnded(program, 2);
  expect(program.stderr()).toBe("Error: /nowhere/program cannot be started. There is no such program.\n");
});

test("say: an argument and standard input are heard in sentences, each in one session", async () => {
  const { program, lines } = await started("say", "The backup is done. All is well.");
  await isEnded(program, 0);
  const heardOf = [
    "session.started | A message.",
    "output.streaming | The backup is done.",
    "output.streaming | All is well.",
    "session.completed | Done.",
  ];
  await eventually(() => expect(lines()).toEqual(heardOf));
  const piped = await started("say");
  piped.program.stdin.write("The backup is");
  piped.program.stdin.write(" done. ");
  await eventually(() => expect(piped.lines()).toEqual(heardOf.slice(0, 2)));
  piped.program.stdin.end("All is well.");
  await isEnded(piped.program, 0);
  await eventually(() => expect(piped.lines()).toEqual(heardOf));
  expect(piped.program.stderr()).toBe("");
});

test("say: without a name it is heard as of its folder", async () => {
  const { environment, socketPath } = await served();
  const name = `Say in ${basename(process.cwd())}`;
  const heard = await listenAt(socketPath, { name, answer: () => undefined });
  await isEnded(startAdapter(["say", "All is well."], environment), 0);
  await eventually(() => expect(said(heard, name)).toHaveLength(3));
});

test("say: without a daemon it says so, reads its input all the same, and ends with 0", async () => {
  const program = startAdapter(["say"]);
  const sent = new Promise<void>((resolve) => program.stdin.end("word ".repeat(1_000_000), resolve));
  await sent;
  await isEnded(program, 0);
  expect(program.stderr()).toMatch(
    /^aaepd: Nobody hears this, because no daemon runs\. To start one: aaepd setup, or .*aaepd serve\n$/,
  );
  const empty = startAdapter(["say", " "]);
  await isEnded(empty, 2);
  expect(empty.stderr()).toContain("Give a text");
});
