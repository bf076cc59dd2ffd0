// Deliveries: events in the form of one subscription's terms, with encodings that all receivers share (R14).
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Epoch } from "../event/event.js";

/** The conversion of an event into a frame. There is one object for each format; encodings are shared by its identity. */
export interface WireFormat<Frame> {
  /** `source` is the agent's own text of exactly this event; undefined if something was changed. */
  readonly encode: (event: AgentEvent, source: string | undefined) => Frame;
}

/** An event in one shape. It is encoded at most once for each format. */
export class Delivery {
  readonly event: AgentEvent;
  readonly epoch: Epoch;
  /** The instant at which the event was published; of merged text, at which its newest part was released. */
  readonly at: Millis;
  private readonly source: string | undefined;
  private firstFormat: WireFormat<unknown> | undefined;
  private firstFrame: unknown;
  private others: Map<WireFormat<unknown>, unknown> | undefined;
  private batch: DeliveryBatch | undefined;

  constructor(event: AgentEvent, epoch: Epoch, at: Millis, source: string | undefined) {
    this.event = event;
    this.epoch = epoch;
    this.at = at;
    this.source = source;
  }

  /** A batch of this delivery alone, the same object for all takers. */
  alone(): DeliveryBatch {
    this.batch ??= { deliveries: [this], memo: new Map() };
    return this.batch;
  }

  encoded<Frame>(format: WireFormat<Frame>): Frame {
    // Frames are stored untyped, because each format has its own type. Only the format that made a frame reads it.
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

/** A place for a checkpoint message (R17), encoded once for all subscriptions that stand alike. */
export interface Checkpoint {
  readonly cursor: string;
  /** Everything up to this epoch was handed over. */
  readonly after: Epoch;
  /** Frames by codec. */
  readonly memo: Map<unknown, unknown>;
}

/** Deliveries that leave together. `memo` has the results that codecs and transports computed for the whole batch. */
export interface DeliveryBatch {
  readonly deliveries: readonly Delivery[];
  /** The place that the subscription has reached with them; sent behind them in a message of its own (R17). */
  readonly checkpoint?: Checkpoint;
  readonly memo: Map<unknown, unknown>;
}

/** The deliveries as a batch. One delivery has the same batch for all its takers. */
export function batchOf(deliveries: readonly Delivery[]): DeliveryBatch {
  const [first] = deliveries;
  return first !== undefined && deliveries.length === 1 ? first.alone() : { deliveries, memo: new Map() };
}

/** Adds a checkpoint behind a batch. All subscriptions that take both share one result. */
export function withCheckpoint(batch: DeliveryBatch, checkpoint: Checkpoint): DeliveryBatch {
  // Only this function writes under this key.
  const known = batch.memo.get(withCheckpoint) as DeliveryBatch | undefined;
  if (known?.checkpoint === checkpoint) return known;
  const made: DeliveryBatch = { deliveries: batch.deliveries, checkpoint, memo: new Map() };
  batch.memo.set(withCheckpoint, made);
  return made;
}

/** A checkpoint alone as a batch, the same object for all takers. */
export function checkpointBatch(checkpoint: Checkpoint): DeliveryBatch {
  return withCheckpoint({ deliveries: [], memo: checkpoint.memo }, checkpoint);
}
