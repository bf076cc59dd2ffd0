// Follows one daemon, or all of them, and prints their events.
import type { Envelope } from "#gen/aaep/types.js";
import type { Framing } from "../../../transports/framing/framings.js";
import { assertNotBelowAgent } from "../../adapters/host-marks.js";
import { usage } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { discoverDaemons } from "../../client/discovery/discover-daemons.js";
import { Subscriber } from "../../client/listener/subscriber.js";
import type { Connector, Discovery, SubscriberEnd, Target } from "../../client/listener/types.js";
import { ipcConnector } from "../../client/node.js";
import type { SpeakableOptions } from "../../speakable/index.js";
import { createTailQuestions, type FollowedSource } from "../questions/tail-questions.js";
import { type CapabilityOptions, capabilitiesFromOptions } from "../shell/capability-options.js";
import { allOf, daemonsFrom } from "../shell/daemons-from.js";
import { createHelpLines } from "../shell/fault-lines.js";
import { chosenSocket, connectingTo, noDaemonIn } from "../shell/find-socket.js";
import { EXIT, type ExitCode, exitCodeFromFault, runCommand, whileRead } from "../shell/run-command.js";
import { interruptionInWords, stateInWords } from "../shell/tail-states.js";
import { agentText, createReadText, ownLine, shownName } from "../terminal/agent-text.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { createSignsOfLife, type SignsOfLife } from "../terminal/signs-of-life.js";
import { readCursor, writeCursor } from "./cursor-file.js";
import { createOnlyFilter } from "./only-filter.js";
import { createTailLines, type TailLine } from "./tail-lines.js";

export interface TailOptions extends CapabilityOptions, Omit<SpeakableOptions, "language"> {
  readonly socket?: string;
  readonly from?: readonly string[];
  readonly local?: true;
  readonly framing?: Framing;
  readonly json?: true;
  readonly label?: true;
  readonly time: boolean;
  readonly agent: boolean;
  readonly only?: readonly string[];
  readonly quiet?: true;
  readonly verbose?: true;
  readonly count?: number;
  readonly interactive?: true;
  readonly resumeAfter?: string;
  readonly cursorFile?: string;
  readonly reconnect: boolean;
  readonly subscriberId?: string;
  readonly subscriberName: string;
  readonly akashik?: true;
  readonly interests?: readonly string[];
  readonly minRelevance?: number;
  readonly debounce?: number;
  /** Which events are shown and asked. Only callers of the function have it. Default: all. */
  readonly concerns?: (event: Envelope) => boolean;
}

const NEEDS_SOCKET = "Named pipes cannot be listed here. Give the daemon's pipe with --socket.";

interface Followed {
  readonly subscriber: Subscriber;
  readonly label: string;
  readonly isConnected: () => boolean;
  /** Whether the person knows that the connection is lost and awaited. */
  readonly isToldWaiting: () => boolean;
}

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

/** Options of one way to follow mean nothing in the other. */
function refuseMixture(options: TailOptions): void {
  const { label, interactive, resumeAfter, cursorFile, only, akashik, interests, minRelevance, debounce } = options;
  const ofField = { "--interests": interests, "--min-relevance": minRelevance, "--debounce": debounce };
  const ofEvents = {
    "--label": label,
    "--interactive": interactive,
    "--resume-after": resumeAfter,
    "--cursor-file": cursorFile,
    "--only": only,
  };
  const [name] = Object.entries(akashik === true ? ofEvents : ofField).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) {
    throw usage(akashik === true ? `${name} does not go with --akashik.` : `${name} goes with --akashik.`);
  }
  if (akashik !== true || Object.keys(capabilitiesFromOptions(options)).length === 0) return;
  throw usage("--akashik has no terms of a subscription. Give --interests, --min-relevance or --debounce.");
}

/** All daemons of this user, or those of `--from`. */
function daemonsToFollow(
  { from, local, framing }: TailOptions,
  { environment, daemonDirectories: directories, clock: timers }: CommandIo,
  { looked, say }: { looked: (daemonCount: number) => void; say: (label: string, text: string) => void },
): Discovery {
  const elsewhere = from === undefined ? [] : [daemonsFrom(from, environment, timers)];
  if (elsewhere.length > 0 && local !== true) return allOf(elsewhere);
  const here = discoverDaemons({
    directories,
    framing,
    timers,
    onLooked: looked,
    onStale: (fault, label) => say(label, fault.sentence),
    onLeftOut: (fault) => say("", `Warning: ${fault.sentence} Its daemons are not followed.`),
  });
  return allOf([...elsewhere, here]);
}

