// Forwards the events of streams to their byte connection. All streams share the listeners, which find the connection at the stream: listeners of its
// own would weigh more than everything else that a connection remembers.
import type { Readable, Writable } from "node:stream";

/** The owner of one or two streams. */
export interface StreamOwner {
  readonly took: (chunk: Uint8Array) => void;
  /** The peer has ended its side. */
  readonly inputEnded: () => void;
  readonly failed: (error: Error) => void;
  readonly inputClosed: () => void;
  readonly outputClosed: () => void;
}

// Two, because one connection may write to the stream that another reads: the ends of a pipe within one process are one stream.
const READER = Symbol("reader");
const WRITER = Symbol("writer");

interface Owned {
  [READER]?: StreamOwner;
  [WRITER]?: StreamOwner;
}

function onData(this: Owned, chunk: Uint8Array): void {
  this[READER]?.took(chunk);
}

function onEnd(this: Owned): void {
  this[READER]?.inputEnded();
}

function onInputError(this: Owned, error: Error): void {
  this[READER]?.failed(error);
}

function onInputClose(this: Owned): void {
  this[READER]?.inputClosed();
}

function onOutputError(this: Owned, error: Error): void {
  this[WRITER]?.failed(error);
}

function onOutputClose(this: Owned): void {
  this[WRITER]?.outputClosed();
}

/** Reports everything but data to `owner`. A stream keeps its one reader and its one writer for ever. */
export function listenTo(readable: Readable & Owned, writable: Writable & Owned, owner: StreamOwner): void {
  readable[READER] = owner;
  writable[WRITER] = owner;
  readable.on("error", onInputError).on("close", onInputClose).on("end", onEnd);
  if (Object.is(readable, writable)) return;
  writable.on("error", onOutputError).on("close", onOutputClose);
}

/** From now on the owner receives data as well, which sets the stream flowing. */
export function beginReading(readable: Readable): void {
  readable.on("data", onData);
}

/** From now on the owner receives no data. */
export function stopReading(readable: Readable): void {
  readable.off("data", onData);
}
