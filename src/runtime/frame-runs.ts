import type { FrameRun } from "../contracts/transport.js";
import type { DeliveryRun, WireFormat } from "../engine/views/delivery.js";

/** The frames of a run in one format, made once for all who take the same run. */
export function frameRunOf<Frame>(run: DeliveryRun, format: WireFormat<Frame>): FrameRun<Frame> {
  const known = run.memo.get(format);
  // Only this function writes under a format, and only frames of that format.
  if (known !== undefined) return known as FrameRun<Frame>;
  const frames: FrameRun<Frame> = { frames: run.deliveries.map((one) => one.encoded(format)), joined: new Map() };
  run.memo.set(format, frames);
  return frames;
}
