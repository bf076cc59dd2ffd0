import type { Fault } from "../base/errors.js";
import type { Millis } from "./clock.js";
import type { EndReason, Protocol } from "./protocol.js";

/** The runner of an exchange, as its session sees it. */
export interface ExchangeHost {
  /**
   * Sends the text of a message. Messages wait while the peer takes nothing. Returns false if too many bytes wait; the message is then dropped.
   * `isFinal`: the message is taken whatever waits, because the session bounds such messages itself.
   */
  readonly send: (text: string, isFinal?: boolean) => boolean;
  /** Sends the text of a message if the peer takes it at once. Returns false if it does not; the message is then dropped. */
  readonly offer: (text: string) => boolean;
  /** Whether the connection is gone. Messages that were read before are still taken, but nobody reads an answer. */
  readonly isGone: () => boolean;
  /** Ends the exchange from this side, after everything that waits has been sent. */
  readonly close: () => void;
}

/** One peer's conversation in a protocol in which both sides send messages at any time. An incoming message takes effect at once. */
export interface ExchangeSession {
  /** Takes a message and its text. */
  readonly receive: (message: unknown, text: string) => void;
  /** Takes a frame that was no message, or that could be read in two ways (R19). `text`: the frame, if it was text. */
  readonly refuse: (fault: Fault, text: string | undefined) => void;
  /** Whether the peer is read while it takes nothing. A peer that serves others must be, as it may wait for its answers to be read. */
  readonly isReadAlways: () => boolean;
  /** Whether the peer's messages go on as they came, so that none of their numbers changes on the way (R41). They may have 131,072 values. */
  readonly passesOn: () => boolean;
  /** Returns a promise that resolves when the next message may be taken; undefined: at once. */
  readonly room: () => Promise<void> | undefined;
  /** Whether the handshake is done. */
  readonly isOpen: () => boolean;
  /** The peer sends no more. The session calls `ExchangeHost.close` when it has answered everything. */
  readonly inputEnded: () => void;
  /** Ends the session from this side. Resolves when the last answer was sent, at `until` at the latest. Never rejects. */
  readonly finish: (reason: EndReason, until: Millis) => Promise<void>;
  /** The connection is gone. Called once, last. */
  readonly ended: () => void;
}

/** A protocol whose frames are messages in both directions, without deliveries that are pulled. */
export type ExchangeProtocol = Protocol<ExchangeHost, ExchangeSession>;
