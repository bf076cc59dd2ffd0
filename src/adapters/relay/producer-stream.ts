// The stream of a producer elsewhere, over Server-Sent Events (AAEP app. B.1). A stream that ends is opened again, with the place that it had if the
// producer names places.
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { Fault, faultFrom } from "../../base/errors.js";
import { parseJsonDocument } from "../../base/json-document.js";
import { membersOf } from "../../base/members.js";
import { backOffMs, Pause, type Timers } from "../../client/timers.js";
import type { Millis } from "../../contracts/clock.js";
import { askProducer, unreachable } from "./producer-http.js";
import type { Message } from "./relayed-event.js";

export interface ProducerStreamOptions {
  /** The base address of the producer, without a slash at its end. */
  readonly base: string;
  readonly timers: Timers;
  /** From [0, 1). */
  readonly chance: () => number;
  /** As `RelayOptions.mayOpen`. */
  readonly mayOpen: () => Promise<void>;
  /** Called for each stream that opens. `isWhole`: it goes on at the place at which the one before ended, or is the first. Must not reject. */
  readonly onOpen: (isWhole: boolean) => Promise<void>;
  /** Takes a message, with the fault for which it is none. The next is read when this has resolved. Must not reject. */
  readonly onMessage: (message: Message, fault: Fault | undefined) => Promise<void>;
  /** Called when all messages that have come so far are taken. Must not reject. */
  readonly onTaken: () => Promise<void>;
  /** Told once for each time without a stream. */
  readonly onLost: (fault: Fault) => void;
}

/** UTF-16 units of one message, with its field names, after which the connection is given up. */
const LONGEST_MESSAGE = 1 << 20;
/** UTF-16 units of an event (AAEP §3.7). */
const LONGEST_EVENT = 65_536;
/** UTF-16 units that are read at a time, and how long that goes on until the daemon's other work has a turn, ms (R34). */
const PIECE = 4096;
const TURN_MS: Millis = 2;
/** A place that may be sent back in a header. */
const PLACE = /^[\x20-\x7e]{1,512}$/;
/** A place by itself, as an aaepd sends it. The parser knows those of events alone. */
const BARE_PLACE = /^id: ([\x21-\x7e]{1,512})\n\n/gm;
const LONGEST_PLACE = 520;
/** A stream that lasted so long resets the back-off, ms. */
const STABLE_MS: Millis = 10_000;
/** Producers send a comment at least every 30 s. After twice that and more the connection counts as lost, ms. */
const SILENCE_MS: Millis = 75_000;
const SILENT = new Fault("timed_out", "The producer has sent nothing for 75 seconds.");
const BACK_OFF = { firstMs: 500, longestMs: 30_000 };

export class ProducerStream {
  readonly #options: ProducerStreamOptions;
  readonly #pause: Pause;
  #isClosed = false;
  #lastId = "";
  /** Whether the next stream goes on where an earlier one ended. */
  #wasOpen = false;
  #retryMs: Millis = 0;
  #ending = new AbortController();

  constructor(options: ProducerStreamOptions) {
    this.#options = options;
    this.#pause = new Pause(options.timers);
  }

  /** The newest place that the producer has named; "" if it has named none. */
  get place(): string {
    return this.#lastId;
  }

  /** Reads until `close`. Never rejects. */
  async run(): Promise<void> {
    const { chance, onLost, timers } = this.#options;
    for (let retry = 0, isTold = false; ; retry += 1) {
      let fault = new Fault("peer_gone", "The producer has ended its stream.");
      let openedAt = Number.POSITIVE_INFINITY;
      try {
        await this.#read(() => {
          isTold = false;
          openedAt = timers.now();
        });
      } catch (caught) {
        fault = caught instanceof Error && !(caught instanceof Fault) ? unreachable(caught) : faultFrom(caught);
      }
      if (this.#isClosed) return;
      if (!isTold) onLost(fault);
      isTold = true;
      if (timers.now() - openedAt >= STABLE_MS) retry = 0;
      await this.#pause.take(Math.max(this.#retryMs, backOffMs(retry, chance(), BACK_OFF)));
      if (this.#isClosed) return;
    }
  }

  /** Ends the stream, since the producer is heard elsewhere. Another is tried later, and begins with what comes then. */
  breakOff(why: Fault): void {
    this.#wasOpen = false;
    this.#ending.abort(why);
  }

  close(): void {
    this.#isClosed = true;
    this.#ending.abort();
    this.#pause.cutShort();
  }

