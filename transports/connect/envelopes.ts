// What stands on the wire between the head of a stream and its end. It is the same in Connect, gRPC and gRPC-Web: a flag, the length, the message.
// So it is written here, once for all who receive a run, and the library is left with requests, heads and ends.
import { gzipSync } from "node:zlib";
import type { DescMessage } from "@bufbuild/protobuf";
import type { FrameRun } from "../../src/contracts/transport.js";
import { jsonOf } from "./messages.js";

/** How the messages of one stream are written. */
export interface Envelopes {
  /** One message. */
  readonly one: (bytes: Uint8Array) => Buffer;
  /** All messages of a run, back to back. Made once, and kept in the run. */
  readonly run: (run: FrameRun<Uint8Array>) => Buffer;
}

export interface EnvelopesOptions {
  readonly type: DescMessage;
  readonly isJson: boolean;
  readonly isGzip: boolean;
  readonly joinsRuns: boolean;
}

/** No message of a run holds more: a reader should hear of the first event before it has all, and clients take 4 MiB by default (G6). */
const MOST_JOINED_FRAMES = 64;
const MOST_JOINED_BYTES = 1024 * 1024;
/** As in the library: smaller ones gain nothing. */
const LEAST_COMPRESSED_BYTES = 1024;
const HEAD_BYTES = 5;
const FLAG_COMPRESSED = 1;

export function createEnvelopes({ type, isJson, isGzip, joinsRuns }: EnvelopesOptions): Envelopes {
  const key = `connect:${isJson ? type.typeName : "proto"}:${isGzip ? "gzip" : ""}:${joinsRuns ? "joined" : ""}`;
  const encode = (bytes: Uint8Array): Uint8Array => (isJson ? jsonOf(type, bytes) : bytes);
  const wrap = (message: Uint8Array): readonly Uint8Array[] => {
    const isCompressed = isGzip && message.length >= LEAST_COMPRESSED_BYTES;
    const data = isCompressed ? gzipSync(message, { level: 1 }) : message;
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head[0] = isCompressed ? FLAG_COMPRESSED : 0;
    head.writeUInt32BE(data.length, 1);
    return [head, data];
  };
  return {
    one: (bytes) => Buffer.concat(wrap(encode(bytes))),
    run: (run) => {
      const known = run.joined.get(key);
      if (known !== undefined) return known as Buffer;
      const messages = joinsRuns ? joined(run.frames) : run.frames;
      const envelopes = Buffer.concat(messages.flatMap((message) => wrap(encode(message))));
      run.joined.set(key, envelopes);
      return envelopes;
    },
  };
}

/** Few messages of many frames: protobuf put one behind the other adds up. */
function joined(frames: readonly Uint8Array[]): readonly Uint8Array[] {
  const messages: Uint8Array[] = [];
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const flush = (): void => {
    messages.push(Buffer.concat(held));
    held = [];
    heldBytes = 0;
  };
  for (const frame of frames) {
    if (held.length === MOST_JOINED_FRAMES || (held.length > 0 && heldBytes + frame.length > MOST_JOINED_BYTES))
      flush();
    held.push(frame);
    heldBytes += frame.length;
  }
  flush();
  return messages;
}
