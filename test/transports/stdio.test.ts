import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { After } from "../../transports/framing/options.js";
import { watchParent } from "../../transports/stdio/watch-parent.js";
import { ensureBuilt } from "../support/built.js";
import { isStill } from "../support/patience.js";

const CHILD = fileURLToPath(new URL("./children/speak-stdio.mjs", import.meta.url));
const PARENT = fileURLToPath(new URL("./children/parent-of-stdio.mjs", import.meta.url));

function start(mode: string) {
  const child = spawn(process.execPath, [CHILD, mode], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, stdout: textOf(child.stdout), stderr: textOf(child.stderr) };
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

function linesOf(text: string): unknown[] {
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  return child.exitCode;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a real child process over stdio", () => {
  beforeAll(ensureBuilt);

  it("every byte of its standard output is a frame, whatever its dependencies print", async () => {
    const { child, stdout, stderr } = start("echo");
    child.stdin.end('{"a":"中"}\n{"b":2}\n');
    expect(await exitOf(child)).toBe(0);
    expect(linesOf(stdout())).toEqual([{ a: "中" }, { b: 2 }, { said: "after the end" }]);
    for (const noise of ["console.log of a dependency", "a write of a dependency", "a warning", "got 11", "noise"]) {
      expect(stderr()).toContain(noise);
    }
  });

  it("an uncaught error stays off standard output too", async () => {
    const { child, stdout, stderr } = start("crash");
    child.stdin.write('{"a":1}\n');
    expect(await exitOf(child)).not.toBe(0);
    expect(linesOf(stdout())).toEqual([{ a: 1 }]);
    expect(stderr()).toContain("an uncaught error");
  });

  it("R8a: after the end of its input it answers on, then ends by itself without spinning", async () => {
    const { child, stdout, stderr } = start("echo");
    child.stdin.end();
    expect(await exitOf(child)).toBe(0);
    expect(linesOf(stdout())).toEqual([{ said: "after the end" }]);
    const [, before, after] = /cpu before the end: ([0-9.]+) ms, after: ([0-9.]+) ms/.exec(stderr()) ?? [];
    // Half of what it took to start: one that spins takes a second and more.
    expect(Number(after)).toBeLessThan(Number(before) / 2);
  });

  it("a reader that goes away in mid-stream ends it in peace", async () => {
    const { child, stderr } = start("echo");
    child.stdout.destroy();
    for (let index = 0; index < 50; index++) child.stdin.write(`{"n":"${"x".repeat(10_000)}"}\n`);
    child.stdin.on("error", () => {});
    child.stdin.end();
    expect(await exitOf(child)).toBe(0);
    expect(stderr()).not.toMatch(/EPIPE|nhandled/);
  });

  it("a parent that never reads holds it up at a bound", async () => {
    const child = spawn(process.execPath, [CHILD, "echo"], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const line = `{"n":"${"x".repeat(100_000)}"}\n`;
    let written = 0;
    let stuck = false;
    while (!stuck && written < 100_000_000) {
      written += line.length;
      if (child.stdin.write(line)) continue;
      stuck = await isStill(once(child.stdin, "drain"));
    }
    expect(stuck).toBe(true);
    expect(written).toBeLessThan(10_000_000);
  });

  it.runIf(process.platform !== "win32")("ends when its parent is killed, even with its input still open", async () => {
    const parent = spawn(process.execPath, [PARENT, CHILD], { stdio: ["pipe", "pipe", "inherit"] });
    const [said] = (await once(parent.stdout, "data")) as [Buffer];
    const { pid } = JSON.parse(String(said)) as { readonly pid: number };
    expect(isRunning(pid)).toBe(true);
    parent.kill("SIGKILL");
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 60_000, interval: 10 });
    parent.stdin.destroy();
  });
});

describe("watchParent", () => {
  function handTimer() {
    const waiting: (() => void)[] = [];
    const intervals: number[] = [];
    const after: After = (milliseconds, run) => {
      intervals.push(milliseconds);
      waiting.push(run);
      return () => void waiting.splice(waiting.indexOf(run), 1);
    };
    return { after, intervals, waiting, tick: () => waiting.shift()?.() };
  }

  it("compares with the parent seen at the start, and tells once", () => {
    const timer = handTimer();
    let parent = 42;
    let told = 0;
    watchParent({ onGone: () => told++, parentId: () => parent, after: timer.after });
    for (let index = 0; index < 3; index++) timer.tick();
    expect(told).toBe(0);
    parent = 1;
    timer.tick();
    timer.tick();
    expect(told).toBe(1);
    expect(new Set(timer.intervals)).toEqual(new Set([1000]));
  });

  it("stops when told to", () => {
    const timer = handTimer();
    const stop = watchParent({ onGone: () => {}, parentId: () => 42, after: timer.after });
    timer.tick();
    stop();
    expect(timer.waiting).toEqual([]);
  });
});
