// What the daemon tells its service manager. The program that carries the messages is a script here; the real one stands in test/tools.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

/** A daemon whose messages are written down, each with the address that it goes to. `before`: what the script does first. */
function started(variables: Readonly<Record<string, string>>, before = "") {
  const directory = temporaryDirectory();
  const notes = join(directory, "notes");
  const script = join(directory, "systemd-notify");
  writeFileSync(script, `#!/bin/sh\n${before}\necho "$NOTIFY_SOCKET $*" >> ${notes}\n`);
  chmodSync(script, 0o755);
  const { PATH } = cleanEnvironment(directory);
  const environment = { ...cleanEnvironment(directory), PATH: `${directory}:${PATH}`, ...variables };
  const program = startProgram(["serve", "--journal", "memory"], { environment });
  const lines = (): readonly string[] =>
    existsSync(notes) ? readFileSync(notes, "utf8").split("\n").slice(0, -1) : [];
  return { program, lines, directory };
}

const READY = "/run/notify READY=1 STATUS=Accepts agents and listeners.";
const STOPPING = "/run/notify STOPPING=1 STATUS=Hands over what is left.";

describe.skipIf(process.platform === "win32")("messages for the service manager", () => {
  it("ready when everything listens, reloading and ready around SIGHUP, and stopping; in that order", async () => {
    // The first message takes longest, and is the first all the same.
    const { program, lines } = started({ NOTIFY_SOCKET: "/run/notify" }, 'case "$*" in READY*) sleep 0.2;; esac');
    await program.stdoutLines(1);
    program.child.kill("SIGHUP");
    await eventually(() => expect(lines()).toHaveLength(3));
    program.child.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
    await eventually(() => expect(lines()).toHaveLength(4));
    expect(lines()).toStrictEqual([
      READY,
      expect.stringMatching(/^\/run\/notify RELOADING=1 MONOTONIC_USEC=\d+$/),
      READY,
      STOPPING,
    ]);
  });

  it("signs of life come by themselves where the manager wants them", async () => {
    const { program, lines } = started({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "40000" });
    await program.stdoutLines(1);
    await eventually(() =>
      expect(lines().filter((line) => line === "/run/notify WATCHDOG=1").length).toBeGreaterThan(2),
    );
    expect(lines()[0]).toBe(READY);
  });

  it("without a manager nobody is told anything", async () => {
    const { program, lines } = started({ WATCHDOG_USEC: "40000" });
    await program.stdoutLines(1);
    program.child.kill("SIGHUP");
    await eventually(() => expect(program.stderr()).toContain("the configuration was read again"));
    program.child.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
    expect(lines()).toStrictEqual([]);
  });

  it.each([
    ["fails", "exit 1", undefined],
    ["is missing", "", "/nowhere"],
  ])("where the program %s, the log says what to do, and the daemon goes on", async (_, before, path) => {
    const variables = { NOTIFY_SOCKET: "/run/notify", ...(path === undefined ? {} : { PATH: path }) };
    const { program } = started(variables, before);
    await program.stdoutLines(1);
    await eventually(() => expect(program.stderr()).toContain("the service manager could not be told"));
    expect(JSON.parse(program.stderr().split("\n")[0] ?? "{}")).toMatchObject({
      level: "warn",
      remedy: expect.stringContaining("install systemd-notify, or write Type=exec into the unit"),
    });
    program.child.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  });
});
