// Publishes the events of a file into one daemon.
import { statSync } from "node:fs";
import type { Framing } from "../../../transports/framing/framings.js";
import type { Fault } from "../../base/errors.js";
import { AgentClient } from "../../client/agent/agent-client.js";
import { ipcRpcConnector } from "../../client/node.js";
import { createHelpLines, faultLine, type HelpLines } from "../shell/fault-lines.js";
import { connectingTo, socketOf } from "../shell/find-socket.js";
import { EXIT, type ExitCode, exitCodeFromFault, runCommand } from "../shell/run-command.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { openInput, readJson, readLines } from "../terminal/read-lines.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import { type Played, type PlayedLine, play } from "./play.js";
import { createRestamper, createSchedule, type Pace } from "./recording.js";

export interface PublishOptions {
  readonly socket?: string;
  readonly framing?: Framing;
  readonly producerId?: string;
  readonly rate?: number;
  readonly realtime?: true;
  readonly speed?: number;
  readonly keepIds?: true;
  readonly stopOnError?: true;
  readonly inFlight: number;
  readonly json?: true;
  readonly verbose?: true;
}

export function runPublish(file: string, options: PublishOptions, io: CommandIo): Promise<void> {
  const help = createHelpLines(options.verbose === true);
  return runCommand(io, () => publish(file, options, io, help), exitCodeFromFault, help);
}

async function publish(file: string, options: PublishOptions, io: CommandIo, help: HelpLines): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const problems = createLineWriter(options.json === true ? io.stdout : io.stderr);
  const input = await openInput(file, io.stdin);
  const client = await connect(options, io).catch((caught: unknown) => {
    input.destroy();
    throw caught;
  });
  const refusals = createRefusalTally();
  const playing = play({
    client,
    lines: playedLines(readLines(input, file)),
    restamp: createRestamper({ keepsIds: options.keepIds === true, ids: io.ids }),
    dueMs: createSchedule(paceFrom(options)),
    clock: io.clock,
    // If nothing may follow a refusal, only one event may be under way.
    maxUnanswered: options.stopOnError === true ? 1 : options.inFlight,
    stopsOnError: options.stopOnError === true,
    hasEnd: file !== "-" && statSync(file).isFile(),
    onRefused: (line, fault) => {
      if (options.json === true) void problems.write(faultLine(line, fault, true));
      else if (refusals.count(fault)) {
        void problems.write(`Error: ${faultLine(line, fault, false)}`);
        for (const one of help(fault)) void problems.write(one);
      }
    },
  });
  let interruptCount = 0;
  const cancelInterrupt = io.onInterrupt(() => {
    interruptCount += 1;
    playing.stop();
    // At the second interrupt the command does not wait for answers either.
    if (interruptCount > 1) void client.close();
  });
  try {
    const played = await playing.done;
    for (const told of refusals.untold()) await problems.write(told);
    await output.write(resultLine(played, options.json === true));
    if (played.gone !== undefined) throw played.gone;
    if (played.wasStopped) return EXIT.interrupted;
    return played.refusedCount > 0 ? EXIT.fault : EXIT.ok;
  } catch (caught) {
    if (interruptCount > 1) return EXIT.interrupted;
    throw caught;
  } finally {
    cancelInterrupt();
    await client.close();
    input.destroy();
    await output.flush();
  }
}

async function connect({ socket, framing, producerId }: PublishOptions, io: CommandIo): Promise<AgentClient> {
  const chosen = await socketOf(socket, io);
  const connector = ipcRpcConnector(chosen.path, framing === undefined ? {} : { framing });
  const client = await AgentClient.open(connectingTo(chosen, connector), { reconnect: "never" });
  if (producerId === undefined) return client;
  try {
    await client.setManifest({ agent_id: producerId });
    return client;
  } catch (caught) {
    await client.close();
    throw caught;
  }
}

function paceFrom({ rate, realtime, speed }: PublishOptions): Pace {
  if (rate !== undefined) return { kind: "rate", eventsPerSecond: rate };
  if (realtime === true || speed !== undefined) return { kind: "recorded", speed: speed ?? 1 };
  return { kind: "unpaced" };
}

/** Yields the events of the lines, the daemon checks them. */
async function* playedLines(lines: ReturnType<typeof readLines>): AsyncGenerator<PlayedLine> {
  for await (const line of lines) {
    const read = readJson(line);
    const { number } = line;
    if (read.kind === "object") yield { number, fields: read.fields, fault: undefined };
    else yield { number, fields: undefined, fault: read.fault };
  }
}

/** Refusals of one kind that are reported one by one; the rest are counted, because equal refusals of every line would hide all others. */
const TOLD_EACH = 5;

function createRefusalTally() {
  const counts = new Map<string, number>();
  return {
    /** Counts a refusal and returns whether to report it. */
    count: ({ code, sentence }: Fault): boolean => {
      const key = `${sentence} (${code})`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= TOLD_EACH;
    },
    untold: (): readonly string[] =>
      [...counts]
        .filter(([, count]) => count > TOLD_EACH)
        .map(([key, count]) => shownText(`Error: ${count - TOLD_EACH} more lines: ${key}`)),
  };
}

function resultLine(played: Played, asJson: boolean) {
  const { acceptedCount, refusedCount, leftOutCount, sessionIds, durationMs, wasStopped } = played;
  const { doubtfulCount, unansweredCount, unsentCount } = played;
  const seconds = Math.round(durationMs / 100) / 10;
  if (asJson) {
    const counts = {
      accepted: acceptedCount,
      refused: refusedCount,
      left_out: leftOutCount,
      unanswered: unansweredCount,
      unsent: unsentCount,
      sessions: sessionIds.size,
    };
    return jsonText({ ...counts, seconds, interrupted: wasStopped });
  }
  const end = wasStopped ? "Interrupted. " : "";
  return [
    `${end}Published ${counted(acceptedCount, "event")} of ${counted(sessionIds.size, "session")} in ${seconds} s; ${refusedCount} refused.`,
    leftOutCount === 0 ? "" : `${counted(leftOutCount, "line")} left out: made by the daemon.`,
    doubtfulCount === 0
      ? ""
      : `Of the refused, the daemon may still keep ${doubtfulCount}, when it can write its journal again.`,
    unansweredCount === 0 ? "" : `${counted(unansweredCount, "event")} without an answer: the daemon may have them.`,
    unsentCount === undefined || unsentCount === 0 ? "" : `${counted(unsentCount, "line")} not sent.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
