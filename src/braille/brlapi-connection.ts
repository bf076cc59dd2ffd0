// One connection to BrlAPI, the server in BRLTTY, by its protocol 8. A packet: the length of its body, its type, the body. Numbers are big-endian.
import type { Duplex } from "node:stream";
import { faultFromNodeError, isCrowded, isMissing, isRefused } from "../../transports/node-errors.js";
import { Fault } from "../base/errors.js";
import { withResolvers } from "../base/with-resolvers.js";
import type { Clock } from "../contracts/clock.js";

const PROTOCOL = 8;
const HEADER_BYTES = 8;
/** Longest body. BRLTTY neither sends nor takes a longer one. */
const LONGEST_BODY = 4096;
/** How long an answer may take, ms. A BRLTTY whose display has gone answers no newcomer until it is back. */
const ANSWER_MS = 5000;

/** Parameters of a client and of the server, and how they are asked for. */
const CLIENT_PRIORITY = 1;
const DISPLAY_SIZE = 6;
const DEVICE_ONLINE = 9;
const GET_GLOBAL = 0x101;
const SUBSCRIBE = 0x200;

/** The fields of a write: the cells, the text, the cursor, and the encoding of the text. */
const WRITE_FIELDS = 0x02 | 0x04 | 0x20 | 0x40;

/** Keys from the first code to the last. */
export type KeyRange = readonly [first: bigint, last: bigint];

export interface BrlapiOptions {
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Takes the code of a key without its flags. */
  readonly onKey: (code: number) => void;
  /** The display has gone, is back, or has another size. */
  readonly onChange: () => void;
}

interface Waiting {
  readonly answer: string;
  readonly resolve: (body: Buffer) => void;
  readonly reject: (fault: Fault) => void;
  readonly cancelTimer: () => void;
}

export class BrlapiConnection {
  /** Resolves with the reason when the connection is over. Never rejects. */
  readonly closed: Promise<Fault>;
  readonly #stream: Duplex;
  readonly #options: BrlapiOptions;
  readonly #end: (fault: Fault) => void;
  readonly #waiting: Waiting[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #fault: Fault | undefined;

  constructor(stream: Duplex, options: BrlapiOptions) {
    this.#stream = stream;
    this.#options = options;
    const { promise, resolve } = withResolvers<Fault>();
    this.closed = promise;
    this.#end = resolve;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("error", (error) => this.close(faultOf(error)));
    stream.on("close", () => this.close());
  }

  /** Greets, and authorizes itself by the key, where one is wanted. Rejects with a Fault. */
  async open(key: () => Promise<Buffer>): Promise<void> {
    const version = (await this.#awaited("v")).readUInt32BE(0);
    if (version !== PROTOCOL) throw strange(`protocol ${version} of BrlAPI, in place of ${PROTOCOL}`);
    const ways = await this.#ask("v", "a", numbers(PROTOCOL));
    const offered = new Set(ways.toString("latin1").replaceAll("\0", ""));
    if (offered.has("N")) return;
    const proof = offered.has("K") ? await key() : Buffer.alloc(0);
    await this.#ask("a", "A", numbers(typeOf(offered.has("K") ? "K" : "C")), proof);
  }

  /** The name of the display's driver. */
  async driver(): Promise<string> {
    return (await this.#ask("n", "n")).toString("utf8").replaceAll("\0", "").slice(0, 80);
  }

  /** The cells of the display's first line; 0 while there is no display. */
  async cells(): Promise<number> {
    // BRLTTY goes on to tell the size of a display that has gone.
    const [isOnline = 1] = (await this.#parameter(GET_GLOBAL, DEVICE_ONLINE))?.subarray(16) ?? [];
    return isOnline === 0 ? 0 : Math.min((await this.#ask("s", "s")).readUInt32BE(0), LONGEST_BODY / 8);
  }

  /** From now on, changes of the display are told. */
  async watch(): Promise<void> {
    for (const parameter of [DISPLAY_SIZE, DEVICE_ONLINE]) await this.#parameter(GET_GLOBAL | SUBSCRIBE, parameter);
  }

  /** Of clients at one place, the one of the highest priority is shown and gets the keys; of equals, the newest. 0: never. */
  async setPriority(priority: number): Promise<void> {
    await this.#ask("PV", "A", numbers(0, CLIENT_PRIORITY, 0, 0, priority)).catch(unlessRefused);
  }

  /** Stands at a place, such as the virtual terminal 7, and gets each command key of the display. */
  async enter(path: readonly number[]): Promise<void> {
    await this.#ask("t", "A", numbers(path.length, ...path), Buffer.alloc(1));
  }

  async leave(): Promise<void> {
    await this.#ask("L", "A");
  }

  /** Leaves keys to the client below, or takes them. */
  async setKeys(how: "ignored" | "accepted", [first, last]: KeyRange): Promise<void> {
    const range = Buffer.alloc(16);
    range.writeBigUInt64BE(first, 0);
    range.writeBigUInt64BE(last, 8);
    await this.#ask(how === "ignored" ? "m" : "u", "A", range);
  }

  /** Writes one code point for each cell, without a cursor. */
  write(text: string): void {
    const [bytes, encoding] = [Buffer.from(text), Buffer.from("UTF-8")];
    const lengths = numbers(WRITE_FIELDS, 1, [...text].length, bytes.length);
    this.#send("w", lengths, bytes, numbers(0), Buffer.from([encoding.length]), encoding);
  }

  close(fault: Fault = new Fault("peer_gone", "BRLTTY has ended the connection.", { origin: "local" })): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#stream.destroy();
    for (const { reject, cancelTimer } of this.#waiting.splice(0)) {
      cancelTimer();
      reject(fault);
    }
    this.#end(fault);
  }

  /** Undefined: this BRLTTY knows no such parameter. */
  async #parameter(how: number, parameter: number): Promise<Buffer | undefined> {
    return (await this.#ask("PR", "PV", numbers(how, parameter, 0, 0)).catch(unlessRefused)) ?? undefined;
  }

  #ask(type: string, answer: string, ...body: readonly Buffer[]): Promise<Buffer> {
    const answered = this.#awaited(answer);
    this.#send(type, ...body);
    return answered;
  }

  #awaited(answer: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== undefined) return reject(this.#fault);
      const { clock } = this.#options;
      const cancelTimer = clock.wakeAt(clock.now() + ANSWER_MS, () => this.close(late()));
      this.#waiting.push({ answer, resolve, reject, cancelTimer });
    });
  }

