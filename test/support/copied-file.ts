// The one file of a language that is meant to be copied, in a stranger's project that has nothing else of this one.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isCore, type ReceivedEvent } from "../../src/client/events.js";
import { subscribe } from "../../src/client/listener/subscribe.js";
import { ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import type { DaemonStatus } from "../../src/daemon/status/daemon-status.js";
import { eventually, serve, serveProcess } from "../cli/command-stage.js";
import { ensureBuilt } from "./built.js";
import { type StartStranger, testFalseDaemons } from "./copied-file-daemons.js";
import { itInFull } from "./extent.js";
import { type Command, type Example, shows, startExample } from "./languages.js";
import { temporaryDirectory } from "./temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface StrangerProject {
  readonly language: string;
  /** Paths in the stranger's project, and those of the originals from the root of this one. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands in the folder of the project. */
  readonly build: readonly Command[];
  readonly command: Command;
  /** What other users run. Default: the same. */
  readonly commandOfOthers?: Command;
  /** The sessions of the stranger's "work", and how each ends. */
  readonly sessions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly prints: readonly string[];
  /** Whether the file takes questions back from a daemon that stays away, or has lost the session. */
  readonly takesBack?: true;
  /** What the stranger's "err" is told, beside the mistakes that are the same in all languages. */
  readonly mistakes: readonly RegExp[];
}

/** How the stranger's sessions end in every language. */
export const STRANGERS_SESSIONS: StrangerProject["sessions"] = {
  "Works.": { type: "aaep:agent.session.completed", summary_normal: "Worked." },
  "Fails.": { type: "aaep:agent.session.errored", summary_normal: "The shelf is empty." },
  "Is cancelled.": { type: "aaep:agent.session.cancelled", cancelled_by: "user" },
};

const MISTAKES = [/progress\.updated, \w+, \/progress\/percent/, /must be .* 1 .*timeout_seconds/];

/** Most memory of a program whose daemon takes nothing, in kB. Without a bound of the queue, the program in Go takes 450,000. */
const MOST_MEMORY = 250_000;

const TEXT = "👩‍👩‍👧".repeat(2000);

const GRACE = ["--confirmation-grace-seconds", "60"];

/** A daemon as a process, to be killed or stopped. */
async function serveMortal(directory = temporaryDirectory()) {
  const { child, socketPath, stop, kill } = await serveProcess(directory, ...GRACE);
  /** Resolves when a kill loses nothing that was heard. What stands in a file is not committed yet: only the daemon knows. */
  const keeps = async () => {
    const connection = await ipcRpcConnector(socketPath)({ request: () => ({}), notification: () => {} });
    await eventually(async () => {
      const { journal } = (await connection.request("aaepd.status", {})) as DaemonStatus;
      expect(journal.pending_events).toBe(0);
    });
    await connection.close();
  };
  const forget = () => rmSync(join(directory, ".local", "state", "aaepd", "journal"), { recursive: true });
  return { child, socket: socketPath, stop, kill, keeps, forget, again: () => serve(directory, ...GRACE) };
}

/** What a listener hears, from the beginning. `accept` answers the newest question. */
async function listen(socket: string) {
  const heard: ReceivedEvent[] = [];
  const subscription = subscribe(ipcConnector(socket), { supports_confirmation_reply: true });
  onTestFinished(() => subscription.close());
  void (async () => {
    for await (const event of subscription) heard.push(event);
  })();
  await eventually(() => expect(subscription.sources()[0]?.state()?.kind).toBe("active"));
  // Again and again: a reply can be lost with the connection.
  const accept = (agent: Example) =>
    eventually(() => {
      const token = ofType(heard, "awaiting.confirmation").at(-1)?.reply_token;
      subscription.reply({ reply_token: String(token), decision: "accept" });
      expect(agent.stdout()).toContain("called\n");
    });
  return { heard, accept };
}

function ofType(events: readonly ReceivedEvent[], type: string): readonly Readonly<Record<string, unknown>>[] {
  return events.filter((event) => event.type === `aaep:agent.${type}`);
}

