// The audit log on disk: newline-delimited JSON, append-only, rotated (AAEP §10 T3, docs/audit.md). No caller waits for it. Lines that the disk does
// not take are lost and counted, and so are lines of a peer that floods the daemon with replies.
import type { Audit, AuditEntry, AuditNote } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";
import { type AuditFile, claimAuditFile } from "./audit-names.js";
import { replyMembers } from "./audit-reply.js";
import { createReplyBudget, type ReplyEntry } from "./reply-budget.js";

/** The part of a file stream that the log needs. */
export interface AuditStream {
  readonly write: (line: string, done: (error?: Error | null) => void) => unknown;
  readonly end: (done: () => void) => unknown;
  readonly on: (event: "error", listener: (error: Error) => void) => unknown;
}

export interface AuditLimits {
  /** Size at which a file is rotated, bytes. */
  readonly maxBytes: number;
  /** Rotated files that are kept; `….ndjson.1` is the youngest. */
  readonly keepFiles: number;
}

export interface AuditLogOptions {
  /** Made with mode 0700 if it is missing, at the first entry. */
  readonly directory: string;
  /** Names the file: `<producer id>.ndjson`. */
  readonly producerId: string;
  /** Read each time a file is opened. */
  readonly limits: () => AuditLimits;
  readonly log: Log;
  readonly clock: Pick<Clock, "now" | "wallTime" | "wakeAt">;
  /** Most replies of one subscription within a second that are recorded although they did not count; further ones are only counted. Default 100. */
  readonly maxVainRepliesPerSecond?: number;
  /**
   * Most characters (UTF-16 units) that may wait for the disk. Replies that did not count may use a sixteenth of it, or half of it if their question
   * is open. Default 16 Mi.
   */
  readonly maxWaitingBytes?: number;
  /** Pause after a failure before the next attempt, ms. Default 10,000. */
  readonly retryAfterMs?: number;
  /** Default: a file in `directory`. */
  readonly openStream?: (directory: string, name: string) => Promise<AuditStream>;
}

export interface AuditLog extends Audit {
  /** Number of entries that are in no file. The log records the number itself once it can write again. */
  readonly droppedCount: () => number;
  /** Reports changed limits: the file is closed in order and opened again. Entries that come meanwhile wait. */
  readonly limitsChanged: () => void;
  /** Writes waiting entries, for `withinMs` at most (default 300). Never rejects. Later entries are lost. */
  readonly close: (withinMs?: number) => Promise<void>;
}

/** A line that waits for the file. `settled` is called when the line is written or lost. */
interface Line {
  readonly text: string;
  readonly settled: () => void;
}

type Phase =
  | { readonly kind: "unopened" }
  | { readonly kind: "opening" }
  | { readonly kind: "open"; readonly stream: AuditStream }
  | { readonly kind: "failed"; readonly retryAt: number }
  | { readonly kind: "closed" };

