// Listeners over Server-Sent Events and WebSocket, as their transport sees them (AAEP app. B.1, B.2, R35).
import type { Fault } from "../base/errors.js";
import type { Connection, PeekableConnection } from "./transport.js";

/** A connection whose messages come in by requests of their own. */
export interface PostedConnection extends Connection<Uint8Array> {
  /** Whether as many messages wait as may. */
  readonly isFull: boolean;
  /** Whether what answers a message reaches the listener, at the latest when it opens its stream. */
  readonly isTaking: boolean;
  readonly push: (frame: Uint8Array) => void;
  /** Ends a connection whose listener has left, and may not come back for it. */
  readonly giveUp: () => void;
}

/** One address at which streams are opened, under terms that the address has. */
export interface StreamAddress {
  /** Opens a stream, behind the place that the listener names, if it names one. Returns the fault that refuses it. */
  readonly open: (connection: PostedConnection, resumeAfter: string | undefined) => Fault | undefined;
  /**
   * Takes one message, as text, for the newest stream that takes it. Nobody learns whether a reply counted. Throws a Fault: "invalid_json",
   * "invalid_message", "handshake_required" where no stream is open, "rate_limit" where too much waits.
   */
  readonly post: (text: string) => void;
  /** Serves a WebSocket. Returns the fault that refuses it. */
  readonly converse: (connection: Connection<Uint8Array>) => Fault | undefined;
}

export interface StreamAddresses {
  /** The listener's own address; undefined for a secret that no address has, or has any more. */
  readonly bySecret: (secret: string) => StreamAddress | undefined;
  /** The address of a subscription that was made by `subscribe`, for as long as its terms are kept. */
  readonly byId: (id: string) => StreamAddress | undefined;
  /** The address of listeners that ask for nothing: AAEP's defaults (R22). */
  readonly plain: StreamAddress;
  /**
   * Makes a subscription, whose stream waits in `connection` for its listener. `id`: undefined where the answer is a rejection. Throws as `post`.
   */
  readonly subscribe: (
    connection: PostedConnection,
    text: string,
  ) => { readonly id: string | undefined; readonly answer: string };
  /**
   * Takes a reply or another message that names its subscription. `key`: that of the subscription, as its acceptance has it (R19); undefined for a
   * caller that needs none. Throws as `post`, and "unknown_subscription", also for a wrong key.
   */
  readonly post: (text: string, key: string | undefined) => void;
  /** Serves a WebSocket whose first message decides about its protocol (R23). */
  readonly converse: (connection: PeekableConnection<Uint8Array>) => void;
}