  /** Reads one stream to its end. Rejects with what is wrong with it. */
  async #read(opened: () => void): Promise<void> {
    const ending = new AbortController();
    this.#ending = ending;
    const { timers, mayOpen } = this.#options;
    let cancelWatch = (): void => {};
    const watch = (): void => {
      cancelWatch();
      cancelWatch = timers.wakeAt(timers.now() + SILENCE_MS, () => ending.abort(SILENT));
    };
    try {
      await mayOpen().catch((why: Fault) => this.breakOff(why));
      ending.signal.throwIfAborted();
      watch();
      const headers = { accept: "text/event-stream", "cache-control": "no-cache" };
      const answer = await askProducer(`${this.#options.base}/events`, {
        headers: this.#wasOpen && this.#lastId !== "" ? { ...headers, "last-event-id": this.#lastId } : headers,
        signal: ending.signal,
      });
      assertStream(answer);
      const isWhole = !this.#wasOpen || this.#lastId !== "";
      this.#wasOpen = true;
      opened();
      await this.#options.onOpen(isWhole);
      await this.#readMessages(answer, watch);
    } catch (caught) {
      ending.signal.throwIfAborted();
      throw caught;
    } finally {
      cancelWatch();
      ending.abort();
    }
  }

  /** `watch` is called for whatever comes. */
  async #readMessages(answer: IncomingMessage, watch: () => void): Promise<void> {
    const { onMessage, onTaken, timers } = this.#options;
    const read: { readonly id?: string | undefined; readonly data: string }[] = [];
    const parser = createParser({
      onEvent: (event) => void read.push(event),
      onRetry: (ms) => {
        this.#retryMs = Math.min(ms, BACK_OFF.longestMs);
      },
    });
    let unread = 0;
    let seen = "";
    let turnBegan = timers.now();
    const giveWay = async (): Promise<void> => {
      if (timers.now() - turnBegan < TURN_MS) return;
      await nextTurn();
      turnBegan = timers.now();
    };
    for await (const piece of piecesOf(answer, watch)) {
      parser.feed(piece);
      // Comments and bare places end with an empty line too.
      unread = piece.includes("\n\n") ? 0 : unread + piece.length;
      if (unread > LONGEST_MESSAGE)
        throw new Fault("message_too_large", `A message of the producer is longer than ${LONGEST_MESSAGE} characters.`);
      seen = seen.slice(-LONGEST_PLACE) + piece;
      for (const { id, data } of read.splice(0)) {
        const { message, fault } = readMessage(data);
        await onMessage(message, fault);
        await giveWay();
        if (id === undefined || !PLACE.test(id)) continue;
        this.#lastId = id;
        // A bare place in front of it is an earlier one.
        seen = seen.slice(Math.max(0, seen.lastIndexOf(`id: ${id}\n`)));
      }
      await onTaken();
      await giveWay();
      this.#lastId = [...seen.matchAll(BARE_PLACE)].at(-1)?.[1] ?? this.#lastId;
    }
  }
}

function assertStream({ statusCode, headers }: IncomingMessage): void {
  if (statusCode !== 200 || !headers["content-type"]?.startsWith("text/event-stream"))
    throw new Fault("invalid_message", `The producer answers ${statusCode}, and no stream of events.`);
  const { "content-encoding": encoding } = headers;
  if (encoding !== undefined && encoding !== "identity")
    throw new Fault("unsupported", `The producer encodes its stream as ${JSON.stringify(encoding.slice(0, 40))}.`);
}

/** The text of an answer, whose lines end with LF alone: a parser that waits for what follows each CR takes long for many. */
async function* piecesOf(answer: IncomingMessage, watch: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const bytes of answer) {
    watch();
    const text = held + decoder.decode(bytes as Buffer, { stream: true });
    // The LF that belongs to it may follow.
    held = text.endsWith("\r") ? "\r" : "";
    const lines = text.slice(0, text.length - held.length).replaceAll(/\r\n?/g, "\n");
    for (let at = 0; at < lines.length; at += PIECE) yield lines.slice(at, at + PIECE);
  }
}

/** The object of a message. A message that may not come in as it is still says what its producer has done. */
function readMessage(data: string): { readonly message: Message; readonly fault?: Fault } {
  let fault: Fault | undefined;
  try {
    if (data.length <= LONGEST_EVENT) return { message: membersOf(parseJsonDocument(data)) };
    const sentence = `An event of the producer is longer than ${LONGEST_EVENT} characters.`;
    fault = new Fault("message_too_large", sentence, { rule: "AAEP §3.7" });
  } catch (caught) {
    fault = faultFrom(caught);
  }
  try {
    return { message: membersOf(JSON.parse(data)), fault };
  } catch {
    return { message: {}, fault };
  }
}
