// The messages of a stream of Connect: a byte of flags, four bytes with the length, and the message as JSON.
import { Fault } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { encodeMessage, parseObject } from "../messages.js";

export interface Envelope {
  /** The stream has ended with this message. */
  readonly isLast: boolean;
  readonly message: Members;
}

const HEAD_BYTES = 5;
const LAST = 0b10;
/** The daemon's responses are smaller by far: an event has at most 64 KiB, and a response is closed when it has as much. */
const MOST_BYTES = 16 * 1024 * 1024;

export function enveloped(message: object): Uint8Array<ArrayBuffer> {
  const json = encodeMessage(message);
  const bytes = new Uint8Array(HEAD_BYTES + json.length);
  new DataView(bytes.buffer).setUint32(1, json.length);
  bytes.set(json, HEAD_BYTES);
  return bytes;
}

/** Returns a function that takes bytes as they come, and returns the envelopes that are whole by now. It throws a Fault if these are no envelopes. */
export function createEnvelopeReader(): (bytes: Uint8Array) => readonly Envelope[] {
  // Pieces of an envelope that is not whole yet.
  let pieces: Uint8Array[] = [];
  let heldBytes = 0;
  let neededBytes = HEAD_BYTES;

  function lengthOf(head: Uint8Array): number {
    const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
    if (length > MOST_BYTES) throw notDaemon(`A message announces ${length} bytes`);
    return HEAD_BYTES + length;
  }

  return (bytes) => {
    pieces.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes < neededBytes) return [];
    let all = joined(pieces, heldBytes);
    const envelopes: Envelope[] = [];
    for (;;) {
      neededBytes = all.length < HEAD_BYTES ? HEAD_BYTES : lengthOf(all);
      if (all.length < neededBytes) break;
      envelopes.push({
        isLast: ((all[0] ?? 0) & LAST) !== 0,
        message: parseObject(all.subarray(HEAD_BYTES, neededBytes)),
      });
      all = all.subarray(neededBytes);
    }
    pieces = all.length === 0 ? [] : [all];
    heldBytes = all.length;
    return envelopes;
  };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The JSON of an answer, read piece by piece. Rejects with the fault of `notDaemon` as soon as it is longer than a daemon's, or is no object. */
export async function boundedJson({ body }: Response): Promise<Members> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return parseObject(joined(pieces, heldBytes));
    pieces.push(value);
    heldBytes += value.length;
    if (heldBytes <= MOST_BYTES) continue;
    reader?.cancel().catch(() => {});
    throw notDaemon(`An answer has more than ${MOST_BYTES} bytes`);
  }
}

/** The fault of an answer that no daemon gives. `what`: the beginning of the sentence. */
export function notDaemon(what: string, cause?: unknown): Fault {
  return new Fault("invalid_message", `${what}. Check that the address is that of a daemon's option --http.`, {
    cause,
  });
}
