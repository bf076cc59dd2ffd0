import type { Fault } from "../base/errors.js";
import type { JsonOutline } from "../base/json-document.js";
import type { Millis } from "./clock.js";
import type { CloseInfo, FrameBatch, FrameTaker, PeerIdentity } from "./transport.js";

/** One incoming JSON-RPC message. */
export interface RpcCall {
  readonly method: string;
  /** The parsed params; undefined if the message had none. */
  readonly params: unknown;
  /** The text of the whole message as received, from which byte-identical parts are cut (R2). */
  readonly text: string;
  /** The outline of `text`. */
  readonly outline: JsonOutline;
  /** Aborted when the peer cancels the request or the connection ends. Created when it is first read. */
  readonly signal: AbortSignalLike;
}

/** The part of an AbortSignal that the pure folders need. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** "cancelled": the peer no longer wants an answer. "ended": the peer can no longer get one. Undefined while it is not aborted. */
  readonly reason: "cancelled" | "ended" | undefined;
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void;
}

/** A message that is JSON but not a valid call: it could be read in two ways (R19), or it breaks JSON-RPC. */
export interface RefusedCall {
  readonly text: string;
  readonly fault: Fault;
  /** The message has no id: nobody waits for an answer. */
  readonly isNotification: boolean;
}

export interface RpcHandlers {
  /** Returns the result, or throws a Fault that becomes the error of the answer (R33). A synchronous result is sent in the same turn. */
  readonly request: (call: RpcCall) => unknown;
  /** Must not throw. */
  readonly notification: (call: RpcCall) => void;
  /** Returns the result for a refused message, sent if its id is clear; undefined: its error is sent. Must not throw. Default: its error. */
  readonly refused?: (call: RefusedCall) => { readonly result: unknown } | undefined;
  /** As `FrameTaker.room`, for calls that must not overtake one under way. Default: none is. */
  readonly room?: () => Promise<void> | undefined;
}

/** One JSON-RPC 2.0 peer over any connection of bytes. The peer's requests are answered; it is asked nothing. Method names are plain strings here. */
export interface AnsweringConnection extends FrameTaker<Uint8Array> {
  /**
   * Answers as `Connection.send` does. A notification that a handler sends while it handles a notification counts as the answer: no more is read
   * until the peer has taken it.
   */
  readonly notify: (method: string, params: object) => boolean;
  /**
   * Sends one notification for each frame of `batch`. Each frame is the JSON of the params and is spliced unchanged between a constant head and
   * tail. `members` are further members of the message beside method and params. `lastMethod` is the method of the batch's last frame, by default
   * the same; the params of that notification get the members too.
   */
  readonly notifyBatch: (
    method: string,
    batch: FrameBatch<Uint8Array>,
    members?: Readonly<Record<string, string>>,
    lastMethod?: string,
  ) => boolean;
  /**
   * Resolves when the peer sends no more and all its input has been handed to the handlers. Never rejects. Answers and notifications can still go
   * out until `close` is called or the connection closes (R8a).
   */
  readonly ended: Promise<void>;
  /** Resolves when no call of the peer is under way any more. Never rejects. */
  readonly answered: () => Promise<void>;
  readonly takeNoMore: () => void;
  /** Reads no more, sends everything handed over and the handlers' answers of this turn, then closes as `Connection.close`. Never rejects. */
  readonly close: (withinMs?: Millis) => Promise<void>;
}

/** A JSON-RPC 2.0 peer that is asked as well, for agents and subscribers. */
export interface RpcConnection {
  readonly peer: PeerIdentity;
  /** Rejects with a Fault: the peer's own code if the peer gave one, "peer_gone" if the answer can no longer come. */
  readonly request: (method: string, params: object) => Promise<unknown>;
  readonly notify: AnsweringConnection["notify"];
  readonly writable: () => Promise<void>;
  readonly ended: Promise<void>;
  readonly close: AnsweringConnection["close"];
  readonly closed: Promise<CloseInfo>;
  /** As `Connection.unref`. */
  readonly unref?: () => void;
}
