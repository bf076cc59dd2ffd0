import type { WireFormat } from "../engine/views/delivery.js";

/** Turns frames into messages and back. `format` turns deliveries into frames; its identity is the key under which frames are shared (R14). */
export interface Codec<Frame, Message> {
  /** Throws a Fault "invalid_json" or "invalid_message"; never anything else. */
  readonly decode: (frame: Frame) => Message;
  /** Returns the peer's text, for forms whose frames are text; undefined if this frame is not text. Never throws. Default: the frames are no text. */
  readonly textOf?: (frame: Frame) => string | undefined;
  readonly encode: (message: Message) => Frame;
  /** Makes the message that reports a cursor (R17). Its identity is the key under which batches that end with a checkpoint are shared. */
  readonly checkpoint: (cursor: string) => Frame;
  readonly format: WireFormat<Frame>;
}

/** Turns frames into the texts of messages and back. */
export interface TextCodec<Frame> {
  /** Throws a Fault for a frame that has no text. */
  readonly textOf: (frame: Frame) => string;
  readonly frameOf: (text: string) => Frame;
}

/** UTF-8 of the platform. */
export interface Utf8 {
  readonly encode: (text: string) => Uint8Array;
  /** Throws on malformed bytes. */
  readonly decode: (bytes: Uint8Array) => string;
}
