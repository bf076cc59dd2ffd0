// The parts common to conversations of every protocol: services, the wait for a handshake, and the log line of an internal error.
import type { Fault } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Log } from "../contracts/log.js";
import type { PeerIdentity } from "../contracts/transport.js";
import type { Checkpoints } from "./checkpoints.js";
import type { ReadingTurns } from "./frame-loop.js";
import type { SharedTurns } from "./shared-turns.js";

export interface ConversationServices {
  readonly clock: Clock;
  /** How long a peer may stay connected without a handshake, ms (R22). */
  readonly handshakeTimeoutMs: () => Millis;
  readonly log: Log;
  /** Turns of the connections and streams that have deliveries to send; shared by all of them. */
  readonly sendingTurns: SharedTurns;
  /** Turns of the connections and streams that read; shared by all of them. */
  readonly readingTurns: ReadingTurns;
  /** Times of the checkpoints; shared by all connections and streams. */
  readonly checkpoints: Checkpoints;
}

/** Calls `onLate` if the time for a handshake passes first (R22). Returns a function that ends the wait. */
export function awaitHandshake(
  { trust }: PeerIdentity,
  { clock, handshakeTimeoutMs }: Pick<ConversationServices, "clock" | "handshakeTimeoutMs">,
  onLate: () => void,
): () => void {
  // A parent may stay silent for any time: the daemon exists for the parent alone.
  return trust === "parent" ? () => {} : clock.wakeAt(clock.now() + handshakeTimeoutMs(), onLate);
}

export function logAccident({ label }: PeerIdentity, fault: Fault, log: Log): void {
  log.error({ peer: label, cause: fault.cause }, "a connection was ended, because an event for it could not be made");
}
