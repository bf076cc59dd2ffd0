// A program of the person's choice as a voice. It reads one JSON object a line: `{"id": 1, "priority": "text", "text": "…", "language": "en"}` is to
// be spoken, and `{"cancel": 1}` to be ended. It writes `{"done": 1}` or `{"cancelled": 1}`. `"own": true` marks words of aaepd itself.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { faultFromNodeError } from "../../transports/node-errors.js";
import { Fault } from "../base/errors.js";
import type { Environment } from "./ssip/speech-dispatcher.js";
import type { Outcome, Utterance, Voice } from "./voice.js";

export interface CommandVoiceOptions {
  /** A command of the shell. */
  readonly command: string;
  readonly environment: Environment;
}

interface Program {
  readonly write: (message: object) => void;
  readonly end: () => void;
}

export function createCommandVoice({ command, environment }: CommandVoiceOptions): Voice {
  let program: Program | undefined;
  let lastId = 0;
  const spoken = new Map<number, (outcome: Outcome) => void>();

  function settle(id: unknown, outcome: Outcome): void {
    if (typeof id !== "number") return;
    spoken.get(id)?.(outcome);
    spoken.delete(id);
  }

  function take(line: string): void {
    let message: Readonly<Record<string, unknown>> | null;
    try {
      message = JSON.parse(line);
    } catch {
      // Some programs tell on standard output what they do.
      return;
    }
    settle(message?.done, { kind: "done" });
    settle(message?.cancelled, { kind: "cancelled" });
  }

  function start(): Program {
    const child = spawn(command, { shell: true, env: environment, stdio: ["pipe", "pipe", "inherit"] });
    const own: Program = {
      write: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
      // The end of its input tells it to go. It may take its time.
      end: () => {
        child.stdin.end();
        child.stdout.destroy();
        child.unref();
      },
    };
    const over = (fault: Fault): void => {
      if (program !== own) return;
      program = undefined;
      for (const id of [...spoken.keys()]) settle(id, { kind: "failed", fault });
    };
    child.once("error", (error) => over(faultFromNodeError(error, command)));
    child.once("exit", (code, signal) => over(hasEnded(signal ?? code)));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", take);
    return own;
  }

  function hasEnded(how: unknown): Fault {
    return new Fault("peer_gone", `The program that speaks has ended with ${how}: ${command}`, { origin: "local" });
  }

  function cancel(): void {
    for (const id of spoken.keys()) program?.write({ cancel: id });
  }

  function reset(): void {
    cancel();
    program?.end();
    program = undefined;
    for (const id of [...spoken.keys()]) settle(id, { kind: "cancelled" });
  }

  return {
    speak: ({ priority, text, language, isOwn }: Utterance, onBegun) => {
      cancel();
      program ??= start();
      lastId += 1;
      const id = lastId;
      program.write({ id, priority, text, language, ...(isOwn && { own: true }) });
      onBegun?.();
      return new Promise((resolve) => spoken.set(id, resolve));
    },
    cancel,
    reset,
    close: reset,
  };
}
