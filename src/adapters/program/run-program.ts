// `aaepd run`: a program whose output is heard, and passed on byte for byte.
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { RunOptions, Sign } from "../adapter.js";
import { AGENT_VARIABLE } from "../host-marks.js";
import type { Speech } from "../language.js";
import { agentName, hostName } from "../names.js";
import { type LineRelay, relayLines } from "../proxy/line-relay.js";
import { type ChildEnd, silence, spawned } from "../proxy/run-proxy.js";
import { createTeller } from "../teller.js";
import { announced } from "../words.js";

export interface RunProgramOptions extends RunOptions {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

type ProgramEnd = Pick<ChildEnd, "code" | "signal">;

const TURN = "run";
/** UTF-16 units of the command in an announcement. */
const LONGEST_COMMAND = 80;
/** How long the daemon may take to hear the end, ms. */
const CLOSING_MS = 500;

/** Runs the program until it ends. Rejects with a Fault if it cannot be started. It has this process's standard input as its own. */
export async function runProgram(options: RunProgramOptions): Promise<ProgramEnd> {
  const { command, speech, onFault } = options;
  const { words } = speech;
  const [file, ...rest] = command;
  const name = agentName(options.name, hostName(command), options.folder, words);
  const child = spawn(file, rest, {
    env: { ...options.environment, [AGENT_VARIABLE]: name },
    stdio: ["inherit", "pipe", "pipe"],
  });
  const exited = new Promise<ProgramEnd>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Before anything is awaited, because a quick program may have written by then.
  const early: Sign[] = [];
  let tell = (sign: Sign): void => void early.push(sign);
  const heard = createHeard((sign) => tell(sign));
  const { stdout, stderr } = child;
  const relays = [
    { source: stdout, relay: relayed(stdout, options.stdout, heard("out"), onFault) },
    { source: stderr, relay: relayed(stderr, options.stderr, heard("error"), onFault) },
  ];
  const pid = await spawned(child, file);
  let isStopped = false;
  const teller = createTeller({
    run: options,
    name,
    pid,
    // A program that knows nothing of aaepd asks nothing.
    answered: () => {},
    stop: () => {
      isStopped = true;
      child.kill("SIGINT");
    },
  });
  const begun = announced(
    words.say("runs.execute", { what: shortenedText(command.join(" "), LONGEST_COMMAND) }),
    words,
  );
  teller.tell({ kind: "turn", turn: TURN, words: begun });
  for (const sign of early) teller.tell(sign);
  tell = teller.tell;
  options.onStarted({ kill: (signal) => void child.kill(signal) });
  const end = await exited;
  await Promise.all(relays.map(({ source, relay }) => Promise.race([relay.ended, silence(source, relay.isFlowing)])));
  teller.tell(endSign(end, isStopped, speech));
  await Promise.all([teller.close(CLOSING_MS), taken(options.stdout), taken(options.stderr)]);
  return end;
}

/** Resolves when the reader of the output has everything, or is gone. */
function taken(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (sink.destroyed || sink.errored) resolve();
    else sink.once("error", () => resolve()).write("", () => resolve());
  });
}

function endSign({ code, signal }: ProgramEnd, isStopped: boolean, { words }: Speech): Sign {
  if (isStopped) return { kind: "end", turn: TURN, how: "cancelled", words: words.say("stopped") };
  if (code === 0) return { kind: "end", turn: TURN, how: "completed", words: words.say("done") };
  const told = words.say("programEnded", { how: signal ?? words.say("exitCode", { code: `${code ?? 0}` }) });
  return { kind: "end", turn: TURN, how: "errored", words: told, code: "PROGRAM_FAILED" };
}

/** The two outputs as one text: where they change, a new one begins. */
function createHeard(tell: (sign: Sign) => void): (output: string) => (line: string) => void {
  let last: string | undefined;
  return (output) => (line) => {
    if (last !== undefined && last !== output) tell({ kind: "text-end", turn: TURN });
    last = output;
    tell({ kind: "text", turn: TURN, output, text: line });
  };
}

function relayed(
  source: Readable,
  sink: Writable,
  hear: (line: string) => void,
  onFault: (caught: unknown) => void,
): LineRelay {
  const read = (line: Buffer, isWhole: boolean): "pass" => {
    if (isWhole) hear(spoken(line.toString("utf8")));
    return "pass";
  };
  return relayLines({ source, sink, reader: { holds: () => false, read }, onFault });
}

/**
 * A line as a terminal would show it in the end: without colours, and of parts that were written over each other the last one. A blank line behind it
 * says that it is whole: lines of a program are seldom sentences.
 */
function spoken(line: string): string {
  const parts = stripVTControlCharacters(line)
    .replace(/\r?\n$/, "")
    .split("\r");
  return `${parts.findLast((part) => part !== "") ?? ""}\n\n`;
}
