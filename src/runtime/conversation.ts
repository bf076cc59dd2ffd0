// The parts common to conversations of every protocol: services, the wait for a handshake, the frames of deliveries, and the close.
import type { Fault } from "../base/errors.js";
import { timeToClose } from "../base/time-limit.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Log } from "../contracts/log.js";
import type { Connection, FrameBatch, PeerIdentity } from "../contracts/transport.js";
import type { Turns } from "../engine/time/turns.js";
import type { DeliveryBatch } from "../engine/views/delivery.js";

export interface ConversationServices {
  readonly clock: Clock;
  /** How long a peer may stay connected without a handshake, ms (R22). */
  readonly handshakeTimeoutMs: () => Millis;
  readonly log: Log;
  /** Turns of the connections and streams that have deliveries to send; shared by all of them. */
  readonly sendingTurns: Turns;
  /** Turns of the connections and streams that read; shared by all of them. */
  readonly readingTurns: Turns;
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

/** Returns the frames of a batch in one format, made once for all subscriptions that take the same batch. */
export function frameBatchOf<Frame>(
  batch: DeliveryBatch,
  { format, checkpoint: report }: Pick<Codec<Frame, never>, "format" | "checkpoint">,
): FrameBatch<Frame> {
  const { deliveries, checkpoint, memo } = batch;
  const key = checkpoint === undefined ? format : report;
  // Only this function writes under a format or under a codec's `checkpoint`, and it writes only frames of that format.
  const known = memo.get(key) as FrameBatch<Frame> | undefined;
  if (known !== undefined) return known;
  const frames = deliveries.map((one) => one.encoded(format));
  const made: FrameBatch<Frame> =
    checkpoint === undefined
      ? { frames, joined: new Map() }
      : { frames, last: checkpointFrame(checkpoint, report), joined: new Map() };
  memo.set(key, made);
  return made;
}

function checkpointFrame<Frame>(
  { cursor, memo }: NonNullable<DeliveryBatch["checkpoint"]>,
  report: Codec<Frame, never>["checkpoint"],
): Frame {
  const known = memo.get(report);
  if (known !== undefined) return known as Frame;
  const frame = report(cursor);
  memo.set(report, frame);
  return frame;
}

/**
 * Closes the connection and leaves handed-over data until `until` to leave; without `until`, the transport's own time limit. Resolves with the
 * number of messages known not to have left, at most 1.
 */
export async function closeWithin(
  connection: Pick<Connection<never>, "close" | "closed">,
  status: Fault | undefined,
  until: Millis | undefined,
  clock: Pick<Clock, "now">,
): Promise<number> {
  await connection.close(status, timeToClose(until, clock.now()));
  const { isCutShort } = await connection.closed;
  return isCutShort === true ? 1 : 0;
}
