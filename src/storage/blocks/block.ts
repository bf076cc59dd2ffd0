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

/** Places of the texts of an event, in their order. A length is stored plus one where the text may be absent, and is 0 then. */
const ID = 0;
const SESSION = 1;
const OUTPUT = 2;
const SOURCE = 3;
const SENT = 4;
const FIRST_LENGTH = 24;
const isOptional = (text: number): boolean => text === OUTPUT || text === SENT;

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
    const length = writeBlock(events.slice(start, end), wallTimeOffsetMs, target);
    packed.push({ first, count: end - start, bytes: target.subarray(0, length) });
    start = end;
  }
  return packed;
}

/** Writes a block into `target`, and returns its length. The epochs of `events` follow one another. `target` must have room for all of them. */
function writeBlock(events: readonly JournaledEvent[], wallTimeOffsetMs: number, target: Buffer): number {
  let end = HEAD_BYTES + ROW_BYTES * events.length;
  let row = HEAD_BYTES;
  const write = (text: number, value: string | undefined): void => {
    const bytes = value === undefined ? 0 : target.write(value, end);
    target.writeUInt32LE(isOptional(text) && value !== undefined ? bytes + 1 : bytes, row + FIRST_LENGTH + 4 * text);
    end += bytes;
  };
  for (const { event, kind, source, at, ordinal, made, sent } of events) {
    target.writeUInt32LE(end, row);
    target.writeDoubleLE(at + wallTimeOffsetMs, row + 4);
    target.writeDoubleLE(ordinal, row + 12);
    target[row + 20] = KIND_NUMBERS[kind];
    target[row + 21] = made === undefined ? 0 : MADE_NUMBERS[made];
    target.writeUInt16LE(0, row + 22);
    write(ID, event.event_id);
    write(SESSION, event.session_id);
    const outputId = typeof event.output_id === "string" ? event.output_id : "";
    write(OUTPUT, kind === "output.streaming" ? outputId : undefined);
    write(SOURCE, source ?? JSON.stringify(event));
    write(SENT, sent);
    row += ROW_BYTES;
  }
  target.writeUInt32LE(MAGIC, 4);
  target.writeDoubleLE(events[0]?.epoch ?? 0, 8);
  target.writeUInt32LE(events.length, 16);
  target.writeUInt32LE(end, 20);
  target.writeUInt32LE(crc32(target.subarray(4, end)), 0);
  return end;
}

/** Reads a block; undefined if it is damaged. `bytes` belong to the block from then on. */
export function readBlock(bytes: Buffer): StoredBlock | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(4) !== MAGIC || bytes.readUInt32LE(20) !== bytes.length)
    return undefined;
  return crc32(bytes.subarray(4)) === bytes.readUInt32LE(0) ? new StoredBlock(bytes) : undefined;
}

/** A sound block. An index is the place of an event in it, from 0. */
export class StoredBlock {
  readonly first: Epoch;
  readonly count: number;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.first = bytes.readDoubleLE(8);
    this.count = bytes.readUInt32LE(16);
  }

  facts(index: number): StoredFacts {
    return {
      epoch: this.first + index,
      eventId: this.eventId(index),
      sessionId: this.text(index, SESSION) ?? "",
      ordinal: this.ordinal(index),
      kind: this.kind(index),
      wallTime: this.wallTime(index),
    };
  }

  eventId(index: number): string {
    return this.text(index, ID) ?? "";
  }

  isAmong(index: number, only: JournalSelection): boolean {
    return (
      (only.kind === undefined || this.kind(index) === only.kind) &&
      this.text(index, SESSION) === only.sessionId &&
      (only.outputId === undefined || this.text(index, OUTPUT) === only.outputId)
    );
  }

  /** The JSON text of the event. */
  source(index: number): string {
    return this.text(index, SOURCE) ?? "";
  }

  /** The event as a journal's entry. `at` is the time of receipt by the clock of this boot. */
  entry(index: number, at: number): JournaledEvent {
    const source = this.source(index);
    return {
      event: JSON.parse(source) as JournaledEvent["event"],
      kind: this.kind(index),
      source,
      at,
      ordinal: this.ordinal(index),
      made: MADE.get(this.bytes[rowOf(index) + 21] ?? 0),
      sent: this.text(index, SENT),
      epoch: this.first + index,
    };
  }

  /** Time of receipt, ms since 1970. */
  wallTime(index: number): number {
    return this.bytes.readDoubleLE(rowOf(index) + 4);
  }

  private ordinal(index: number): number {
    return this.bytes.readDoubleLE(rowOf(index) + 12);
  }

  private kind(index: number): TopicKind {
    return KINDS.get(this.bytes[rowOf(index) + 20] ?? 0) ?? "extension";
  }

  /** One of the texts of an event, by the lengths of the texts before it. */
  private text(index: number, wanted: number): string | undefined {
    const row = rowOf(index);
    let from = this.bytes.readUInt32LE(row);
    for (let text = 0; ; text += 1) {
      const stored = this.bytes.readUInt32LE(row + FIRST_LENGTH + 4 * text);
      const length = isOptional(text) ? Math.max(0, stored - 1) : stored;
      if (text < wanted) from += length;
      else return isOptional(text) && stored === 0 ? undefined : this.bytes.toString("utf8", from, from + length);
    }
  }
}

function rowOf(index: number): number {
  return HEAD_BYTES + ROW_BYTES * index;
}
