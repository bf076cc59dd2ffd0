// The built program on a real pseudo-terminal, as a person sees it and types into it.

import { spawn } from "node:child_process";
import { onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../temporary-directory.js";
import { cleanEnvironment, fixture, PROGRAM } from "./program.js";
import { python } from "./python.js";

export interface OnTerminal {
  /** Everything that the terminal has been sent, with the lines' ends of a file. */
  readonly shown: () => string;
  /** Resolves when the terminal shows this. */
  readonly until: (text: string | RegExp) => Promise<void>;
  readonly type: (text: string) => void;
  /** Resolves with the exit code when the program has ended. */
  readonly ended: Promise<number | null>;
}

export interface TerminalOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Default 80. */
  readonly columns?: number;
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** Starts the program; whatever is left of it when the test has finished is ended. */
export function startOnTerminal(argv: readonly string[], options: TerminalOptions = {}): OnTerminal {
  const { environment = {}, columns = 80 } = options;
  const directory = environment.XDG_RUNTIME_DIR ?? temporaryDirectory();
  const [program, option] = python();
  const child = spawn(program, [option, fixture("terminal.py"), String(columns), process.execPath, PROGRAM, ...argv], {
    env: { ...cleanEnvironment(directory), TERM: "xterm", ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text.replaceAll("\r\n", "\n");
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
  });
  return {
    shown: () => shown,
    until: (text) =>
      vi.waitFor(
        () => {
          if (!(typeof text === "string" ? shown.includes(text) : text.test(shown))) throw new Error(`Shown: ${shown}`);
        },
        { timeout: 60_000, interval: 10 },
      ),
    type: (text) => void child.stdin.write(text),
    ended,
  };
}
