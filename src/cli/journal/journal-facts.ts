// Facts about a journal, counted in one pass: boots, sessions, damaged parts. No I/O.
import { type Epoch, isTerminalKind } from "../../engine/event/event.js";
import type { StoredBlock } from "../../storage/blocks/block.js";
import type { LoadedBlock } from "../../storage/blocks/block-reader.js";
import { recordBytes } from "../../storage/blocks/totals.js";

/** The events written during one boot of a daemon. */
export interface BootFacts {
  readonly firstEpoch: Epoch;
  readonly lastEpoch: Epoch;
  readonly eventCount: number;
  /** Times of receipt of the first and the last event, ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

type SessionState = "open" | "completed" | "errored" | "cancelled";

export interface SessionFacts extends BootFacts {
  readonly sessionId: string;
  readonly agentId: string;
  readonly agentName: string | undefined;
  /** "open" if the journal does not contain the session's end. */
  readonly state: SessionState;
  /** Events of the session that can no longer be read, as far as the remaining ones show. */
  readonly missingCount: number;
}

export interface DamagedPart {
  readonly firstEpoch: Epoch;
  readonly eventCount: number;
  /** 0 if the record is missing. */
  readonly bytes: number;
  /** Time of receipt of the event before the damage, ms since 1970. */
  readonly afterAt: number | undefined;
}

export interface JournalFacts {
  readonly eventCount: number;
  /** Bytes of the readable blocks in the file, counted as the daemon counts them for its status and its retention. */
  readonly bytes: number;
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
  readonly boots: readonly BootFacts[];
  /** In the order in which the sessions began. */
  readonly sessions: ReadonlyMap<string, SessionFacts>;
  readonly damaged: readonly DamagedPart[];
}

type Growing<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] };

/** A boot skips twice as many epochs (R29); a smaller hole was made within a boot. */
const BOOT_DISTANCE = 2 ** 31;

/** Yields the blocks in order. In the place of each hole within a boot it yields a block without content and length. */
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

/** Reads all blocks once, in order, so that none need be kept. */
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
    if (boot === undefined || epoch - boot.lastEpoch > BOOT_DISTANCE) boots.push(begun(epoch, at));
    else grow(boot, epoch, at);
  };

  const noteEvent = (block: StoredBlock, index: number): void => {
    const { sessionId, epoch, ordinal, kind, wallTime: at } = block.facts(index);
    noteBoot(epoch, at);
    oldestAt ??= at;
    newestAt = at;
    const state = isTerminalKind(kind) ? (kind.slice("session.".length) as SessionState) : "open";
    const known = sessions.get(sessionId);
    if (known === undefined) {
      const { agent_id: agentId, agent_name: agentName } = block.entry(index, 0).event.producer;
      const counts = { ...begun(epoch, at), missingCount: ordinal - 1, lastOrdinal: ordinal };
      sessions.set(sessionId, { sessionId, agentId, agentName, state, ...counts });
      return;
    }
    grow(known, epoch, at);
    known.state = state;
    // A notice has the number of its question, so this difference may be negative.
    known.missingCount += Math.max(0, ordinal - known.lastOrdinal - 1);
    known.lastOrdinal = ordinal;
  };

  for (const { block, first, count, length } of blocks) {
    if (block === undefined) {
      damaged.push({ firstEpoch: first, eventCount: count, bytes: length, afterAt: newestAt });
      continue;
    }
    bytes += recordBytes(length);
    eventCount += count;
    for (let index = 0; index < count; index += 1) noteEvent(block, index);
  }
  return { eventCount, bytes, oldestAt, newestAt, boots, sessions, damaged };
}

function begun(epoch: Epoch, at: number): Growing<BootFacts> {
  return { firstEpoch: epoch, lastEpoch: epoch, eventCount: 1, firstAt: at, lastAt: at };
}

function grow(facts: Growing<BootFacts>, epoch: Epoch, at: number): void {
  facts.lastEpoch = epoch;
  facts.lastAt = at;
  facts.eventCount += 1;
}
