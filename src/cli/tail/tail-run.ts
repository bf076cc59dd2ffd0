// Follows one daemon, or all of them, and prints their events.
import type { Envelope } from "#gen/aaep/types.js";
import { assertNotBelowAgent } from "../../adapters/host-marks.js";
import { usage } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { Listening } from "../../client/listener/subscribe.js";
import type { Terms } from "../../client/listener/terms.js";
import type { Discovery, Interruption, Source, SubscriberState } from "../../client/listener/types.js";
import { ipcConnector } from "../../client/node.js";
import { ASKED, createTailQuestions, type FollowedSource } from "../questions/tail-questions.js";
import { capabilitiesFromOptions, textsOf } from "../shell/capability-options.js";
import { followedDaemons } from "../shell/daemons-from.js";
import { createHelpLines } from "../shell/fault-lines.js";
import { chosenSocket, connectingTo, noDaemonIn } from "../shell/find-socket.js";
import { EXIT, type ExitCode, exitCodeFromFault, runCommand, whileRead } from "../shell/run-command.js";
import { interruptionInWords, stateInWords } from "../shell/tail-states.js";
import { agentText, createReadText, ownLine, shownName } from "../terminal/agent-text.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter, type LineWriter } from "../terminal/line-writer.js";
import { createSignsOfLife, type SignsOfLife } from "../terminal/signs-of-life.js";
import { readCursor, writeCursor } from "./cursor-file.js";
import { createOnlyFilter } from "./only-filter.js";
import { createTailLines, type TailLine } from "./tail-lines.js";
import { patternsOfNothing, refuseMixture, type TailOptions } from "./tail-options.js";

const NEEDS_SOCKET = "Named pipes cannot be listed here. Give the daemon's pipe with --socket.";

export function runTail(options: TailOptions, io: CommandIo): Promise<void> {
  const help = createHelpLines(options.verbose === true);
  const run = async (): Promise<ExitCode> => {
    refuseMixture(options);
    if (options.interactive === true) assertNotBelowAgent(io.environment);
    if (options.akashik !== true) return tail(options, io);
    const { followField } = await import("../field/follow-field.js");
    return followField(options, io);
  };
  return runCommand(io, run, exitCodeFromFault, help);
}

async function tail(options: TailOptions, io: CommandIo): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const following = new Tail(options, io, output);
  return whileRead(
    output,
    io,
    () => following.finish(EXIT.ok),
    () => following.follow(),
  );
}

/** The one daemon that is named, and the place to go on from there; without a socket all daemons are followed. */
function chosenPlace({ from, socket: given, cursorFile, resumeAfter }: TailOptions, io: CommandIo) {
  const socket = from === undefined ? chosenSocket(given, io.environment) : undefined;
  if (socket === undefined && (cursorFile !== undefined || resumeAfter !== undefined)) {
    const option = cursorFile === undefined ? "--resume-after" : "--cursor-file";
    throw usage(`${option} is about one daemon. Name its socket (--socket).`);
  }
  if (socket === undefined && from === undefined && io.daemonDirectories.length === 0) throw usage(NEEDS_SOCKET);
  return { socket, cursor: resumeAfter ?? (cursorFile === undefined ? undefined : readCursor(cursorFile)) };
}

/** A daemon that is followed, or was. */
interface Followed {
  readonly questions: FollowedSource | undefined;
  /** Whether the text of its chunks is shown in quotes: it is cut anywhere. */
  quotesText: boolean;
  /** Whether the person knows that the connection is lost and awaited. */
  isToldWaiting: boolean;
  /** How it ended. A change at its address follows it again. */
  end: Interruption["kind"] | undefined;
  /** The last line about an end, so that an unchanged one is not repeated at every change beside it. */
  endWords: string;
}

class Tail {
  readonly #options: TailOptions;
  readonly #io: CommandIo;
  readonly #output: LineWriter;
  readonly #status: LineWriter;
  readonly #isOfOne: boolean;
  readonly #lineOf: TailLine;
  readonly #only: ReturnType<typeof createOnlyFilter>;
  readonly #signs: SignsOfLife | undefined;
  readonly #questions: ReturnType<typeof createTailQuestions> | undefined;
  readonly #listening: Listening;
  /** By the names of their sources: a question asked at a place may be answered at the next daemon there (R8b). */
  readonly #followed = new Map<string, Followed>();
  readonly #finished = withResolvers<ExitCode>();
  #left: number;

