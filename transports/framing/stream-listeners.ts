// What a byte connection hears of its streams. The listeners are functions that all streams share, and find their connection at the stream: with
// listeners of its own, those alone would weigh more than all that a connection remembers.
import type { Readable, Writable } from "node:stream";

/** The owner of one or two streams. */
export interface StreamOwner {
  readonly took: (chunk: Uint8Array) => void;
  /** The peer has ended its side. */
  readonly inputEnded: () => void;
  readonly drained: () => void;
  readonly failed: (error: Error) => void;
  readonly inputClosed: () => void;
  readonly outputClosed: () => void;
}

const OWNER = Symbol("owner");

interface Owned {
  [OWNER]?: StreamOwner;
}

function onData(this: Owned, chunk: Uint8Array): void {
  this[OWNER]?.took(chunk);
}

function onEnd(this: Owned): void {
  this[OWNER]?.inputEnded();
}

function onDrain(this: Owned): void {
  this[OWNER]?.drained();
}

function onError(this: Owned, error: Error): void {
  this[OWNER]?.failed(error);
}

function onInputClose(this: Owned): void {
  this[OWNER]?.inputClosed();
}

function onOutputClose(this: Owned): void {
  this[OWNER]?.outputClosed();
}

/** Tells `owner` of everything but data. A stream has one owner for ever. */
export function listenTo(readable: Readable & Owned, writable: Writable & Owned, owner: StreamOwner): void {
  readable[OWNER] = owner;
  writable[OWNER] = owner;
  readable.on("error", onError).on("close", onInputClose).on("end", onEnd);
  writable.on("drain", onDrain);
  if (Object.is(readable, writable)) return;
  writable.on("error", onError).on("close", onOutputClose);
}

/** From now on the owner is told of data as well, which sets the stream flowing. */
export function beginReading(readable: Readable): void {
  readable.on("data", onData);
}

/** Data is told to nobody any more. */
export function stopReading(readable: Readable): void {
  readable.off("data", onData);
}
