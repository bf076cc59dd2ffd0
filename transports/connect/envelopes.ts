// The bytes between the head of a stream and its end. Connect, gRPC and gRPC-Web share one form: a flag, the length, the message. The bytes are
// written here once for all receivers of a batch; the library handles requests, heads and ends.
import { gzipSync } from "node:zlib";
import type { DescMessage } from "@bufbuild/protobuf";
import { kept, type OutboxOwner } from "../framing/outbox.js";
import { enveloped, messagesOf } from "../service-calls/batch-messages.js";
import { jsonOf } from "./messages.js";

/** The forms of messages in one kind of stream. */
export type Envelopes = Pick<OutboxOwner, "joined" | "joinedBatch">;

export interface EnvelopesOptions {
  readonly type: DescMessage;
  readonly isJson: boolean;
  readonly isGzip: boolean;
  readonly joinsBatches: boolean;
}

/** Same limit as in the library: compressing smaller messages gains nothing. */
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
    joined: (frames) => envelopesOf(frames.map((frame) => [frame])),
    joinedBatch: (batch) => kept(batch, key, () => envelopesOf(messagesOf(batch, joinsBatches))),
  };
}
