// The common part of conversations in every protocol: services, the wait for a handshake, and the word of an accident.
import type { Fault } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Log } from "../contracts/log.js";
import type { PeerIdentity } from "../contracts/transport.js";
import type { Checkpoints } from "./checkpoints.js";
import type { SendingTurns } from "./sending-turns.js";

export interface ConversationServices {
  readonly clock: Clock;
  /** How long a peer may stay without a handshake, ms (R22). */
  readonly handshakeTimeoutMs: () => Millis;
  readonly log: Log;
  /** The turns of connections and streams to be sent to; one for all of them. */
  readonly sendingTurns: SendingTurns;
  /** The times at which subscriptions are told their places; one for all connections and streams. */
  readonly checkpoints: Checkpoints;
}

/** Calls `onLate` where the time for a handshake passes first (R22). Answers what ends the wait. */
export function awaitHandshake(
  { trust }: PeerIdentity,
  { clock, handshakeTimeoutMs }: Pick<ConversationServices, "clock" | "handshakeTimeoutMs">,
  onLate: () => void,
): () => void {
  // A parent may be silent for as long as it likes: the daemon is there for it alone.
  return trust === "parent" ? () => {} : clock.wakeAt(clock.now() + handshakeTimeoutMs(), onLate);
}

export function logAccident({ label }: PeerIdentity, fault: Fault, log: Log): void {
  log.error({ peer: label, cause: fault.cause }, "a connection was ended, because an event for it could not be made");
}