async function tail(options: TailOptions, io: CommandIo): Promise<ExitCode> {
  const output = createLineWriter(io.stdout);
  const status = createLineWriter(io.stderr);
  if (options.label === true && options.json !== true) {
    throw usage("--label goes with --json. Give both, or neither.");
  }
  const { from } = options;
  const socket = from === undefined ? chosenSocket(options.socket, io.environment) : undefined;
  const { cursorFile } = options;
  if (socket === undefined && (cursorFile !== undefined || options.resumeAfter !== undefined)) {
    const sentence = `${cursorFile === undefined ? "--resume-after" : "--cursor-file"} is about one daemon. Name its socket (--socket).`;
    throw usage(sentence);
  }
  const resumeAfter = options.resumeAfter ?? (cursorFile === undefined ? undefined : readCursor(cursorFile));
  const subscriberId = options.subscriberId ?? `aaepd-tail-${io.ids.hex(4)}`;
  const lineOf = tailLinesFor(options, io);
  const only = createOnlyFilter(options.only);
  let left = options.count ?? Number.POSITIVE_INFINITY;
  const { promise: finished, resolve, reject } = withResolvers<ExitCode>();
  const finish = (code: ExitCode): void => {
    // Before the connections close, so that the prompt does not report their loss.
    questions?.stop();
    resolve(code);
  };
  const fail = (caught: unknown): void => {
    questions?.stop();
    reject(caught);
  };

  function say(label: string, text: string): void {
    if (options.quiet === true || text === "") return;
    void status.write(ownLine(agentText(label === "" ? text : `${label}: ${text}`)));
  }

  const questions =
    options.interactive === true
      ? createTailQuestions({
          io,
          say: (line) => void status.write(ownLine(line)),
          tell: (line) => void status.write(line),
          verbosity: options.verbosity ?? "normal",
          onFailure: fail,
        })
      : undefined;

  async function print(line: string): Promise<void> {
    if (left <= 0) return;
    left -= 1;
    await output.write(line);
    if (left <= 0) finish(EXIT.ok);
  }

  const signs = signsFor(options, io, (line) => {
    if (questions?.keys.isPaused !== true) void status.write(ownLine(line));
  });
  for (const doubt of only.warnings) say("", `Warning: ${doubt}`);
  for (const pattern of patternsOfNothing(options)) {
    say("", `Warning: ${JSON.stringify(pattern)} matches no event of AAEP. Write types whole, as in aaep:agent.tool.*`);
  }

  /** `source`: the questions of an earlier daemon at the same place. `waits`: called whenever there is no connection. */
  function follow(
    connect: Connector,
    label: string,
    from: string | undefined,
    source?: FollowedSource,
    waits: () => void = () => {},
  ): Followed {
    let quotesText = false;
    let isToldWaiting = false;
    let isConnected = false;
    const subscriber: Subscriber = new Subscriber({
      connect,
      request: {
        subscriber_id: subscriberId,
        subscriber_name: options.subscriberName,
        capabilities: { ...capabilitiesFromOptions(options), ...questions?.capabilities() },
      },
      onEvent: (event) => {
        if (options.concerns?.(event) === false) return;
        const show = (): Promise<void> | undefined => {
          const line = only.admits(event) ? lineOf(label, event, quotesText) : undefined;
          signs?.heard(event, line !== undefined);
          return line === undefined ? undefined : print(line);
        };
        // A question and its outcome are announced once; programs receive every event.
        const isTold = source?.heard(event, () => void show()) === true && options.json !== true;
        if (!isTold) return show();
        signs?.heard(event, false);
        return undefined;
      },
      onState: (state) => {
        if (state.kind === "active") source?.active();
        if (state.kind === "waiting") source?.interrupted();
        if (state.kind === "ended") source?.ended();
        if (state.kind === "active") {
          isToldWaiting = false;
          quotesText = state.accepted.honored_capabilities.coalesce_boundaries?.includes("none") === true;
        }
        if (state.kind === "waiting") {
          // Further failed attempts are no news.
          if (isToldWaiting && state.because.kind === "fault") return waits();
          isToldWaiting = true;
        }
        isConnected = state.kind === "active";
        const show = (): void => say(label, stateInWords(state, label));
        if (questions?.keys.holds(show) !== true) show();
        if (state.kind === "waiting") waits();
      },
      onReplyNotTaken: (token) => source?.notTaken(token),
      onError: ({ answers, code, message }) => {
        if (answers === "aaepd.stop" && source?.notStopped(code === "unsupported") === true) return;
        say(label, `The daemon did not accept a message: ${message}`);
      },
      reconnect: options.reconnect ? "after-first" : "never",
      timers: io.clock,
      ...(from === undefined ? undefined : { cursor: from }),
      onCursor: (cursor) => {
        if (cursorFile !== undefined) writeCursor(cursorFile, cursor);
      },
    });
    subscriber.ended.catch(fail);
    return { subscriber, label, isConnected: () => isConnected, isToldWaiting: () => isToldWaiting };
  }

  const endedAs = (end: SubscriberEnd): ExitCode => exitCodeFromEnd(end, (line) => void status.write(line));

  async function followOne(connect: Connector): Promise<ExitCode> {
    const source = questions?.source("", () => subscriber);
    const { subscriber } = follow(connect, "", resumeAfter, source);
    const code = await Promise.race([finished, subscriber.ended.then(endedAs)]);
    await subscriber.close();
    return code;
  }

  async function followAll(): Promise<ExitCode> {
    const directories = io.daemonDirectories;
    if (from === undefined && directories.length === 0) throw usage(NEEDS_SOCKET);
    const followed = new Map<string, Followed>();
    const stoppedAt = new Map<string, string>();
    /** The last line about each socket, so that an unchanged state is not repeated at every change beside it. */
    const lastWords = new Map<string, string>();
    const rejected = new Set<string>();
    /** Questions asked at a place may be answered at the next daemon there (R8b). */
    const sources = new Map<string, FollowedSource | undefined>();
    const present = new Set<string>();

    function appeared({ name: path, label = path, connect }: Target): void {
      present.add(path);
      if (followed.has(path)) return;
      const source = sources.get(path) ?? questions?.source(label, () => followed.get(path)?.subscriber);
      sources.set(path, source);
      const one = follow(connect, label, stoppedAt.get(path), source, () => stopWithoutConnection(path));
      followed.set(path, one);
      void one.subscriber.ended.then(
        (end) => hasEnded(path, one, end),
        () => {},
      );
    }

    function leaves(path: string): void {
      present.delete(path);
      stopWithoutConnection(path);
    }

    function looked(daemonCount: number): void {
      if (daemonCount > 0) return;
      if (!options.reconnect && from === undefined) fail(noDaemonIn(directories));
      // Of a daemon that was followed and has gone, its own line has told that it is awaited.
      else if (sources.size === 0)
        say(
          "",
          `No daemon in ${directories.join(" or ")} yet; waiting for one. To start one: aaepd setup, or in a terminal of its own: aaepd serve`,
        );
    }

    /** Notes the place of a follower that has ended. A change at the socket follows it again from there. */
    function hasEnded(path: string, one: Followed, end: SubscriberEnd): void {
      const { because } = end;
      const place = one.subscriber.cursor;
      if (place !== undefined) stoppedAt.set(path, place);
      if (followed.get(path) === one) followed.delete(path);
      if (because.kind === "rejected") rejected.add(path);
      const isHopeless = present.size > 0 && [...present].every((socketPath) => rejected.has(socketPath));
      if (because.kind !== "asked" && (isHopeless || (!options.reconnect && followed.size === 0))) {
        finish(endedAs(end));
        return;
      }
      const why = because.kind === "asked" ? "" : interruptionInWords(because);
      if (lastWords.get(path) !== why) say(one.label, why);
      lastWords.set(path, why);
    }

    /** Stops followers without socket and connection. A stopping daemon removes its socket first, so a connected follower is heard to the end. */
    function stopWithoutConnection(path: string): void {
      const one = followed.get(path);
      if (one === undefined || present.has(path) || one.isConnected()) return;
      followed.delete(path);
      if (!one.isToldWaiting()) say(one.label, "Its socket is gone.");
      void one.subscriber.close();
    }

    const daemons = daemonsToFollow(options, io, { looked, say });
    const stopWatching = daemons.watch({ appeared, left: leaves, failed: fail });
    try {
      return await finished;
    } finally {
      stopWatching();
      await Promise.all([...followed.values()].map(({ subscriber }) => subscriber.close()));
    }
  }

  return whileRead(
    output,
    io,
    () => finish(EXIT.ok),
    async () => {
      try {
        if (socket === undefined) return await followAll();
        const framing = options.framing === undefined ? {} : { framing: options.framing };
        return await followOne(connectingTo(socket, ipcConnector(socket.path, framing)));
      } finally {
        questions?.stop();
        signs?.close();
      }
    },
  );
}

function exitCodeFromEnd({ because }: SubscriberEnd, write: (line: string) => void): ExitCode {
  if (because.kind === "asked" || because.kind === "closed") return EXIT.ok;
  write(`Error: ${interruptionInWords(because)}`);
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

/** Every core type has a colon. A pattern without one is not refused, because types may be added, but it is probably a mistake. */
function patternsOfNothing({ include = [], exclude = [] }: TailOptions): readonly string[] {
  return [...include, ...exclude].filter(
    (pattern) => !pattern.includes(":") && !(pattern.endsWith("*") && "aaep:".startsWith(pattern.slice(0, -1))),
  );
}
