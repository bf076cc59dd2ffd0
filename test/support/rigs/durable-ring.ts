// A journal in memory whose events and kept state outlive the engine, as a disk's do: what was flushed is there for the next engine, what was not is
// gone. Nothing is flushed by itself, so that a test says what a kill loses.
import { Fault } from "../../../src/base/errors.js";
import type { Clock } from "../../../src/contracts/clock.js";
import type { Appended, DurableState, Journal, JournalRead, StateKey } from "../../../src/contracts/journal.js";
import type { AgentEvent, Epoch, JournaledEvent, NewEvent } from "../../../src/engine/event/event.js";

export interface DurableRing extends Journal {
  /** Writes what is owed. While the disk fails, whoever waits for it is refused, and nothing more is taken until a flush succeeds. */
  readonly flush: () => void;
  /** Lets go of the oldest events. */
  readonly evict: (count: number) => void;
}

export interface KeptDisk {
  /** The journal of a new run. The one before is dead from now on: it writes nothing any more. */
  readonly open: (clock: Pick<Clock, "now" | "wallTime">) => DurableRing;
  readonly setFailing: (isFailing: boolean) => void;
  /** What is on it, ascending. */
  readonly events: () => readonly { readonly epoch: Epoch; readonly event: AgentEvent }[];
  readonly state: (...prefix: StateKey | readonly []) => ReadonlyMap<string, unknown>;
  /** Puts something under a key past any engine, as another version or a broken file might. */
  readonly spoil: (key: StateKey, value: unknown) => void;
}

interface Stored extends Pick<NewEvent, "kind" | "ordinal" | "made" | "sent"> {
  readonly epoch: Epoch;
  readonly eventId: string;
  readonly source: string;
  readonly receivedAt: number;
}

interface Operation {
  readonly key: StateKey;
  readonly value: () => unknown;
}

/** The journal of every disk. */
export const KEPT_ID = "d".repeat(32);

const FIRST_EPOCH = 1000;
/** R29 */
const RUN_STEP = 2 ** 32;

