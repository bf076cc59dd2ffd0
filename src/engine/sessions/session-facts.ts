// What of a session's past is remembered, each thing by itself: it grows, and must never be written whole (R3, R5, R8, AAEP §4.3.1, §4.5.4, §6.2).
import type { PublishedEvent } from "./same-publish.js";
import type { Facts, SessionRecord } from "./session-record.js";
import type { UndoLog } from "./undo-log.js";

/** An event that went nowhere, a call's id, a question's end, an output's completion, a permission (R5), a reply token. */
export type FactName = "absorbed" | "call" | "outcome" | "output" | "permit" | "token";

/** One thing more, or, where `value` is undefined, one that is no longer remembered. Numbers rise within a session. */
export interface FactChange {
  readonly sessionId: string;
  readonly name: FactName;
  readonly number: number;
  readonly value: unknown;
}

/** A plan in the making, as far as facts are concerned. */
export interface FactDraft {
  readonly undo: UndoLog;
  readonly facts: FactChange[];
}

/** Remembers `key`; of more than `most` the oldest is forgotten. `value` is what is kept of it for the next run. */
export function addFact<Key>(
  draft: FactDraft,
  session: SessionRecord,
  name: FactName,
  facts: Facts<Key>,
  key: Key,
  most: number,
  value: unknown = key,
): void {
  if (facts.has(key)) return;
  draft.undo.touch(session);
  session.factCount += 1;
  draft.undo.put(facts, key, session.factCount);
  draft.facts.push({ sessionId: session.sessionId, name, number: session.factCount, value });
  for (const oldest of facts.keys()) {
    if (facts.size <= most) return;
    dropFact(draft, session, name, facts, oldest);
  }
}

/** Remembers `key` no longer. */
export function dropFact<Key>(
  draft: FactDraft,
  { sessionId }: SessionRecord,
  name: FactName,
  facts: Facts<Key>,
  key: Key,
): void {
  const number = facts.get(key);
  if (number === undefined) return;
  draft.undo.remove(facts, key);
  draft.facts.push({ sessionId, name, number, value: undefined });
}

/** Absorbed events that a session remembers: they stand in no journal, and yet may be sent again (R3). */
const ABSORBED_KEPT_COUNT = 64;

/** Remembers an event that did not go out, so that it may be sent again; of more than 64 the oldest is forgotten (R3). */
export function absorb(draft: FactDraft, session: SessionRecord, eventId: string, input: PublishedEvent): void {
  const { sessionId } = session;
  draft.undo.touch(session);
  session.factCount += 1;
  const number = session.factCount;
  draft.undo.put(session.absorbed, eventId, { published: input, number });
  // Without an id of its agent's it cannot be sent again.
  const source = input.fields.event_id === undefined ? undefined : (input.source ?? JSON.stringify(input.fields));
  draft.facts.push({ sessionId, name: "absorbed", number, value: source && { source } });
  for (const [oldest, { number: gone }] of session.absorbed) {
    if (session.absorbed.size <= ABSORBED_KEPT_COUNT) break;
    draft.undo.remove(session.absorbed, oldest);
    draft.facts.push({ sessionId, name: "absorbed", number: gone, value: undefined });
  }
}
