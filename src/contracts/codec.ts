import type { WireFormat } from "../engine/views/delivery.js";

/** Turns frames into messages and back. `format` is how deliveries become frames; its identity is the key under which they are shared (R14). */
export interface Codec<Frame, Message> {
  /** Throws a Fault "invalid_json" or "invalid_message"; never anything else. */
  readonly decode: (frame: Frame) => Message;
  /** What the peer wrote, where frames of this form are text; undefined where this one is none. Never throws. Default: frames are no text. */
  readonly textOf?: (frame: Frame) => string | undefined;
  readonly encode: (message: Message) => Frame;
  /** The message that tells a cursor (R17). Its identity is the key under which runs that end with one are shared. */
  readonly checkpoint: (cursor: string) => Frame;
  readonly format: WireFormat<Frame>;
}
