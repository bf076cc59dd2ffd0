// Asks daemons for their status and reports it, once or repeatedly.
import { Fault, faultFrom } from "../../base/errors.js";
import { within } from "../../base/time-limit.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import { helpOf } from "../shell/fault-lines.js";
import { type ChosenSocket, chosenSocket, listeningDaemons, noDaemonIn, usualSocket } from "../shell/find-socket.js";
import { describeFault, EXIT, type ExitCode, runCommand, whileRead } from "../shell/run-command.js";
import { takesControls } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter, writeLines } from "../terminal/line-writer.js";
import { jsonText } from "../terminal/shown-text.js";
import { terminalColumns, USUAL_COLUMNS } from "../terminal/terminal-width.js";
import { askStatus } from "./ask-status.js";
import { statusLines } from "./status-text.js";

export interface StatusOptions {
  readonly socket?: string;
  readonly json?: true;
  /** Seconds between two reports; true: the default. */
  readonly watch?: number | true;
}

interface Telling extends StatusOptions {
  readonly chosen: ChosenSocket | undefined;
}

interface Asked {
  readonly label: string;
  readonly socketPath: string;
  readonly isByVariable?: boolean;
}

type Answer =
  | { readonly kind: "status"; readonly from: Asked; readonly status: DaemonStatus }
  | { readonly kind: "fault"; readonly from: Asked; readonly fault: Fault };

const USUAL_WATCH_SECONDS = 2;
const MOST_COLUMNS = 100;
/** Moves the cursor to the upper left and clears below it: the terminal keeps its earlier contents. */
const REDRAW = "\u001b[H\u001b[J";

export function runStatus(options: StatusOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    const telling = { ...options, chosen: chosenSocket(options.socket, io.environment) };
    return await (options.watch === undefined ? tellOnce(telling, io) : watch(telling, io));
  });
}

async function tellOnce(options: Telling, io: CommandIo): Promise<ExitCode> {
  const answers = await askAll(await daemonsFor(options, io), options, io);
  const [only] = answers;
  if (answers.length === 1 && only?.kind === "fault") throw only.fault;
  await writeLines(io.stdout, linesOf(answers, options, io));
  return answers.some(({ kind }) => kind === "fault") ? EXIT.unreachable : EXIT.ok;
}

/** Continues while there is no daemon: one may start, or return. */
async function watch(options: Telling, io: CommandIo): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const seconds = typeof options.watch === "number" ? options.watch : USUAL_WATCH_SECONDS;
  let isOver = false;
  const { promise: over, resolve: tellOver } = withResolvers();
  const end = (): void => {
    isOver = true;
    tellOver();
  };
  return whileRead(output, io, end, async () => {
    while (!isOver) {
      const lines = await linesNow(options, io);
      if (isOver) break;
      const isRedrawn = takesControls(io) && options.json !== true;
      await output.write(isRedrawn ? `${REDRAW}${lines.join("\n")}` : lines.join("\n"));
      // An empty line separates two reports.
      if (!isRedrawn && options.json !== true) await output.write("");
      await within(io.clock.now() + seconds * 1000, over, io.clock);
    }
    return EXIT.ok;
  });
}

async function linesNow(options: Telling, io: CommandIo): Promise<readonly string[]> {
  try {
    return linesOf(await askAll(await daemonsFor(options, io), options, io), options, io);
  } catch (caught) {
    const fault = faultFrom(caught);
    return [options.json === true ? faultJson(fault, undefined) : `Error: ${describeFault(fault)}`];
  }
}

async function daemonsFor({ chosen }: Telling, { daemonDirectories }: CommandIo): Promise<readonly Asked[]> {
  if (chosen !== undefined) return [{ label: "", socketPath: chosen.path, isByVariable: chosen.isByVariable }];
  if (daemonDirectories.length === 0) return [{ label: "", socketPath: usualSocket() }];
  const found = await listeningDaemons(daemonDirectories);
  if (found.length === 0) throw noDaemonIn(daemonDirectories);
  return found;
}

function askAll(daemons: readonly Asked[], { json }: StatusOptions, io: CommandIo): Promise<readonly Answer[]> {
  return Promise.all(
    daemons.map(async (from): Promise<Answer> => {
      try {
        const status = await askStatus(from.socketPath, io, from.isByVariable);
        if (json !== true) assertTellable(status, from, io);
        return { kind: "status", from, status };
      } catch (caught) {
        return { kind: "fault", from, fault: faultFrom(caught) };
      }
    }),
  );
}

/** Throws a Fault if the status cannot be shown. Any program may listen at a socket, and a daemon of another version may answer differently. */
function assertTellable(status: DaemonStatus, { socketPath }: Asked, { clock }: CommandIo): void {
  try {
    statusLines(status, clock.wallTime(), USUAL_COLUMNS);
  } catch (cause) {
    const sentence = `The program at ${socketPath} answers with a status that this version cannot show. Print it with --json.`;
    throw new Fault("unsupported", sentence, { origin: "peer", cause });
  }
}

function linesOf(answers: readonly Answer[], options: StatusOptions, io: CommandIo): readonly string[] {
  const lines: string[] = [];
  const width = terminalColumns(io.stdout) ?? USUAL_COLUMNS;
  // Lines that are no terminal's are for other programs, such as grep.
  const columns = io.stdout.isTTY === true ? Math.min(width, MOST_COLUMNS) : Number.POSITIVE_INFINITY;
  for (const answer of answers) {
    if (options.json === true) {
      lines.push(answer.kind === "status" ? jsonText(answer.status) : faultJson(answer.fault, answer.from));
      continue;
    }
    if (lines.length > 0) lines.push("");
    if (answer.kind === "status") lines.push(...statusLines(answer.status, io.clock.wallTime(), columns));
    else lines.push(`Daemon ${answer.from.label}`.trimEnd(), `  Error: ${describeFault(answer.fault)}`);
  }
  return lines;
}

function faultJson(fault: Fault, from: Asked | undefined): string {
  const { code, sentence } = fault;
  return jsonText({
    error: { code, message: sentence, ...(from === undefined ? {} : { socket: from.socketPath }), help: helpOf(fault) },
  });
}
