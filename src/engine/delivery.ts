// What leaves the engine: events as one subscription's terms want them, with encodings that all who receive them share (R14).
import type { AgentEvent, Epoch } from "./event.js";

/** How an event becomes a frame. One object a format; its identity is the key under which encodings are shared. */
export interface WireFormat<Frame> {
  readonly name: string;
  /** `source` is the agent's own text of exactly this event, where nothing had to be changed. */
  readonly encode: (event: AgentEvent, source: string | undefined) => Frame;
}

/** An event in one shape. */
export interface Delivery {
  readonly event: AgentEvent;
  readonly epoch: Epoch;
  readonly encoded: <Frame>(format: WireFormat<Frame>) => Frame;
}

/** Deliveries that leave together. `memo` keeps what codecs and transports made of the whole run. */
export interface DeliveryRun {
  readonly deliveries: readonly Delivery[];
  readonly memo: Map<unknown, unknown>;
}

/** Encodes at most once a format, whoever asks. */
export function createDelivery(event: AgentEvent, epoch: Epoch, source: string | undefined): Delivery {
  let firstFormat: WireFormat<unknown> | undefined;
  let firstFrame: unknown;
  let others: Map<WireFormat<unknown>, unknown> | undefined;
  const encoded = <Frame>(format: WireFormat<Frame>): Frame => {
    // Frames are kept untyped because each format has its own; the format that made one is the only one that reads it back.
    if (firstFormat === format) return firstFrame as Frame;
    if (firstFormat === undefined) {
      const frame = format.encode(event, source);
      firstFormat = format;
      firstFrame = frame;
      return frame;
    }
    others ??= new Map();
    const known = others.get(format);
    if (known !== undefined) return known as Frame;
    const frame = format.encode(event, source);
    others.set(format, frame);
    return frame;
  };
  return { event, epoch, encoded };
}

export function createDeliveryRun(deliveries: readonly Delivery[]): DeliveryRun {
  return { deliveries, memo: new Map() };
}
