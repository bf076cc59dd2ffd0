// Writes the messages of a call. The library writes one at a time, each after the one before has left, and copies it for every call. Therefore
// streams are written straight to the HTTP/2 stream, framed once for all calls; the library begins the call, and ends it after everything written.
import { Metadata } from "@grpc/grpc-js";
import type { FrameBatch } from "../../src/contracts/transport.js";
import { bufferOf, enveloped, messagesOf } from "../service-calls/batch-messages.js";
import { byteStreamOf } from "./library-internals.js";

export interface CallWriter {
  /** The bytes that `write` takes for a frame, and for a batch. The bytes of a batch are made once and shared by all calls that send the batch. */
  readonly ofFrame: (frame: Uint8Array) => Buffer;
  readonly ofBatch: (batch: FrameBatch<Uint8Array>) => readonly Buffer[];
  /** `done` is called once the bytes have left, or never will. */
  readonly write: (bytes: Buffer, done: () => void) => void;
}

/** The part of a call that is written to. */
export interface WritableCall {
  readonly write: (message: Buffer, done: () => void) => boolean;
  readonly sendMetadata: (metadata: Metadata) => void;
}

/** `joinsBatches`: whether concatenated frames are one message. */
export function createCallWriter(call: WritableCall, joinsBatches: boolean): CallWriter {
  const stream = byteStreamOf(call);
  const key = `grpc${stream === undefined ? "" : " framed"}${joinsBatches ? " joined" : ""}`;
  if (stream === undefined) {
    return {
      ofFrame: bufferOf,
      ofBatch: (batch) => kept(batch, key, () => messagesOf(batch, joinsBatches).map(joined)),
      write: (message, done) => void call.write(message, done),
    };
  }
  let hasBegun = false;
  return {
    ofFrame: (frame) => enveloped([[frame]]),
    ofBatch: (batch) => kept(batch, key, () => [enveloped(messagesOf(batch, joinsBatches))]),
    write: (bytes, done) => {
      if (!hasBegun) {
        hasBegun = true;
        call.sendMetadata(new Metadata());
      }
      // A write after the end would emit an error that nobody listens for.
      if (stream.closed || stream.destroyed || stream.writableEnded) done();
      else stream.write(bytes, done);
    },
  };
}

function kept(batch: FrameBatch<Uint8Array>, key: string, make: () => readonly Buffer[]): readonly Buffer[] {
  const known = batch.joined.get(key);
  // Only this function writes under the key.
  if (known !== undefined) return known as readonly Buffer[];
  const made = batch.frames.length === 0 && batch.last === undefined ? [] : make();
  batch.joined.set(key, made);
  return made;
}

function joined(frames: readonly Uint8Array[]): Buffer {
  const [first] = frames;
  return first !== undefined && frames.length === 1 ? bufferOf(first) : Buffer.concat(frames);
}
