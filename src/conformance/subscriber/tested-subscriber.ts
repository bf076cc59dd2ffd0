// The tested subscriber: a command that the suite starts. Its standard input stands for its user, and its standard output or a log tells its
// announcements. Where the suite has neither, a person can do and hear it.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { withResolvers } from "../../base/with-resolvers.js";
import type { Millis } from "../../contracts/clock.js";
import { endingWords, shellRefusal, signalGroup } from "../wire/commands.js";
import { type Endpoint, endpointText } from "../wire/endpoint.js";

export interface SubscriberHooks {
  /**
   * The command that starts the subscriber. The system's shell reads it. AAEP_ENDPOINT names where it connects to, and AAEPD_SOCKET if that is a
   * socket.
   */
  readonly start: string;
  /** Tells the announcements, a line for each: "stdout" is standard output, anything else a file. Undefined: nothing tells them. */
  readonly announcements: string | undefined;
  /** A person who acts and listens in place of the other hooks: resolves with whether the answer is yes. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
  /** The line that stands for a user who accepts, as it is written to standard input; undefined: nobody answers. */
  readonly accept: string | undefined;
  /** The line that stands for a user who answers a question by a text; `{text}` is the text. */
  readonly answer: string | undefined;
}

export type TestedSubscriber = ReturnType<typeof startSubscriber>;

export interface SubscriberDeath {
  /** As in "exit code 1". */
  readonly ending: string;
  /** Its exit code is not 0. */
  readonly hasFailed: boolean;
  /** The sentence for a command that the shell could not run. */
  readonly refusal: string | undefined;
  /** The end of its standard error. */
  readonly lastWords: string;
}

/** Time for the subscriber to end by itself, ms. */
const ENDING_MS: Millis = 5000;

/** Time between two looks into the log, ms. */
const LOOK_MS: Millis = 100;
/** The end of standard error that is kept, characters. A terminal shows it whole. */
const MOST_LAST_WORDS = 400;
/** The announcements of one case that are kept, characters. */
const MOST_ANNOUNCED = 1024 * 1024;

/** Whether cases can learn of announcements at all. */
export function hearsAnnouncements({ announcements, ask }: SubscriberHooks): boolean {
  return announcements !== undefined || ask !== undefined;
}

export function startSubscriber(hooks: SubscriberHooks, endpoint: Endpoint) {
  const { start, announcements, ask } = hooks;
  const log = announcements === "stdout" ? undefined : announcements;
  const readLog = log === undefined ? () => "" : logReader(log);
  const environment = {
    ...process.env,
    AAEP_ENDPOINT: endpointText(endpoint),
    ...(endpoint.kind === "ipc" ? { AAEPD_SOCKET: endpoint.path } : {}),
  };
  const child: ChildProcess = spawn(start, {
    shell: true,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: environment,
  });
  let announced = "";
  let lastWords = "";
  let hasEnded = false;
  let isAskedToEnd = false;
  let death: SubscriberDeath | undefined;
  let tell = (): void => {};
  const { promise: failed, resolve: tellFailed } = withResolvers();
  const ended = new Promise<void>((resolve) => {
    const over = (code: number | null, ending: string): void => {
      hasEnded = true;
      if (!isAskedToEnd) death = { ending, hasFailed: code !== 0, refusal: shellRefusal(code), lastWords };
      if (code !== 0) tellFailed();
      resolve();
      tell();
    };
    child.on("error", ({ message }) => over(null, message));
    child.on("close", (code, signal) => over(code, endingWords(code, signal)));
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    const all = lastWords + text;
    lastWords = all.length > MOST_LAST_WORDS ? `…${all.slice(1 - MOST_LAST_WORDS)}` : all;
  });
  child.stdin?.on("error", () => {});
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (log === undefined) announced = (announced + text).slice(0, MOST_ANNOUNCED);
    tell();
  });
  const signal = (name: NodeJS.Signals): void => {
    if (!hasEnded) signalGroup(child, name);
  };
  const text = (): string => {
    announced = (announced + readLog()).slice(0, MOST_ANNOUNCED);
    return announced;
  };
  const countOf = (words: readonly string[]): number =>
    text()
      .toLowerCase()
      .split("\n")
      .filter((line) => words.every((word) => line.includes(word.toLowerCase()))).length;
  return {
    /** The user types a line, or does what it says. */
    type: async (line: string): Promise<void> => {
      if (ask === undefined) child.stdin?.write(`${line}\n`);
      else await ask(`Answer the open question as the user: ${line}. Done?`);
    },
    announced: text,
    /** How often a line was announced that has all the words. */
    countOf,
    /** Resolves with whether a line was announced that has all the words, as soon as it was. */
    announces: async (words: readonly string[], withinMs: Millis): Promise<boolean> => {
      if (ask !== undefined) return ask(`Was something announced with "${words.join('" and "')}"?`);
      const until = performance.now() + withinMs;
      while (countOf(words) === 0) {
        if (hasEnded || performance.now() >= until) return false;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, log === undefined ? until - performance.now() : LOOK_MS);
          tell = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return true;
    },
    /** Asks the subscriber to end, as the system does when the user logs out. Resolves when it has ended. */
    shutDown: async (): Promise<void> => {
      isAskedToEnd = true;
      signal("SIGTERM");
      const timer = setTimeout(signal, ENDING_MS, "SIGKILL");
      await ended;
      clearTimeout(timer);
    },
    hasEnded: () => hasEnded,
    /** How the subscriber ended before the suite asked it to; undefined: it did not. */
    death: () => death,
    /** Resolves when the command has ended with anything but 0. A command that ends with 0 may have started the subscriber. */
    failed,
  };
}

/** Returns a reader of what is new in a log. Announcements of earlier cases stand in the same log, which may not be there yet. */
function logReader(path: string): () => string {
  const decoder = new StringDecoder("utf8");
  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let from = size();
  return () => {
    if (size() <= from) return "";
    const bytes = readFileSync(path).subarray(from, from + MOST_ANNOUNCED);
    from += bytes.length;
    return decoder.write(bytes);
  };
}
