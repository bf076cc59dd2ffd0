import type { ServedCapability } from "../messages/capabilities.js";
import type { A2eMessage } from "../messages/message.js";

/** The news of one request, in the order in which its provider sent it. Of the last four, one comes once, and last. */
export interface RequestNews {
  /** A message about the request that does not end it. */
  readonly event: (message: A2eMessage, text: string) => void;
  readonly answered: (message: A2eMessage, text: string) => void;
  /** The provider answered by an `error`. */
  readonly refused: (message: A2eMessage, text: string) => void;
  /** The provider's message about the request could not be read. It may have been the answer. */
  readonly unreadable: () => void;
  /** No answer will come. `sentence` says why. */
  readonly lost: (sentence: string) => void;
}

/** A host that serves capabilities: a child process, or a peer that registered. */
export interface Provider {
  readonly name: string;
  readonly kind: "child" | "peer";
  /** A higher priority takes a capability from a provider that has it. */
  readonly priority: number;
  readonly capabilities: readonly ServedCapability[];
  /**
   * Sends a request, under an id of the daemon's own. Calls `news` in later calls of the connection, or at once if nothing can be sent, and not after
   * the returned function was called.
   */
  readonly request: (text: string, news: RequestNews) => () => void;
  /** Sends a message that needs no answer. */
  readonly passOn: (text: string) => void;
  readonly requestCount: () => number;
}
