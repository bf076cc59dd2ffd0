// The daemon of the demo: a child of this process, with a runtime directory that is removed with it.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../base/errors.js";
import { within } from "../../base/time-limit.js";
import { AgentClient } from "../../client/agent/agent-client.js";
import { childRpcConnector } from "../../client/node.js";
import { packagePath } from "../shell/program-paths.js";
import type { CommandIo, Environment } from "../terminal/command-io.js";

export type DemoDaemon = Awaited<ReturnType<typeof startDemoDaemon>>;

const LAST_WORDS_LENGTH = 2000;

/** Rejects with a Fault if the child cannot be started, or does not answer within `deadlineMs`. */
export async function startDemoDaemon(
  { environment, clock }: Pick<CommandIo, "environment" | "clock">,
  deadlineMs: number,
) {
  const directory = mkdtempSync(join(tmpdir(), "aaepd-demo-"));
  const socketPath = join(directory, "demo.sock");
  const words = [packagePath("bin", "aaepd.js"), "stdio", "--socket", socketPath, "--audit", "off"];
  const child = spawn(process.execPath, words, { env: ownEnvironment(environment, directory) });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-LAST_WORDS_LENGTH);
  });
  const exited = exitOf(child);
  /** Removes the child and its files, however this process ends. */
  const cleanUp = () => {
    child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", cleanUp);

  /** Ends the daemon, by force if it takes longer, and removes its files. */
  async function dispose(milliseconds: number): Promise<void> {
    child.stdin.end();
    if ((await within(clock.now() + milliseconds, exited, clock)) === undefined) child.kill("SIGKILL");
    await exited;
    cleanUp();
    process.off("exit", cleanUp);
  }

  try {
    const agent = await AgentClient.open(childRpcConnector(child));
    const failed = exited.then((how) => {
      throw new Fault("unsupported", `The daemon of the demo ${how}. ${said.trim()}`, { origin: "local" });
    });
    failed.catch(() => {});
    const answered = Promise.race([agent.request("aaep.ping", {}), failed]);
    answered.catch(() => {});
    if ((await within(clock.now() + deadlineMs, answered, clock)) === undefined) {
      throw new Fault("timed_out", `The daemon of the demo did not answer. ${said.trim()}`, { origin: "local" });
    }
    /** Ends the daemon's standard input, which is its orderly end (R8a): held events still reach its subscribers. */
    const endInput = (): void => void child.stdin.end();
    return { socketPath, agent, endInput, exited, dispose };
  } catch (caught) {
    await dispose(0);
    throw caught;
  }
}

/** Resolves with a description of the exit. Never rejects. */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("close", (code, signal) =>
      resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  });
}

/**
 * Returns the environment without settings of the user's own daemon, and with `directory` for sockets, configuration and state: the daemon finds
 * nothing of the user's.
 */
function ownEnvironment(environment: Environment, directory: string): Record<string, string | undefined> {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith("AAEPD_"));
  const own = { XDG_RUNTIME_DIR: directory, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: directory };
  return { ...Object.fromEntries(others), ...own };
}
