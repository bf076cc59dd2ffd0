// What stands in a journal, counted in one pass over it: runs, sessions, what is damaged. No I/O.
import { type Epoch, isTerminalKind } from "../../engine/event/event.js";
import type { StoredBlock } from "../../storage/blocks/block.js";
import type { LoadedBlock } from "../../storage/blocks/block-reader.js";

/** What one process of a daemon wrote. */
export interface BootFacts {
  readonly firstEpoch: Epoch;
  readonly lastEpoch: Epoch;
  readonly eventCount: number;
  /** When its events were received, ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export type SessionState = "open" | "completed" | "errored" | "cancelled";

export interface SessionFacts {
  readonly sessionId: string;
  readonly agentId: string;
  readonly agentName: string | undefined;
  /** "open" where its end does not stand in the journal. */
  readonly state: SessionState;
  readonly eventCount: number;
  /** Events that it had and that can no longer be read, as far as what is left shows. */
  readonly missingCount: number;
  readonly firstEpoch: Epoch;
  readonly lastEpoch: Epoch;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface DamagedPart {
  readonly firstEpoch: Epoch;
  readonly eventCount: number;
  /** 0 where the record is missing. */
  readonly bytes: number;
  /** When the event before it was received, ms since 1970. */
  readonly afterAt: number | undefined;
}

export interface JournalFacts {
  readonly eventCount: number;
  /** Of what can be read. */
  readonly bytes: number;
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
  readonly boots: readonly BootFacts[];
  /** In the order in which they began. */
  readonly sessions: ReadonlyMap<string, SessionFacts>;
  readonly damaged: readonly DamagedPart[];
}

type Growing<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] };

/** A start leaves twice as many epochs out (R29); a hole that is smaller was made within a run. */
const BOOT_DISTANCE = 2 ** 31;

/** Blocks in order, and in the place of each that is missing within a run one that holds nothing and has no length. */
export function* withMissing(blocks: Iterable<LoadedBlock>): Iterable<LoadedBlock> {
  let end: Epoch | undefined;
  for (const loaded of blocks) {
    const { first, count } = loaded;
    if (end !== undefined && first > end && first - end < BOOT_DISTANCE) {
      yield { first: end, count: first - end, length: 0, block: undefined };
    }
    yield loaded;
    end = first + count;
  }
}

/** Reads all blocks, in order; once, so that they need not be kept. */
export function journalFacts(blocks: Iterable<LoadedBlock>): JournalFacts {
  const boots: Growing<BootFacts>[] = [];
  const sessions = new Map<string, Growing<SessionFacts> & { lastOrdinal: number }>();
  const damaged: DamagedPart[] = [];
  let eventCount = 0;
  let bytes = 0;
  let oldestAt: number | undefined;
  let newestAt: number | undefined;

  const noteBoot = (epoch: Epoch, at: number): void => {
    const boot = boots.at(-1);
    if (boot === undefined || epoch - boot.lastEpoch > BOOT_DISTANCE) {
      boots.push({ firstEpoch: epoch, lastEpoch: epoch, eventCount: 1, firstAt: at, lastAt: at });
      return;
    }
    boot.lastEpoch = epoch;
    boot.lastAt = at;
    boot.eventCount += 1;
  };

  const noteEvent = (block: StoredBlock, index: number): void => {
    const { sessionId, epoch, ordinal, kind, wallTime: at } = block.facts(index);
    noteBoot(epoch, at);
    oldestAt ??= at;
    newestAt = at;
    const state = isTerminalKind(kind) ? (kind.slice("session.".length) as SessionState) : "open";
    const known = sessions.get(sessionId);
    if (known === undefined) {
      const { producer } = block.entry(index, 0).event;
      sessions.set(sessionId, {
        sessionId,
        agentId: producer.agent_id,
        agentName: producer.agent_name,
        state,
        eventCount: 1,
        missingCount: ordinal - 1,
        firstEpoch: epoch,
        lastEpoch: epoch,
        firstAt: at,
        lastAt: at,
        lastOrdinal: ordinal,
      });
      return;
    }
    known.state = state;
    known.eventCount += 1;
    // A notice has the number of its question.
    known.missingCount += Math.max(0, ordinal - known.lastOrdinal - 1);
    known.lastOrdinal = ordinal;
    known.lastEpoch = epoch;
    known.lastAt = at;
  };

  for (const { block, first, count, length } of blocks) {
    if (block === undefined) {
      damaged.push({ firstEpoch: first, eventCount: count, bytes: length, afterAt: newestAt });
      continue;
    }
    bytes += length;
    eventCount += count;
    for (let index = 0; index < count; index += 1) noteEvent(block, index);
  }
  return { eventCount, bytes, oldestAt, newestAt, boots, sessions, damaged };
}