  constructor(options: TailOptions, io: CommandIo, output: LineWriter) {
    const { socket, cursor } = chosenPlace(options, io);
    this.#options = options;
    this.#io = io;
    this.#output = output;
    this.#status = createLineWriter(io.stderr);
    this.#isOfOne = socket !== undefined;
    this.#lineOf = tailLinesFor(options, io);
    this.#only = createOnlyFilter(options.only);
    this.#left = options.count ?? Number.POSITIVE_INFINITY;
    for (const doubt of this.#only.warnings) this.#say("", `Warning: ${doubt}`);
    for (const pattern of patternsOfNothing(options))
      this.#say(
        "",
        `Warning: ${JSON.stringify(pattern)} matches no event of AAEP. Write types whole, as in aaep:agent.tool.*`,
      );
    this.#questions = options.interactive === true ? this.#createQuestions() : undefined;
    this.#signs = signsFor(options, io, (line) => {
      if (this.#questions?.keys.isPaused !== true) void this.#status.write(ownLine(line));
    });
    const { subscriberId, subscriberName, cursorFile, framing, reconnect } = options;
    const connector = socket && connectingTo(socket, ipcConnector(socket.path, framing && { framing }));
    this.#listening = new Listening(
      socket && connector ? [{ name: socket.path, label: "", connect: connector }] : [],
      socket ? [] : this.#daemons(),
      { ...capabilitiesFromOptions(options), ...(this.#questions && ASKED) },
      {
        id: subscriberId ?? `aaepd-tail-${io.ids.hex(4)}`,
        name: subscriberName,
        reconnect: reconnect ? "after-first" : "never",
        timers: io.clock,
        cursor,
        ...(cursorFile === undefined ? undefined : { onCursor: (next: string) => writeCursor(cursorFile, next) }),
        onState: (state, source) => this.#changed(state, source),
        onReplyNotTaken: (token, source) => this.#of(source).questions?.notTaken(token),
        onError: ({ answers, code, message }, source) => {
          const { questions } = this.#of(source);
          if (answers === "aaepd.stop" && questions?.notStopped(code === "unsupported") === true) return;
          this.#say(source.label, `The daemon did not accept a message: ${message}`);
        },
      },
    );
  }

  finish(code: ExitCode): void {
    this.#finished.resolve(code);
  }