const VAIN_SHARE = 1 / 16;
const VAIN_SHARE_ON_OPEN = 1 / 2;
/** Interval of the entries that count the replies left out, ms. */
const TELL_EVERY_MS = 1000;
const NOBODY_WAITS = (): void => {};

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { directory, producerId, limits, log, clock } = options;
  const { maxVainRepliesPerSecond = 100, maxWaitingBytes = 16 * 1024 * 1024, retryAfterMs = 10_000 } = options;
  const openStream = options.openStream ?? rotatingStream(limits);
  let isClosed = false;
  /** A failure has been logged, and nothing has been written since. */
  let isTroubled = false;
  let phase: Phase = { kind: "unopened" };
  let file: AuditFile | undefined;
  let opened: Promise<void> = Promise.resolve();
  let backlog: Line[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let droppedUntold = 0;
  const budget = createReplyBudget(maxVainRepliesPerSecond, clock);
  let cancelTelling: (() => void) | undefined;

  function drop(): void {
    dropped += 1;
    droppedUntold += 1;
  }

  function lose({ settled }: AuditNote): void {
    drop();
    settled?.();
  }

  function fail(caught: unknown): void {
    if (phase.kind !== "closed") phase = { kind: "failed", retryAt: clock.now() + retryAfterMs };
    for (const { text, settled } of backlog.splice(0)) {
      waitingBytes -= text.length;
      drop();
      settled();
    }
    if (isTroubled) return;
    isTroubled = true;
    const remedy = "Make room in its folder, or give the folder back to this user. It is tried again with each entry.";
    log.warn({ err: caught, directory, remedy }, "the audit log cannot be written; questions go on without it");
  }

  function write(stream: AuditStream, { text, settled }: Line): void {
    stream.write(text, (error) => {
      waitingBytes -= text.length;
      if (error === undefined || error === null) isTroubled = false;
      else {
        drop();
        fail(error);
      }
      settled();
    });
  }

  async function open(): Promise<void> {
    phase = { kind: "opening" };
    try {
      file ??= await claimAuditFile(directory, producerId);
      const stream = await openStream(directory, file.name);
      stream.on("error", fail);
      // The log was closed during the opening.
      if (isClosed) stream.end(() => {});
      if (isClosed) return;
      phase = { kind: "open", stream };
      const lines = backlog;
      backlog = [];
      for (const line of lines) write(stream, line);
    } catch (caught) {
      fail(caught);
    }
  }

  /** Opens the file again. All entries of the old stream are in the file before the new stream begins. */
  async function openAgain(): Promise<void> {
    await opened;
    if (phase.kind !== "open") return;
    const { stream } = phase;
    phase = { kind: "opening" };
    await ended(stream);
    if (!isClosed) await open();
  }

  /** Appends a line if there is room. Returns whether there was room; only then `settled` is called. */
  function append(text: string, roomBytes: number, settled = NOBODY_WAITS): boolean {
    // Lengths are in UTF-16 units: they bound memory, not the file.
    const isFull = waitingBytes + text.length > roomBytes;
    if (isFull || phase.kind === "closed" || isResting()) return false;
    waitingBytes += text.length;
    const line: Line = { text, settled };
    if (phase.kind === "open") {
      write(phase.stream, line);
      return true;
    }
    backlog.push(line);
    if (phase.kind !== "opening") opened = open();
    return true;
  }

  /** Whether the pause after a failure has not passed. */
  function isResting(): boolean {
    return phase.kind === "failed" && clock.now() < phase.retryAt;
  }

  /** Records a reply that did not count. A flood of forged replies must neither fill the disk nor take the daemon's time. */
  function recordVain(entry: ReplyEntry, { at, settled }: AuditNote): void {
    if (!isClosed) cancelTelling ??= tellLater();
    const room = maxWaitingBytes * (entry.token_is_open ? VAIN_SHARE_ON_OPEN : VAIN_SHARE);
    if (budget.allows(entry) && append(lineOf(membersOf(entry), at), room, settled)) return;
    dropped += 1;
    budget.leaveOut(entry);
    settled?.();
  }

  function tellLater(): () => void {
    return clock.wakeAt(clock.now() + TELL_EVERY_MS, () => {
      tellLeftOut();
      cancelTelling = budget.forgetIdle() ? tellLater() : undefined;
    });
  }

  function tellLeftOut(): void {
    for (const { leftOut, told } of budget.untold()) {
      if (append(lineOf({ kind: "left_out", ...leftOut }), maxWaitingBytes)) told();
    }
  }

  function lineOf(fields: object, at = clock.wallTime()): string {
    return `${JSON.stringify({ time: new Date(at).toISOString(), ...fields })}\n`;
  }

  function tellDropped(): void {
    const count = droppedUntold;
    if (count > 0 && append(lineOf({ kind: "left_out", count }), maxWaitingBytes)) droppedUntold -= count;
  }

  return {
    isOn: true,
    record: (entry, note = {}) => {
      try {
        tellDropped();
        if (entry.kind === "reply" && entry.fate !== "counted") recordVain(entry, note);
        else if (!append(lineOf(membersOf(entry), note.at), maxWaitingBytes, note.settled)) lose(note);
      } catch (caught) {
        lose(note);
        log.warn({ err: caught }, "an entry of the audit log cannot be written");
      }
    },
    droppedCount: () => dropped,
    limitsChanged: () => {
      opened = openAgain();
    },
    close: async (withinMs = 300) => {
      let cancel: () => void = () => {};
      const late = new Promise<void>((resolve) => {
        cancel = clock.wakeAt(clock.now() + withinMs, resolve);
      });
      const written = (async () => {
        await opened;
        tellDropped();
        tellLeftOut();
        await opened;
        const last = phase;
        phase = { kind: "closed" };
        if (last.kind === "open") await ended(last.stream);
      })();
      await Promise.race([written, late]);
      cancel();
      isClosed = true;
      cancelTelling?.();
      phase = { kind: "closed" };
      file?.release();
    },
  };
}

/** Ends a stream. Resolves also on an error: lines that fail at the end are counted one by one. */
function ended(stream: AuditStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => resolve());
    stream.end(resolve);
  });
}

function membersOf(entry: AuditEntry): object {
  if (entry.kind !== "reply") return entry;
  const { reply, ...members } = entry;
  return { ...members, ...replyMembers(reply, entry.fate === "counted") };
}

function rotatingStream(limits: () => AuditLimits): (path: string, name: string) => Promise<AuditStream> {
  return async (path, name) => {
    const { maxBytes, keepFiles } = limits();
    // Loaded at the first entry: most daemons start without a question.
    const { createStream } = await import("rotating-file-stream");
    return createStream(name, { path, size: `${maxBytes}B`, rotate: keepFiles, mode: 0o600 });
  };
}
