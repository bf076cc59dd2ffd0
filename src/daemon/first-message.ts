// Reads the first message of a connection as far as possible: the message selects the protocol (R23).
import { refusedHead } from "../../transports/framing/refusal.js";
import { faultFrom } from "../base/errors.js";
import { namesIn, soleValue, textsOf } from "../base/json-members.js";
import type { Codec } from "../contracts/codec.js";
import type { FirstMessage } from "../contracts/protocol.js";
import type { PeekableConnection } from "../contracts/transport.js";

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_MESSAGE: FirstMessage = { kind: "other", names: NO_NAMES, members: {} };

/** Bytes of a damaged message that are read. */
const SNIFFED_BYTES = 256;

/** Reads the first message; the frames stay in the iteration. Never rejects. */
export async function firstMessageOf(
  connection: PeekableConnection<Uint8Array>,
  codec: Codec<Uint8Array, unknown>,
): Promise<FirstMessage> {
  const frame = await firstFrameOf(connection);
  return frame === undefined ? NO_MESSAGE : messageIn(frame, codec);
}

/** Returns the first frame, or the beginning of one that was refused; undefined if there is neither. */
async function firstFrameOf(connection: PeekableConnection<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const [frame] = await connection.peek();
    return frame;
  } catch (caught) {
    return refusedHead(faultFrom(caught));
  }
}

function messageIn(frame: Uint8Array, codec: Codec<Uint8Array, unknown>): FirstMessage {
  try {
    const message = codec.decode(frame);
    if (Array.isArray(message)) return { kind: "array", names: NO_NAMES, members: {} };
    if (typeof message !== "object" || message === null) return NO_MESSAGE;
    const members = message as Readonly<Record<string, unknown>>;
    return { kind: "object", names: new Set(Object.keys(members)), members };
  } catch (caught) {
    // A damaged message is still assigned a protocol, so that its peer understands the answer.
    const text = faultFrom(caught).code === "invalid_json" ? undefined : codec.textOf?.(frame);
    return (text === undefined ? undefined : unreadable(text)) ?? damaged(frame);
  }
}

/** JSON that could be read as two messages, is too deep or too large, or has a number that would change. Undefined: it is no JSON after all. */
function unreadable(text: string): FirstMessage | undefined {
  try {
    const names = namesIn(text);
    const members = { type: soleValue(textsOf(text, "type")), protocol: soleValue(textsOf(text, "protocol")) };
    return { kind: /^\s*\[/.test(text) ? "array" : "object", names, members };
  } catch {
    return undefined;
  }
}

/** Finds names up to the first value that is an object or an array. */
function damaged(frame: Uint8Array): FirstMessage {
  const beginning = String.fromCharCode(...frame.subarray(0, SNIFFED_BYTES));
  const [, plain = ""] = /^\s*\{([^{[]*)/.exec(beginning) ?? [];
  const names = new Set(Array.from(plain.matchAll(/"([^"]*)"\s*:/g), ([, name = ""]) => name));
  return { kind: "other", names, members: {} };
}