  #send(type: string, ...body: readonly Buffer[]): void {
    const all = Buffer.concat(body);
    if (this.#fault === undefined) this.#stream.write(Buffer.concat([numbers(all.length, typeOf(type)), all]));
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEADER_BYTES && this.#fault === undefined) {
      const length = this.#rest.readUInt32BE(0);
      if (length > LONGEST_BODY) this.close(strange(`a packet of ${length} bytes`));
      const end = HEADER_BYTES + length;
      if (this.#rest.length < end || length > LONGEST_BODY) return;
      const type = this.#rest.toString("latin1", 4, HEADER_BYTES).replaceAll("\0", "");
      const body = this.#rest.subarray(HEADER_BYTES, end);
      this.#rest = this.#rest.subarray(end);
      this.#takePacket(type, body);
    }
  }

  #takePacket(type: string, body: Buffer): void {
    if (type === "k" && body.length === 8) this.#options.onKey(body.readUInt32BE(4));
    // Its value comes in the byte order of the machine too, so that it is asked for again.
    else if (type === "PU") this.#options.onChange();
    else if (type === "E") this.close(refused(body));
    else this.#takeAnswer(type, body);
  }

  #takeAnswer(type: string, body: Buffer): void {
    const asked = this.#waiting.shift();
    asked?.cancelTimer();
    if (type === "e" && asked !== undefined) asked.reject(refused(body));
    else if (type !== asked?.answer || body.length < (SHORTEST[type] ?? 0)) {
      const fault = strange(`${JSON.stringify(type)} with ${body.length} bytes, which it was not asked for`);
      asked?.reject(fault);
      this.close(fault);
    } else asked.resolve(body);
  }
}

/** Shortest bodies of answers that are read, bytes. */
const SHORTEST: Readonly<Record<string, number>> = { v: 4, a: 4, s: 8 };

function typeOf(name: string): number {
  return [...name].reduce((type, letter) => type * 256 + letter.charCodeAt(0), 0);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => void buffer.writeUInt32BE(value, 4 * index));
  return buffer;
}

function late(cause?: Error): Fault {
  return new Fault("timed_out", "BRLTTY does not answer. Its display is perhaps gone.", { origin: "local", cause });
}

function faultOf(error: Error): Fault {
  if (isCrowded(error)) return late(error);
  if (!isMissing(error) && !isRefused(error)) return faultFromNodeError(error, "BRLTTY");
  return new Fault("not_found", "BRLTTY does not run on this machine.", { origin: "local", cause: error });
}

function refused(body: Buffer): Fault {
  const code = body.length < 4 ? "" : ` with error ${body.readUInt32BE(0)} of BrlAPI`;
  return new Fault("unsupported", `BRLTTY has refused a request${code}.`, { origin: "local" });
}

/** BRLTTY before 6.0 has no parameters. */
function unlessRefused(caught: unknown): void {
  if (!(caught instanceof Fault) || caught.code !== "unsupported") throw caught;
}

function strange(what: string): Fault {
  return new Fault("framing_lost", `BRLTTY's socket has sent ${what}.`, { origin: "local" });
}
