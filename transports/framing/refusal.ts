import { Fault } from "../../src/base/errors.js";

/** Bytes of a refused frame that are kept, so that an answer can name the id of the message. */
const HEAD_BYTES = 256;

interface RefusedFrame {
  readonly kind: "refused_frame";
  readonly head: Uint8Array;
}

/** The fault of a frame above the limit. `head` is the part of its beginning that had arrived. */
export function frameTooLarge(announced: number | undefined, limit: number, head: Uint8Array): Fault {
  const size = announced === undefined ? "A message" : `A message of ${announced} bytes`;
  const cause: RefusedFrame = { kind: "refused_frame", head: Uint8Array.from(head.subarray(0, HEAD_BYTES)) };
  return new Fault(
    "message_too_large",
    `${size} is above the limit of ${limit} bytes for one message. Send smaller messages, or raise the limit at the receiving end.`,
    { rule: "AAEP §8.3", cause },
  );
}

/** Returns the beginning of the frame refused by a `message_too_large` fault of the decoder, as far as it had arrived. */
export function refusedHead(fault: Fault): Uint8Array | undefined {
  const cause = fault.cause as Partial<RefusedFrame> | undefined;
  return cause?.kind === "refused_frame" ? cause.head : undefined;
}

export function framingLost(what: string): Fault {
  return new Fault(
    "framing_lost",
    `${what} A stream is framed in one of three ways: a 4-byte big-endian length before each message (first byte 0x00), one JSON text a line (first byte "{"), or Content-Length headers (first byte "C").`,
    { rule: "R23" },
  );
}
