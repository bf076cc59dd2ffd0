import type { Fault } from "../base/errors.js";
import type { NamedSubscription, Outlet, PendingDeliveries, Taken } from "../engine/subscriptions/subscription-spec.js";
import type { Checkpoint } from "../engine/views/delivery.js";
import type { Millis } from "./clock.js";
import type { PeerIdentity } from "./transport.js";

/** The subscription from which a pump pulls. */
export interface DeliverySource extends NamedSubscription {
  /** Returns the deliveries that may leave now; with `only`, the critical ones alone (R4, R34). */
  readonly take: (only?: "critical") => Taken;
  /** Reports that the transport takes nothing more, or takes again. */
  readonly setBlocked: (blocked: boolean) => void;
  /** Whether the peer receives checkpoints (R17); renegotiated at any time. */
  readonly terms: { readonly checkpoints: boolean };
  /** Returns the place if it moved since the last checkpoint. `isDue`: it is time for one. A checkpoint goes out behind everything taken. */
  readonly checkpoint: (isDue: boolean) => Checkpoint | undefined;
}

/** The stream of deliveries to a peer, which the pump pulls and sends. */
export interface DeliveryStream extends Outlet {
  /** Pulls from this subscription from now on; it takes the stream over from an earlier one. */
  readonly join: (source: DeliverySource) => void;
}

export interface Reaction<Message> {
  /** Sent in this order, before anything that is delivered later. */
  readonly answers: readonly Message[];
  /** Whether the connection ends after the answers. */
  readonly closes: boolean;
  /** The fault of the message, if `answers` report one. */
  readonly fault?: Fault;
}

/** A message that shows that a stream is alive, sent when nothing else was sent for a while (R22). */
export interface Heartbeat<Message> {
  readonly everyMs: Millis;
  readonly message: Message;
}

/** Everything that goes out when this side ends a session. */
export interface LastWords<Message> {
  readonly pendingDeliveries: PendingDeliveries;
  /** Makes the messages that follow the deliveries. Called when they are sent, because they report the place that was reached. */
  readonly messages: () => readonly Message[];
}

/**
 * Reason codes of a `subscription.close` from this side (AAEP §5.8.1). "producer_error": an internal error of the daemon, not a mistake of the
 * subscriber. "recording_ended": a replay has delivered all of its recording.
 */
export type EndReason = "producer_shutdown" | "recording_ended" | "producer_error" | "lagging" | "handshake_timeout";

/** One peer's conversation in a protocol of messages. Synchronous: an incoming message takes effect at once; deliveries are pulled. */
export interface ProtocolSession<Message> {
  /** `text`: the peer's text, if the frame was text. */
  readonly receive: (message: Message, text?: () => string | undefined) => Reaction<Message>;
  /** Answers a frame that was no message, or that could be read in two ways (R19). */
  readonly refuse: (fault: Fault, text?: () => string | undefined) => Reaction<Message>;
  /** Whether the handshake is done. */
  readonly isOpen: () => boolean;
  /** Ends the session from this side. At a shutdown and at the end of a recording every pending delivery goes out first (R8a). */
  readonly finish: (reason: EndReason) => LastWords<Message>;
  /** The connection is gone. `reason`: why this side ended it; undefined if the peer ended it. */
  readonly ended: (reason?: EndReason) => void;
}

/** The first message of a connection, as far as it can be read (R23). */
export interface FirstMessage {
  /** "other": neither an object nor an array of JSON. If an object is cut off or damaged, `names` and `members` may hold its beginning. */
  readonly kind: "object" | "array" | "other";
  /** The names of the members that could be read. */
  readonly names: ReadonlySet<string>;
  /** The members; none if the message is no object, or could be read in two ways (R19). */
  readonly members: Readonly<Record<string, unknown>>;
}

/** One of the protocols that share connections. The endpoint asks each in order; the first that recognizes the first message gets the peer (R23). */
export interface Protocol<Host, Session> {
  readonly recognizes: (first: FirstMessage) => boolean;
  /** Opens the session of one peer. `host` runs the session: connection, pumps, end. */
  readonly open: (peer: PeerIdentity, host: Host) => Session;
}

/** The runner of a session of messages, as the session sees it. */
interface MessageHost<Message> {
  readonly stream: DeliveryStream;
  /** Sends a message that is neither an answer nor an event. While the peer takes nothing, only the newest such message waits. */
  readonly tell: (message: Message) => void;
}

/** A protocol in which each frame is a message, and a connection has one source. */
export type MessageProtocol<Message> = Protocol<MessageHost<Message>, ProtocolSession<Message>>;

/** A conversation under way, as seen by the part that ends it. */
export interface Conversation {
  /**
   * Ends the conversation from this side. Pending deliveries go out as the peer takes them, until all have left or the time is over (R8a). `until`:
   * an instant of the clock, ms; default: a time limit of the conversation's own. Resolves when the connection has closed, with an upper bound of
   * the messages that did not leave. Never rejects.
   */
  readonly finish: (reason: EndReason, until?: Millis) => Promise<number>;
  /** Resolves when the peer has ended its side and its input has been taken. Never rejects. */
  readonly inputEnded: Promise<void>;
  /** Resolves when the conversation is over. Never rejects. */
  readonly done: Promise<void>;
}
