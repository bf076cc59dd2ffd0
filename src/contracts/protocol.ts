import type { Fault } from "../base/errors.js";
import type { PendingDeliveries, Taken } from "../engine/subscriptions/taken.js";
import type { Checkpoint } from "../engine/views/delivery.js";
import type { Millis } from "./clock.js";
import type { PeerIdentity } from "./transport.js";

/** Where a pump pulls from. */
export interface DeliverySource {
  /** What may leave now; with `only`, no more than what is critical (R4, R34). */
  readonly take: (only?: "critical") => Taken;
  /** The transport takes nothing more, or takes again. */
  readonly setBlocked: (blocked: boolean) => void;
  /** Whether its peer is told the place that it has reached (R17). */
  readonly wantsCheckpoints: () => boolean;
  /** The place, where it moved since it was last told; `isDue`: whether it is time for that. To be handed over behind all that was taken. */
  readonly checkpoint: (isDue: boolean) => Checkpoint | undefined;
}

export interface Reaction<Message> {
  /** Sent in this order, before anything that is delivered later. */
  readonly answers: readonly Message[];
  /** Whether the connection ends after them. */
  readonly closes: boolean;
  /** Whether it cost so much that others come first: the peer's next message is taken in a later turn of the event loop. */
  readonly wasCostly?: boolean;
  /** What was wrong with the message, where that is what `answers` tell. */
  readonly fault?: Fault;
}

/** Says that a stream is alive where nothing else was sent for a while (R22). */
export interface Heartbeat<Message> {
  readonly everyMs: Millis;
  readonly message: Message;
}

/** What still has to go out when a session is ended from this side. */
export interface LastWords<Message> {
  readonly pendingDeliveries: PendingDeliveries;
  /** Said after all that; made when it is said, for it tells the place that was reached. */
  readonly messages: () => readonly Message[];
}

/**
 * Reason codes of a `subscription.close` from this side (AAEP §5.8.1). "producer_error": an internal error of the daemon, which is none of the
 * subscriber's doing. "recording_ended": a replay has given all that it has.
 */
export type EndReason = "producer_shutdown" | "recording_ended" | "producer_error" | "lagging" | "handshake_timeout";

/** One peer's conversation in a protocol of messages. Synchronous: what comes in changes it at once, what goes out is pulled. */
export interface ProtocolSession<Message> {
  /** `text`: what the peer wrote, where that is text. */
  readonly receive: (message: Message, text?: () => string | undefined) => Reaction<Message>;
  /** What comes of a frame that was no message, or could be taken for two (R19). */
  readonly refuse: (fault: Fault, text?: () => string | undefined) => Reaction<Message>;
  readonly source: DeliverySource;
  /** Whether the handshake is done. */
  readonly isOpen: () => boolean;
  /** Ends it from this side; everything owed goes out first where nothing more follows (R8a): a shutdown, the end of a recording. */
  readonly finish: (reason: EndReason) => LastWords<Message>;
  /** The connection is gone. `reason`: why this side ended it; undefined where it was the peer. */
  readonly ended: (reason?: EndReason) => void;
}

/** The first message of a connection, as far as it can be read (R23). */
export interface FirstMessage {
  /** "other": neither an object nor an array of JSON; of an object that is cut off or damaged, the beginning may be there. */
  readonly kind: "object" | "array" | "other";
  /** The names of its members, as far as they are there. */
  readonly names: ReadonlySet<string>;
  /** Its members; none where it is no object, or could be taken for two (R19). */
  readonly members: Readonly<Record<string, unknown>>;
}

/** One of the protocols that share connections. The endpoint asks each, in order; the first that recognizes the first message has the peer (R23). */
export interface Protocol<Host, Session> {
  readonly recognizes: (first: FirstMessage) => boolean;
  /** Opens the session of one peer. `host` runs the session: connection, pumps, end. */
  readonly open: (peer: PeerIdentity, host: Host) => Session;
}

/** The runner of a session of messages, as the session sees it. */
export interface MessageHost<Message> {
  /** The source may have something. */
  readonly wake: () => void;
  /** Asks for `finish` with a reason. */
  readonly terminate: (reason: EndReason) => void;
  /** Sends what answers nothing and is no event: while the peer takes nothing, the newest of it alone waits. */
  readonly tell: (message: Message) => void;
}

/** A protocol in which each frame is a message, and a connection has one source. */
export type MessageProtocol<Message> = Protocol<MessageHost<Message>, ProtocolSession<Message>>;

/** A conversation under way, as those see it who end it. */
export interface Conversation {
  /**
   * Ends it from this side: what is owed goes out as the peer takes it, until all of it has left or the time is over (R8a). `until`: an instant of
   * the clock, ms; the conversation has a time of its own where none is given. Resolves when the connection has closed, with at most how many
   * messages did not leave. Never rejects.
   */
  readonly finish: (reason: EndReason, until?: Millis) => Promise<number>;
  /** Resolves when the peer has ended its side, and what it sent has been taken. Never rejects. */
  readonly inputEnded: Promise<void>;
  /** Resolves when it is over. Never rejects. */
  readonly done: Promise<void>;
}
