// A broken implementation: a layer between a correct producer and its subscribers, which breaks one rule.

/** One JSON message. */
export type Message = Readonly<Record<string, unknown>>;

/** One connection of a subscriber. */
export interface MutantLink {
  /** Sends a message on to the subscriber, now. */
  readonly toSubscriber: (message: Message) => void;
  /** Sends a message on to the producer, now. */
  readonly toProducer: (message: Message) => void;
  readonly after: (ms: number, run: () => void) => void;
  readonly close: () => void;
}

export interface Mutant {
  readonly name: string;
  readonly paragraph: string;
  /** The rule, and how it is broken. */
  readonly breaks: string;
  /** Called for each new connection of a subscriber. A handler that is missing passes everything on. */
  readonly link: (link: MutantLink) => {
    readonly fromProducer?: (message: Message) => void;
    readonly fromSubscriber?: (message: Message) => void;
    /** The subscriber has ended the connection; that to the producer still stands. */
    readonly subscriberGone?: () => void;
  };
}
