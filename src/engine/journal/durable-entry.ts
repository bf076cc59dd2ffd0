// How what is kept for the next run is written and read: events, and instants, which the next run counts on another clock (R29).
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { AgentEvent, Epoch, JournaledEvent } from "../event/event.js";

/** The same instant by both clocks, both in milliseconds; `wallTime` since 1970. */
export interface Instant {
  readonly now: number;
  readonly wallTime: number;
}

/** An instant of another run on this run's monotonic clock, never later than now: the clock on the wall may have been put back. */
export function pastInstant(wallTime: number, present: Instant): number {
  return present.now - Math.max(0, present.wallTime - wallTime);
}

/** An event as it is kept beside the journal, because it is asked for longer than the journal has it. */
export interface EntryRecord {
  /** Its JSON text. */
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

/** Throws where the text is none. `at` is when it was received, on this run's clock. */
export function entryFrom({ source, kind, ordinal, made, epoch = 0 }: EntryRecord, at: number): JournaledEvent {
  return { event: JSON.parse(source) as AgentEvent, source, kind, ordinal, made, epoch, at };
}

/**
 * Hands on what stands under `prefix`, one after another. What cannot be read is removed and logged: it costs itself, and not the start of the
 * daemon.
 */
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
