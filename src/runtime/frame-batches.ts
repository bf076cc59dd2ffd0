import type { Codec } from "../contracts/codec.js";
import type { FrameBatch } from "../contracts/transport.js";
import type { DeliveryBatch } from "../engine/views/delivery.js";

/** Returns the frames of a batch in one format, made once for all subscriptions that take the same batch. */
export function frameBatchOf<Frame>(
  batch: DeliveryBatch,
  codec: Pick<Codec<Frame, never>, "format" | "checkpoint">,
): FrameBatch<Frame> {
  const { deliveries, checkpoint, memo } = batch;
  const key = checkpoint === undefined ? codec.format : codec.checkpoint;
  const known = memo.get(key);
  // Only this function writes under a format or under a codec's `checkpoint`, and it writes only frames of that format.
  if (known !== undefined) return known as FrameBatch<Frame>;
  const frames: FrameBatch<Frame> = {
    frames: deliveries.map((one) => one.encoded(codec.format)),
    ...(checkpoint === undefined ? {} : { last: checkpointFrame(checkpoint, codec) }),
    joined: new Map(),
  };
  memo.set(key, frames);
  return frames;
}

function checkpointFrame<Frame>(
  { cursor, memo }: NonNullable<DeliveryBatch["checkpoint"]>,
  { checkpoint }: Pick<Codec<Frame, never>, "checkpoint">,
): Frame {
  const known = memo.get(checkpoint);
  if (known !== undefined) return known as Frame;
  const frame = checkpoint(cursor);
  memo.set(checkpoint, frame);
  return frame;
}
