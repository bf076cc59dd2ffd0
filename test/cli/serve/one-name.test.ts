// One name, one daemon that a user serves with: a second `serve` is refused, and whoever starts `stdio` gets the next name.
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../support/built.js";
import { itInFull } from "../../support/extent.js";
import { type Program, startProgram } from "../../support/peers/program.js";
import { runCommandLine, runtimeEnvironment, serve } from "../command-stage.js";

beforeAll(ensureBuilt, 120_000);

const PING = '{"jsonrpc":"2.0","id":1,"method":"aaep.ping"}\n';

/** Programs of one user. */
function user() {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const state = join(XDG_RUNTIME_DIR, "state");
  const environment = { XDG_RUNTIME_DIR, XDG_STATE_HOME: state };
  const start = (...argv: readonly string[]) => startProgram(argv, { environment });
  return {
    socket: (name: string) => join(directory, name),
    sockets: () => readdirSync(directory).filter((name) => /\.(sock|grpc|http)$/.test(name)),
    journals: () => readdirSync(join(state, "aaepd", "journal")).filter((name) => !name.startsWith(".")),
    start,
    /** Serves in this process. */
    servedHere: (...options: readonly string[]) => serve(XDG_RUNTIME_DIR, "--journal", "memory", ...options),
    /** Runs a command in this process, to its end. */
    told: (...argv: readonly string[]) => runCommandLine(argv, environment),
    /** Starts it, and answers when it listens. */
    served: async (...options: readonly string[]): Promise<Program> => {
      const program = start("serve", ...options);
      await program.stdoutLines(1);
      return program;
    },
    /** An agent's daemon, which has answered. */
    spawned: async (...options: readonly string[]): Promise<Program> => {
      const program = start("stdio", ...options);
      program.child.stdin.write(PING);
      await program.stdoutLines(1);
      return program;
    },
  };
}

describe("a second serve of one name", () => {
  it("is refused before it makes anything, and told which socket and process has the name, and what to do", async () => {
    const { served, servedHere, told, socket, sockets, journals } = user();
    const first = await served();
    const second = await told("serve");
    expect([second.code, second.stdout]).toEqual([73, ""]);
    expect(second.stderr).toBe(
      `Error: A daemon named aaepd runs already: process ${first.child.pid} listens at ${socket("aaepd.sock")}. Use that daemon, stop it, or give this one another name (--producer-id NAME).\n`,
    );
    const third = await told("serve", "--log-format", "json");
    expect(third.code).toBe(73);
    const logged = third.stderr.trimEnd().split("\n");
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: "error",
        code: "address_in_use",
        reason: expect.stringContaining("runs already"),
        exitCode: 73,
        msg: "the daemon could not start",
      },
    ]);
    const named = await told("serve", "--producer-id", "other", "--socket", socket("aaepd.sock"));
    expect(named.code).toBe(73);
    expect(named.stderr).toContain(`process ${first.child.pid} listens there. Stop it, or choose`.replace("p", "P"));
    expect([sockets(), journals()]).toEqual([["aaepd.sock"], ["aaepd"]]);
    await servedHere("--producer-id", "planner");
    expect(sockets()).toEqual(["aaepd.sock", "planner.sock"]);
    // Another place under the same name was asked for.
    await servedHere("--socket", socket("chosen.sock"));
    expect(sockets()).toContain("chosen.sock");
  });

  itInFull("is refused also where only services have the name", async () => {
    const { served, told, socket, sockets } = user();
    const first = await served("--socket", "off", "--grpc", "auto");
    const second = await told("serve", "--socket", socket("a.sock"), "--grpc", "auto");
    expect(second.code).toBe(73);
    expect(second.stderr).toContain(`process ${first.child.pid} listens at ${socket("aaepd.grpc")}. Use that daemon`);
    expect(sockets()).toEqual(["aaepd.grpc"]);
  });

  it("is one of several that start in the same moment: one of them serves", async () => {
    const { start, sockets } = user();
    const programs = Array.from({ length: 3 }, () => start("serve"));
    const lines = await Promise.all(programs.map((program) => program.stdoutLines(1).catch(() => undefined)));
    expect(lines.filter((line) => line !== undefined)).toHaveLength(1);
    expect(sockets()).toEqual(["aaepd.sock"]);
    for (const [index, program] of programs.entries()) {
      if (lines[index] !== undefined) continue;
      expect((await program.ended).code).toBe(73);
      expect(program.stderr()).toMatch(/A daemon named aaepd runs already: .*aaepd/);
    }
  });

  it("is refused, and the first is known, where the folder of the first was removed", async () => {
    const { served, told, socket, journals } = user();
    const first = await served();
    rmSync(dirname(socket("aaepd.sock")), { recursive: true });
    const second = await told("serve");
    expect(second.code).toBe(73);
    expect(second.stderr).toContain(`A daemon named aaepd runs already: process ${first.child.pid} has the journal in`);
    expect(journals()).toEqual(["aaepd"]);
  });

  itInFull(
    "is refused beside an agent's daemon of that name too; agents' daemons get the next names, however many",
    async () => {
      const { spawned, served, start, sockets } = user();
      const agent = await spawned("--producer-id", "planner");
      const refused = start("serve", "--producer-id", "planner");
      expect((await refused.ended).code).toBe(73);
      expect(refused.stderr()).toContain(`process ${agent.child.pid} listens at`);
      await served();
      await spawned();
      await spawned();
      expect(sockets()).toEqual(["aaepd-2.sock", "aaepd-3.sock", "aaepd.sock", "planner.sock"]);
    },
  );
});
