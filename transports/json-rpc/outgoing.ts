// Turns messages into frames.
import type { FrameBatch } from "../../src/contracts/transport.js";

export function encodeMessage(message: object): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/**
 * The notifications of a batch, each frame spliced unchanged between one head and tail. Made once for a method and its members and cached in the
 * batch, so that all connections that send it share these bytes and their framed form.
 */
export function notificationBatch(
  method: string,
  batch: FrameBatch<Uint8Array>,
  members: Readonly<Record<string, string>> | undefined,
  lastMethod: string,
): FrameBatch<Uint8Array> {
  const head = headOf(method, members);
  const key = `json-rpc ${head}`;
  const known = batch.joined.get(key);
  if (known !== undefined) return known as FrameBatch<Uint8Array>;
  const frames = spliceAll(head, batch.frames);
  const last =
    batch.last === undefined ? [] : spliceAll(headOf(lastMethod, members), [withMembers(batch.last, members)]);
  const spliced: FrameBatch<Uint8Array> = { frames: [...frames, ...last], joined: new Map() };
  batch.joined.set(key, spliced);
  return spliced;
}

function headOf(method: string, members: Readonly<Record<string, string>> | undefined): string {
  return `${JSON.stringify({ jsonrpc: "2.0", method, ...members }).slice(0, -1)},"params":`;
}

/** Adds the members to the params of the last frame, which is a message of its own. */
function withMembers(frame: Uint8Array, members: Readonly<Record<string, string>> | undefined): Uint8Array {
  if (members === undefined) return frame;
  return Buffer.concat([Buffer.from(`${JSON.stringify(members).slice(0, -1)},`), frame.subarray(1)]);
}

/** One allocation for the whole batch. */
function spliceAll(head: string, frames: readonly Uint8Array[]): readonly Uint8Array[] {
  const headBytes = Buffer.from(head);
  const extraBytes = headBytes.length + 1;
  const all = Buffer.allocUnsafe(frames.reduce((size, frame) => size + frame.length + extraBytes, 0));
  let at = 0;
  return frames.map((frame) => {
    const start = at;
    all.set(headBytes, start);
    all.set(frame, start + headBytes.length);
    at = start + frame.length + extraBytes;
    all[at - 1] = 0x7d;
    return all.subarray(start, at);
  });
}
