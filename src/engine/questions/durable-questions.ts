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
import type { Decision } from "./pending-question.js";
import { NO_RESULT, type QuestionResult } from "./question-result.js";

/** A question, its event as it was published, and its decision if its session does not know that yet. */
export interface DurableQuestion {
  readonly question: OpenQuestion;
  readonly entry: JournaledEvent;
  readonly decision?: Decision | undefined;
}

interface QuestionRecord {
  readonly kind: OpenQuestion["kind"];
  readonly agentId: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly ordinal: number;
  readonly entry: EntryRecord;
  /** The decision, without its undefined members. */
  readonly result?: QuestionResult;
  /** The instant of the decision, in milliseconds since 1970. */
  readonly decidedAt?: number;
  /** The reply that decided the question, until the audit log has it. */
  readonly reply?: NonNullable<Decision["reply"]>;
}

/**
 * Stores a question until it has its outcome. The reply that decided it is stored only if `isRecorded`. `receivedAt`: milliseconds since 1970; in the
 * next boot the clock on the wall counts (R40).
 */
export function keepQuestion(
  durableState: DurableState,
  pending: DurableQuestion,
  isRecorded: boolean,
  receivedAt: number,
): void {
  const { question, entry } = pending;
  const { token, kind, agentId, ordinal } = question;
  durableState.put(["question", token], () => {
    const { decision } = pending;
    const open: QuestionRecord = { kind, agentId, receivedAt, ordinal, entry: entryRecord(entry) };
    if (decision === undefined) return open;
    const { result, at: decidedAt, reply } = decision;
    return {
      ...open,
      result,
      decidedAt,
      ...(reply === undefined || !isRecorded ? {} : { reply }),
    } satisfies QuestionRecord;
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
    const result = record.result && { ...NO_RESULT, ...record.result };
    const decision = result && { result, at: record.decidedAt ?? present.wallTime, reply: record.reply };
    const restored: DurableQuestion = { question, entry, decision };
    found.push(restored);
    if (receivedAt < record.receivedAt)
      keepQuestion(durableState, restored, restored.decision?.reply !== undefined, receivedAt);
  });
  return found.sort((a, b) => a.entry.epoch - b.entry.epoch);
}
