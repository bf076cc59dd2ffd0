// Plays a session to a daemon of its own and shows the streams of three listeners.
import type { Envelope } from "#gen/aaep/types.js";
import { Fault } from "../../base/errors.js";
import { within } from "../../base/time-limit.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { Subscriber } from "../../client/listener/subscriber.js";
import type { SubscriberState } from "../../client/listener/types.js";
import { ipcConnector } from "../../client/node.js";
import { type PlayedLine, play } from "../recordings/play.js";
import { createRestamper, createSchedule } from "../recordings/recording.js";
import { describeFault, EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { interruptionInWords } from "../shell/tail-states.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { endsSession } from "../terminal/event-text.js";
import { createLineWriter, type LineWriter } from "../terminal/line-writer.js";
import { createDemoAnswers, type DemoAnswers } from "./demo-answers.js";
import { type DemoDaemon, startDemoDaemon } from "./demo-daemon.js";
import { type Seat, summaryLines } from "./demo-listeners.js";
import { createDemoScreen } from "./demo-screen.js";
import { type DemoSession, isQuestion, readDemoSession } from "./demo-session.js";

export interface DemoOptions {
  readonly session: string;
  /** Undefined: the demo takes 20 s, and no session is played slower than it was recorded. */
  readonly speed?: number;
  /** Names of the listeners to show. Undefined: all. */
  readonly only?: readonly string[];
  /** The person at the keyboard answers for the user of the screen reader. */
  readonly interactive?: true;
}

/** Length of a demo without a speed, and the time in it in which the session is played, ms. */
const USUAL_MS = 20_000;
const USUAL_PLAYING_MS = 15_000;
/** Longest start and longest end of the daemon, ms. */
const START_MS = 10_000;
const END_MS = 5000;
/** Real time that slow listeners get at their own pace after the last event. Then the daemon ends and hands out the events it still holds (R8a). */
const DRAIN_MS = 15_000;
const LEAST_DRAIN_MS = 2000;

const USUAL_ANSWERS =
  "A recording holds no answers. The user of the screen reader answers each question with its default, as in the recording.";
const OWN_ANSWERS =
  "You answer for the user of the screen reader. The recorded agent goes on as in the recording, whatever you answer.";

export function runDemo(options: DemoOptions, io: CommandIo): Promise<void> {
  return runCommand(io, () => demo(options, io));
}

async function demo(options: DemoOptions, io: CommandIo): Promise<ExitCode> {
  const session = await readDemoSession(options.session);
  const output = createLineWriter(io.stdout);
  let failure: unknown;
  const { promise: interrupted, resolve: interrupt } = withResolvers<ExitCode>();
  const fail = (caught: unknown): void => {
    failure = caught;
    interrupt(EXIT.fault);
  };
  const cancelInterrupt = io.onInterrupt(() => interrupt(EXIT.interrupted));
  void output.gone.then(() => interrupt(EXIT.ok));
  try {
    const daemon = await startDemoDaemon(io, START_MS);
    try {
      const code = await show(session, options, daemon, { write: output.write, interrupted, fail, io });
      if (failure !== undefined) throw failure;
      return code;
    } finally {
      await daemon.dispose(END_MS);
    }
  } finally {
    cancelInterrupt();
    await output.flush();
  }
}

interface Surroundings {
  readonly io: CommandIo;
  readonly write: LineWriter["write"];
  /** Resolves when the demo is to end early. */
  readonly interrupted: Promise<ExitCode>;
  /** Ends the demo by an error. */
  readonly fail: (caught: unknown) => void;
}

async function show(
  session: DemoSession,
  options: DemoOptions,
  daemon: DemoDaemon,
  { write, interrupted, fail, io }: Surroundings,
): Promise<ExitCode> {
  const isInteractive = options.interactive === true;
  const speed = options.speed ?? usualSpeed(session);
  const { language } = session;
  const screen = createDemoScreen({ io, write, language, only: options.only });
  const { seats, shown } = screen;
  const [screenReader] = seats;
  const answers = createDemoAnswers({
    io,
    subscriber: () => audience[0],
    isInteractive,
    speed,
    say: (line) => screen.print([line]),
    onAnswer: (text) => screen.showAnswer(screenReader, text),
    onFailure: fail,
  });
  const receiver = (seat: Seat) => (event: Envelope) => {
    seat.got.note(event);
    const wasSaid = seat === screenReader && answers.heard(event);
    if (!wasSaid) screen.showEvent(seat, event);
  };

  const { agent, socketPath } = daemon;
  await agent.setManifest(manifestOf(session));
  const subscriptions = seats.map((seat) => ({ seat, ...subscribe(seat, socketPath, receiver(seat)) }));
  const audience: readonly Subscriber[] = subscriptions.map(({ subscriber }) => subscriber);
  try {
    await Promise.all(subscriptions.map(({ active }) => active));
    const about = isInteractive ? OWN_ANSWERS : USUAL_ANSWERS;
    screen.begin([titleLine(session, options.session, speed), ...(session.hasQuestions ? [about] : [])]);
    const refusals: string[] = [];
    const onRefused = (line: number, fault: Fault) => refusals.push(`Error: line ${line}: ${describeFault(fault)}`);
    const schedule = createSchedule({ kind: "recorded", speed });
    const playing = play({
      client: agent,
      lines: linesOf(session, answers.untilAnswered),
      restamp: createRestamper({ keepsIds: false, ids: io.ids }),
      dueMs: (fields) => schedule(fields) + answers.lateMs(),
      clock: io.clock,
      maxUnanswered: 256,
      stopsOnError: false,
      onRefused,
    });
    // After an early end nobody waits for it.
    playing.done.catch(() => {});
    const end = await Promise.race([interrupted, playing.done]);
    if (typeof end === "number") {
      playing.stop();
      return end;
    }
    if (end.gone !== undefined) throw end.gone;
    const awaited = subscriptions.filter(({ seat }) => shown.includes(seat)).map(({ finished: end }) => end);
    const drainMs = options.speed === undefined ? USUAL_MS - screen.elapsedMs() : DRAIN_MS / speed;
    const finished = Promise.all(awaited).then(() => undefined);
    const drainedBy = io.clock.now() + Math.max(LEAST_DRAIN_MS, drainMs);
    const drained = await within(drainedBy, Promise.race([interrupted, finished]), io.clock);
    if (drained !== undefined) return drained;
    daemon.endInput();
    await within(io.clock.now() + END_MS, Promise.all(audience.map(({ ended }) => ended)), io.clock);
    screen.end(["", ...summaryLines(shown, session), ...refusals]);
    const isWhole = seats.every(({ got }) => got.hasWholeText(session));
    return isWhole && refusals.length === 0 ? EXIT.ok : EXIT.fault;
  } finally {
    answers.stop();
    await Promise.all(audience.map((subscriber) => subscriber.close()));
  }
}

function subscribe(seat: Seat, socketPath: string, receive: (event: Envelope) => void) {
  /** Rejects with a Fault if the terms are not granted. */
  const { promise: active, resolve: tellActive, reject: tellFailed } = withResolvers();
  /** Resolves when the end of the session has arrived, or the subscription has ended. */
  const { promise: finished, resolve: tellFinished } = withResolvers();

  function note(state: SubscriberState): void {
    if (state.kind === "active") {
      seat.accepted = state.accepted;
      tellActive();
    } else if (state.kind === "ended") {
      const why = state.because.kind === "asked" ? "It was closed." : interruptionInWords(state.because);
      tellFailed(new Fault("peer_gone", `${seat.listener.name}: ${why}`));
      tellFinished();
    }
  }

  const subscriber = new Subscriber({
    connect: ipcConnector(socketPath),
    request: {
      subscriber_id: seat.listener.id,
      subscriber_name: seat.listener.name,
      capabilities: seat.listener.capabilities,
    },
    onEvent: (event) => {
      receive(event);
      if (endsSession(event)) tellFinished();
    },
    onState: note,
    reconnect: "never",
  });
  active.catch(() => {});
  return { subscriber, active, finished };
}

/** The recorded agent goes on when its question has its outcome. */
async function* linesOf(
  { events }: DemoSession,
  untilAnswered: DemoAnswers["untilAnswered"],
): AsyncGenerator<PlayedLine> {
  for (const [index, fields] of events.entries()) {
    yield { number: index + 1, fields, fault: undefined };
    if (isQuestion(fields)) await untilAnswered(fields);
  }
}

function manifestOf({ producer, language }: DemoSession) {
  const { agent_name: name, agent_version: version } = producer;
  return {
    agent_id: producer.agent_id,
    ...(typeof name === "string" ? { agent_name: name } : undefined),
    ...(typeof version === "string" ? { agent_version: version } : undefined),
    languages_supported: [language],
  };
}

/** In tenths, so that it can be said. */
function usualSpeed({ durationMs }: DemoSession): number {
  return Math.max(1, Math.ceil((durationMs / USUAL_PLAYING_MS) * 10) / 10);
}

function titleLine({ events, charCount, durationMs, producer }: DemoSession, name: string, speed: number): string {
  const pace = speed === 1 ? "at its own pace" : `at ${speed} times its pace`;
  const size = `${counted(events.length, "event")} and ${counted(charCount, "character")} of text`;
  const seconds = counted(Math.round(durationMs / 1000 / speed), "second");
  return `The session ${name} of ${producer.agent_name ?? producer.agent_id}: ${size} in ${seconds}, ${pace}.`;
}
