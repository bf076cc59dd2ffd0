// A connection to the tested side that carries the texts of AAEP messages. Links share no code with the daemon's own protocol code, except the
// framing of bytes and the generated services.
import type { Listener } from "../../contracts/transport.js";

export interface Link {
  /** Sends the text of one message. After the end nothing happens. */
  readonly send: (text: string) => void;
  /**
   * The texts of the messages that come. Ends with the connection. Throws if the connection breaks, or if what comes cannot be read; the error's
   * message says it in a sentence. One iteration only.
   */
  readonly incoming: AsyncIterable<string>;
  /** Ends the connection in order. */
  readonly close: () => Promise<void>;
  /** Ends the connection without a word, as the death of this side's process does. */
  readonly vanish: () => Promise<void>;
}

/** Opens links to one endpoint. */
export interface Links {
  /** Throws a Fault that says why the endpoint cannot be reached. */
  readonly open: () => Promise<Link>;
  /** The links share one connection, so none can vanish alone and none can carry broken bytes. */
  readonly isShared?: true;
  /** The other side is on this machine, and has its clock. */
  readonly isLocal?: true;
  /**
   * The text of the producer's manifest, where the transport has a call for it (AAEP §B.5). Rejects with an error that says why it does not come.
   * Undefined: the transport has none.
   */
  readonly manifest?: () => Promise<string>;
  /** The sentence for a target that does not answer, where the transport has another form. */
  readonly silenceAdvice?: string;
  /** Ends everything that `open` has started. */
  readonly stop: () => Promise<void>;
}

/** The suite as a producer: each connection of a subscriber has become a link. */
export type LinkListener = Pick<Listener, "stop">;