  async follow(): Promise<ExitCode> {
    try {
      return await Promise.race([this.#finished.promise, this.#read()]);
    } finally {
      // Before the connections close, so that the prompt does not report their loss.
      this.#questions?.stop();
      this.#signs?.close();
      await this.#listening.close();
    }
  }

  async #read(): Promise<ExitCode> {
    for await (const event of this.#listening) {
      const source = this.#listening.sourceOf(event);
      if (source !== undefined && this.#options.concerns?.(event) !== false) await this.#heard(event, source);
    }
    return this.#finished.promise;
  }

  #heard(event: Envelope, source: Source): Promise<void> | undefined {
    const { questions, quotesText } = this.#of(source);
    const show = (): Promise<void> | undefined => {
      const line = this.#only.admits(event) ? this.#lineOf(source.label, event, quotesText) : undefined;
      this.#signs?.heard(event, line !== undefined);
      return line === undefined ? undefined : this.#print(line);
    };
    // A question and its outcome are announced once; programs receive every event.
    const isTold = questions?.heard(event, () => void show()) === true && this.#options.json !== true;
    if (!isTold) return show();
    this.#signs?.heard(event, false);
    return undefined;
  }

  async #print(line: string): Promise<void> {
    if (this.#left <= 0) return;
    this.#left -= 1;
    await this.#output.write(line);
    if (this.#left <= 0) this.finish(EXIT.ok);
  }

  #say(label: string, text: string): void {
    if (this.#options.quiet === true || text === "") return;
    void this.#status.write(ownLine(agentText(label === "" ? text : `${label}: ${text}`)));
  }

  #changed(state: SubscriberState, source: Source): void {
    const one = this.#of(source);
    one.end = undefined;
    switch (state.kind) {
      case "connecting":
        return;
      case "active":
        one.questions?.active();
        one.isToldWaiting = false;
        one.quotesText = textsOf(state.accepted.honored_capabilities.coalesce_boundaries).includes("none");
        break;
      case "waiting":
        one.questions?.interrupted();
        // Further failed attempts are no news.
        if (one.isToldWaiting && state.because.kind === "fault") return;
        one.isToldWaiting = true;
        break;
      case "ended":
        // Otherwise the command itself is at its end.
        if (state.because.kind !== "asked") this.#ended(state.because, one, source.label);
        return;
    }
    const show = (): void => this.#say(source.label, stateInWords(state, source.label));
    if (this.#questions?.keys.holds(show) !== true) show();
  }

  #ended(because: Interruption, one: Followed, label: string): void {
    one.questions?.ended();
    one.end = because.kind;
    const words = interruptionInWords(because);
    if (this.#isHopeless()) {
      if (because.kind !== "closed") void this.#status.write(`Error: ${words}`);
      this.finish(exitCodeFromEnd(because));
    } else if (one.endWords !== words) this.#say(label, words);
    one.endWords = words;
  }

  /** Whether nothing more is to be expected: the only daemon has ended, every one rejects, or none is left and none is awaited. */
  #isHopeless(): boolean {
    const ends = [...this.#followed.values()].map(({ end }) => end);
    const isOver = ends.every((end) => end !== undefined);
    return isOver && (this.#isOfOne || !this.#options.reconnect || ends.every((end) => end === "rejected"));
  }

  #of({ name, label }: Source): Followed {
    const known = this.#followed.get(name);
    if (known !== undefined) return known;
    const questions = this.#questions?.source(label, () => this.#listening.subscriberOf(name));
    const one = { questions, quotesText: false, isToldWaiting: false, end: undefined, endWords: "" };
    this.#followed.set(name, one);
    return one;
  }

  #createQuestions(): ReturnType<typeof createTailQuestions> {
    return createTailQuestions({
      io: this.#io,
      say: (line) => void this.#status.write(ownLine(line)),
      tell: (line) => void this.#status.write(line),
      verbosity: this.#options.verbosity ?? "normal",
      renegotiate: (changes: Terms) => this.#listening.renegotiate(changes),
      onFailure: this.#finished.reject,
    });
  }

  #daemons(): readonly Discovery[] {
    const { from, local, framing } = this.#options;
    return followedDaemons(
      {
        ...{ from, local, framing },
        onLooked: (daemonCount) => {
          if (daemonCount === 0) this.#foundNone();
        },
        onStale: (fault, label) => this.#say(label, fault.sentence),
        warn: (sentence) => this.#say("", sentence),
      },
      this.#io,
    );
  }

  #foundNone(): void {
    const { reconnect, from } = this.#options;
    const { daemonDirectories: directories } = this.#io;
    if (!reconnect && from === undefined) this.#finished.reject(noDaemonIn(directories));
    // Of a daemon that was followed and has gone, its own line has told that it is awaited.
    else if (this.#followed.size === 0)
      this.#say(
        "",
        `No daemon in ${directories.join(" or ")} yet; waiting for one. To start one: aaepd setup, or in a terminal of its own: aaepd serve`,
      );
  }
}

function exitCodeFromEnd(because: Interruption): ExitCode {
  if (because.kind === "closed") return EXIT.ok;
  return because.kind === "rejected" ? EXIT.fault : exitCodeFromFault(because.fault);
}

/** Only where a person reads all that comes. */
function signsFor(
  { json, only }: TailOptions,
  { clock }: CommandIo,
  say: (line: string) => void,
): SignsOfLife | undefined {
  if (json === true || only !== undefined) return undefined;
  return createSignsOfLife(clock, (event, words) => say(`${shownName(event)}: ${words}.`));
}

function tailLinesFor(options: TailOptions, io: CommandIo): TailLine {
  return createTailLines({
    asJson: options.json === true,
    withLabel: options.label === true,
    withTime: options.time,
    withNames: options.agent,
    colors: colorsFor(io),
    read: createReadText("braille", options),
  });
}
