// `aaepd acp` as a process in place of another one: what it passes on, how it ends, and how fast it reads.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { runCommandLine } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { isStill } from "../../support/patience.js";
import { cleanEnvironment, PROGRAM } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { hostileLines } from "../hostile-lines.js";

ensureBuilt();

/** The agent is a program of one line. */
function acp(script: string, ...options: readonly string[]) {
  return start(...options, "--", process.execPath, "-e", script);
}

/** Likewise, of another language. */
function acpOf(...agent: readonly string[]) {
  return start("--", ...agent);
}

function start(...words: readonly string[]) {
  const argv = [PROGRAM, "acp", ...words];
  const child = spawn(process.execPath, argv, { env: cleanEnvironment(temporaryDirectory()) });
  child.stdin.on("error", () => {});
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  return { child, ended };
}

async function everything(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("both directions are the same bytes, and standard error is the agent's own", async () => {
  const { child, ended } = acp('process.stderr.write("own words"); process.stdin.pipe(process.stdout)');
  const out = everything(child.stdout);
  const err = everything(child.stderr);
  const sent = Buffer.concat(hostileLines());
  for (let from = 0; from < sent.length; from += 60_001) child.stdin.write(sent.subarray(from, from + 60_001));
  child.stdin.end();
  expect((await out).equals(sent)).toBe(true);
  expect((await err).toString()).toBe("own words");
  expect(await ended).toEqual({ code: 0, signal: null });
});

test("an agent that does not read is not written to, and its output passes meanwhile", async () => {
  const { child, ended } = acp('setInterval(() => process.stdout.write("tick\\n"), 20)');
  const block = Buffer.alloc(65_536, `${"a".repeat(1023)}\n`);
  let sent = 0;
  const full = new Promise<void>((resolve) => {
    const fill = (): void => {
      while (sent < 100_000_000) {
        sent += block.length;
        if (!child.stdin.write(block)) return void child.stdin.once("drain", fill);
      }
      resolve();
    };
    fill();
  });
  expect(await isStill(full)).toBe(true);
  expect(sent).toBeLessThan(5_000_000);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGTERM");
  expect(await ended).toEqual({ code: null, signal: "SIGTERM" });
});

test("an editor that does not read is not written to, and its input passes meanwhile", async () => {
  const script = `
    let sent = 0;
    const fill = () => { do { sent += 65536; } while (process.stdout.write(("a".repeat(1023) + "\\n").repeat(64))); process.stdout.once("drain", fill); };
    fill();
    process.stdin.on("data", () => process.stderr.write(sent + "\\n"));`;
  const { child, ended } = acp(script);
  child.stdout.pause();
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const ask = async (): Promise<number> => {
    const before = told.length;
    child.stdin.write("ping\n");
    while (told.length === before) await new Promise((resolve) => child.stderr.once("data", resolve));
    return Number(told.trim().split("\n").at(-1));
  };
  await ask();
  await isStill(new Promise(() => {}));
  const first = await ask();
  await isStill(new Promise(() => {}));
  expect(await ask()).toBe(first);
  expect(first).toBeLessThan(5_000_000);
  child.kill("SIGKILL");
  await ended;
});

test.each([
  ["exit 7", { code: 7, signal: null }],
  ["kill -KILL $$", { code: null, signal: "SIGKILL" }],
  ["kill -TERM $$", { code: null, signal: "SIGTERM" }],
])("it ends as the agent ends: %s", async (script, end) => {
  const { child, ended } = acpOf("sh", "-c", script);
  child.stdout.resume();
  expect(await ended).toEqual(end);
});

test("each signal that may end it is the agent's", async () => {
  const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
  const { child, ended } = acp(`
    for (const name of ${JSON.stringify(signals)}) process.on(name, () => console.log(name));
    process.stdin.on("end", () => process.exit(5)).resume();
    console.log("ready");`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  for (const name of signals) {
    child.kill(name);
    expect((await lines.next()).value).toBe(name);
  }
  child.stdin.end();
  expect(await ended).toEqual({ code: 5, signal: null });
});

test("everything that an agent wrote before it ended arrives, also at a slow editor", async () => {
  const { child, ended } = acp('process.stdout.write("x".repeat(3_000_000) + "\\n", () => process.exit(0))');
  let count = 0;
  for await (const chunk of child.stdout) {
    count += (chunk as Buffer).length;
    await new Promise(setImmediate);
  }
  expect(count).toBe(3_000_001);
  expect((await ended).code).toBe(0);
});

test("a grandchild that keeps the pipe open does not keep the proxy", async () => {
  const { child, ended } = acpOf("sh", "-c", "sleep 60 2>/dev/null </dev/null & echo bye");
  child.stdout.resume();
  const code = new Promise((resolve) => child.once("exit", resolve));
  expect(await code).toBe(0);
  child.stdout.destroy();
  await ended;
});

test("Safety 1: what runs below an agent is told whose it is", async () => {
  const { child } = start("--name", "Claude at work", "--", "printenv", "AAEPD_AGENT");
  expect((await everything(child.stdout)).toString()).toBe("Claude at work\n");
});

test.each([
  [["--", "/nowhere/agent"], 2, "/nowhere/agent cannot be started. There is no such program."],
  [["--name", "Ａａｅｐｄ ", "--", "true"], 2, "--name is"],
  [["--name", "", "--", "true"], 2, "--name is"],
  [[], 2, "agent"],
])("what cannot be done is said, and nothing is written to the editor: %o", async (argv, code, sentence) => {
  const ended = await runCommandLine(["acp", ...argv]);
  expect(ended).toEqual({ code, stdout: "", stderr: expect.stringMatching(/^Error: /) });
  expect(ended.stderr).toContain(sentence);
});