/** The tests of a file to copy. `prepare` makes what the build takes from elsewhere. */
export function testCopiedFile(project: StrangerProject, prepare: () => Promise<void> = async () => {}): void {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-stranger-"));
  const startWith: StartStranger = (environment, ...work) =>
    startExample(folder, ["env", ...environment, ...project.command], ...work);
  const start = (socket: string, ...work: readonly string[]): Example => startWith([`AAEPD_SOCKET=${socket}`], ...work);

  beforeAll(async () => {
    ensureBuilt();
    await prepare();
    chmodSync(folder, 0o755); // for other users
    for (const [path, original] of Object.entries(project.files)) cpSync(join(ROOT, original), join(folder, path));
    for (const [program, ...argv] of project.build) {
      const { status, stderr } = spawnSync(program, argv, { cwd: folder, encoding: "utf8" });
      expect(status, stderr).toBe(0);
    }
  }, 1_200_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  testFalseDaemons(project.language, startWith, (environment, ...work) =>
    startExample(folder, ["env", ...environment, ...(project.commandOfOthers ?? project.command)], ...work),
  );

  describe(`the file to copy in ${project.language}`, () => {
    it("AAEP §4.1, §4.3: tells tools that run at once, failures, cancellation and the whole text", async () => {
      const { socketPath: socket } = await serve(temporaryDirectory(), ...GRACE);
      const { heard } = await listen(socket);
      const { code, out, err } = await start(socket, "work").ended;
      expect([code, out.trim().split("\n").sort(), err]).toEqual([0, [...project.prints].sort(), ""]);
      await eventually(() => expect(heard.filter(isEnd)).toHaveLength(Object.keys(project.sessions).length));
      expect(heard.filter((event) => !isCore(event))).toEqual([]);
      // What is critical may overtake the rest (R4).
      const starts = ofType(heard, "session.started");
      expect(starts.map(({ summary_normal }) => summary_normal).sort()).toEqual(Object.keys(project.sessions).sort());
      for (const { session_id, summary_normal } of starts) {
        const end = heard.filter((event) => event.session_id === session_id && isEnd(event));
        expect(end).toEqual([expect.objectContaining(project.sessions[String(summary_normal)])]);
      }
      const tools = heard.filter(({ type }) => type.startsWith("aaep:agent.tool.")).map(({ type }) => type);
      expect(tools).toEqual([
        ...Array(2).fill("aaep:agent.tool.invoked"),
        ...Array(2).fill("aaep:agent.tool.completed"),
      ]);
      expect(ofType(heard, "tool.completed")).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ tool: "count", status: "success" }),
          expect.objectContaining({ tool: "look", status: "error", error_message: "The shelf is empty." }),
        ]),
      );
      expect(ofType(heard, "progress.updated")).toHaveLength(1);
      expect(textOf(heard)).toBe(TEXT);
    });

    it("R8: comes back to a daemon that was killed while a person is asked", async () => {
      const daemon = await serveMortal();
      const { socket } = daemon;
      const { heard, accept } = await listen(socket);
      const agent = start(socket, "ask");
      await eventually(() => expect(ofType(heard, "awaiting.confirmation")).toHaveLength(1));
      await daemon.keeps();
      await daemon.kill();
      await daemon.again();
      await accept(agent);
      agent.child.stdin.write("\n");
      const { code, out, err } = await agent.ended;
      expect([code, out]).toEqual([0, "called\n"]);
      expect(err).toMatch(project.takesBack === true ? /^$/ : /^(?:.*the agent is silent until.*\n)?$/);
      await eventually(() => expect(heard.filter(isEnd)).toHaveLength(1));
      expect(heard.filter(isEnd)).toEqual([
        expect.objectContaining({ type: "aaep:agent.session.completed", summary_normal: "Ended." }),
      ]);
      expect(textOf(heard)).toBe("Before. After.");
    });

    if (project.takesBack === true) {
      itInFull("R5: takes the question back from a daemon that stays away", async () => {
        const daemon = await serveMortal();
        const { socket } = daemon;
        const { heard } = await listen(socket);
        const impatient = start(socket, "ask", "impatiently");
        await eventually(() => expect(ofType(heard, "awaiting.confirmation")).toHaveLength(1));
        await daemon.keeps();
        await daemon.kill();
        await shows(impatient, impatient.stdout, "cancelled\n");
        await daemon.again();
        await eventually(() => expect(ofType(heard, "state.changed").at(-1)?.summary_normal).toMatch(/^Withdrawn/));
        impatient.child.stdin.write("\n");
        const { code, err } = await impatient.ended;
        expect(code).toBe(0);
        expect(err).toMatch(/^.*the agent is silent until there is one.*\n$/);
        await eventually(() => expect(heard.filter(isEnd)).toHaveLength(1));
        expect(ofType(heard, "tool.invoked")).toEqual([]);
        expect(heard.filter(isEnd)).toEqual([
          expect.objectContaining({ type: "aaep:agent.session.completed", summary_normal: "Ended." }),
        ]);
        expect(textOf(heard)).toBe("Before. After.");
      });

      itInFull("R3: takes the question back from a daemon that has lost its session", async () => {
        const daemon = await serveMortal();
        const { socket } = daemon;
        const { heard } = await listen(socket);
        const lost = start(socket, "ask");
        await eventually(() => expect(ofType(heard, "awaiting.confirmation")).toHaveLength(1));
        await daemon.keeps();
        await daemon.stop(); // after its answers to the agent
        daemon.forget();
        await daemon.again();
        await shows(lost, lost.stdout, "cancelled\n");
        lost.child.stdin.write("\n");
        expect(await lost.ended).toMatchObject({
          code: 0,
          err: expect.stringMatching(/^.*daemon has lost a session.*\n$/),
        });
      });
    }

    it("R3: ends each tool whatever its function returns, and tells an author's mistake as one, before a person is asked", async () => {
      const { socketPath: socket } = await serve(temporaryDirectory(), ...GRACE);
      const { heard, accept } = await listen(socket);
      const agent = start(socket, "err");
      await eventually(() => expect(ofType(heard, "awaiting.confirmation")).toHaveLength(1));
      await accept(agent);
      const { code, out, err } = await agent.ended;
      expect([code, out]).toEqual([0, "1\n2\n3\nerror\ncalled\n"]);
      await eventually(() => expect(heard.filter(isEnd)).toHaveLength(1));
      expect(heard.filter(isEnd)).toEqual([expect.objectContaining({ type: "aaep:agent.session.completed" })]);
      expect(ofType(heard, "tool.completed").map(({ tool, status }) => [tool, status])).toEqual([
        ["a_tool.3", "success"],
        ["_9", "success"],
        ["three", "success"],
        ["delete.all", "success"],
      ]);
      expect(textOf(heard)).toBe("caf👩");
      const { action, consequence } = ofType(heard, "awaiting.confirmation")[0] ?? {};
      expect([String(action).length, consequence]).toEqual([5000, "It cannot be undone."]); // whole
      for (const told of [...MISTAKES, ...project.mistakes]) expect(err).toMatch(told);
    });

    itInFull("never waits for a daemon that takes nothing, stays small, and tells it", async () => {
      const { child, socket } = await serveMortal();
      const agent = start(socket, "flood");
      await shows(agent, agent.stdout, "ready");
      child.kill("SIGSTOP");
      agent.child.stdin.write("\n");
      await shows(agent, agent.stdout, "written");
      const memory = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${agent.child.pid}/status`, "utf8"))?.[1];
      expect(Number(memory)).toBeLessThan(MOST_MEMORY);
      agent.child.stdin.write("\n");
      const { code, err } = await agent.ended;
      expect(code).toBe(0);
      expect(err).toMatch(
        project.takesBack === true
          ? /^.*the daemon takes nothing: what follows is dropped.*\n.*has not taken the last \d+ calls.*\n$/i
          : /^.*the daemon takes nothing: what follows is dropped.*\n(?:.*has not taken the last \d+ calls.*\n)?$/i,
      );
      child.kill("SIGCONT");
    });
  });
}

function textOf(heard: readonly ReceivedEvent[]): string {
  return heard
    .map((event) => (isCore(event) && event.type === "aaep:agent.output.streaming" ? event.chunk : ""))
    .join("");
}

function isEnd({ type }: ReceivedEvent): boolean {
  return /^aaep:agent\.session\.(?:completed|errored|cancelled)$/.test(type);
}
