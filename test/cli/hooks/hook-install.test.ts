// `aaepd hook install`, `uninstall` and `status`, in folders of the test's own.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registerHook } from "../../../src/cli/hooks/hook.js";
import { readSettings, shimPath, shimText, writeSettings } from "../../../src/cli/hooks/hook-files.js";
import { eventsOf, mayBeLate, SETTINGS_HOSTS } from "../../../src/cli/hooks/hook-hosts.js";
import { planInstall } from "../../../src/cli/hooks/hook-plan.js";
import { isAtLeast } from "../../../src/cli/shell/program-versions.js";
import { CLAUDE_MESSAGES as CLAUDE } from "../../adapters/hooks/hook-messages.js";
import { ABLE, hookStage } from "../../daemon/hooks/hook-stage.js";
import { newUser, testAsRoot } from "../../support/peers/other-users.js";
import { requestOf } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, type Stage, startCommandLine } from "../command-stage.js";

interface Home {
  readonly home: string;
  readonly settings: string;
  readonly shim: string;
  readonly aaepd: (...argv: readonly string[]) => Promise<Stage>;
}

function homeOf(version = "2.1.328", more: Readonly<Record<string, string>> = {}): Home {
  const home = temporaryDirectory();
  const programs = join(home, "bin");
  mkdirSync(programs);
  if (version !== "") {
    writeFileSync(join(programs, "claude"), `#!/bin/sh\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
  }
  const environment = { HOME: home, XDG_RUNTIME_DIR: home, PATH: `${programs}:/usr/bin:/bin`, ...more };
  return {
    home,
    settings: join(home, ".claude", "settings.json"),
    shim: shimPath(environment),
    aaepd: async (...argv) => {
      const stage = await run(registerHook, createStage({ environment }), ...argv);
      return stage;
    },
  };
}

const hooksIn = (
  path: string,
): Readonly<Record<string, readonly { readonly hooks: readonly Record<string, unknown>[] }[]>> =>
  JSON.parse(readFileSync(path, "utf8")).hooks;

describe("aaepd hook install claude", () => {
  it.each(["", "home"])(
    "refuses the home %j: its command would be looked for in the folder of each project",
    async (HOME) => {
      const { aaepd } = homeOf("2.1.328", { HOME });
      const stage = await aaepd("install", "claude");
      expect([stage.err(), stage.out(), stage.exitCode()]).toEqual([
        `Error: HOME is "${HOME}". Set it to an absolute path.\n`,
        "",
        2,
      ]);
    },
  );

  it("shows the difference, writes it, and says who hears", async () => {
    const { aaepd, settings, shim } = homeOf();
    const stage = await aaepd("install", "claude");
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
    const lines = stage.out().trimEnd().split("\n");
    expect(lines[0]).toBe(`In ${settings}:`);
    expect(lines).toContain(`+ PermissionRequest: ${shim} claude --answer`);
    expect(lines.at(-2)).toBe(`Wrote ${settings}`);
    expect(lines.at(-1)).toMatch(/^Nobody listens now: no daemon answers at .*aaepd\.sock\. To start one: aaepd setup/);
    const hooks = hooksIn(settings);
    expect(Object.keys(hooks)).toEqual(SETTINGS_HOSTS.claude.events.map(({ event }) => event));
    const only = (event: string) => hooks[event]?.[0]?.hooks[0];
    const command = `${shim} claude --answer`;
    expect(only("PermissionRequest")).toEqual({ type: "command", command, timeout: 130 });
    expect(only("PreToolUse")).toEqual({ type: "command", command, timeout: 3 });
    expect(only("PostToolUse")).toEqual({ type: "command", command, timeout: 3, async: true });
    expect(statSync(settings).mode & 0o777).toBe(0o600);
  });

  it("twice leaves the files as before, and uninstall takes all of it out", async () => {
    const { aaepd, settings } = homeOf();
    const before = '{\n  "model": "opus"\n}\n';
    mkdirSync(join(settings, ".."));
    writeFileSync(settings, before, { mode: 0o640 });
    chmodSync(settings, 0o640);
    await aaepd("install", "claude");
    const first = readFileSync(settings, "utf8");
    const second = await aaepd("install", "claude");
    expect(second.out()).toContain("stays as it is.");
    expect(readFileSync(settings, "utf8")).toBe(first);
    const gone = await aaepd("uninstall", "claude");
    expect(gone.out()).toContain("- Stop: ");
    expect(readFileSync(settings, "utf8")).toBe(before);
    expect(statSync(settings).mode & 0o777).toBe(0o640);
    expect((await aaepd("uninstall", "claude")).out()).toBe(`${settings} stays as it is.\n`);
  });

  it("ends by who hears, who can answer, and what to run where nobody does", async () => {
    const { rig, listener } = await hookStage({ clock: "real", isAble: false });
    const lastLine = async (...argv: readonly string[]) => {
      const stage = await homeOf().aaepd("install", "claude", "--socket", rig.path, ...argv);
      return stage.out().trimEnd().split("\n").at(-1);
    };
    const name = "a screen reader";
    expect(await lastLine("--observe")).toBe("Heard by: listener");
    expect(await lastLine()).toBe(
      "Heard by: listener. Nobody of them can answer. To answer, in a terminal of your own: aaepd tail --interactive",
    );
    const able = await rig.plain("memory");
    await able.subscribe(requestOf(ABLE, { subscriber_id: name }));
    const tail = await rig.plain("memory");
    await tail.subscribe(requestOf({}, { subscriber_id: "aaepd-tail-0a1b" }));
    expect(await lastLine()).toBe(`Heard by: listener, ${name}, tail`);
    for (const one of [listener, able, tail]) await one.close();
    expect(await lastLine()).toBe(
      "Nobody listens now. To hear and answer, in a terminal of your own: aaepd tail --interactive",
    );
  });

  it("--print writes nothing", async () => {
    const { aaepd, settings, shim } = homeOf();
    const stage = await aaepd("install", "claude", "--print");
    expect(stage.out()).toContain("+ Stop: ");
    expect([existsSync(settings), existsSync(shim)]).toEqual([false, false]);
  });

  it("writes links through", async () => {
    const { aaepd, settings, home } = homeOf();
    const real = join(home, "dotfiles.json");
    mkdirSync(join(settings, ".."));
    symlinkSync("../dotfiles.json", settings);
    await aaepd("install", "claude");
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(hooksIn(real)).toHaveProperty("Stop");
  });

  it.each<[string, (path: string) => unknown, string, number]>([
    ["do not parse", (path) => writeFileSync(path, '{ "hooks": '), "is not JSON: see line 1.", 2],
    ["are not UTF-8", (path) => writeFileSync(path, Buffer.from('{"name": "caf\xe9"}', "latin1")), "is not UTF-8.", 2],
    ["are read-only", (path) => writeFileSync(path, "{}", { mode: 0o444 }), "is read-only.", 1],
    ["are a pipe", (path) => spawnSync("mkfifo", [path]), "is no file", 1],
    ["are a folder", (path) => mkdirSync(path), "is no file", 1],
    ["are a device behind a link", (path) => symlinkSync("/dev/zero", path), "is no file", 1],
    ["are large", (path) => writeFileSync(path, " ".repeat(1024 * 1024 + 1)), "is larger than 1 MiB", 1],
  ])("refuses settings that %s, and leaves them", async (_, make, why, code) => {
    const { aaepd, settings, shim } = homeOf();
    mkdirSync(join(settings, ".."));
    make(settings);
    const bytes = () => (lstatSync(settings).isFile() ? readFileSync(settings) : undefined);
    const before = bytes();
    const stage = await aaepd("install", "claude");
    expect([stage.exitCode(), stage.out()]).toEqual([code, expect.not.stringContaining("Wrote")]);
    expect(stage.err()).toMatch(/^Error: .*settings\.json is /);
    expect(stage.err()).toContain(why);
    expect(bytes()?.equals(before ?? Buffer.of())).toBe(before === undefined ? undefined : true);
    // That a file cannot be written shows only once what it names is there.
    expect(existsSync(shim)).toBe(why === "is read-only.");
  });

  it("overwrites nothing that somebody has written since it looked", async () => {
    const { settings } = homeOf();
    mkdirSync(join(settings, ".."));
    writeFileSync(settings, "{}");
    const before = readSettings(settings);
    writeFileSync(settings, '{"model": "opus"}');
    expect(() => writeSettings(settings, "{ }", before)).toThrow(/was changed in the meantime/);
    expect(readFileSync(settings, "utf8")).toBe('{"model": "opus"}');
  });

  testAsRoot("leaves the file its owner", async () => {
    const { aaepd, settings } = homeOf();
    const user = newUser();
    mkdirSync(join(settings, ".."));
    writeFileSync(settings, "{}");
    chownSync(settings, user, user);
    expect((await aaepd("install", "claude")).exitCode()).toBe(0);
    expect([statSync(settings).uid, statSync(settings).gid]).toEqual([user, user]);
  });

  it("uses no event that the host's version lacks, and of an unknown one few", async () => {
    const old = homeOf("2.0.50");
    await old.aaepd("install", "claude");
    expect(Object.keys(hooksIn(old.settings))).not.toContain("MessageDisplay");
    expect(readFileSync(old.settings, "utf8")).not.toContain("async");
    const unknown = homeOf("");
    const stage = await unknown.aaepd("install", "claude");
    expect(stage.out()).toContain("the version of Claude Code is not known");
    expect(Object.keys(hooksIn(unknown.settings))).toEqual(Object.keys(hooksIn(old.settings)));
    await unknown.aaepd("install", "claude", "--host-version", "2.1.328");
    expect(Object.keys(hooksIn(unknown.settings))).toContain("MessageDisplay");
    expect((await unknown.aaepd("install", "claude")).out()).toContain("stays as it is.");
  });

  it("takes the options of the hook into its line, as words of a shell", async () => {
    const { aaepd, settings } = homeOf("2.1.328", { XDG_DATA_HOME: join(temporaryDirectory(), "it's here") });
    await aaepd("install", "claude", "--observe", "--name", "Ada's own", "--language", "de");
    const command = String(hooksIn(settings).Stop?.[0]?.hooks[0]?.command);
    expect(command).toMatch(/ claude --name 'Ada'\\''s own' --language de$/);
    expect(spawnSync("/bin/sh", ["-c", command]).status).toBe(0);
    expect((await aaepd("install", "claude", "--name", "aaepd")).exitCode()).toBe(2);
    expect((await aaepd("install", "claude", "--observe", "--name", "Ada's own", "--language", "de")).out()).toContain(
      "stays as it is",
    );
    expect((await aaepd("uninstall", "claude")).out()).toContain("- Stop");
  });
});

describe("aaepd hook install codex", () => {
  it("observes unless it is told to answer, and says that Codex asks for trust", async () => {
    const { aaepd, home, shim } = homeOf();
    const settings = join(home, ".codex", "hooks.json");
    expect((await aaepd("install", "codex")).out()).toContain("type /hooks in Codex");
    expect(hooksIn(settings).PermissionRequest).toEqual([
      { hooks: [{ type: "command", command: `${shim} codex`, timeout: 3 }] },
    ]);
    await aaepd("install", "codex", "--answer");
    expect(hooksIn(settings).PermissionRequest).toEqual([
      { hooks: [{ type: "command", command: `${shim} codex --answer`, timeout: 70 }] },
    ]);
  });
});

describe("the shim", () => {
  it("ends with 0 where its target is gone, and hands everything on where it is there", () => {
    const folder = temporaryDirectory();
    const shim = join(folder, "hook");
    const relay = join(folder, "it's a relay.js");
    writeFileSync(relay, "process.stdout.write(process.argv.slice(2).join('|'))");
    writeFileSync(shim, shimText({ node: process.execPath, relay }), { mode: 0o700 });
    const told = () => spawnSync(shim, ["claude", "a b"], { encoding: "utf8" });
    expect(told()).toMatchObject({ status: 0, stdout: "claude|a b", stderr: "" });
    rmSync(relay);
    expect(told()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    writeFileSync(shim, shimText({ node: join(folder, "no node"), relay: shim }));
    expect(told()).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });
});

describe("aaepd hook status", () => {
  it("names each event that was seen and that was never seen", async () => {
    const { rig, hook } = await hookStage({ clock: "real" });
    await hook(CLAUDE.Stop);
    const { aaepd, settings, shim } = homeOf();
    await aaepd("install", "claude");
    const stage = await aaepd("status", "--socket", rig.path);
    const lines = stage.out().trimEnd().split("\n");
    expect(lines[0]).toBe(`Claude Code: installed in ${settings}`);
    expect(lines.find((one) => one.startsWith("  Not seen yet: "))).toMatch(/PreToolUse, .*PostToolUse/);
    expect(lines.find((one) => one.startsWith("  Stop: "))).toMatch(/^ {2}Stop: seen \d+ seconds? ago$/);
    expect(lines.at(-1)).toBe("Codex: not installed. Run: aaepd hook install codex");
    writeFileSync(shim, readFileSync(shim, "utf8").replaceAll("aaepd-hook.js", "gone.js"));
    expect((await aaepd("status", "claude", "--socket", rig.path)).out()).toContain("The program behind it is gone");
    expect((await aaepd("status", "claude")).out()).toContain("There is no daemon");
    await aaepd("install", "claude");
    expect((await aaepd("status", "claude")).out()).not.toContain("is gone");
    // As after another version of Node has taken its place.
    writeFileSync(shim, readFileSync(shim, "utf8").replaceAll(process.execPath, "/opt/node-of-before"));
    expect((await aaepd("status", "claude")).out()).toContain("The program behind it is gone");
  });

  it("--check says each event of a prompt as it is seen", async () => {
    const { rig, hook } = await hookStage({ clock: "real" });
    await hook(CLAUDE.Stop);
    // What was seen before does not count.
    const seenAt = Date.now();
    await expect.poll(Date.now, { interval: 1 }).toBeGreaterThan(seenAt);
    const checking = startCommandLine(["hook", "status", "claude", "--check", "--socket", rig.path]);
    await checking.stdoutLines(3);
    for (const message of [CLAUDE.UserPromptSubmit, CLAUDE.PreToolUse, CLAUDE.PostToolUse, CLAUDE.Stop])
      await hook(message);
    const { code, stdout } = await checking.ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "Start Claude Code in another terminal: claude",
      "Type this prompt: Run the command: echo hello",
      "Allow the command if you are asked. Each event is said here when it was seen.",
      "  UserPromptSubmit: seen",
      "  PreToolUse: seen",
      "  PostToolUse: seen",
      "  Stop: seen",
      "All of them were seen: Claude Code is heard.",
    ]);
  });

  it("--check ends at once without a daemon", async () => {
    const stage = await homeOf().aaepd("status", "--check", "--wait", "180");
    expect([stage.exitCode(), stage.out()]).toEqual([69, ""]);
    expect(stage.err()).toMatch(/^Error: There is no daemon in .*To start one: aaepd setup/);
  });

  it("--check names what was not seen", async () => {
    const { rig } = await hookStage({ clock: "real" });
    const stage = await homeOf().aaepd("status", "--check", "--wait", "1", "--socket", rig.path);
    expect(stage.exitCode()).toBe(1);
    expect(stage.out().trimEnd().split("\n").slice(3)).toEqual([
      "Not seen: UserPromptSubmit, PreToolUse, PostToolUse, Stop",
      "Look at: aaepd hook status claude",
    ]);
  });
});

describe("a program that may be gone tomorrow is refused", () => {
  it.each([
    "/home/ada/.npm/_npx/1f/node_modules/aaepd/bin/aaepd-hook.js",
    "/home/ada/.cache/pnpm/dlx/1f/node_modules/aaepd/bin/aaepd-hook.js",
    "/tmp/xfs-1f/dlx-12/node_modules/aaepd/bin/aaepd-hook.js",
    "/tmp/bunx-1000-aaepd@latest/node_modules/aaepd/bin/aaepd-hook.js",
  ])("%s", (relay) => {
    const io = { environment: { HOME: temporaryDirectory(), PATH: "/usr/bin:/bin" } };
    expect(() => planInstall("claude", {}, io, { node: "/usr/bin/node", relay })).toThrow(/Install aaepd first/);
  });
});

describe("versions", () => {
  it("are compared by their parts", () => {
    expect(isAtLeast("2.1.9", "2.1.89")).toBe(false);
    expect(isAtLeast("2.10.0", "2.9.9")).toBe(true);
    expect(isAtLeast("2.1.89", "2.1.89")).toBe(true);
    expect(isAtLeast("3", "2.1.89")).toBe(true);
    expect(isAtLeast("20.9.0", "20.19")).toBe(false);
    expect(isAtLeast("20.19.0", "20.19")).toBe(true);
    const { claude, codex } = SETTINGS_HOSTS;
    expect(eventsOf(claude, "2.1.328")).toEqual(claude.events);
    expect(eventsOf(codex, undefined)).toEqual(codex.events);
    expect([mayBeLate(claude, "2.0.99"), mayBeLate(claude, "2.1.0"), mayBeLate(codex, "9.9.9")]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("a host that is not known is refused", async () => {
    await expect(homeOf().aaepd("install", "claud")).rejects.toThrow(/name claude or codex\. Did you mean claude\?/);
  });
});
