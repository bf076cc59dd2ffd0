import type { Fault } from "../base/errors.js";
import type { Millis } from "./clock.js";

/** Who is at the other end, as far as the platform can say. An identity, not a credential. */
export interface PeerIdentity {
  /** "unix:/run/…/x.sock#7", "stdio", "memory#1": for people and logs. */
  readonly label: string;
  /** What is vouched for: the parent over stdio, a process of the same user over a socket with mode 0600, whoever has the token over TCP. */
  readonly trust: "parent" | "same-user" | "token-holder" | "in-process";
  /** The origin whose plain pages it can fetch, "http://127.0.0.1:8700". Undefined where the address that it called has none, or none with a URL. */
  readonly origin?: string | undefined;
}

export interface CloseInfo {
  /** "local" and "remote" are orderly; "abrupt" is a reset, a broken pipe or lost framing. */
  readonly kind: "local" | "remote" | "abrupt";
  readonly fault?: Fault;
  /** Something that was handed over had not left when it was to be closed, and was dropped. */
  readonly isCutShort?: true;
}

/**
 * Messages that leave together. `joined` keeps what a transport made of them, by framing, so that a thousand connections
 * with the same framing share one buffer.
 */
export interface FrameBatch<Frame> {
  readonly frames: readonly Frame[];
  /** Goes out behind them, and in no message with them. */
  readonly last?: Frame;
  readonly joined: Map<string, unknown>;
}

/** One peer. A transport moves frames and knows nothing of what is in them. */
export interface Connection<Frame> {
  readonly peer: PeerIdentity;
  /**
   * Whole frames in order, as many at a time as one read completed, or fewer: so few that handling them keeps nobody waiting. Ends on a clean close,
   * throws a Fault otherwise. One iteration only.
   */
  readonly frames: AsyncIterable<readonly Frame[]>;
  /** Hands one frame over. False: the peer is slow; hand over no more until `writable` resolves. A closed connection answers false. */
  readonly send: (frame: Frame) => boolean;
  /** Hands a run over at the cost of one write. Answers as `send` does. */
  readonly sendBatch: (batch: FrameBatch<Frame>) => boolean;
  /** Resolves when the peer takes more, or when the connection has closed. Never rejects. */
  readonly writable: () => Promise<void>;
  /**
   * Sends what was handed over, then closes. With a fault it closes at once where the transport can tell them apart, or, where a call has a status,
   * with that status. After `withinMs` the rest is dropped; the transport has a time of its own where none is given. Never rejects.
   */
  readonly close: (fault?: Fault, withinMs?: Millis) => Promise<void>;
  /** Resolves exactly once, never rejects. */
  readonly closed: Promise<CloseInfo>;
}

/** A connection whose first message says which protocol it speaks (R23). */
export interface PeekableConnection<Frame> extends Connection<Frame> {
  /**
   * The first frames, none where the peer ends without any; rejects with the fault that the iteration will throw. `frames` begins with them all the
   * same. To be called once, before the iteration.
   */
  readonly peek: () => Promise<readonly Frame[]>;
}

export interface Listener {
  /** Where peers find it: a path, an address. */
  readonly address: string;
  /** Takes no new connections. Those that exist are their owners' to close. Removes what it made in the file system. Never rejects. */
  readonly stop: () => Promise<void>;
}

export interface Transport<Frame> {
  readonly name: string;
  /** Throws a Fault ("address_in_use", "address_invalid", "permission_denied") when it cannot listen. */
  readonly listen: (accept: (connection: PeekableConnection<Frame>) => void) => Promise<Listener>;
}
