// The journal in memory: a window over the newest events, bounded by count and by bytes.
import { MOST_READ_UNITS } from "../../base/most-read-units.js";
import type { Appended, Journal, JournalRead } from "../../contracts/journal.js";
import {
  type AgentEvent,
  type Epoch,
  isSelected,
  type JournaledEvent,
  type JournalSelection,
  type NewEvent,
} from "../event/event.js";
import { NO_DURABLE_STATE } from "./durable-entry.js";
import { NewestIds } from "./newest-ids.js";
import { ParsedEntries } from "./parsed-entries.js";

export interface JournalRingOptions {
  /** `Journal.id`. */
  readonly id: string;
  /** Epoch of the first event, above every epoch that a daemon on this machine ever gave out (R29). */
  readonly firstEpoch: Epoch;
  /** Most events held; one more evicts the oldest. Default 65,536. */
  readonly maxEvents?: number;
  /** Most bytes of events held, by estimate. Default 32 MiB. */
  readonly maxBytes?: number;
  /** The present difference between wall clock and an event's `at`, in ms. Default 0. */
  readonly wallTimeOffset?: () => number;
  /** Whether an event has to stay for now, whatever the limits. Default: none has. */
  readonly isPending?: (epoch: Epoch) => boolean;
  /** Ids of events before the first, ascending by epoch (R3). Default none. */
  readonly ids?: Iterable<readonly [eventId: string, epoch: Epoch]>;
}

/** The window, and what it remembers of events that have left it. */
export interface JournalRing extends Journal {
  /** The epoch of an id among the newest 65,536 (R3). */
  readonly epochOf: (eventId: string) => Epoch | undefined;
}

/**
 * An event in the ring: its text, and the members that are asked for without parsing it. The parsed event would cost twice the memory, in a dozen
 * objects for the garbage collector. The few readers of the past get it parsed again.
 */
interface RingEntry extends Pick<JournaledEvent, "epoch" | "ordinal" | "kind" | "at" | "made" | "sent"> {
  readonly sessionId: string;
  readonly eventId: string;
  readonly source: string;
  /** The output of a chunk, "" for the unnamed one; undefined for other events. */
  readonly outputId: string | undefined;
}

/** Initial size of the ring. */
const SMALLEST_CIRCLE = 1024;
/** Bytes of an entry without its text: the record, its id, its places in index and ring. */
const ENTRY_OVERHEAD_BYTES = 300;
/** Upper bound of the bytes of one unit of text in memory. */
const BYTES_PER_UNIT = 2;

function entryBytes({ source, sent }: RingEntry): number {
  return ENTRY_OVERHEAD_BYTES + BYTES_PER_UNIT * (source.length + (sent?.length ?? 0));
}

function entryFrom({ source, kind, at, ordinal, made, sent, epoch }: RingEntry): JournaledEvent {
  return { event: JSON.parse(source) as AgentEvent, kind, source, at, ordinal, made, sent, epoch };
}

