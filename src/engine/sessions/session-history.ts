// What of a session's past is remembered, each thing by itself: it grows, and must never be written whole (R3, R5, R8, AAEP §4.3.1, §4.5.4, §6.2).
import type { PublishedEvent } from "./same-publish.js";
import type { HistoryIndex, SessionRecord } from "./session-record.js";
import type { UndoLog } from "./undo-log.js";

/** An event that went nowhere, a call's id, a question's end, an output's completion, a permission (R5), a reply token. */
export type HistoryKind = "absorbed" | "call" | "outcome" | "output" | "permit" | "token";

/** One thing more, or, where `value` is undefined, one that is no longer remembered. Numbers rise within a session. */
export interface HistoryChange {
  readonly sessionId: string;
  readonly name: HistoryKind;
  readonly number: number;
  readonly value: unknown;
}

/** A plan in the making, as far as facts are concerned. */
export interface HistoryDraft {
  readonly undo: UndoLog;
  readonly history: HistoryChange[];
}

/** Remembers `key`; of more than `most` the oldest is forgotten. `value` is what is kept of it for the next run. */
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
  for (const oldest of index.keys()) {
    if (index.size <= most) return;
    forget(draft, session, name, index, oldest);
  }
}

/** Remembers `key` no longer. */
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

/** Absorbed events that a session remembers: they stand in no journal, and yet may be sent again (R3). */
const SUPPRESSED_KEPT_COUNT = 64;

/** Remembers an event that did not go out, so that it may be sent again; of more than 64 the oldest is forgotten (R3). */
export function suppress(draft: HistoryDraft, session: SessionRecord, eventId: string, input: PublishedEvent): void {
  const { sessionId } = session;
  draft.undo.touch(session);
  session.historyCount += 1;
  const number = session.historyCount;
  draft.undo.put(session.suppressed, eventId, { published: input, number });
  // Without an id of its agent's it cannot be sent again.
  const source = input.fields.event_id === undefined ? undefined : (input.source ?? JSON.stringify(input.fields));
  draft.history.push({ sessionId, name: "absorbed", number, value: source && { source } });
  for (const [oldest, { number: gone }] of session.suppressed) {
    if (session.suppressed.size <= SUPPRESSED_KEPT_COUNT) break;
    draft.undo.remove(session.suppressed, oldest);
    draft.history.push({ sessionId, name: "absorbed", number: gone, value: undefined });
  }
}
