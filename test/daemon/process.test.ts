// What the process does on its own, seen from outside: rows S1 to S10 of its habits as a child.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { startCommandLine } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { isWhole, itInFull } from "../support/extent.js";
import { isAlive } from "../support/is-alive.js";
import { fixture, PROGRAM, type Program, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

/**
 * For what happens sooner or later. That the daemon ends within two seconds is its own doing (R8a): where it would not, it ends itself, with
 * another exit code and a line in its log that says so. So these are what is looked at, and not the time.
 */
const LONG = { timeout: 60_000, interval: 10 };
const CUT_SHORT = "exiting before everything was in order";

function request(id: number, method: string, params?: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) })}\n`;
}

function messages(program: Pick<Program, "stdout">): readonly Record<string, unknown>[] {
  return program
    .stdout()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Which of them the life of a daemon listens to is known; one shows that the process does. */
const SIGNALS = isWhole ? (["SIGTERM", "SIGINT", "SIGHUP"] as const) : (["SIGHUP"] as const);

describe("a daemon over stdio", () => {
  it("writes nothing but the protocol to standard output, whatever a dependency prints, and needs no reader of its standard error", async () => {
    const program = startProgram(["stdio"], {
      nodeOptions: ["--import", fixture("noisy-dependency.mjs")],
      environment: { NOISE_WORDS: "1000" },
      readsStderr: false,
    });
    for (let id = 1; id <= 50; id++) {
      program.child.stdin.write(request(id, "aaep.ping"));
      await program.stdoutLines(id);
    }
    program.child.stdin.end();
    expect((await program.ended).code).toBe(0);
    expect(messages(program).map(({ jsonrpc, id }) => [jsonrpc, id])).toStrictEqual(
      Array.from({ length: 50 }, (_, index) => ["2.0", index + 1]),
    );
  });

  it("whatever is written to process.stdout reaches standard error, in every way and by kept references too", async () => {
    const program = startProgram(["stdio"], { nodeOptions: ["--import", fixture("noise-in-every-way.mjs")] });
    await vi.waitFor(() => expect(program.stderr()).toContain("all said\n"), LONG);
    const [ways = "[]"] = program.stderr().split("\n");
    // After all that, the protocol's own end still works, and so does its closing.
    program.child.stdin.end(request(1, "aaep.ping"));
    expect((await program.ended).code).toBe(0);
    expect(messages(program).map(({ jsonrpc, id }) => [jsonrpc, id])).toStrictEqual([["2.0", 1]]);
    expect(JSON.parse(ways).length).toBeGreaterThan(15);
    const said = program.stderr().split("\n").slice(1).join("\n");
    expect(JSON.parse(ways).filter((way: string) => !said.includes(`[${way}]`))).toStrictEqual([]);
    expect(said).not.toContain("failed: ");
  });

  itInFull("also where standard output is a file", () => {
    const out = join(temporaryDirectory(), "out");
    const file = openSync(out, "w");
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", fixture("noise-in-every-way.mjs"), PROGRAM, "stdio", "--socket", "off"],
      { input: request(1, "aaep.ping").repeat(500), stdio: ["pipe", file, "pipe"], encoding: "utf8" },
    );
    closeSync(file);
    expect(status).toBe(0);
    const lines = readFileSync(out, "utf8").split("\n").slice(0, -1);
    expect(lines).toHaveLength(500);
    for (const line of lines) expect(JSON.parse(line).jsonrpc).toBe("2.0");
    expect(stderr).not.toContain("failed: ");
  });

  it.each(["NOISE_THROWS_AT", "NOISE_REJECTS_AT"])(
    "also where a dependency fails (%s), which is logged and has an exit code of its own",
    async (how) => {
      const directory = temporaryDirectory();
      const program = startProgram(["stdio"], {
        nodeOptions: ["--import", fixture("noisy-dependency.mjs")],
        environment: { XDG_RUNTIME_DIR: directory, [how]: "100" },
      });
      program.child.stdin.write(request(1, "aaep.ping"));
      expect((await program.ended).code).toBe(70);
      for (const message of messages(program)) expect(message.jsonrpc).toBe("2.0");
      const logged =
        program
          .stderr()
          .split("\n")
          .find((line) => line.includes('"reason":"internal_error"')) ?? "";
      expect(logged).toContain("by a dependency");
      expect(readdirSync(join(directory, "aaep"))).toStrictEqual([]);
    },
  );

  it("ends within two seconds of the end of its input, at hardly any cost, though timers are left", async () => {
    const directory = temporaryDirectory();
    const program = startProgram(["stdio"], {
      nodeOptions: ["--import", fixture("stdin-end-cost.mjs")],
      environment: { XDG_RUNTIME_DIR: directory },
    });
    program.child.stdin.write(request(1, "aaep.manifest"));
    await program.stdoutLines(1);
    program.child.stdin.end();
    expect(await program.ended).toStrictEqual({ code: 0, signal: null });
    const line =
      program
        .stderr()
        .split("\n")
        .find((candidate) => candidate.includes('"cost"')) ?? "{}";
    const { beforeMs, afterMs } = JSON.parse(line).cost;
    // Half of what it took to start and to answer: one that waits in a loop takes a second and more.
    expect(afterMs).toBeLessThan(beforeMs / 2);
    expect(program.stderr()).not.toContain(CUT_SHORT);
    expect(program.stderr()).toContain('"reason":"stdin_ended"');
    expect(readdirSync(join(directory, "aaep"))).toStrictEqual([]);
  });

  it("R8a: a question that is open at the end of its input is withdrawn, and its call hears so", async () => {
    const program = startCommandLine(["stdio", "--socket", "off", "--confirmation-grace-seconds", "3600"]);
    const common = { session_id: "sess_1", producer: { agent_id: "tester" } };
    const started = { ...common, type: "aaep:agent.session.started", summary_normal: "Begins." };
    program.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "aaep.publish", params: [started] }));
    program.stdin.write("\n");
    program.stdin.write(request(2, "aaep.confirm", { ...common, action: "Pay.", consequence: "Money leaves." }));
    program.stdin.end(request(3, "aaep.ping"));
    expect((await program.ended).code).toBe(0);
    expect(messages(program).map(({ id }) => id)).toStrictEqual([1, 3, 2]);
    expect(messages(program).at(-1)).toMatchObject({ result: { resolved_by: "cancelled" } });
  });

  it.each(
    isWhole
      ? (["its end of the pipe", "somebody else, with a pipe of a name"] as const)
      : (["its end of the pipe"] as const),
  )("leaves no process and no socket when its parent is killed; its standard input is kept by %s", async (kept) => {
    const [directory, other] = [temporaryDirectory(), temporaryDirectory()];
    const [log, fifo] = [join(other, "log"), join(other, "fifo")];
    const isPipe = kept === "its end of the pipe";
    if (!isPipe) spawnSync("mkfifo", ["-m", "600", fifo]);
    const parent = startProgram([isPipe ? "pipe" : fifo, log, PROGRAM, "stdio"], {
      entry: fixture("parent.mjs"),
      environment: { XDG_RUNTIME_DIR: directory },
    });
    const [line = ""] = await parent.stdoutLines(1);
    const { pid } = JSON.parse(line);
    await vi.waitFor(() => expect(existsSync(join(directory, "aaep", "aaepd.manifest.json"))).toBe(true), LONG);
    parent.child.kill("SIGKILL");
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), LONG);
    const reason = isPipe ? '"reason":"stdin_ended","exitCode":0' : '"reason":"parent_gone","exitCode":80';
    expect(readFileSync(log, "utf8")).toContain(reason);
    expect(readFileSync(log, "utf8")).not.toContain(CUT_SHORT);
    expect(readdirSync(join(directory, "aaep"))).toStrictEqual([]);
  });

  it("ends in order when nobody reads its standard output any more", async () => {
    const program = startProgram(["stdio"]);
    program.child.stdin.write(request(1, "aaep.ping"));
    await program.stdoutLines(1);
    program.child.stdout.destroy();
    program.child.stdin.write(request(2, "aaep.ping"));
    program.child.stdin.write(request(3, "aaep.ping"));
    expect((await program.ended).code).toBe(0);
    expect(program.stderr()).not.toContain("internal_error");
  });

  itInFull("R8a: ends in time, and in order, though its parent does not read what it is owed", async () => {
    const program = startProgram(["stdio"]);
    program.child.stdout.pause();
    const ids = Array.from({ length: 700 }, (_, index) => index + 1);
    program.child.stdin.end(ids.map((id) => request(id, "aaep.manifest")).join(""));
    const code = await new Promise((resolve) => program.child.on("exit", resolve));
    expect(code).toBe(0);
    expect(program.stderr()).not.toContain(CUT_SHORT);
  });

  it.each(SIGNALS)("%s is always heard", async (signal) => {
    const directory = temporaryDirectory();
    const program = startProgram(["stdio"], { environment: { XDG_RUNTIME_DIR: directory } });
    program.child.stdin.write(request(1, "aaep.ping"));
    await program.stdoutLines(1);
    program.child.kill(signal);
    expect((await program.ended).code).toBe(0);
    expect(program.stderr()).toContain(`"signal":"${signal}"`);
    expect(readdirSync(join(directory, "aaep"))).toStrictEqual([]);
  });

  it("leaves standard input alone where it cannot start, and ends", async () => {
    const directory = temporaryDirectory();
    const program = startCommandLine(["stdio", "--socket", join(directory, `${"x".repeat(120)}.sock`)]);
    expect((await program.ended).code).toBe(73);
    expect(program.stderr()).toMatch(/^Error: .*Take a shorter one/m);
    expect(program.stdout()).toBe("");
  });
});

describe("log lines", () => {
  it("10 MB of them do not stop a process whose standard error is never read", async () => {
    const program = startProgram([], { entry: fixture("log-flood.mjs"), readsStderr: false });
    const [line = "{}"] = await program.stdoutLines(1);
    const { dropped, waitingBytes } = JSON.parse(line);
    expect((await program.ended).code).toBe(0);
    expect(dropped).toBeGreaterThan(9000);
    expect(waitingBytes).toBeLessThan(65_536 + 2048);
  });
});
