import type { PeerIdentity } from "./transport.js";

/**
 * Operations of an agent. "publish": an event that asks nothing. "ask": a question, by any call. "cancel" and "outcome": of a question. "declare":
 * the agent's manifest. "resume": a session.
 */
type AgentOperation = "publish" | "ask" | "cancel" | "outcome" | "declare" | "resume";

/** Operations of a subscriber. No policy forbids the end of a subscription. */
export type SubscriberOperation = "subscribe" | "renegotiate" | "skip" | "list_pending" | "repeat" | "reply";

/** All operations. "provide": to serve capabilities of A2E to agents. "observe": the daemon's status. */
export type Operation = AgentOperation | SubscriberOperation | "provide" | "observe";

/**
 * The rights of one connection (R36). Only the agent's handler, the subscriber's handler and the status ask it. It decides
 * operations, and not which sessions a subscription is given.
 */
export interface Access {
  /** Decides one operation before it begins. `sessionId`: the session that the operation names, unchecked. Must not throw. */
  readonly may: (operation: Operation, sessionId?: unknown) => boolean;
}

/** Decides the rights of connections. A connection without the right to reply is sent no question (R6). */
export interface AccessPolicy {
  /**
   * Called once for each identity, which is an object of one connection. A call has the access of its connection; a key has the access of the
   * connection that received it.
   */
  readonly of: (peer: PeerIdentity) => Access;
}
