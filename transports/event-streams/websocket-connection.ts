// A Connection over a WebSocket: one message of text a frame, in both directions (AAEP §8.5, app. B.2).
import type { Writable } from "node:stream";
import type { Data, WebSocket } from "ws";
import { Fault } from "../../src/base/errors.js";
import type { Millis } from "../../src/contracts/clock.js";
import type {
  CloseInfo,
  FrameBatch,
  FrameReader,
  PeekableConnection,
  PeerIdentity,
} from "../../src/contracts/transport.js";
import { BackPressure, doesNotRead } from "../framing/back-pressure.js";
import { FrameQueue } from "../framing/frame-queue.js";
import type { After } from "../framing/options.js";
import { kept } from "../framing/outbox.js";

export interface WebSocketConnectionOptions {
  /** Default time limit of `close`, ms. */
  readonly closeTimeoutMs: Millis;
  readonly after: After;
}

/** Interval of the pings, ms: published clients give up after 30 s of silence. */
const PING_EVERY_MS = 15_000;
/** How long a peer may answer no ping, ms. After it the peer is gone. */
const DEAD_AFTER_MS = 2.5 * PING_EVERY_MS;
/** The code of a close for a message that was not text. */
const REFUSED_BINARY = 1003;

/**
 * A connection over an open WebSocket. It reads only while its reader takes frames. `stream` is the socket beneath: batches go there, with frames
 * made once for all connections, which costs a fifth of the library's own sending. Without compression the library holds nothing back that they
 * could overtake.
 */
export class WebSocketConnection implements PeekableConnection<Uint8Array> {
  readonly peer: PeerIdentity;
  readonly closed: Promise<CloseInfo>;
  private readonly socket: WebSocket;
  private readonly stream: Writable;
  private readonly options: WebSocketConnectionOptions;
  private readonly inbox: FrameQueue<Uint8Array>;
  private tellClosed: (info: CloseInfo) => void = () => {};
  private readonly pressure = new BackPressure(this);
  /** Handed to the library, and not written yet. */
  private waitingBytes = 0;
  /** The fault of the peer's frames. */
  private lost: Fault | undefined;
  /** The result of the close, once this side has begun it. */
  private closing: CloseInfo | undefined;
  private cancelPing: () => void = () => {};
  private cancelDeath: () => void = () => {};

  constructor(socket: WebSocket, stream: Writable, peer: PeerIdentity, options: WebSocketConnectionOptions) {
    this.socket = socket;
    this.stream = stream;
    this.peer = peer;
    this.options = options;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.inbox = new FrameQueue(() => socket.resume());
    socket.binaryType = "nodebuffer";
    socket.on("message", (data: Data, isBinary: boolean) => this.take(data, isBinary));
    socket.on("pong", () => this.lives());
    // The library answers a fault of the peer's frames with a close of its own, and "close" follows.
    socket.on("error", (error: Error & { readonly code?: string }) => {
      this.lost ??= faultOf(error, peer);
    });
    socket.on("close", (code: number) => this.gone(code));
    this.pingLater();
    this.lives();
  }

  get frames(): AsyncIterable<readonly Uint8Array[]> {
    return this.inbox.frames;
  }

  peek(): Promise<readonly Uint8Array[]> {
    return this.inbox.peek();
  }

  read(reader: FrameReader<Uint8Array>): void {
    this.inbox.read(reader);
  }

  readOn(): void {
    this.inbox.readOn();
  }

  send(frame: Uint8Array): boolean {
    if (!this.isOpen()) return false;
    this.socket.send(frame, { binary: false }, this.handedOver(frame.length));
    return this.pressure.hasRoom(this.waitingBytes);
  }

  sendBatch(batch: FrameBatch<Uint8Array>): boolean {
    if (!this.isOpen()) return false;
    const joined = kept(batch, "websocket", textFrames);
    this.stream.write(joined, this.handedOver(joined.length));
    return this.pressure.hasRoom(this.waitingBytes);
  }

  writable(): Promise<void> {
    return this.pressure.writable(this.waitingBytes);
  }

  overflowed(): void {
    this.lost ??= doesNotRead(this.peer);
    this.socket.terminate();
  }

