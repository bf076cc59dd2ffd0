// The service with the programs of systemd: its judgement of the units, its messages, and where namespaces can be had a whole manager of a user.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runServiceInstall } from "../../src/cli/service/service-run.js";
import { createStage, eventually } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docBlock, docPage } from "../support/doc-blocks.js";
import { hasProgram } from "../support/languages.js";
import { environmentWithAaepd } from "../support/peers/aaepd-on-path.js";
import { fixture } from "../support/peers/program.js";
import { startServiceManager } from "../support/peers/service-manager.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

/** Where all checks run, a missing program fails. */
const needs = (program: string): boolean =>
  process.platform === "linux" && (hasProgram(program) || process.env.CI === "true");

/** The complaints of systemd about the units of a folder; it gives them on standard error, whatever its exit code. */
function complaintsAbout(directory: string): string {
  const units = readdirSync(directory).map((name) => join(directory, name));
  const runtime = { ...process.env, XDG_RUNTIME_DIR: temporaryDirectory() };
  const { status, stdout, stderr, error } = spawnSync("systemd-analyze", ["--user", "verify", ...units], {
    encoding: "utf8",
    env: runtime,
  });
  if (error !== undefined) throw error;
  return `${status} ${stdout}${stderr}`;
}

describe.runIf(needs("systemd-analyze"))("the units", () => {
  const installed = async (options: { readonly producerId?: string } = {}): Promise<string> => {
    const directory = temporaryDirectory();
    const stage = createStage({ environment: { HOME: directory } });
    await runServiceInstall({ kind: "systemd", ...options }, stage.io);
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
    return join(directory, ".config", "systemd", "user");
  };

  it.each([{}, { producerId: 'planner "50%" $HOME \\d' }])(
    "systemd finds nothing to complain of: %j",
    async (options) => {
      expect(complaintsAbout(await installed(options))).toBe("0 ");
    },
  );

  it("systemd would complain of an unknown key, and of a program that is not there", async () => {
    const directory = await installed();
    const path = join(directory, "aaepd.service");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("KillMode=", "KilMode="));
    expect(complaintsAbout(directory)).toContain("Unknown key");
    writeFileSync(path, text.replace(`:${process.execPath}`, ":/nowhere/node"));
    expect(complaintsAbout(directory)).toContain("/nowhere/node is not executable");
  });
});

describe.runIf(needs("systemd-notify"))("systemd-notify", () => {
  it("a manager hears each message at its datagram socket, in order", async () => {
    const directory = temporaryDirectory();
    const notify = join(directory, "notify");
    const one = await startServiceManager({ socket: join(directory, "own.sock"), directory, notify });
    one.start(["--socket", join(directory, "own.sock")], { environment: { NOTIFY_SOCKET: notify } });
    await one.next("endpoints");
    // The program makes sure that each message was read by one of its own.
    const messages = () => one.heard().filter(([first]) => first !== "BARRIER=1");
    await eventually(() => expect(messages()).toHaveLength(1));
    one.kill("SIGHUP");
    await eventually(() => expect(messages()).toHaveLength(3));
    one.kill("SIGTERM");
    expect(await one.next("ended")).toMatchObject({ code: 0 });
    await eventually(() => expect(messages()).toHaveLength(4));
    expect(messages()).toStrictEqual([
      ["READY=1", "STATUS=Accepts agents and listeners."],
      ["RELOADING=1", expect.stringMatching(/^MONOTONIC_USEC=\d+$/)],
      ["READY=1", "STATUS=Accepts agents and listeners."],
      ["STOPPING=1", "STATUS=Hands over what is left."],
    ]);
    expect(one.stderr()).not.toContain("could not be told");
  });
});

/** The words that start a program in namespaces of its own, which end with it. */
const APART = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

/** Containers may forbid them. */
const canBeApart =
  spawnSync("unshare", [...APART, "sh", "-c", "test -x /lib/systemd/systemd && mount -t tmpfs tmpfs /run"]).status ===
  0;

/** Runs a script beside a manager of its own; returns its lines. */
function besideManager(script: string): readonly string[] {
  const home = temporaryDirectory();
  const { PATH = "" } = environmentWithAaepd(home);
  const { stdout, stderr, status } = spawnSync("unshare", [...APART, "bash", fixture("user-manager.sh"), script], {
    encoding: "utf8",
    env: { PATH, HOME: home },
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.trimEnd().split("\n");
}

describe.runIf(canBeApart)("a user's systemd", () => {
  it("starts the daemon for its first client, reloads it, starts it again after a kill, and stops it", () => {
    expect(besideManager(fixture("service-life.sh"))).toEqual([
      "socket: 600 socket",
      "before the first client: inactive",
      "after the first client: active running",
      "the daemon is the main process: yes",
      "status: Accepts agents and listeners.",
      "after a reload: the same process",
      "after a kill: another process",
      "after a stop: inactive, result success, code 0",
      "the socket stays: active",
      "after the next client: active",
      "with a fault in the configuration: failed, code 2, restarts 0",
      "after the remedy: active",
      "a daemon that hangs: is another process",
    ]);
  });

  it("aaepd setup makes the daemon a service, and takes it out again", () => {
    expect(besideManager(fixture("setup-life.sh"))).toEqual([
      "after setup: active active",
      "again: Everything is in place, and nothing is changed.",
      "after undo: 0 units, inactive",
    ]);
  });

  it("docs/operations.md: the service is installed, upgraded, stopped for a backup and removed by the commands of the page", () => {
    const page = docPage("operations.md");
    const block = (name: string): string => `(${docBlock(page, "sh", name)}\n) >/dev/null 2>&1`;
    const states = (of: string): string =>
      `echo "${of}: $(systemctl --user is-active aaepd.socket aaepd.service | paste -sd ' ')"`;
    const script = join(temporaryDirectory(), "page.sh");
    writeFileSync(
      script,
      [
        block("systemd-install"),
        `${states("installed")} || true`,
        "aaepd status >/dev/null",
        block("systemd-upgrade"),
        `${states("upgraded")} || true`,
        block("systemd-stop"),
        block("backup"),
        `${states("stopped")} || true`,
        'stat -c "%n" ~/aaepd-backup/* | sed "s#.*/##"',
        "systemctl --user start aaepd.socket",
        "aaepd status >/dev/null",
        block("systemd-remove"),
        `${states("removed")} || true`,
        "ls ~/.config/systemd/user",
      ].join("\n"),
    );
    expect(besideManager(script)).toEqual([
      "installed: active inactive",
      "upgraded: active active",
      "stopped: inactive inactive",
      "journal.mdb",
      "journal.mdb-epoch",
      "removed: inactive inactive",
    ]);
  });
});
