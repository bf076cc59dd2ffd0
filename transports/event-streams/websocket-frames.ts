// The frames of a server's messages (RFC 6455 §5.2): they have no mask, so connections share them.
import type { FrameBatch } from "../../src/contracts/transport.js";

/** A whole message of text. */
const TEXT = 0x81;
const TWO_BYTES_FOLLOW = 126;
const EIGHT_BYTES_FOLLOW = 127;

/** The messages of a batch as frames, back to back. Made once, and cached in the batch. */
export function joinedFrames(batch: FrameBatch<Uint8Array>): Buffer {
  const known = batch.joined.get("websocket");
  if (known !== undefined) return known as Buffer;
  const messages = batch.last === undefined ? batch.frames : [...batch.frames, batch.last];
  const joined = Buffer.concat(messages.flatMap((message) => [headOf(message.length), message]));
  batch.joined.set("websocket", joined);
  return joined;
}

function headOf(length: number): Buffer {
  if (length < TWO_BYTES_FOLLOW) return Buffer.of(TEXT, length);
  if (length <= 0xff_ff) return Buffer.of(TEXT, TWO_BYTES_FOLLOW, length >> 8, length & 0xff);
  const head = Buffer.alloc(10);
  head.set([TEXT, EIGHT_BYTES_FOLLOW]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