/** A journal without durable state: nothing survives the process, and `durable` is undefined, which means at once (R29). */
export function createJournalRing(options: JournalRingOptions): JournalRing {
  const maxEvents = options.maxEvents ?? 65_536;
  const maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
  const { firstEpoch } = options;
  const ids = new NewestIds();
  for (const [eventId, epoch] of options.ids ?? []) ids.add(eventId, epoch);
  const parsed = new ParsedEntries();
  // Entries that leave the ring are cleared at once, for the same reason. The ring doubles when it is full.
  let circle: (RingEntry | undefined)[] = new Array(SMALLEST_CIRCLE).fill(undefined);
  let bytes = 0;
  let oldest = firstEpoch;
  let head = firstEpoch - 1;
  // Each event brings its ids of session and output as new strings. Consecutive equal ids share one string.
  let lastSessionId = "";
  let lastOutputId = "";

  const outputIdOf = ({ output_id: id }: AgentEvent): string => {
    const outputId = typeof id === "string" ? id : "";
    if (outputId !== lastOutputId) lastOutputId = outputId;
    return lastOutputId;
  };

  // Epochs of one boot have no holes, so the index follows from the epoch.
  const placeOf = (epoch: Epoch): number => (epoch - firstEpoch) % circle.length;

  const keptAt = (epoch: Epoch): RingEntry | undefined =>
    epoch < oldest || epoch > head ? undefined : circle[placeOf(epoch)];

  const widen = (): void => {
    const narrow = circle;
    circle = new Array(narrow.length * 2).fill(undefined);
    for (const ringEntry of narrow) if (ringEntry !== undefined) circle[placeOf(ringEntry.epoch)] = ringEntry;
  };

  const evictOldest = (): void => {
    const ringEntry = keptAt(oldest);
    if (ringEntry === undefined) return;
    circle[placeOf(oldest)] = undefined;
    bytes -= entryBytes(ringEntry);
    parsed.drop(oldest);
    oldest += 1;
  };

  const count = (): number => head + 1 - oldest;

  const trim = (): void => {
    while (count() > maxEvents || (bytes > maxBytes && count() > 1)) {
      if (options.isPending?.(oldest) === true) return;
      evictOldest();
    }
  };

  const append = (events: readonly NewEvent[]): Appended => {
    const added: JournaledEvent[] = [];
    for (const { event, kind, source: text, at, ordinal, made, sent } of events) {
      head += 1;
      const source = text ?? JSON.stringify(event);
      const { event_id: eventId, session_id: sessionId } = event;
      if (sessionId !== lastSessionId) lastSessionId = sessionId;
      const outputId = kind === "output.streaming" ? outputIdOf(event) : undefined;
      // Literals: a spread costs ten times as much.
      const ringEntry: RingEntry = {
        eventId,
        sessionId: lastSessionId,
        outputId,
        source,
        kind,
        at,
        ordinal,
        made,
        sent,
        epoch: head,
      };
      if (head - oldest >= circle.length) widen();
      circle[(head - firstEpoch) % circle.length] = ringEntry;
      ids.add(eventId, head);
      added.push({ event, kind, source, at, ordinal, made, sent, epoch: head });
      bytes += entryBytes(ringEntry);
      if (head - oldest >= maxEvents || bytes > maxBytes) trim();
    }
    return { events: added, durable: undefined };
  };

  const sharedEntry = (ringEntry: RingEntry): JournaledEvent =>
    parsed.get(ringEntry.epoch, ringEntry.source.length, () => entryFrom(ringEntry));

  const wallTimeOf = (ringEntry: RingEntry | undefined): number | undefined =>
    ringEntry === undefined ? undefined : ringEntry.at + (options.wallTimeOffset?.() ?? 0);

  const read = (after: Epoch, limit: number): JournalRead => {
    if (after + 1 < oldest && after < head) return { kind: "gap", oldest };
    const events: JournaledEvent[] = [];
    let textUnits = 0;
    for (let epoch = Math.max(after + 1, oldest); epoch <= head && events.length < limit; epoch += 1) {
      const ringEntry = keptAt(epoch);
      if (ringEntry === undefined) continue;
      events.push(sharedEntry(ringEntry));
      textUnits += ringEntry.source.length;
      if (textUnits >= MOST_READ_UNITS) break;
    }
    return { kind: "events", events };
  };

  const find = (id: string): JournaledEvent | undefined => {
    const epoch = ids.epochOf(id);
    const ringEntry = epoch === undefined ? undefined : keptAt(epoch);
    return ringEntry && entryFrom(ringEntry);
  };

  const at = (epoch: Epoch, only?: JournalSelection): JournaledEvent | undefined => {
    const ringEntry = keptAt(epoch);
    return ringEntry === undefined || (only !== undefined && !isSelected(ringEntry, only))
      ? undefined
      : entryFrom(ringEntry);
  };

  return {
    id: options.id,
    refusal: () => undefined,
    append,
    durable: () => undefined,
    read,
    head: () => head,
    oldest: () => oldest,
    find,
    epochOf: (id) => ids.epochOf(id),
    at,
    durableState: NO_DURABLE_STATE,
    status: () => ({
      eventCount: count(),
      bytes,
      oldestAt: wallTimeOf(keptAt(oldest)),
      head,
      durableEpoch: head,
      failure: undefined,
      disk: undefined,
    }),
    close: async () => undefined,
  };
}
