import type { Fault } from "../base/errors.js";
import type { Millis } from "./clock.js";

/** The peer of a connection, as far as the platform knows it. An identity, not a credential. */
export interface PeerIdentity {
  /** For people and logs: "unix:/run/…/x.sock#7", "stdio", "memory#1". */
  readonly label: string;
  /** The peer that the platform vouches for: the parent, a process of the same user (a socket with mode 0600), or a holder of the token (TCP). */
  readonly trust: "parent" | "same-user" | "token-holder" | "in-process";
  /** The peer's process, as its connection began. Undefined if the platform does not tell (R5d). */
  readonly processId?: number | undefined;
  /** The origin whose plain pages the peer can fetch, as "http://127.0.0.1:8700". Undefined if the called address serves none, or has no URL. */
  readonly origin?: string | undefined;
}

export interface CloseInfo {
  /** "local" and "remote" are orderly; "abrupt" is a reset, a broken pipe or lost framing. */
  readonly kind: "local" | "remote" | "abrupt";
  readonly fault?: Fault;
  /** Some data had been handed over but had not left when the connection closed, and was dropped. */
  readonly isCutShort?: true;
}

/** Messages that leave together. `joined` caches a transport's form of the batch by framing: connections with one framing share one buffer. */
export interface FrameBatch<Frame> {
  readonly frames: readonly Frame[];
  /** Goes out behind the frames, in a message of its own. */
  readonly last?: Frame;
  readonly joined: Map<string, unknown>;
}

/** Takes the frames of a connection. */
export interface FrameReader<Frame> {
  /** Takes the next frame, in the turn in which it came. Returns whether more may follow; if not, none does before `Connection.readOn`. */
  readonly take: (frame: Frame) => boolean;
  /** No frame follows: the peer has ended its side, or this side has closed; with a fault, the frames broke off. Called once. */
  readonly end: (fault: Fault | undefined) => void;
}

/** The owner of a loop over frames. */
export interface FrameTaker<Frame> {
  /** Handles one frame. Must not throw. */
  readonly take: (frame: Frame) => void;
  /** Returns a promise that resolves when the next frame may be taken, and never rejects; undefined: at once. */
  readonly room: () => Promise<void> | undefined;
  /** Called once, behind the last frame, as `FrameReader.end`. */
  readonly noMore: (fault: Fault | undefined) => void;
}

/** One peer. A transport moves frames and does not read them. */
export interface Connection<Frame> {
  readonly peer: PeerIdentity;
  /** Hands whole frames over in order, from now on. Call it once, and do not iterate over `frames`. */
  readonly read: (reader: FrameReader<Frame>) => void;
  /** Continues after a frame behind which the reader took no more. */
  readonly readOn: () => void;
  /** The same frames for a program that takes them in its own time. Ends on a clean close, throws a Fault otherwise. One iteration only. */
  readonly frames: AsyncIterable<readonly Frame[]>;
  /** Hands one frame over. False: the peer is slow; hand over no more until `writable` resolves. A closed connection answers false. */
  readonly send: (frame: Frame) => boolean;
  /** Hands a batch over at the cost of one write. Answers as `send` does. */
  readonly sendBatch: (batch: FrameBatch<Frame>) => boolean;
  /** Resolves when the peer takes more, or when the connection has closed. Never rejects. */
  readonly writable: () => Promise<void>;
  /**
   * Sends everything handed over, then closes. A fault becomes the status of a call that has one, and is part of `closed`. After `withinMs` the rest
   * is dropped; default: a time limit of the transport's own. Never rejects.
   */
  readonly close: (fault?: Fault, withinMs?: Millis) => Promise<void>;
  /** Resolves exactly once, never rejects. */
  readonly closed: Promise<CloseInfo>;
  /** From then on the open connection keeps no process running. Absent: it never does, or the platform cannot tell. */
  readonly unref?: () => void;
}

/** A connection whose first message shows the protocol that its peer speaks (R23). */
export interface PeekableConnection<Frame> extends Connection<Frame> {
  /**
   * Returns the first frames, none if the peer ends without any; rejects with the fault that the reader will get. The reader gets the same frames.
   * Call it once, before `read` or the iteration.
   */
  readonly peek: () => Promise<readonly Frame[]>;
}

export interface Listener {
  /** Where peers find the listener: a path, an address. */
  readonly address: string;
  /** Takes no new connections; existing connections are closed by their owners. Removes the files that the listener made. Never rejects. */
  readonly stop: () => Promise<void>;
  /**
   * Looks whether peers can still find the address, and listens there again if somebody removed its files. Existing connections stay. Resolves
   * whether that was necessary. Rejects with a Fault if the address cannot be had back, for instance because another process has it. Undefined: the
   * address has no files.
   */
  readonly renew?: () => Promise<boolean>;
}

export interface Transport<Frame> {
  readonly name: string;
  /** Throws a Fault ("address_in_use", "address_invalid", "permission_denied") when it cannot listen. */
  readonly listen: (accept: (connection: PeekableConnection<Frame>) => void) => Promise<Listener>;
}

/** Where a transport of services listens. */
export type ServiceAddress =
  | { readonly kind: "unix"; readonly path: string }
  /** Loopback only; port 0 takes a free one. */
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };
