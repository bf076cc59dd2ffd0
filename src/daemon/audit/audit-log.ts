// The audit log on disk: newline-delimited JSON, append-only, set aside by size (AAEP §10 T3, docs/audit.md). No caller waits for it. Lines wait
// here, and one write at a time takes all that have come since the last. Entries beyond the bound of what may wait are left out, and a line counts
// them by kind.
import { join } from "node:path";
import { isMissing } from "../../../transports/node-errors.js";
import { within } from "../../base/time-limit.js";
import type { AuditEntry, AuditNote } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import { type AuditFile, type AuditLimits, createAuditFile } from "./audit-file.js";
import { finishing, lineOf, membersOf } from "./audit-line.js";
import { type AuditName, claimAuditName } from "./audit-names.js";
import { createReplyBudget, type ReplyEntry } from "./reply-budget.js";

export interface AuditLogOptions {
  /** Made with mode 0700 if it is missing, at the first entry. */
  readonly directory: string;
  /** Names the file: `<producer id>.ndjson`. */
  readonly producerId: string;
  /** Read at each write. */
  readonly limits: () => AuditLimits;
  readonly log: Log;
  readonly clock: Pick<Clock, "now" | "wallTime" | "wakeAt" | "afterTurn">;
  /** Most replies of one subscription within a second that are recorded although they did not count; further ones are only counted. Default 100. */
  readonly maxVainRepliesPerSecond?: number;
  /**
   * Most bytes that may wait for the disk. Questions and replies to open ones may use half of it, so that there is room for outcomes; other replies
   * that did not count a sixteenth. Default 16 Mi.
   */
  readonly maxWaitingBytes?: number;
  /** Pause after a failure before the next attempt, ms. Default 10,000. */
  readonly retryAfterMs?: number;
  /** Default: a file in `directory`. */
  readonly createFile?: (path: string) => AuditFile;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

/** A line that waits for the file. `settled` is called when the file has it. */
interface Line {
  readonly text: string;
  readonly bytes: number;
  readonly settled: (() => void) | undefined;
  /** The text with what it takes time to find out. Undefined where `text` is all. */
  readonly finished: Promise<string> | undefined;
}

/** Interval of the entries that count the replies left out, ms. */
const TELL_EVERY_MS = 1000;
/** Most bytes of one write; a longer line is a write of its own. */
const WRITE_BYTES = 64 * 1024;
/** Bytes that a waiting line takes in memory besides its text. */
const LINE_BYTES = 128;

export function createAuditLog(options: AuditLogOptions) {
  const { directory, producerId, limits, log, clock } = options;
  const { maxVainRepliesPerSecond = 100, maxWaitingBytes = 16 * 1024 * 1024, retryAfterMs = 10_000 } = options;
  const createFile = options.createFile ?? ((path) => createAuditFile(path, limits));
  let isClosed = false;
  let name: AuditName | undefined;
  let file: AuditFile | undefined;
  /** The write under way. */
  let writing: Promise<void> | undefined;
  let isScheduled = false;
  let failure: string | undefined;
  let cancelRetry: (() => void) | undefined;
  let lines: Line[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let flooded = 0;
  let untold = new Map<AuditEntry["kind"], number>();
  const budget = createReplyBudget(maxVainRepliesPerSecond, clock);
  let cancelTelling: (() => void) | undefined;

  function lose({ kind }: AuditEntry, { settled }: AuditNote): void {
    dropped += 1;
    untold.set(kind, (untold.get(kind) ?? 0) + 1);
    settled?.();
  }

  /** The lines of the next write. They go on waiting until the file has them. */
  function nextLines(): readonly Line[] {
    const most = Math.min(WRITE_BYTES, limits().maxBytes);
    let bytes = 0;
    const end = lines.findIndex((line, index) => {
      bytes += line.bytes;
      return index > 0 && bytes > most;
    });
    return lines.slice(0, end === -1 ? lines.length : end);
  }

  /** Lines of the write that has not ended. */
  let underWay = 0;
  async function writeAll(): Promise<void> {
    try {
      for (let next = nextLines(); next.length > 0 && !isClosed; next = nextLines()) {
        name ??= await claimAuditName(directory, producerId);
        file ??= createFile(join(directory, name.fileName));
        underWay = next.length;
        const texts = await Promise.all(next.map(({ text, finished }) => finished ?? text));
        await file.append(texts.join(""));
        written(next);
      }
    } catch (caught) {
      fail(caught);
    } finally {
      underWay = 0;
    }
  }

  function written(all: readonly Line[]): void {
    lines = lines.slice(all.length);
    if (failure !== undefined) log.info({ directory }, "the audit log can be written again");
    failure = undefined;
    for (const { bytes, settled } of all) {
      waitingBytes -= bytes + LINE_BYTES;
      settled?.();
    }
    tellDropped();
  }

  function fail(caught: unknown): void {
    if (failure === undefined && !isClosed) {
      const remedy = `Make room in its folder, or give the folder back to this user. It is tried again every ${retryAfterMs / 1000} seconds.`;
      log.warn({ err: caught, directory, remedy }, "the audit log cannot be written; questions go on without it");
    }
    failure = caught instanceof Error ? caught.message : String(caught);
    // The folder is gone, and the claim with it: the next attempt makes both again.
    if (isMissing(caught)) name = file = undefined;
  }

  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (isClosed || lines.length === 0) return;
      if (failure === undefined) schedule();
      else
        cancelRetry = clock.wakeAt(clock.now() + retryAfterMs, () => {
          cancelRetry = undefined;
          void write();
        });
    });
    return writing;
  }

  /** Lines of one turn are one write. */
  function schedule(): void {
    if (isScheduled || writing !== undefined || cancelRetry !== undefined) return;
    isScheduled = true;
    clock.afterTurn(() => {
      isScheduled = false;
      if (!isClosed) void write();
    });
  }

  /** Appends a line if there is room. Returns whether there was room; only then `settled` is called. */
  function append(text: string, roomBytes: number, settled?: () => void, entry?: AuditEntry): boolean {
    const bytes = Buffer.byteLength(text);
    if (isClosed || waitingBytes + bytes + LINE_BYTES > roomBytes) return false;
    waitingBytes += bytes + LINE_BYTES;
    lines.push({ text, bytes, settled, finished: finishing(entry, text) });
    schedule();
    return true;
  }

  /** Records a reply that did not count. A flood of forged replies must neither fill the disk nor take the daemon's time. */
  function recordVain(entry: ReplyEntry, { at = clock.wallTime(), settled }: AuditNote, room: number): void {
    if (!isClosed) cancelTelling ??= tellLater();
    if (budget.allows(entry) && append(lineOf(membersOf(entry), at), room, settled)) return;
    flooded += 1;
    budget.leaveOut(entry);
    settled?.();
  }

  function tellLater(): () => void {
    return clock.wakeAt(clock.now() + TELL_EVERY_MS, () => {
      tellFlooded();
      cancelTelling = budget.forgetIdle() ? tellLater() : undefined;
    });
  }

  function tellFlooded(): void {
    for (const { leftOut, told } of budget.untold()) {
      if (append(lineOf({ kind: "left_out", ...leftOut }, clock.wallTime()), maxWaitingBytes)) told();
    }
  }

  function tellDropped(roomBytes = maxWaitingBytes): void {
    if (untold.size === 0) return;
    const told = { kind: "left_out", count: sumOf(untold), kinds: Object.fromEntries(untold) };
    if (append(lineOf(told, clock.wallTime()), roomBytes)) untold = new Map();
  }

  return {
    isOn: true,
    record: (entry: AuditEntry, note: AuditNote = {}): void => {
      try {
        const room = maxWaitingBytes * shareOf(entry);
        tellDropped(room);
        if (entry.kind === "reply" && entry.fate !== "counted") recordVain(entry, note, room);
        else {
          const line = lineOf(membersOf(entry), note.at ?? clock.wallTime());
          if (!append(line, room, note.settled, entry)) lose(entry, note);
        }
      } catch (caught) {
        lose(entry, note);
        tellDropped();
        log.warn({ err: caught }, "an entry of the audit log cannot be written");
      }
    },
    /** Number of entries left out because the disk did not take them. */
    droppedCount: () => dropped,
    /** Number of replies that did not count and have no line of their own, because there were too many of them: their senders decide that. */
    floodedCount: () => flooded,
    /** Undefined unless the file takes nothing at present, or entries are missing that no line counts. */
    trouble: () =>
      failure === undefined && untold.size === 0
        ? undefined
        : {
            /** The last failure in words; undefined if the disk is only too slow. */
            reason: failure,
            waitingCount: lines.length,
            leftOutCount: sumOf(untold),
          },
    /** Writes waiting entries, for `withinMs` at most. Never rejects. Later entries are lost. */
    close: async (withinMs = 300) => {
      cancelTelling?.();
      cancelRetry?.();
      tellDropped();
      tellFlooded();
      // The time limit is for the disk: a line that is written behind it would be written again by the next boot.
      const unfinished = lines.flatMap(({ finished }) => finished ?? []);
      if (unfinished.length > 0) await Promise.all(unfinished);
      const ended = Promise.resolve(writing)
        .then(write)
        .then(() => file?.close())
        .catch(() => {})
        // Another daemon may take the name when nothing is written any more.
        .then(() => name?.release());
      await within(clock.now() + withinMs, ended, clock);
      isClosed = true;
      cancelTelling?.();
      cancelRetry?.();
      // The journal keeps the lines of outcomes, and the next boot writes them.
      dropped += lines.length - underWay;
    },
  };
}

function sumOf(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((sum, one) => sum + one, 0);
}

/** The share of the waiting room that an entry may use. */
function shareOf(entry: AuditEntry): number {
  const isVain = entry.kind === "reply" && entry.fate !== "counted";
  if (isVain && !entry.token_is_open) return 1 / 16;
  return isVain || entry.kind === "asked" || entry.kind === "shown" ? 1 / 2 : 1;
}