  async close(fault?: Fault, withinMs: Millis = this.options.closeTimeoutMs): Promise<void> {
    if (this.closing === undefined && this.isOpen()) {
      this.closing = fault === undefined ? { kind: "local" } : { kind: "local", fault };
      this.inbox.stop();
      this.pressure.end();
      this.socket.resume();
      this.socket.close(closeCodeOf(fault), reasonOf(fault));
      const cancel = this.options.after(withinMs, () => {
        this.closing = { ...this.closing, kind: "local", isCutShort: true };
        this.socket.terminate();
      });
      void this.closed.then(cancel);
    }
    await this.closed;
  }

  private isOpen(): boolean {
    return this.closing === undefined && this.socket.readyState === this.socket.OPEN;
  }

  /** Counts bytes until the returned function tells that they were written. */
  private handedOver(bytes: number): () => void {
    this.waitingBytes += bytes;
    return () => {
      this.waitingBytes -= bytes;
      this.pressure.left(this.waitingBytes);
    };
  }

  private take(data: Data, isBinary: boolean): void {
    if (isBinary) {
      this.socket.close(REFUSED_BINARY, "Send messages as text.");
      return;
    }
    // A connection that closes reads on, up to the close of its peer.
    if (!this.inbox.push(data as Buffer) && this.closing === undefined) this.socket.pause();
  }

  private lives(): void {
    this.cancelDeath();
    this.cancelDeath = this.options.after(DEAD_AFTER_MS, () => this.socket.terminate());
  }

  private pingLater(): void {
    this.cancelPing = this.options.after(PING_EVERY_MS, () => {
      // A peer from which nothing is read has no way to answer.
      if (this.socket.isPaused) this.lives();
      if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
      this.pingLater();
    });
  }

  private gone(code: number): void {
    this.cancelPing();
    this.cancelDeath();
    this.pressure.end();
    const isBroken = code === ABNORMAL && this.closing === undefined;
    const fault = this.lost ?? (isBroken ? brokenOff(this.peer) : undefined);
    this.inbox.end(fault);
    this.tellClosed(this.closing ?? (fault === undefined ? { kind: "remote" } : { kind: "abrupt", fault }));
  }
}

/** The code of a connection that ended without a close. */
const ABNORMAL = 1006;
function faultOf({ code, message }: { readonly code?: string; readonly message: string }, peer: PeerIdentity): Fault {
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
    return new Fault("message_too_large", "The message is too large. Send less at a time.", { rule: "AAEP §3.7" });
  if (code?.startsWith("WS_ERR_") === true) return new Fault("framing_lost", `No WebSocket frame: ${message}.`);
  return brokenOff(peer);
}

function brokenOff({ label }: PeerIdentity): Fault {
  return new Fault("peer_gone", `The connection of ${label} broke off. Connect again.`);
}

/** Most bytes of the reason of a close (RFC 6455 §5.5). */
const MOST_REASON_BYTES = 123;

function reasonOf(fault: Fault | undefined): string {
  const sentence = fault?.sentence ?? "";
  return Buffer.byteLength(sentence) <= MOST_REASON_BYTES ? sentence : (fault?.code ?? "");
}

/** The code with which a WebSocket ends (RFC 6455 §7.4, AAEP app. B.2.6). */
function closeCodeOf(fault: Fault | undefined): number {
  switch (fault?.code) {
    case undefined:
      return 4000;
    case "shutting_down":
      return 1001;
    case "internal":
      return 1011;
    case "handshake_required":
    case "timed_out":
      return 4001;
    case "unauthenticated":
      return 4002;
    case "permission_denied":
      return 4003;
    default:
      return 4004;
  }
}

/** A whole message of text. */
const TEXT = 0x81;
const TWO_BYTES_FOLLOW = 126;
const EIGHT_BYTES_FOLLOW = 127;

/** The frames of a server's messages, back to back (RFC 6455 §5.2). They have no mask, so connections share them. */
function textFrames(messages: readonly Uint8Array[]): Buffer {
  return Buffer.concat(messages.flatMap((message) => [headOf(message.length), message]));
}

function headOf(length: number): Buffer {
  if (length < TWO_BYTES_FOLLOW) return Buffer.of(TEXT, length);
  if (length <= 0xff_ff) return Buffer.of(TEXT, TWO_BYTES_FOLLOW, length >> 8, length & 0xff);
  const head = Buffer.alloc(10);
  head.set([TEXT, EIGHT_BYTES_FOLLOW]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
