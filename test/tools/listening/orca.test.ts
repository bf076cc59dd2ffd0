// `aaepd speak` beside the real Orca, which reads a display of Xvfb without a window. Both speak through one Speech Dispatcher.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../cli/command-stage.js";
import { stageOf } from "../../cli/speak/speak-stage.js";
import { whenFinished } from "../../support/lifetime.js";
import { isMissing } from "../../support/missing-tool.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { writtenDispatcher } from "./written-dispatcher.js";

/** In a group of its own, with all that it starts. */
function start(program: string, options: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(program, options, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  whenFinished(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  return child;
}

/** Resolves with the name of the display. */
async function display(): Promise<string> {
  const { stdout } = start("Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"], {});
  let name = "";
  stdout?.setEncoding("utf8").on("data", (text: string) => {
    name += text;
  });
  await eventually(() => expect(name).toMatch(/^\d+\n$/));
  return `:${name.trim()}`;
}

it.skipIf(["orca", "Xvfb", "dbus-run-session", "speech-dispatcher"].some(isMissing))(
  "Orca speaks while a sentence is spoken, which is said again whole",
  async () => {
    const { words, environment: variables, said } = await writtenDispatcher();
    const { agent, hears } = await stageOf({ path: words, options: ["--mode", "sentence"], variables });
    const session = (await agent()).session("Reads a book.");
    await hears("Reads a book.");
    const folder = temporaryDirectory();
    const [home, runtime] = [join(folder, "home"), join(folder, "run")];
    mkdirSync(join(home, ".local", "share", "orca"), { recursive: true });
    mkdirSync(runtime, { mode: 0o700 });
    const place = { HOME: home, XDG_RUNTIME_DIR: runtime, GSETTINGS_BACKEND: "memory", DISPLAY: await display() };
    start("dbus-run-session", ["--", "orca"], { ...place, ...variables });
    // Some minutes of sentences, so that one is spoken whenever Orca begins.
    const sentence = (number: number) => `Sentence ${number} goes on for a while, ${"and on, ".repeat(30)}and ends.`;
    await session.say(Array.from({ length: 40 }, (_, number) => `${sentence(number)} `));
    await hears("en-us: Screen reader on.");
    const [, cut] = /Sentence (\d+) /.exec(said().find((line) => line.startsWith("(cut)")) ?? "") ?? [];
    expect(cut).toBeDefined();
    const whole = `en-us: ${sentence(Number(cut))}`;
    await eventually(() => expect(said().filter((line) => line === whole)).toHaveLength(1));
  },
);
