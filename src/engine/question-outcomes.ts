// What is remembered of questions that have their outcome, and who waits to be told until that is safe (R8, R29). Bounded: an agent may ask for ever.
import { jsonSize } from "./event-size.js";
import { outcomeFields, type ResolvedQuestion } from "./question-result.js";
import { OUTCOMES_KEPT_BYTES, OUTCOMES_KEPT_COUNT } from "./session-limits.js";

/** Told once, when an outcome is safe. */
export type OutcomeListener = (resolved: ResolvedQuestion) => void;

export interface QuestionOutcomes {
  /** Keeps an outcome, and tells `listeners`: at once, or when `durable` has settled, whichever way: nobody waits for ever. */
  readonly add: (
    outcome: ResolvedQuestion,
    listeners: readonly OutcomeListener[],
    durable: Promise<void> | undefined,
  ) => void;
  /** "unsafe" while the journal is still at it; undefined where it is not known, or no longer. */
  readonly find: (token: string) => ResolvedQuestion | "unsafe" | undefined;
  /** The session of an outcome that is not safe yet, or kept. */
  readonly sessionOf: (token: string) => string | undefined;
  /** Tells `done` once, when that is safe. */
  readonly whenSafe: (token: string, done: OutcomeListener) => void;
  readonly forgetSession: (sessionId: string) => void;
}

interface Kept {
  readonly outcome: ResolvedQuestion;
  readonly bytes: number;
}

/** What an outcome costs beside what was answered, bytes. */
const ENTRY_OVERHEAD_BYTES = 400;

/** Keeps the newest `OUTCOMES_KEPT_COUNT` of each session, and of all sessions together the newest `maxBytes`, by estimate. */
export function createQuestionOutcomes(maxBytes: number = OUTCOMES_KEPT_BYTES): QuestionOutcomes {
  // The oldest first.
  const kept = new Map<string, Kept>();
  const tokensOf = new Map<string, Set<string>>();
  const unsafe = new Map<string, { readonly sessionId: string; readonly waiting: OutcomeListener[] }>();
  let bytes = 0;

  const forget = (token: string): void => {
    const one = kept.get(token);
    if (one === undefined) return;
    kept.delete(token);
    bytes -= one.bytes;
    const { sessionId } = one.outcome.question;
    const tokens = tokensOf.get(sessionId);
    tokens?.delete(token);
    if (tokens?.size === 0) tokensOf.delete(sessionId);
  };

  const keep = (outcome: ResolvedQuestion): void => {
    const { token, sessionId } = outcome.question;
    const one: Kept = { outcome, bytes: ENTRY_OVERHEAD_BYTES + jsonSize(outcomeFields(outcome)) };
    forget(token);
    kept.set(token, one);
    bytes += one.bytes;
    const tokens = tokensOf.get(sessionId) ?? new Set();
    tokensOf.set(sessionId, tokens.add(token));
    const [oldest] = tokens;
    if (tokens.size > OUTCOMES_KEPT_COUNT && oldest !== undefined) forget(oldest);
    for (const [oldestOfAll] of kept) {
      if (bytes <= maxBytes) break;
      forget(oldestOfAll);
    }
  };

  return {
    add: (outcome, listeners, durable) => {
      keep(outcome);
      if (durable === undefined) {
        for (const listener of listeners) listener(outcome);
        return;
      }
      const { token, sessionId } = outcome.question;
      const waiting = [...listeners];
      unsafe.set(token, { sessionId, waiting });
      const release = (): void => {
        unsafe.delete(token);
        for (const listener of waiting) listener(outcome);
      };
      durable.then(release, release);
    },
    find: (token) => (unsafe.has(token) ? "unsafe" : kept.get(token)?.outcome),
    sessionOf: (token) => unsafe.get(token)?.sessionId ?? kept.get(token)?.outcome.question.sessionId,
    whenSafe: (token, done) => {
      const waiting = unsafe.get(token)?.waiting;
      const outcome = kept.get(token)?.outcome;
      if (waiting !== undefined) waiting.push(done);
      else if (outcome !== undefined) done(outcome);
    },
    forgetSession: (sessionId) => {
      for (const token of [...(tokensOf.get(sessionId) ?? [])]) forget(token);
    },
  };
}
