// A block is one record of the journal: events of one group commit, one behind the other, with a checksum over the whole. A header of fixed size has
// all that is asked of an event besides its text, so that a search need not parse the texts. Numbers are little-endian. Single records would cost
// several times a block's CPU, and ten times more index entries.
import { crc32 } from "node:zlib";
import type { DaemonMade, Epoch, JournaledEvent, JournalSelection, TopicKind } from "../../engine/event/event.js";
import type { RawBlock } from "./block-store.js";

/** Most events in a block. */
const MOST_EVENTS_IN_BLOCK = 256;
/** A block with this many bytes takes no further event. One event may make it longer. */
const FULL_BLOCK_BYTES = 256 * 1024;

/** Numbers of kinds on disk. A number never changes, and a new kind gets the next number. */
const KIND_NUMBERS: Readonly<Record<TopicKind, number>> = {
  "session.started": 0,
  "session.completed": 1,
  "session.errored": 2,
  "session.cancelled": 3,
  "state.changed": 4,
  "progress.updated": 5,
  "tool.invoked": 6,
  "tool.completed": 7,
  "output.streaming": 8,
  "awaiting.confirmation": 9,
  "awaiting.clarification": 10,
  "handoff.requested": 11,
  extension: 12,
};
const KINDS: ReadonlyMap<number, TopicKind> = byNumber(KIND_NUMBERS);

/** Numbers of makers on disk; 0 is an agent's own event. */
const MADE_NUMBERS: Readonly<Record<DaemonMade, number>> = {
  notice: 1,
  resolution: 2,
  closing: 3,
  state: 4,
  reminder: 5,
  supplied: 6,
};
const MADE: ReadonlyMap<number, DaemonMade> = byNumber(MADE_NUMBERS);

function byNumber<Name extends string>(numbers: Readonly<Record<Name, number>>): ReadonlyMap<number, Name> {
  // The record has every name as a key.
  return new Map((Object.keys(numbers) as Name[]).map((name) => [numbers[name], name]));
}

const MAGIC = 0x31424a41;
/** Checksum, magic, first epoch, count of events, length of the block. */
const HEAD_BYTES = 24;
/**
 * Of each event: where its text begins (u32), when it was received (f64, ms since 1970), its ordinal (f64), kind and maker (u8 each), 2 bytes of
 * nothing, and the lengths in bytes of its id, session, output, source and `sent` (u32 each; the last and the output's plus one, 0 where
 * there is none).
 */
const ROW_BYTES = 44;

/** Facts about an event besides its text. */
interface StoredFacts {
  readonly epoch: Epoch;
  readonly eventId: string;
  readonly sessionId: string;
  readonly ordinal: number;
  readonly kind: TopicKind;
  /** Time of receipt, ms since 1970. */
  readonly wallTime: number;
}

/** A sound block. An index is the place of an event in it, from 0. */
export interface StoredBlock {
  readonly first: Epoch;
  readonly count: number;
  readonly facts: (index: number) => StoredFacts;
  readonly eventId: (index: number) => string;
  readonly isAmong: (index: number, only: JournalSelection) => boolean;
  /** The JSON text of the event. */
  readonly source: (index: number) => string;
  /** The event as a journal's entry. `at` is the time of receipt by the clock of this boot. */
  readonly entry: (index: number, at: number) => JournaledEvent;
  readonly wallTime: (index: number) => number;
}

/** Most bytes of a text in UTF-8. */
const BYTES_PER_UNIT = 3;

/** An upper bound of an event's bytes in a block. */
export function blockBytesOf({ source, sent, event }: JournaledEvent): number {
  const { event_id, session_id, output_id } = event;
  const output = typeof output_id === "string" ? output_id.length : 0;
  const units = (source?.length ?? 0) + (sent?.length ?? 0) + event_id.length + session_id.length + output;
  return ROW_BYTES + BYTES_PER_UNIT * units;
}

/** Packs `events`, which ascend by epoch, into blocks. Events whose epochs do not follow one another are in different blocks. */
export function packBlocks(events: readonly JournaledEvent[], wallTimeOffsetMs: number): readonly RawBlock[] {
  const packed: RawBlock[] = [];
  let start = 0;
  while (start < events.length) {
    const first = events[start]?.epoch ?? 0;
    let bytes = HEAD_BYTES;
    let end = start;
    while (end < events.length && end - start < MOST_EVENTS_IN_BLOCK && bytes < FULL_BLOCK_BYTES) {
      const event = events[end];
      if (event === undefined || event.epoch !== first + end - start) break;
      bytes += blockBytesOf(event);
      end += 1;
    }
    const target = Buffer.allocUnsafeSlow(bytes);
    const together = events.slice(start, end);
    const length = writeBlock(together, wallTimeOffsetMs, target, 0);
    packed.push({ first, count: end - start, bytes: target.subarray(0, length) });
    start = end;
  }
  return packed;
}

/**
 * Writes a block into `target` from `start`, and returns its end. The epochs of `events` follow one another. `target` must have room for
 * HEAD_BYTES, and for `blockBytesOf` of each event.
 */
