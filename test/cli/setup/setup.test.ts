// `aaepd setup`: from nothing to the first answered question, and back, each file as it was.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { registerHook } from "../../../src/cli/hooks/hook.js";
import { askStatus } from "../../../src/cli/status/ask-status.js";
import { openAgent } from "../../../src/client/node.js";
import { isProcess } from "../../../transports/ipc/claim.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { type OnTerminal, startOnTerminal } from "../../support/peers/on-terminal.js";
import { createStage, eventually, run, serve, serveProcess } from "../command-stage.js";
import { type SetupHome, setupHome, withManager } from "./setup-home.js";

beforeAll(ensureBuilt, 120_000);

const SETTINGS =
  '{\n\t"model": "opus",\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n';

/** The second differs by names of programs and files alone. */
const WAYS = [
  ["systemd", "systemctl", [".config/systemd/user/aaepd.socket", ".config/systemd/user/aaepd.service"]],
  ["launchd", "launchctl", ["Library/LaunchAgents/aaepd.plist"]],
] as const;

/** Whether an answer was sent, or refused so many times with these words. */
const hasTaken = (shown: string, refused: string, times: number): boolean =>
  shown.includes("Sent: ") || shown.split(refused).length > times;

/** Types an answer until it is sent: the first second of a question counts for nothing. */
async function answer(terminal: OnTerminal, word: string): Promise<void> {
  await terminal.until("Type yes or no");
  for (let tries = 1; !terminal.shown().includes("Sent: "); tries++) {
    terminal.type(`${word}\n`);
    const isTaken = () => hasTaken(terminal.shown(), "only just been asked", tries);
    await vi.waitUntil(isTaken, { timeout: 60_000, interval: 10 });
  }
}

