// Listeners over WebSocket by the usual libraries of Python and Go, at an address of their own.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openAgent } from "../../src/client/node.js";
import { eventually, runCommandLine, serve } from "../cli/command-stage.js";
import { hasProgram } from "../support/languages.js";
import { fixture, startCommand } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { succeed } from "./package/stage.js";

const TEN_MINUTES = 600_000;

/** Each returns the command of a listener. */
const CLIENTS: readonly [program: string, install: (folder: string) => Promise<readonly string[]>][] = [
  [
    "python3",
    async (folder) => {
      await succeed(folder, "python3", "-m", "venv", "python");
      await succeed(folder, join(folder, "python/bin/pip"), "install", "--quiet", "websockets==15.0.1");
      return [join(folder, "python/bin/python"), fixture("websocket-listener.py")];
    },
  ],
  [
    "go",
    async (folder) => {
      copyFileSync(fixture("websocket-listener.go"), join(folder, "main.go"));
      await succeed(folder, "go", "mod", "init", "listener");
      await succeed(folder, "go", "get", "github.com/coder/websocket@v1.8.14");
      await succeed(folder, "go", "build", "-o", "listener", ".");
      return [join(folder, "listener")];
    },
  ],
];

it.each(CLIENTS)(
  "a listener of %s hears an agent, and answers it",
  async (program, install) => {
    expect(hasProgram(program)).toBe(true);
    const command = await install(temporaryDirectory());
    const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0");
    const made = await runCommandLine(["address", "create", "listener", "--confirmations"], daemon.environment);
    const listener = startCommand([...command, made.stdout.trim().replace("http:", "ws:")]);
    await listener.stdoutLines(1);
    const agent = await openAgent({ id: "planner", socket: daemon.socketPath });
    onTestFinished(() => agent.close());
    const outcome = agent.session("Clean up.").confirm({ action: "Delete a.txt", consequence: "It is gone." });
    expect(await outcome).toMatchObject({ decision: "accept" });
    await eventually(() => expect(listener.stdout()).toMatch(/^open\n.*Clean up\..*Delete a\.txt/s));
  },
  TEN_MINUTES,
);
