// Open questions in the durable state. After a restart, they can be answered with the same token (R8, R29).
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { JournaledEvent } from "../event/event.js";
import {
  type EntryRecord,
  entryFrom,
  entryRecord,
  type Instant,
  pastInstant,
  readDurable,
} from "../journal/durable-entry.js";
import { permitsOf } from "../sessions/session-questions.js";
import type { OpenQuestion } from "../sessions/session-record.js";

/** A question, and its event as it was published. */
export interface DurableQuestion {
  readonly question: OpenQuestion;
  readonly entry: JournaledEvent;
}

interface QuestionRecord {
  readonly kind: OpenQuestion["kind"];
  readonly agentId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly ordinal: number;
  readonly entry: EntryRecord;
}

/** Stores a question until it has its outcome. `receivedAt`: milliseconds since 1970; in the next boot the clock on the wall counts (R40). */
export function keepQuestion(durableState: DurableState, kept: DurableQuestion, receivedAt: number): void {
  const { token, kind, agentId, ordinal } = kept.question;
  durableState.put(["question", token], () => {
    return { kind, agentId, receivedAt, ordinal, entry: entryRecord(kept.entry) } satisfies QuestionRecord;
  });
}

export function forgetQuestion(durableState: DurableState, token: string): void {
  durableState.put(["question", token], () => undefined);
}

/**
 * Reads the questions that were open, in the order in which they were asked. Their deadlines keep their wall clock time. If the wall clock was put
 * back meanwhile, a question counts from now and is stored again, so that nobody waits longer than its timeout.
 */
export function durableQuestions(
  durableState: DurableState,
  log: Pick<Log, "error">,
  present: Instant,
): readonly DurableQuestion[] {
  const found: DurableQuestion[] = [];
  readDurable(durableState, ["question"], log, (value) => {
    const record = value as QuestionRecord;
    const { kind, agentId, ordinal } = record;
    const receivedAt = Math.min(record.receivedAt, present.wallTime);
    const at = pastInstant(receivedAt, present);
    const entry = entryFrom(record.entry, at);
    const { event } = entry;
    const { session_id: sessionId, reply_token: token } = event;
    const permits = permitsOf(event);
    const question = { kind, token: String(token), sessionId, agentId, event, at, ordinal, permits };
    found.push({ question, entry });
    if (receivedAt < record.receivedAt) keepQuestion(durableState, { question, entry }, receivedAt);
  });
  return found.sort((a, b) => a.entry.epoch - b.entry.epoch);
}