function writeBlock(
  events: readonly JournaledEvent[],
  wallTimeOffsetMs: number,
  target: Buffer,
  start: number,
): number {
  let text = start + HEAD_BYTES + ROW_BYTES * events.length;
  let row = start + HEAD_BYTES;
  for (const { event, kind, source, at, ordinal, made, sent } of events) {
    const outputId =
      kind !== "output.streaming" ? undefined : typeof event.output_id === "string" ? event.output_id : "";
    target.writeUInt32LE(text - start, row);
    target.writeDoubleLE(at + wallTimeOffsetMs, row + 4);
    target.writeDoubleLE(ordinal, row + 12);
    target[row + 20] = KIND_NUMBERS[kind];
    target[row + 21] = made === undefined ? 0 : MADE_NUMBERS[made];
    target.writeUInt16LE(0, row + 22);
    const idBytes = target.write(event.event_id, text);
    target.writeUInt32LE(idBytes, row + 24);
    text += idBytes;
    const sessionBytes = target.write(event.session_id, text);
    target.writeUInt32LE(sessionBytes, row + 28);
    text += sessionBytes;
    const outputBytes = outputId === undefined ? -1 : target.write(outputId, text);
    target.writeUInt32LE(outputBytes + 1, row + 32);
    text += Math.max(0, outputBytes);
    const sourceBytes = target.write(source ?? JSON.stringify(event), text);
    target.writeUInt32LE(sourceBytes, row + 36);
    text += sourceBytes;
    const sentBytes = sent === undefined ? -1 : target.write(sent, text);
    target.writeUInt32LE(sentBytes + 1, row + 40);
    text += Math.max(0, sentBytes);
    row += ROW_BYTES;
  }
  target.writeUInt32LE(MAGIC, start + 4);
  target.writeDoubleLE(events[0]?.epoch ?? 0, start + 8);
  target.writeUInt32LE(events.length, start + 16);
  target.writeUInt32LE(text - start, start + 20);
  target.writeUInt32LE(crc32(target.subarray(start + 4, text)), start);
  return text;
}

/** Reads a block; undefined if it is damaged. `bytes` belong to the block from then on. */
export function readBlock(bytes: Buffer): StoredBlock | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(4) !== MAGIC || bytes.readUInt32LE(20) !== bytes.length)
    return undefined;
  if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
  const first = bytes.readDoubleLE(8);
  const count = bytes.readUInt32LE(16);

  const rowOf = (index: number): number => HEAD_BYTES + ROW_BYTES * index;
  /** One of the texts of an event, by the lengths of the texts before it. */
  const idAt = (row: number): string => {
    const from = bytes.readUInt32LE(row);
    return bytes.toString("utf8", from, from + bytes.readUInt32LE(row + 24));
  };
  const sessionAt = (row: number): string => {
    const from = bytes.readUInt32LE(row) + bytes.readUInt32LE(row + 24);
    return bytes.toString("utf8", from, from + bytes.readUInt32LE(row + 28));
  };
  const outputAt = (row: number): string | undefined => {
    const length = bytes.readUInt32LE(row + 32) - 1;
    if (length < 0) return undefined;
    const from = bytes.readUInt32LE(row) + bytes.readUInt32LE(row + 24) + bytes.readUInt32LE(row + 28);
    return bytes.toString("utf8", from, from + length);
  };
  const sourceFrom = (row: number): number =>
    bytes.readUInt32LE(row) +
    bytes.readUInt32LE(row + 24) +
    bytes.readUInt32LE(row + 28) +
    Math.max(0, bytes.readUInt32LE(row + 32) - 1);
  const sourceAt = (row: number): string => {
    const from = sourceFrom(row);
    return bytes.toString("utf8", from, from + bytes.readUInt32LE(row + 36));
  };
  const sentAt = (row: number): string | undefined => {
    const length = bytes.readUInt32LE(row + 40) - 1;
    if (length < 0) return undefined;
    const from = sourceFrom(row) + bytes.readUInt32LE(row + 36);
    return bytes.toString("utf8", from, from + length);
  };
  const kindAt = (row: number): TopicKind => KINDS.get(bytes[row + 20] ?? 0) ?? "extension";

  return {
    first,
    count,
    facts: (index) => {
      const row = rowOf(index);
      return {
        epoch: first + index,
        eventId: idAt(row),
        sessionId: sessionAt(row),
        ordinal: bytes.readDoubleLE(row + 12),
        kind: kindAt(row),
        wallTime: bytes.readDoubleLE(row + 4),
      };
    },
    eventId: (index) => idAt(rowOf(index)),
    isAmong: (index, only) => {
      const row = rowOf(index);
      return (
        (only.kind === undefined || kindAt(row) === only.kind) &&
        sessionAt(row) === only.sessionId &&
        (only.outputId === undefined || outputAt(row) === only.outputId)
      );
    },
    source: (index) => sourceAt(rowOf(index)),
    entry: (index, at) => {
      const row = rowOf(index);
      const source = sourceAt(row);
      return {
        event: JSON.parse(source) as JournaledEvent["event"],
        kind: kindAt(row),
        source,
        at,
        ordinal: bytes.readDoubleLE(row + 12),
        made: MADE.get(bytes[row + 21] ?? 0),
        sent: sentAt(row),
        epoch: first + index,
      };
    },
    wallTime: (index) => bytes.readDoubleLE(rowOf(index) + 4),
  };
}
