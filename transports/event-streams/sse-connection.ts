// A Connection whose frames leave as Server-Sent Events and come in by requests of their own (AAEP app. B.1, R35). It may wait for its response: a
// listener subscribes first and opens the stream afterwards.
import type { Fault } from "../../src/base/errors.js";
import { type Resolvers, withResolvers } from "../../src/base/with-resolvers.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { CloseInfo, Connection, FrameBatch, FrameReader, PeerIdentity } from "../../src/contracts/transport.js";
import { doesNotRead } from "../framing/back-pressure.js";
import { FrameQueue } from "../framing/frame-queue.js";
import type { After } from "../framing/options.js";
import { kept, Outbox, type OutboxOwner } from "../framing/outbox.js";
import type { Exchange } from "../http/exchange.js";

export interface SseOptions {
  /** Default time limit of `close`, ms. */
  readonly closeTimeoutMs: Millis;
  readonly after: After;
}

/** Interval of the comments, ms: published clients give up after 30 s of silence. */
const COMMENT_EVERY_MS = 15_000;
/** How long the connection waits for its response, ms. */
const RESPONSE_WITHIN_MS = 60_000;
/** How long the connection stays behind a response that broke off, ms: its listener still counts as one that may answer. */
const ABSENCE_MS = 5000;
/** How long a browser waits before it connects again, ms. */
const RETRY_MS = 1000;

/** The form of every frame: made by the codec, whole. */
const AS_THEY_ARE: Pick<OutboxOwner, "joined" | "joinedBatch"> = {
  joined: (frames) => Buffer.concat(frames),
  joinedBatch: (batch) =>
    kept(batch, "sse", (all) => {
      if (batch.last === undefined) return Buffer.concat(all);
      // The place is the id of the last event, so its empty line is left out: many clients know no id without an event.
      const { frames, last } = batch;
      const id = frames.length === 0 ? last : last.subarray(0, -1);
      return Buffer.concat([...frames.slice(0, -1), id, ...frames.slice(-1)]);
    }),
};

/** Messages that may wait for their turn. Clients post several in a row, and few of them try again. */
const MOST_POSTED = 32;
const COMMENT = Buffer.from(":\n\n");

export class SseConnection implements Connection<Uint8Array> {
  readonly peer: PeerIdentity;
  readonly closed: Promise<CloseInfo>;
  private readonly options: SseOptions;
  private readonly inbox = new FrameQueue<Uint8Array>(() => {});
  private tellClosed: (info: CloseInfo) => void = () => {};
  private outbox: Outbox | undefined;
  private exchange: Exchange | undefined;
  /** Frames that were handed over before there was a response. The first of them stops the engine. */
  private early: Uint8Array[] = [];
  private waiting: Resolvers<void> | undefined;
  /** The response broke off. Further events wait in the engine. */
  private isAway = false;
  private isOver = false;
  private closing: CloseInfo | undefined;
  private cancelTimer: () => void = () => {};

  constructor(peer: PeerIdentity, options: SseOptions) {
    this.peer = peer;
    this.options = options;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.endAfter(RESPONSE_WITHIN_MS);
  }

  /** Begins the response, and writes what waits. Call it once. */
  attach(exchange: Exchange): void {
    const { response } = exchange;
    const { early } = this;
    this.cancelTimer();
    this.exchange = exchange;
    exchange.served();
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
    });
    response.write(`:\nretry: ${RETRY_MS}\n\n`);
    const overflowed = (): void => {
      this.finish({ kind: "abrupt", fault: doesNotRead(this.peer) });
      exchange.cutOff();
    };
    this.outbox = new Outbox(response, { ...AS_THEY_ARE, overflowed });
    for (const frame of early) this.outbox.send(frame);
    this.early = [];
    this.outbox.flush();
    exchange.onceGone(() => this.left());
    this.commentLater();
    const { outbox } = this;
    void outbox.writable().then(() => this.release());
  }

  /** Takes a message of the listener that came in by a request. Returns whether there is room for another. */
  push(frame: Uint8Array): boolean {
    return this.inbox.push(frame);
  }

  get isFull(): boolean {
    return this.inbox.waitingCount >= MOST_POSTED;
  }

  get isTaking(): boolean {
    return !this.isOver && !this.isAway && this.closing === undefined;
  }

  get frames(): AsyncIterable<readonly Uint8Array[]> {
    return this.inbox.frames;
  }

  read(reader: FrameReader<Uint8Array>): void {
    this.inbox.read(reader);
  }

  readOn(): void {
    this.inbox.readOn();
  }

  send(frame: Uint8Array): boolean {
    if (!this.isTaking) return false;
    if (this.outbox !== undefined) return this.outbox.send(frame);
    this.early.push(frame);
    return false;
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    if (!this.isTaking) return false;
    if (this.outbox !== undefined) return this.outbox.sendBatch(batch);
    this.early.push(AS_THEY_ARE.joinedBatch(batch));
    return false;
  }

  writable(): Promise<void> {
    if (this.isOver || this.closing !== undefined) return Promise.resolve();
    if (this.outbox !== undefined && !this.isAway) return this.outbox.writable();
    this.waiting ??= withResolvers();
    return this.waiting.promise;
  }

  async close(fault?: Fault, withinMs: Millis = this.options.closeTimeoutMs): Promise<void> {
    const { exchange, outbox } = this;
    if (!this.isOver && this.closing === undefined) {
      this.closing = fault === undefined ? { kind: "local" } : { kind: "local", fault };
      this.release();
      if (exchange === undefined || exchange.signal.aborted) this.finish(this.closing);
      else {
        outbox?.flush();
        exchange.response.end();
        this.cancelTimer();
        this.cancelTimer = this.options.after(withinMs, () => {
          this.finish({ ...(this.closing ?? { kind: "local" }), isCutShort: true });
          exchange.cutOff();
        });
      }
    }
    await this.closed;
  }

  /** Ends a connection whose listener has left, before its absence is over. */
  giveUp(): void {
    if (this.isAway) this.finish({ kind: "remote" });
  }

  /** The response is over: by our own end, or because the listener left and may come back. */
  private left(): void {
    if (this.closing !== undefined) this.finish(this.closing);
    else if (!this.isOver) {
      this.cancelTimer();
      this.isAway = true;
      this.endAfter(ABSENCE_MS);
    }
  }

  private endAfter(ms: Millis): void {
    this.cancelTimer = this.options.after(ms, () => this.finish({ kind: "remote" }));
  }

  private commentLater(): void {
    this.cancelTimer = this.options.after(COMMENT_EVERY_MS, () => {
      this.outbox?.send(COMMENT);
      this.commentLater();
    });
  }

  private release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  private finish(info: CloseInfo): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cancelTimer();
    this.early = [];
    this.outbox?.settle();
    this.release();
    this.inbox.stop();
    this.tellClosed(info);
  }
}