/** One turn of the unchanged agent, and what it says at the end. */
async function turnOf({ home, environment }: SetupHome): Promise<string> {
  const child = spawn(join(home, "bin", "claude"), ["Mend the build"], {
    env: environment,
    cwd: join(home, "shop"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await new Promise((resolve) => child.on("close", resolve));
  return said.trim();
}

describe.runIf(process.platform === "linux")("aaepd setup on a terminal", () => {
  it("asks once, then asks the test question; an unchanged agent is answered; undo leaves each file as it was", async () => {
    const user = setupHome(["claude", "opencode"]);
    const { home, environment, read } = user;
    chmodSync(user.write(SETTINGS, ".claude", "settings.json"), 0o640);
    mkdirSync(join(home, ".codex"));
    const before = user.files();

    const setup = startOnTerminal(["setup"], { environment, columns: 1000 });
    await setup.until("Do this? (yes or no; y or n does too)");
    expect(user.files()).toEqual(before);
    setup.type("y\n");
    await answer(setup, "yes");
    expect(await setup.ended).toBe(0);
    const shown = setup.shown();
    expect(shown).toContain("Found: Claude Code, Codex, opencode acp\n");
    for (const path of [
      ".claude/settings.json",
      ".codex/hooks.json",
      ".local/share/aaepd/hook",
      ".local/state/aaepd/setup/serve.log",
    ])
      expect(shown).toContain(join(home, path));
    expect(shown).toContain(`Change ${join(home, ".claude/settings.json")}`);
    expect(shown).toContain(`New file: ${join(home, ".codex/hooks.json")}`);
    expect(shown).toMatch(/kept for 7 days, at most 512 MiB, in .*\/aaepd\/journal\/aaepd\. Only you can read it\.\n/);
    expect(shown).toContain("  in place of opencode acp write: aaepd acp -- opencode acp\n");
    expect(shown).toContain("type /hooks in Codex");
    expect(shown).toContain("Question 1 of Setup: This is a test. Do you hear it?\n");
    expect(shown).toContain("You have answered yes, and the answer has arrived. Hearing and answering work.\n");
    // Of the session that asks it.
    expect(shown).not.toContain("Asks a test question");
    expect(shown).not.toContain("\u001b");
    expect(statSync(join(home, ".local/state/aaepd/setup/serve.log")).mode & 0o777).toBe(0o600);

    const tail = startOnTerminal(["tail", "--interactive"], { environment });
    await tail.until("Connected: ");
    const turn = turnOf(user);
    await answer(tail, "yes");
    expect(await turn).toBe("Permission: allow");
    expect(tail.shown()).toContain("Claude in shop");

    const pid = user.daemonPid();
    const undone = await user.setUp({ undo: true });
    expect([undone.err(), undone.exitCode()]).toEqual(["", 0]);
    expect(undone.out()).toContain(`The daemon, process ${pid}, has stopped.\n`);
    expect(isProcess(pid ?? 0)).toBe(false);
    expect(user.files()).toEqual(before);
    expect(read(".claude", "settings.json")).toBe(SETTINGS);
    expect((await user.setUp({ undo: true })).out()).toMatch(/^There is nothing to undo/);
  });

  it.each([
    ["a no", "no\n", 1],
    ["an interrupt", "\u0003", 130],
  ])("changes nothing after %s", async (_, typed, code) => {
    const user = setupHome();
    const before = user.files();
    const setup = startOnTerminal(["setup"], { environment: user.environment });
    await setup.until("(yes or no; y or n does too)");
    setup.type(typed);
    expect(await setup.ended).toBe(code);
    expect(setup.shown()).toContain("Nothing was changed.\n");
    expect(user.files()).toEqual(before);
  });

  it("an interrupt of the test says what is done and what is not", async () => {
    const setup = startOnTerminal(["setup"], { environment: setupHome().environment });
    await setup.until("(yes or no; y or n does too)");
    setup.type("y\n");
    await setup.until("This is a test.");
    setup.type("\u0003");
    expect(await setup.ended).toBe(130);
    expect(setup.shown()).toMatch(/Setup is done, and the test is not\. .*aaepd setup --undo\n$/);
  });
});

describe.runIf(process.platform !== "win32")("aaepd setup with a service manager", () => {
  it.each(WAYS.slice(0, isWhole ? 2 : 1))(
    "%s: the daemon is a service; a second run changes nothing; undo takes it out",
    async (manager, program, paths) => {
      const user = setupHome();
      const { calls } = withManager(user, program);
      const before = user.files();
      const first = await user.setUp({ yes: true }, { manager });
      expect([first.err(), first.exitCode()]).toEqual(["", 0]);
      for (const path of paths) expect(first.out()).toContain(join(user.home, path));
      expect(first.out()).toContain("The daemon runs, as the service aaepd.\n");
      expect(calls()).toMatch(
        manager === "systemd"
          ? /--user daemon-reload\n--user enable --now aaepd\.socket aaepd\.service\n$/
          : /bootstrap gui\/\d+ \S+aaepd\.plist\n$/,
      );
      const made = user.files();
      const second = await user.setUp({ yes: true }, { manager });
      expect(second.out()).toContain("Everything is in place, and nothing is changed.\n");
      expect([second.exitCode(), user.files()]).toEqual([0, made]);
      const undone = await user.setUp({ undo: true }, { manager });
      expect([undone.err(), undone.exitCode()]).toEqual(["", 0]);
      expect(calls()).toContain(manager === "systemd" ? "disable --now" : "bootout");
      expect(user.files()).toEqual(before);
    },
  );

  it.runIf(process.platform === "linux")("speaks from now on, where a person wants that; undo ends it", async () => {
    const user = setupHome();
    const { calls } = withManager(user, "systemctl");
    symlinkSync("/bin/true", join(user.home, "bin", "speech-dispatcher"));
    const before = user.files();
    const environment = { ...user.environment, XDG_CONFIG_HOME: join(user.home, ".config") };
    const setup = startOnTerminal(["setup"], { environment, columns: 1000 });
    await setup.until("Do this? (yes or no; y or n does too)");
    setup.type("y\n");
    await setup.until("Shall aaepd speak what agents do and ask, now and at each login?");
    setup.type("y\n");
    await answer(setup, "yes");
    expect(await setup.ended).toBe(0);
    expect(user.read(".config/systemd/user/aaepd.speak.service")).toContain("speak\n");
    expect(setup.shown()).toContain("aaepd speaks now. To silence it: aaepd hush\n");
    expect(calls()).toMatch(/--user daemon-reload\n--user enable --now aaepd\.speak\.service\n$/);
    const undone = await user.setUp({ undo: true }, { manager: "systemd" });
    expect([undone.err(), undone.exitCode()]).toEqual(["", 0]);
    expect(calls()).toContain("--user disable --now aaepd.speak.service\n");
    expect(undone.out()).toContain("aaepd speaks no more.\n");
    expect(user.files()).toEqual(before);
  });

  it("one that refuses: the daemon runs in the background, and nothing of the service is left", async () => {
    const user = setupHome();
    withManager(user, "systemctl", { refuses: true });
    const before = user.files();
    const stage = await user.setUp({ yes: true }, { manager: "systemd" });
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
    expect(stage.out()).toContain(
      "The service does not start: Access denied. The daemon is started in the background instead.\n",
    );
    expect(stage.out()).toContain(`The daemon runs in the background, as process ${user.daemonPid()}.`);
    expect(user.read(".config", "systemd", "user", "aaepd.service")).toBeUndefined();
    expect((await user.setUp({ undo: true })).exitCode()).toBe(0);
    expect(Object.keys(user.files())).toEqual(Object.keys(before));
  });
});

describe("aaepd setup", () => {
  it("without a terminal and without --yes it changes nothing, and says so", async () => {
    const user = setupHome([]);
    const before = user.files();
    const stage = await user.setUp({});
    expect([stage.err(), stage.exitCode()]).toEqual(["", 2]);
    expect(stage.out()).toMatch(/^No agent was found that aaepd knows/);
    expect(stage.out()).toContain(
      "Nothing was changed, because nobody can be asked here. To do this: aaepd setup --yes\n",
    );
    expect(user.files()).toEqual(before);
  });

  it("tells what fails, and does the rest", async () => {
    const user = setupHome(["claude", "codex"]);
    user.write('{ "hooks": ', ".claude", "settings.json");
    // In the place of the daemon's socket.
    user.write("", "run", "aaep", "aaepd.sock");
    const stage = await user.setUp({ yes: true });
    expect(stage.exitCode()).toBe(1);
    expect(stage.err()).toMatch(/^Error: \S+settings\.json is not JSON: see line 1\./m);
    expect(stage.err()).toMatch(/^Error: The daemon did not start\. .*aaepd\.sock.* Its log is \S+serve\.log\. /m);
    expect(stage.err()).toMatch(/\nError: No hooks were written for Claude Code\. \S+settings\.json is not JSON.*\n/);
    expect(stage.out()).toContain("hooks.json\n");
    expect(stage.out()).not.toContain("from now on");
    expect(user.read(".claude", "settings.json")).toBe('{ "hooks": ');
    expect(user.read(".codex", "hooks.json")).toContain("aaepd/hook codex");
    // Nothing that hooks need goes while hooks are there.
    const hooks = user.read(".codex", "hooks.json") ?? "";
    user.write("{", ".codex", "hooks.json");
    const stopped = await user.setUp({ undo: true });
    expect([stopped.exitCode(), stopped.err()]).toEqual([1, expect.stringContaining("hooks.json is not JSON")]);
    expect(user.read(".local", "share", "aaepd", "hook")).toBeDefined();
    user.write(hooks, ".codex", "hooks.json");
    expect((await user.setUp({ undo: true })).exitCode()).toBe(0);
    expect(existsSync(join(user.home, ".codex"))).toBe(false);
  });

  it("does nothing that it could not undo: without a record neither daemon nor hooks", async () => {
    const user = setupHome();
    const before = user.files();
    const XDG_STATE_HOME = user.write("", "run", "file");
    const stage = await user.setUp({ yes: true }, undefined, { environment: { XDG_STATE_HOME } });
    expect([stage.exitCode(), user.files()]).toEqual([1, before]);
    const lines = stage.err().trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Error: \S+made\.json cannot be written \(ENOTDIR\), /);
    expect(lines[1]).toMatch(
      /^Error: The daemon does not run\. No hooks were written for Claude Code\. \S+made\.json /,
    );
  });

  it("leaves a daemon that runs, and hooks with other options, and undoes neither", async () => {
    const user = setupHome();
    const { environment } = user;
    const daemon = await serveProcess(environment.XDG_RUNTIME_DIR ?? "", "--journal", "memory", "--audit", "off");
    await run(registerHook, createStage({ environment }), "install", "claude", "--observe");
    const before = user.files();
    const stage = await user.setUp({ yes: true });
    expect(stage.out()).toContain("Everything is in place, and nothing is changed.\n");
    expect(stage.exitCode()).toBe(0);
    expect((await user.setUp({ undo: true })).out()).toMatch(/^There is nothing to undo/);
    expect(user.files()).toEqual(before);
    expect(daemon.child.exitCode).toBeNull();
  });

  it("no agent says yes to itself: below an agent nobody answers the test question (R5d)", async () => {
    const user = setupHome([]);
    await serve(user.environment.XDG_RUNTIME_DIR ?? "", "--journal", "memory", "--audit", "off");
    const stage = await user.setUp({}, undefined, { terminal: new PassThrough(), environment: { CLAUDECODE: "1" } });
    expect(stage.exitCode()).toBe(1);
    expect(stage.err()).toContain("The variable CLAUDECODE says that an agent has started this command.");
    expect(stage.out()).not.toContain("This is a test");
  });

  it("a question says what will be done: whoever is told to type yes is asked nothing of another agent", async () => {
    const user = setupHome([]);
    const { socketPath } = await serve(user.environment.XDG_RUNTIME_DIR ?? "", "--journal", "memory", "--audit", "off");
    const other = await openAgent({ id: "gardener", name: "Gardener", spawn: false, socket: socketPath });
    const terminal = new PassThrough();
    const { stage, ended } = user.begin({}, undefined, { terminal });
    await eventually(() => expect(stage.out()).toContain("Now a test."));
    const status = () => askStatus(socketPath, stage.io);
    await eventually(async () => expect((await status()).subscription_count).toBe(1));
    const asked = other.session("Waters the plants.").confirm({
      action: "Cut the tree.",
      consequence: "It does not grow again.",
      default_decision: "reject",
      timeout_seconds: 60,
    });
    for (let tries = 0; !stage.err().includes("Sent: "); tries++) {
      terminal.write("yes\n");
      await vi.waitUntil(() => hasTaken(stage.err(), "Not sent", tries + 1), { timeout: 60_000, interval: 10 });
    }
    await ended;
    expect([stage.exitCode(), stage.out()]).toEqual([0, expect.stringContaining("You have answered yes")]);
    expect(stage.err() + stage.out()).not.toContain("tree");
    expect((await asked).decision).not.toBe("accept");
    await other.close();
  });

  it("takes no other file for its record", async () => {
    const user = setupHome([]);
    const path = user.write('{"paths": 5}', ".local", "state", "aaepd", "setup", "made.json");
    const stage = await user.setUp({ undo: true });
    expect([stage.exitCode(), stage.err()]).toEqual([
      2,
      expect.stringContaining(`Error: ${path} is no record of setup.`),
    ]);
    expect(existsSync(path)).toBe(true);
  });

  it("--ask asks nobody where nobody can answer, and says what to run", async () => {
    const user = setupHome([]);
    const stage = await user.setUp({ ask: true }, undefined, { isHasty: true });
    expect(stage.out()).toBe(
      "Nobody can answer yet. This waits up to 2 minutes. In another terminal, run: aaepd tail --interactive\n",
    );
    expect([stage.err(), stage.exitCode()]).toEqual([
      "Error: Nobody listens who can answer. To try again: aaepd setup\n",
      1,
    ]);
  });
});
