// A broken implementation: a correct one, with a layer between it and its peer that breaks one rule.
import type { Message } from "./messages.js";

/** What has passed on one connection so far. */
export interface Seen {
  /** The capabilities asked for: a request begins anew, a renegotiation changes only what it names. */
  asked: Message;
  /** The id in the last `accepted`. */
  subscription: string;
  /** Questions by their tokens. */
  readonly questions: Map<string, Message>;
  /** Tokens of the replies before this message. */
  readonly replied: Set<string>;
}

/** One connection of a subscriber to a producer. */
export interface Link {
  /** Sends a message to the subscriber, now. */
  readonly toSubscriber: (message: Message) => void;
  /** Sends a message to the producer, now. */
  readonly toProducer: (message: Message) => void;
  readonly after: (ms: number, run: () => void) => void;
  readonly close: () => void;
  readonly seen: Readonly<Seen>;
}

/** What goes on in place of a message: another, several, or nothing. */
export type Passed = Message | readonly Message[] | undefined;
export type Handle = (message: Message) => Passed;

/** Called for each connection of a subscriber. Without a handler everything goes on as it is. */
export type Deviation = (link: Link) => {
  /** A message of the producer to the subscriber. */
  readonly down?: Handle;
  /** A message of the subscriber to the producer. */
  readonly up?: Handle;
  /** The subscriber has ended the connection; that to the producer still stands. */
  readonly gone?: () => void;
};

/** Deviations by their names. The comment above each says the rule, and how it is broken. */
export type Deviations = Readonly<Record<string, Deviation>>;
