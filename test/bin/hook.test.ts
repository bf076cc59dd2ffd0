// The small program of the hooks, as a host runs it: it hands a message to the daemon, and whatever goes wrong, it writes nothing and ends with 0.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Audit } from "../../src/contracts/audit.js";
import { CLAUDE_MESSAGES as CLAUDE, CODEX_MESSAGES as CODEX } from "../adapters/hooks/hook-messages.js";
import { ABLE, hookStage } from "../daemon/hooks/hook-stage.js";
import { cleanEnvironment } from "../support/peers/program.js";
import { requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HOOK = fileURLToPath(new URL("../../bin/aaepd-hook.js", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../bin/aaepd.js", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly ended: Promise<Ended>;
  readonly kill: () => void;
}

function run(input: string | Buffer, words: readonly string[], environment: Record<string, string> = {}): Running {
  const directory = temporaryDirectory();
  const child = spawn(process.execPath, words.includes("hook") ? [PROGRAM, ...words] : [HOOK, ...words], {
    env: { ...cleanEnvironment(directory), ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return {
    ended: new Promise((resolve) => child.on("close", (code) => resolve({ code, ...said }))),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Words of a hook that asks, on a machine that may be busy for long. */
const ASKS = ["--answer", "--patience", "60000"];
const NOTHING: Ended = { code: 0, stdout: "", stderr: "" };
const text = (message: object): string => JSON.stringify(message);

describe("with a daemon", () => {
  it("makes a turn heard, and writes nothing", async () => {
    const { rig, listener } = await hookStage({ clock: "real" });
    for (const message of [CLAUDE.UserPromptSubmit, CLAUDE.PreToolUse, CLAUDE.PostToolUse, CLAUDE.Stop])
      expect(await run(text(message), ["claude", "--answer", "--socket", rig.path]).ended).toEqual(NOTHING);
    const told: unknown[] = [];
    while (told.at(-1) !== "aaep:agent.session.completed") told.push((await listener.events.next("an event")).type);
    expect(told).toContain("aaep:agent.tool.invoked");
  });

  it.each([
    ["accept", { behavior: "allow" }],
    ["reject", { behavior: "deny", message: "The person rejected this." }],
  ] as const)("writes a person's %s as the host wants it", async (decision, written) => {
    const { rig, question, reply } = await hookStage({ clock: "real" });
    const words = ["hook", "codex", ...ASKS];
    const running = run(text(CODEX.PermissionRequest), words, { AAEPD_SOCKET: rig.path });
    await reply(await question(), decision);
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: written },
    });
  });

  it("a killed one withdraws its question", async () => {
    const { rig, question, listener } = await hookStage({ clock: "real" });
    const running = run(text(CLAUDE.PermissionRequest), ["claude", ...ASKS, "--socket", rig.path]);
    const { reply_token: token } = await question();
    running.kill();
    await running.ended;
    for (;;) {
      const event = await listener.events.next("the end of the question");
      const own = (event.extensions as { readonly aaepd?: { readonly decision?: string } } | undefined)?.aaepd;
      if (own?.decision === undefined) continue;
      expect([token, own.decision]).toEqual([token, "cancelled"]);
      return;
    }
  });

  it("nobody who can answer: it ends by itself, and so does one without --answer", async () => {
    const { rig } = await hookStage({ clock: "real", isAble: false });
    for (const words of [["claude", "--answer"], ["claude"]])
      expect(await run(text(CLAUDE.PermissionRequest), [...words, "--socket", rig.path]).ended).toEqual(NOTHING);
  });

  it("an output that nobody reads any more", async () => {
    const { rig, question, reply } = await hookStage({ clock: "real" });
    const child = spawn(process.execPath, [HOOK, "claude", ...ASKS, "--socket", rig.path], {
      env: cleanEnvironment(rig.directory),
    });
    child.stdout.destroy();
    child.stdin.end(text(CLAUDE.PermissionRequest));
    const ended = new Promise((resolve) => child.on("close", resolve));
    await reply(await question(), "accept");
    expect(await ended).toBe(0);
  });

  it.runIf(process.platform === "linux").each([
    ["whose conversation it is", []],
    // As a program of the agent may have forged it, to be nobody's child.
    ["also where somebody else began the conversation", [CLAUDE.SessionEnd, CLAUDE.UserPromptSubmit]],
  ] as const)(
    "R5d: no agent says yes to itself: a listener below the host's process cannot answer, %s",
    async (_, forged) => {
      const fates: string[] = [];
      const record: Audit["record"] = (entry, note) => {
        if (entry.kind === "reply") fates.push(entry.fate);
        note?.settled?.();
      };
      const { rig, hook, question, reply } = await hookStage({ clock: "real", auditLog: { isOn: true, record } });
      for (const message of forged) await hook(message, { pid: 1 });
      // This process is the host, and has a listener at a socket. The person's own one is elsewhere.
      const below = await rig.plain();
      await below.subscribe(requestOf(ABLE, { subscriber_id: "below" }));
      const running = run(text(CLAUDE.PermissionRequest), ["claude", ...ASKS, "--socket", rig.path]);
      const asked = await question();
      const { reply_token, timestamp } = asked;
      await below.reply({ type: "confirmation.reply", reply_token, decision: "accept", timestamp });
      // Its next answer comes behind the reply.
      await below.listPending();
      expect(fates).toEqual(["not_entitled"]);
      await reply(asked, "reject");
      expect((await running.ended).stdout).toContain('"deny"');
      expect(fates).toEqual(["not_entitled", "counted"]);
      await hook(CLAUDE.Stop);
    },
  );
});

describe("every fault: exit code 0, and nothing written", () => {
  const path = (): string => join(temporaryDirectory(), "none.sock");

  it("no daemon, none wanted, and no host", async () => {
    const message = text(CLAUDE.PermissionRequest);
    expect(await run(message, ["claude", "--answer"]).ended).toEqual(NOTHING);
    expect(await run(message, ["claude", "--answer", "--socket", path()]).ended).toEqual(NOTHING);
    expect(await run(message, ["claude", "--answer"], { AAEPD_SOCKET: "off" }).ended).toEqual(NOTHING);
    const rig = await startRig();
    expect(await run(message, ["gemini", "--socket", rig.path]).ended).toEqual(NOTHING);
    expect(await run(message, []).ended).toEqual(NOTHING);
  });

  it("an input that is broken, empty, no text, no object, or 10 MB long", async () => {
    const { rig, listener } = await hookStage({ clock: "real" });
    const long = text({ ...CLAUDE.PreToolUse, tool_input: { command: "x".repeat(10_000_000) } });
    for (const input of ['{"a":', "", Buffer.from([0xff, 0xfe, 0x7b]), "[]", "null", long, "x".repeat(17_000_000)])
      expect(await run(input, ["claude", "--answer", "--socket", rig.path]).ended).toEqual(NOTHING);
    expect(listener.events.rest()).toEqual([]);
  });

  it("a result of 10 MB costs the call its end no more than a short one", async () => {
    const { rig, hook, listener } = await hookStage({ clock: "real" });
    await hook(CLAUDE.PreToolUse);
    const long = text({ ...CLAUDE.PostToolUse, tool_response: "x".repeat(10_000_000) });
    expect(await run(long, ["claude", "--socket", rig.path]).ended).toEqual(NOTHING);
    for (;;) if ((await listener.events.next("the end")).type === "aaep:agent.tool.completed") return;
  });

  it("a daemon that takes nothing, answers nonsense, or hangs up", async () => {
    for (const answer of [undefined, "nonsense\n", ""]) {
      const socketPath = join(temporaryDirectory(), "a.sock");
      const server = createServer((socket) => {
        socket.on("error", () => {});
        if (answer === "") socket.destroy();
        else if (answer !== undefined) socket.write(answer);
      });
      await new Promise<void>((resolve) => server.listen(socketPath, resolve));
      onTestFinished(() => void server.close());
      chmodSync(socketPath, 0o600);
      for (const message of [CLAUDE.PermissionRequest, CLAUDE.PreToolUse])
        expect(await run(text(message), ["claude", "--answer", "--socket", socketPath]).ended).toEqual(NOTHING);
    }
  });

  it("a folder or a socket in which somebody else could answer: nothing is said there", async () => {
    const heard: string[] = [];
    const open = temporaryDirectory();
    const real = join(open, "a.sock");
    const server = createServer((socket) => socket.on("data", (bytes) => heard.push(String(bytes))));
    await new Promise<void>((resolve) => server.listen(real, resolve));
    onTestFinished(() => void server.close());
    const say = (socket: string) =>
      run(text(CLAUDE.PermissionRequest), ["claude", "--answer", "--socket", socket]).ended;
    const link = join(temporaryDirectory(), "link.sock");
    symlinkSync(real, link);
    const file = join(temporaryDirectory(), "file.sock");
    writeFileSync(file, "");
    for (const socket of [link, file]) expect(await say(socket)).toEqual(NOTHING);
    chmodSync(open, 0o777);
    expect(await say(real)).toEqual(NOTHING);
    chmodSync(open, 0o755);
    chmodSync(real, 0o666);
    expect(await say(real)).toEqual(NOTHING);
    // The usual folder is this user's alone.
    mkdirSync(join(open, "aaep"));
    symlinkSync(real, join(open, "aaep", "aaepd.sock"));
    expect(await run(text(CLAUDE.PermissionRequest), ["claude"], { XDG_RUNTIME_DIR: open }).ended).toEqual(NOTHING);
    expect(heard).toEqual([]);
    chmodSync(real, 0o600);
    await say(real);
    expect(heard.join("")).toContain("aaepd.hook");
  });
});
