// What leaves the engine: events as one subscription's terms want them, with encodings that all who receive them share (R14).
import type { DeliveredText } from "../event/cursor.js";
import type { AgentEvent, Epoch } from "../event/event.js";

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
  /** It alone as a run, the same one for all who are given just that. */
  readonly alone: () => DeliveryBatch;
}

/** A place that was reached, to be told (R17). One object for all subscriptions that stand at the same place of one view. */
export interface Checkpoint {
  readonly cursor: string;
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
  /** Outputs of which more was handed over, by their digests. */
  readonly outputs: ReadonlyMap<string, DeliveredText>;
  /** The frames that codecs made of it, by codec. */
  readonly memo: Map<unknown, unknown>;
}

/** Deliveries that leave together. `memo` keeps what codecs and transports made of the whole run. */
export interface DeliveryBatch {
  readonly deliveries: readonly Delivery[];
  /** The place that its subscription has reached with them; goes out behind them, in a message of its own (R17). */
  readonly checkpoint?: Checkpoint;
  readonly memo: Map<unknown, unknown>;
}

/** Encodes at most once a format, whoever asks. */
export function createDelivery(event: AgentEvent, epoch: Epoch, source: string | undefined): Delivery {
  return new EncodedOnce(event, epoch, source);
}

/** A class, because there is one for each event. */
class EncodedOnce implements Delivery {
  readonly event: AgentEvent;
  readonly epoch: Epoch;
  private readonly source: string | undefined;
  private firstFormat: WireFormat<unknown> | undefined;
  private firstFrame: unknown;
  private others: Map<WireFormat<unknown>, unknown> | undefined;
  private batch: DeliveryBatch | undefined;

  constructor(event: AgentEvent, epoch: Epoch, source: string | undefined) {
    this.event = event;
    this.epoch = epoch;
    this.source = source;
  }

  alone(): DeliveryBatch {
    this.batch ??= createDeliveryBatch([this]);
    return this.batch;
  }

  encoded<Frame>(format: WireFormat<Frame>): Frame {
    // Frames are kept untyped because each format has its own; the format that made one is the only one that reads it back.
    if (this.firstFormat === format) return this.firstFrame as Frame;
    if (this.firstFormat === undefined) {
      const frame = format.encode(this.event, this.source);
      this.firstFormat = format;
      this.firstFrame = frame;
      return frame;
    }
    this.others ??= new Map();
    const known = this.others.get(format);
    if (known !== undefined) return known as Frame;
    const frame = format.encode(this.event, this.source);
    this.others.set(format, frame);
    return frame;
  }
}

export function createDeliveryBatch(deliveries: readonly Delivery[]): DeliveryBatch {
  return { deliveries, memo: new Map() };
}