export function createKeptDisk(): KeptDisk {
  let events: Stored[] = [];
  let lastEpoch: Epoch | undefined;
  let lastFirst: Epoch = FIRST_EPOCH - RUN_STEP;
  const state = new Map<string, { readonly key: StateKey; readonly text: string }>();
  let isFailing = false;
  let run = 0;

  const under = (prefix: StateKey) =>
    [...state.values()].filter(({ key }) => isUnder(key, prefix)).sort((a, b) => compareKeys(a.key, b.key));

  const apply = ({ key, value }: Operation): void => {
    const text = JSON.stringify(value());
    if (text === undefined) state.delete(JSON.stringify(key));
    else state.set(JSON.stringify(key), { key, text });
  };

  const open: KeptDisk["open"] = (clock) => {
    run += 1;
    const thisRun = run;
    // The window as this run sees it: what is on the disk, and what is still owed to it.
    let seen = [...events];
    let owed: Stored[] = [];
    let operations: Operation[] = [];
    const first = Math.max(lastFirst, lastEpoch ?? 0) + RUN_STEP;
    lastFirst = first;
    let head = first - 1;
    let safe = head;
    let failure: Fault | undefined;
    let waiting: { readonly promise: Promise<void>; readonly settle: (fault?: Fault) => void } | undefined;
    const refuse = (): Fault => new Fault("storage_unavailable", "The disk takes nothing.", { rule: "R29" });

    const durable = (): Promise<void> | undefined => {
      if (safe === head && operations.length === 0) return undefined;
      if (waiting === undefined) {
        let settle: (fault?: Fault) => void = () => {};
        const promise = new Promise<void>((resolve, reject) => {
          settle = (fault) => (fault === undefined ? resolve() : reject(fault));
        });
        waiting = { promise, settle };
      }
      return waiting.promise;
    };

    const flush = (): void => {
      if (thisRun !== run) return;
      const wasWaiting = waiting;
      waiting = undefined;
      if (isFailing) {
        // Values were asked for; what failed is tried again as it was.
        operations = operations.map(({ key, value }) => ({ key, value: constant(value()) }));
        failure = refuse();
        wasWaiting?.settle(failure);
        return;
      }
      failure = undefined;
      for (const operation of operations) apply(operation);
      events = [...events, ...owed];
      if (owed.length > 0) lastEpoch = head;
      operations = [];
      owed = [];
      safe = head;
      wasWaiting?.settle();
    };

    const entryOf = (stored: Stored): JournaledEvent => {
      const { source, kind, ordinal, made, sent, epoch, receivedAt } = stored;
      const at = clock.now() - Math.max(0, clock.wallTime() - receivedAt);
      return { event: JSON.parse(source) as AgentEvent, kind, source, at, ordinal, made, sent, epoch };
    };
    const oldest = (): Epoch => seen[0]?.epoch ?? head + 1;

    const durableState: DurableState = {
      isDurable: true,
      put: (key, value) => {
        operations = operations.filter((one) => compareKeys(one.key, key) !== 0);
        operations.push({ key, value });
      },
      recovered: (prefix) =>
        under(prefix).map(({ key, text }) => [shortened(key), JSON.parse(text) as unknown] as const),
    };

    return {
      id: KEPT_ID,
      refusal: () => failure,
      durable: () => {
        if (failure !== undefined) throw failure;
        return durable();
      },
      append: (added): Appended => {
        const stored = added.map(({ event, kind, source, ordinal, made, sent }, index): Stored => {
          const text = source ?? JSON.stringify(event);
          const epoch = head + 1 + index;
          const receivedAt = clock.wallTime();
          return { epoch, eventId: event.event_id, source: text, receivedAt, kind, ordinal, made, sent };
        });
        head += stored.length;
        seen.push(...stored);
        owed.push(...stored);
        return {
          events: added.map((one, index) => ({
            ...one,
            source: stored[index]?.source,
            epoch: stored[index]?.epoch ?? head,
          })),
          durable: durable(),
        };
      },
      read: (after, limit): JournalRead => {
        if (after + 1 < oldest() && after < head) return { kind: "gap", oldest: oldest() };
        const from = seen.findIndex(({ epoch }) => epoch > after);
        return { kind: "events", events: from < 0 ? [] : seen.slice(from, from + limit).map(entryOf) };
      },
      head: () => head,
      oldest,
      find: (id) => {
        const stored = seen.findLast(({ eventId }) => eventId === id);
        return stored && entryOf(stored);
      },
      at: (epoch, only) => {
        const stored = seen.find((one) => one.epoch === epoch);
        if (stored === undefined) return undefined;
        const entry = entryOf(stored);
        const { session_id: sessionId, output_id: outputId } = entry.event;
        if (only !== undefined && only.sessionId !== sessionId) return undefined;
        if (only?.kind !== undefined && only.kind !== entry.kind) return undefined;
        if (only?.outputId !== undefined && only.outputId !== (typeof outputId === "string" ? outputId : ""))
          return undefined;
        return entry;
      },
      durableState,
      status: () => ({
        eventCount: seen.length,
        bytes: 0,
        oldestAt: seen[0]?.receivedAt,
        head,
        durableEpoch: safe,
        failure: failure === undefined ? undefined : { reason: failure.sentence, remedy: "Make room on it." },
        disk: { path: "nowhere", policy: "durable" },
      }),
      close: async () => flush(),
      flush,
      evict: (count) => {
        const gone = seen.slice(0, count);
        seen = seen.slice(count);
        const ids = new Set(gone.map(({ epoch }) => epoch));
        events = events.filter(({ epoch }) => !ids.has(epoch));
        owed = owed.filter(({ epoch }) => !ids.has(epoch));
      },
    };
  };

  return {
    open,
    setFailing: (next) => {
      isFailing = next;
    },
    events: () => events.map(({ epoch, source }) => ({ epoch, event: JSON.parse(source) as AgentEvent })),
    state: (...prefix) =>
      new Map(under(prefix as unknown as StateKey).map(({ key, text }) => [JSON.stringify(key), JSON.parse(text)])),
    spoil: (key, value) => void state.set(JSON.stringify(key), { key, text: JSON.stringify(value) }),
  };
}

/** On a disk the long parts of keys are hashed; here all that are longer than this are gone. */
const LONGEST_PART = 4;

function shortened([kind, ...parts]: StateKey): StateKey {
  const shorten = (part: string): string => (part.length <= LONGEST_PART ? part : `#${part.length}`);
  return [kind, ...parts.map((part) => (typeof part === "number" ? part : shorten(part)))];
}

function constant(value: unknown): () => unknown {
  const text = JSON.stringify(value);
  return () => (text === undefined ? undefined : JSON.parse(text));
}

function isUnder(key: StateKey, prefix: StateKey): boolean {
  return prefix.every((part, index) => key[index] === part);
}

function compareKeys(a: StateKey, b: StateKey): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [one, other] = [a[index], b[index]];
    if (one === other) continue;
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one) < String(other) ? -1 : 1;
  }
  return 0;
}
