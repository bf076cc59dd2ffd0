// One connection in SSIP, the protocol of Speech Dispatcher: commands with their answers in order, and events between them.
import type { Duplex } from "node:stream";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { keepNewest } from "../../base/keep-newest.js";
import { type Resolvers, withResolvers } from "../../base/with-resolvers.js";
import type { Clock } from "../../contracts/clock.js";

export interface SsipAnswer {
  /** 200 to 299 for what was done. */
  readonly code: number;
  /** The lines before the last. */
  readonly data: readonly string[];
  /** The last line. */
  readonly text: string;
}

/** How a message ended, in SSIP's words. */
export type SsipEnd = "END" | "CANCELED";

/** How long an answer may take, ms. */
const ANSWER_MS = 5000;
/** Longest line, UTF-16 units, and most lines of an answer. Speech Dispatcher sends none that come near. */
const LONGEST_LINE = 65_536;
const MOST_LINES = 1024;
/** Messages whose events may come before the answer that names them. */
const MOST_EARLY = 16;

const LINE = /^(\d{3})([- ])(.*)$/;
const RECEIVING = 230;
const FIRST_EVENT = 700;

interface Waiting {
  readonly resolve: (answer: SsipAnswer) => void;
  readonly reject: (fault: Fault) => void;
  readonly cancelTimer: () => void;
}

interface Spoken extends Resolvers<SsipEnd> {
  readonly onBegun: (() => void) | undefined;
}

export class SsipConnection {
  /** Resolves with the reason when the connection is over. Never rejects. */
  readonly closed: Promise<Fault>;
  readonly #stream: Duplex;
  readonly #clock: Pick<Clock, "now" | "wakeAt">;
  readonly #end: (fault: Fault) => void;
  #fault: Fault | undefined;
  #rest = "";
  readonly #lines: string[] = [];
  readonly #waiting: Waiting[] = [];
  /** Messages whose end is awaited, and the events of those that nobody awaits yet. */
  readonly #spoken = new Map<number, Spoken>();
  readonly #early = new Map<number, string[]>();
  /** No command may come between SPEAK and its text. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(stream: Duplex, clock: Pick<Clock, "now" | "wakeAt">) {
    this.#stream = stream;
    this.#clock = clock;
    const { promise, resolve } = withResolvers<Fault>();
    this.closed = promise;
    this.#end = resolve;
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => this.#take(text));
    stream.on("error", (error) => this.close(faultFromNodeError(error, "Speech Dispatcher")));
    stream.on("close", () => this.close(gone()));
  }

  /** Sends a command. Rejects with a Fault if it is refused, or if the connection is over. */
  command(line: string): Promise<SsipAnswer> {
    return this.#inTurn(async () => done(await this.#ask(line), line));
  }

  /** Speaks a text. Resolves with the number of its message when it waits to be spoken. `settings` are commands that hold from then on. */
  speak(text: string, settings: readonly string[] = []): Promise<number> {
    return this.#inTurn(async () => {
      // A refused setting, as of an unknown voice, is no reason to be silent.
      for (const line of settings) this.#ask(line).catch(() => {});
      const { code, text: said } = await this.#ask("SPEAK");
      // The lines of the text would be taken for commands.
      if (code !== RECEIVING) throw refused("SPEAK", said);
      const lines = text.split(/\r\n|\r|\n/).map((line) => (line.startsWith(".") ? `.${line}` : line));
      const { data } = done(await this.#ask(`${lines.join("\r\n")}\r\n.`), "SPEAK");
      return Number(data[0]);
    });
  }

  /** Calls `onBegun` when the message begins. Resolves when it was spoken, or ended before. Rejects with a Fault when the connection is over. */
  ended(message: number, onBegun?: () => void): Promise<SsipEnd> {
    const spoken = { ...withResolvers<SsipEnd>(), onBegun };
    this.#spoken.set(message, spoken);
    for (const name of this.#early.get(message) ?? []) this.#takeEvent(message, name);
    this.#early.delete(message);
    if (this.#fault !== undefined) spoken.reject(this.#fault);
    return spoken.promise;
  }

  close(fault: Fault = gone()): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#stream.destroy();
    for (const { reject, cancelTimer } of this.#waiting.splice(0)) {
      cancelTimer();
      reject(fault);
    }
    for (const { reject } of this.#spoken.values()) reject(fault);
    this.#spoken.clear();
    this.#end(fault);
  }

  #inTurn<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#turn.then(run);
    this.#turn = answer.catch(() => {});
    return answer;
  }

  #ask(text: string): Promise<SsipAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== undefined) return reject(this.#fault);
      const cancelTimer = this.#clock.wakeAt(this.#clock.now() + ANSWER_MS, () => this.close(late()));
      this.#waiting.push({ resolve, reject, cancelTimer });
      this.#stream.write(`${text}\r\n`);
    });
  }

  #take(text: string): void {
    this.#rest += text;
    for (let end = this.#rest.indexOf("\n"); end >= 0 && this.#fault === undefined; end = this.#rest.indexOf("\n")) {
      const line = this.#rest.slice(0, end).replace(/\r$/, "");
      this.#rest = this.#rest.slice(end + 1);
      this.#takeLine(line);
    }
    if (this.#rest.length > LONGEST_LINE) this.close(strange("a line without an end"));
  }

  #takeLine(line: string): void {
    const [, digits, isMore, text] = LINE.exec(line) ?? [];
    if (digits === undefined || text === undefined) this.close(strange(JSON.stringify(line.slice(0, 80))));
    else if (isMore !== "-") this.#takeMessage({ code: Number(digits), data: this.#lines.splice(0), text });
    else if (this.#lines.push(text) > MOST_LINES) this.close(strange("an answer without an end"));
  }

  #takeMessage(message: SsipAnswer): void {
    if (message.code >= FIRST_EVENT) {
      this.#takeEvent(Number(message.data[0]), message.text);
      return;
    }
    const asked = this.#waiting.shift();
    asked?.cancelTimer();
    if (asked === undefined) this.close(strange(`an answer to nothing, ${message.code}`));
    else asked.resolve(message);
  }

  #takeEvent(message: number, name: string): void {
    const awaited = this.#spoken.get(message);
    if (name === "BEGIN") awaited?.onBegun?.();
    else if (name !== "END" && name !== "CANCELED") return;
    else {
      awaited?.resolve(name);
      this.#spoken.delete(message);
    }
    if (awaited !== undefined) return;
    this.#early.set(message, [...(this.#early.get(message) ?? []), name]);
    keepNewest(this.#early, MOST_EARLY);
  }
}

function done(answer: SsipAnswer, line: string): SsipAnswer {
  if (answer.code >= 200 && answer.code < 300) return answer;
  throw refused(line, answer.text);
}

function refused(line: string, said: string): Fault {
  return new Fault("unsupported", `Speech Dispatcher has refused ${line}: ${said.slice(0, 200)}`);
}

function strange(what: string): Fault {
  return new Fault("framing_lost", `Speech Dispatcher's socket has sent ${what}, which is not SSIP.`);
}

function late(): Fault {
  return new Fault("timed_out", "Speech Dispatcher does not answer.");
}

function gone(): Fault {
  return new Fault("peer_gone", "Speech Dispatcher has ended the connection.");
}
