// Facts about a session's past. Each fact is written by itself, because the history grows and must never be written whole (R3, R5, R8, AAEP §4.3.1,
// §4.5.4, §6.2).
import type { SessionCounts } from "./session-limits.js";
import type { HistoryIndex, SessionRecord } from "./session-record.js";
import type { UndoLog } from "./undo-log.js";

/** A tool call's id, a question's outcome, a completed output, a permission (R5), a reply token. */
export type HistoryKind = "call" | "outcome" | "output" | "permit" | "token";

/** A new fact, or, with `value` undefined, a fact that is forgotten. Numbers rise within a session. */
export interface HistoryChange {
  readonly sessionId: string;
  readonly name: HistoryKind;
  readonly number: number;
  readonly value: unknown;
}

/** The part of a draft that facts need. */
export interface HistoryDraft {
  readonly undo: UndoLog;
  readonly counts: SessionCounts;
  readonly history: HistoryChange[];
}

/** Remembers `key` with the next number; beyond `most` keys, the oldest is forgotten. `value` is written to the durable state. */
export function remember<Key>(
  draft: HistoryDraft,
  session: SessionRecord,
  name: HistoryKind,
  index: HistoryIndex<Key>,
  key: Key,
  most: number,
  value: unknown = key,
): void {
  if (index.has(key)) return;
  draft.undo.touch(session);
  session.historyCount += 1;
  draft.undo.put(index, key, session.historyCount);
  draft.history.push({ sessionId: session.sessionId, name, number: session.historyCount, value });
  if (index.size <= most) return;
  for (const oldest of index.keys()) {
    if (index.size <= most) return;
    forget(draft, session, name, index, oldest);
  }
}

/** Forgets `key`. */
export function forget<Key>(
  draft: HistoryDraft,
  { sessionId }: SessionRecord,
  name: HistoryKind,
  index: HistoryIndex<Key>,
  key: Key,
): void {
  const number = index.get(key);
  if (number === undefined) return;
  draft.undo.remove(index, key);
  draft.history.push({ sessionId, name, number, value: undefined });
}
