// The commands that ask a daemon, and the variable that daemons are told their socket by: AAEPD_SOCKET.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { socketOf } from "../../../src/cli/shell/find-socket.js";
import { shared } from "../../support/lifetime.js";
import { runCommandLine, runtimeEnvironment, startCommandLine } from "../command-stage.js";

/** A user with two daemons, `one` where daemons are looked for and `two` elsewhere. */
const user = shared(async () => {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const socketOf = { one: join(directory, "one.sock"), two: join(XDG_RUNTIME_DIR, "two.sock") };
  const file = join(XDG_RUNTIME_DIR, "events.ndjson");
  writeFileSync(file, "");
  const base = { XDG_RUNTIME_DIR, AAEPD_JOURNAL: "memory" };
  for (const [name, socket] of Object.entries(socketOf)) {
    const argv = ["serve", "--producer-id", name, "--socket", socket];
    await startCommandLine(argv, { environment: base }).stdoutLines(1);
  }
  const run = (AAEPD_SOCKET: string | undefined, ...argv: readonly string[]) =>
    runCommandLine(argv, { ...base, ...(AAEPD_SOCKET === undefined ? {} : { AAEPD_SOCKET }) });
  return { socketOf, file, run, missing: join(directory, "none.sock") };
});

it.each(["status", "manifest"])(
  "%s asks the daemon that the variable names, also where none would be looked for; the one that --socket names before that",
  async (command) => {
    const { run, socketOf } = await user();
    const asked = async (...options: readonly string[]) => {
      const argv = command === "status" ? [command, "--json"] : [command];
      const { producer_id, agent_id } = JSON.parse((await run(socketOf.two, ...argv, ...options)).stdout);
      return producer_id ?? agent_id;
    };
    expect([await asked(), await asked("--socket", socketOf.one)]).toEqual(["two", "one"]);
  },
);

it.each(["status", "manifest", "publish", "tail"])(
  "%s says, where nobody listens there, that the variable names that socket, and refuses one that names no daemon",
  async (command) => {
    const { run, missing, file, socketOf } = await user();
    const argv = command === "publish" ? [command, file] : [command];
    const { code, stderr } = await run(missing, ...argv);
    expect([code, stderr]).toEqual([69, expect.stringContaining(missing)]);
    expect(stderr).toContain("The variable AAEPD_SOCKET names that socket. Change it, unset it, or give --socket.");
    const named = await run(socketOf.one, ...argv, "--socket", missing);
    expect([named.code, named.stderr]).toEqual([69, expect.not.stringContaining("AAEPD_SOCKET")]);
    for (const value of ["off", ""])
      expect(await run(value, ...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining("AAEPD_SOCKET") });
  },
);

it("auto stands for looking for daemons, as it does for serve", async () => {
  const { code, stdout } = await (await user()).run("auto", "status");
  expect([code, stdout.match(/^Daemon \w+/gm)]).toEqual([0, ["Daemon one"]]);
});

it("a socket that was found is not the variable's", async () => {
  const found = await socketOf(undefined, { environment: { AAEPD_SOCKET: "auto" }, daemonDirectories: [] });
  expect(found.isByVariable).toBe(false);
});
