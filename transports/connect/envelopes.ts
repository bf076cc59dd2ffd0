// What stands on the wire between the head of a stream and its end. It is the same in Connect, gRPC and gRPC-Web: a flag, the length, the message.
// So it is written here, once for all who receive a run, and the library is left with requests, heads and ends.
import { gzipSync } from "node:zlib";
import type { DescMessage } from "@bufbuild/protobuf";
import type { FrameBatch } from "../../src/contracts/transport.js";
import { enveloped, messagesOf } from "../service-calls/batch-messages.js";
import { jsonOf } from "./messages.js";

/** How the messages of one stream are written. */
export interface Envelopes {
  /** One message. */
  readonly one: (bytes: Uint8Array) => Buffer;
  /** All messages of a run, back to back. Made once, and kept in the run. */
  readonly run: (batch: FrameBatch<Uint8Array>) => Buffer;
}

export interface EnvelopesOptions {
  readonly type: DescMessage;
  readonly isJson: boolean;
  readonly isGzip: boolean;
  readonly joinsBatches: boolean;
}

/** As in the library: smaller ones gain nothing. */
const LEAST_COMPRESSED_BYTES = 1024;

export function createEnvelopes({ type, isJson, isGzip, joinsBatches }: EnvelopesOptions): Envelopes {
  const key = `connect:${isJson ? type.typeName : "proto"}:${isGzip ? "gzip" : ""}:${joinsBatches ? "joined" : ""}`;
  const isAsItIs = !isJson && !isGzip;
  const wrap = (frames: readonly Uint8Array[]): Buffer => {
    const joined = frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames);
    const message = isJson ? jsonOf(type, joined) : joined;
    const isCompressed = isGzip && message.length >= LEAST_COMPRESSED_BYTES;
    return isCompressed ? enveloped([[gzipSync(message, { level: 1 })]], 1) : enveloped([[message]]);
  };
  const envelopesOf = (messages: readonly (readonly Uint8Array[])[]): Buffer =>
    isAsItIs ? enveloped(messages) : Buffer.concat(messages.map(wrap));
  return {
    one: (bytes) => envelopesOf([[bytes]]),
    run: (batch) => {
      const known = batch.joined.get(key);
      if (known !== undefined) return known as Buffer;
      const envelopes = envelopesOf(messagesOf(batch, joinsBatches));
      batch.joined.set(key, envelopes);
      return envelopes;
    },
  };
}
