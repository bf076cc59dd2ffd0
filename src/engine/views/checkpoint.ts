// A cursor as it goes out in a message of its own, encoded once for all who stand alike (R17).
import type { CursorPlace } from "../event/cursor.js";
import type { Checkpoint, DeliveryRun } from "./delivery.js";

export function createCheckpoint(cursor: string, { after, outputs }: Omit<CursorPlace, "journalId">): Checkpoint {
  return { cursor, after, outputs, memo: new Map() };
}

interface Checkpointed {
  readonly checkpoint: Checkpoint;
  readonly run: DeliveryRun;
}

/** The same deliveries with a checkpoint behind them: the same run for all who are given both. */
export function withCheckpoint(run: DeliveryRun, checkpoint: Checkpoint): DeliveryRun {
  // Only this function writes under itself.
  const known = run.memo.get(withCheckpoint) as Checkpointed | undefined;
  if (known?.checkpoint === checkpoint) return known.run;
  const made: DeliveryRun = { deliveries: run.deliveries, checkpoint, memo: new Map() };
  run.memo.set(withCheckpoint, { checkpoint, run: made } satisfies Checkpointed);
  return made;
}

/** A checkpoint alone as a run. */
export function checkpointRun(checkpoint: Checkpoint): DeliveryRun {
  const known = checkpoint.memo.get(checkpointRun) as DeliveryRun | undefined;
  if (known !== undefined) return known;
  const made: DeliveryRun = { deliveries: [], checkpoint, memo: new Map() };
  checkpoint.memo.set(checkpointRun, made);
  return made;
}
