// Five sessions whose every word is known: recordings, an agent that knows nothing of aaepd, and a terminal agent through its hooks.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { openEditor } from "../../adapters/acp/acp-editor.js";
import { CLAUDE_MESSAGES as CLAUDE } from "../../adapters/hooks/hook-messages.js";
import { PROGRAM, startCommand } from "../../support/peers/program.js";
import { eventually, SESSIONS as RECORDINGS, runCommandLine } from "../command-stage.js";
import type { SpeakStage } from "./speak-stage.js";

interface SpokenSession {
  readonly name: string;
  readonly mode: "done" | "sentence";
  /** The file of its words. */
  readonly golden: string;
  /** Resolves when its last words were said. */
  readonly play: (stage: SpeakStage) => Promise<void>;
}

export const SESSIONS: readonly SpokenSession[] = [
  recording("arabic-library", "done", "عند أمينة المكتبة"),
  recording("parallel-tools", "done", "need not run again"),
  recording("yoruba-market", "sentence", "Your answer is ready"),
  { name: "an unchanged agent through aaepd acp", mode: "done", golden: goldenOf("acp"), play: playAcp },
  { name: "a terminal agent through its hooks", mode: "done", golden: goldenOf("hook"), play: playHooks },
];

function goldenOf(name: string): string {
  return fileURLToPath(new URL(`golden/${name}.txt`, import.meta.url));
}

function recording(name: string, mode: SpokenSession["mode"], last: string): SpokenSession {
  const play = async ({ environment, hears }: SpeakStage): Promise<void> => {
    await runCommandLine(["publish", join(RECORDINGS, `${name}.ndjson`)], environment);
    await hears(last);
  };
  return { name, mode, golden: goldenOf(`${name}-${mode}`), play };
}

async function playAcp({ hears, key, environment }: SpeakStage): Promise<void> {
  const editor = await openEditor({ environment });
  const turn = editor.prompt([
    { say: "I look at the **build** first. It needs `npm test`." },
    { ask: { toolCallId: "t1", title: "Run npm test", kind: "execute", rawInput: { command: "npm test" } } },
    { say: "\n\nAll 12 tests pass.\n\n| file | tests |\n|---|---|\n| a.ts | 12 |\n\nNothing is left to do." },
  ]);
  await hears("to answer.");
  await answered(key);
  await turn;
  await hears("table");
}

async function playHooks({ hears, key, daemon }: SpeakStage): Promise<void> {
  const hook = async (message: object): Promise<string> => {
    // The host is a process of its own: nobody below it answers (R5d), and this process is the listener.
    const runs =
      'require("node:child_process").spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit" })';
    const argv = [process.execPath, "-e", runs, "--", PROGRAM, "hook", "claude", "--answer"];
    const { child, stdout, ended } = startCommand([...argv, "--patience", "60000"], {
      environment: daemon.environment,
    });
    child.stdin?.end(JSON.stringify(message));
    await ended;
    return stdout();
  };
  await hook(CLAUDE.UserPromptSubmit);
  await hook(CLAUDE.PreToolUse);
  const asked = hook(CLAUDE.PermissionRequest);
  await hears("to answer.");
  await answered(key);
  if (!(await asked).includes('"allow"')) throw new Error(`not allowed: ${await asked}`);
  await hook(CLAUDE.PostToolUse);
  await hook(CLAUDE.Stop);
  await hears("The build is mended");
}

/** A question that is written is said to its end a moment later. */
async function answered(key: SpeakStage["key"]): Promise<void> {
  await eventually(async () => expect((await key("answer", "accept")).stdout).toBe("Sent for question 1: accept.\n"));
}

/** Without what depends on the machine: the time to answer, and whether a short sentence is one utterance with the next. */
export function comparable(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const [before = "", speaker = ""] = [joined.at(-1), /^\w+: /.exec(line)?.[0]];
    if (/^yo: .{1,23}$/.test(before) && before.startsWith(speaker))
      joined[joined.length - 1] = `${before} ${line.slice(speaker.length)}`;
    else joined.push(line.replace(/\d+ (seconds|minutes)? to answer/, "N to answer"));
  }
  return joined;
}
