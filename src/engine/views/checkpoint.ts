// A cursor in a message of its own, encoded once for all subscriptions at the same place (R17).
import type { CursorPlace } from "../event/cursor.js";
import type { Checkpoint, DeliveryBatch } from "./delivery.js";

export function createCheckpoint(cursor: string, { after, outputs }: Omit<CursorPlace, "journalId">): Checkpoint {
  return { cursor, after, outputs, memo: new Map() };
}

interface Checkpointed {
  readonly checkpoint: Checkpoint;
  readonly batch: DeliveryBatch;
}

/** Adds a checkpoint behind a batch. All subscriptions that take both share one result. */
export function withCheckpoint(batch: DeliveryBatch, checkpoint: Checkpoint): DeliveryBatch {
  // Only this function writes under this key.
  const known = batch.memo.get(withCheckpoint) as Checkpointed | undefined;
  if (known?.checkpoint === checkpoint) return known.batch;
  const made: DeliveryBatch = { deliveries: batch.deliveries, checkpoint, memo: new Map() };
  batch.memo.set(withCheckpoint, { checkpoint, batch: made } satisfies Checkpointed);
  return made;
}

/** A checkpoint alone as a batch. */
export function checkpointBatch(checkpoint: Checkpoint): DeliveryBatch {
  const known = checkpoint.memo.get(checkpointBatch) as DeliveryBatch | undefined;
  if (known !== undefined) return known;
  const made: DeliveryBatch = { deliveries: [], checkpoint, memo: new Map() };
  checkpoint.memo.set(checkpointBatch, made);
  return made;
}
