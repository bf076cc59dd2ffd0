// Forms of the durable state for the next boot: events, and instants, which the next boot counts by another monotonic clock (R29).
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";

/** One instant by both clocks, in milliseconds; `wallTime` since 1970. */
export interface Instant {
  readonly now: number;
  readonly wallTime: number;
}

/** An instant of an earlier boot on this boot's monotonic clock. Never later than now, because the wall clock may have been put back. */
export function pastInstant(wallTime: number, present: Instant): number {
  return present.now - Math.max(0, present.wallTime - wallTime);
}

/** The durable state of a journal in memory. It stores nothing, and `isDurable` is false, so callers can skip the work. */
export const NO_DURABLE_STATE: DurableState = {
  isDurable: false,
  put: () => {},
  recovered: () => [],
};

/** An event in the durable state, for readers that need it longer than the journal has it. */
export interface EntryRecord {
  /** The event's JSON text. */
  readonly source: string;
  readonly kind: JournaledEvent["kind"];
  readonly ordinal: number;
  readonly made?: JournaledEvent["made"];
  readonly epoch?: Epoch;
}

export function entryRecord(entry: Omit<JournaledEvent, "epoch"> & { readonly epoch?: Epoch }): EntryRecord {
  const { event, source, kind, ordinal, made, epoch } = entry;
  return {
    source: source ?? JSON.stringify(event),
    kind,
    ordinal,
    ...(made === undefined ? {} : { made }),
    ...(epoch === undefined ? {} : { epoch }),
  };
}

/** Throws if the text is no JSON. `at` is the instant of receipt on this boot's clock. */
export function entryFrom({ source, kind, ordinal, made, epoch = 0 }: EntryRecord, at: number): JournaledEvent {
  return { event: JSON.parse(source) as AgentEvent, source, kind, ordinal, made, epoch, at };
}

/** Calls `read` with each value under `prefix`. A value that cannot be read is removed and logged; the others are read all the same. */
export function readDurable(
  durableState: DurableState,
  prefix: StateKey,
  log: Pick<Log, "error">,
  read: (value: unknown, key: StateKey) => void,
): void {
  for (const [key, value] of durableState.recovered(prefix)) {
    try {
      read(value, key);
    } catch (caught) {
      durableState.put(key, () => undefined);
      log.error({ err: caught, key }, "what was kept from the run before cannot be read, and is left out");
    }
  }
}
