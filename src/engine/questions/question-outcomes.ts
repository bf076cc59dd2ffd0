// What is remembered of questions that have their outcome, and who waits to be told until that is safe (R8, R29). Bounded: an agent may ask for ever.
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { jsonSize } from "../event/event-size.js";
import { readDurable } from "../journal/durable-entry.js";
import { NO_DURABLE_STATE } from "../journal/no-durable-state.js";
import { OUTCOMES_KEPT_BYTES, OUTCOMES_KEPT_COUNT } from "../sessions/session-limits.js";
import { NO_RESULT, outcomeFields, type ResolvedQuestion } from "./question-result.js";

/** Told once, when an outcome is safe. */
export type OutcomeListener = (resolved: ResolvedQuestion) => void;

export interface QuestionOutcomes {
  /**
   * Keeps an outcome, and tells `listeners` when it is safe: at once, or when `durable` has settled. Where that rejects, when the journal has
   * recovered: what nobody wrote down is nobody's decision yet, and is open again after a restart.
   */
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
  readonly whenDurable: (token: string, done: OutcomeListener) => void;
  readonly forgetSession: (sessionId: string) => void;
  /** Takes over what the run before kept. */
  readonly restore: (log: Pick<Log, "error">) => void;
}

export interface QuestionOutcomesOptions {
  /** Most bytes kept of all sessions together, by estimate. Default 8 MiB. */
  readonly maxBytes?: number;
  /** Where they are kept for the next run. Default: nowhere. */
  readonly durableState?: DurableState;
  /** Answers when all that was journaled is safe, undefined where it is; throws or rejects while it cannot be. Default: it is. */
  readonly whenDurable?: () => Promise<void> | undefined;
  /** Told what a listener threw: the others are told the outcome all the same. Default: nobody. */
  readonly accident?: (caught: unknown) => void;
  /** Calls `again` after a while. */
  readonly later?: (again: () => void) => void;
}

interface KnownOutcome {
  /** Rises: the order of outcomes. */
  readonly number: number;
  readonly outcome: ResolvedQuestion;
  readonly bytes: number;
}

/** What an outcome costs beside what was answered, bytes. */
const ENTRY_OVERHEAD_BYTES = 400;

/** An outcome as the next run finds it, under its token; what nobody said is left out. */
interface OutcomeRecord extends ResolvedQuestion {
  readonly number: number;
}

/** Keeps the newest `OUTCOMES_KEPT_COUNT` of each session, and of all sessions together the newest `maxBytes`, by estimate. */
export function createQuestionOutcomes(options: QuestionOutcomesOptions = {}): QuestionOutcomes {
  const { maxBytes = OUTCOMES_KEPT_BYTES, whenDurable = () => undefined, later = () => undefined } = options;
  const onDisk = options.durableState ?? NO_DURABLE_STATE;
  let lastNumber = 0;
  // The oldest first.
  const known = new Map<string, KnownOutcome>();
  const tokensOf = new Map<string, Set<string>>();
  const unsafe = new Map<string, { readonly sessionId: string; readonly waiting: OutcomeListener[] }>();
  let bytes = 0;

  const forget = (token: string): void => {
    const one = known.get(token);
    if (one === undefined) return;
    known.delete(token);
    onDisk.put(["outcome", token], () => undefined);
    bytes -= one.bytes;
    const { sessionId } = one.outcome.question;
    const tokens = tokensOf.get(sessionId);
    tokens?.delete(token);
    if (tokens?.size === 0) tokensOf.delete(sessionId);
  };

  const keep = (outcome: ResolvedQuestion, number: number, isNew: boolean): void => {
    const { token, sessionId } = outcome.question;
    lastNumber = Math.max(lastNumber, number);
    const one: KnownOutcome = { number, outcome, bytes: ENTRY_OVERHEAD_BYTES + jsonSize(outcomeFields(outcome)) };
    forget(token);
    if (isNew) onDisk.put(["outcome", token], () => ({ number, ...outcome }) satisfies OutcomeRecord);
    known.set(token, one);
    bytes += one.bytes;
    const tokens = tokensOf.get(sessionId) ?? new Set();
    tokensOf.set(sessionId, tokens.add(token));
    const [oldest] = tokens;
    if (tokens.size > OUTCOMES_KEPT_COUNT && oldest !== undefined) forget(oldest);
    for (const [oldestOfAll] of known) {
      if (bytes <= maxBytes) break;
      forget(oldestOfAll);
    }
  };

  const tellAll = (listeners: readonly OutcomeListener[], outcome: ResolvedQuestion): void => {
    for (const listener of listeners) {
      try {
        listener(outcome);
      } catch (caught) {
        options.accident?.(caught);
      }
    }
  };

  return {
    add: (outcome, listeners, durable) => {
      keep(outcome, lastNumber + 1, true);
      if (durable === undefined) {
        tellAll(listeners, outcome);
        return;
      }
      const { token, sessionId } = outcome.question;
      const waiting = [...listeners];
      unsafe.set(token, { sessionId, waiting });
      const release = (): void => {
        unsafe.delete(token);
        tellAll(waiting, outcome);
      };
      const askAgain = (): void => {
        try {
          const settled = whenDurable();
          if (settled === undefined) release();
          else settled.then(release, () => later(askAgain));
        } catch {
          later(askAgain);
        }
      };
      durable.then(release, () => later(askAgain));
    },
    find: (token) => (unsafe.has(token) ? "unsafe" : known.get(token)?.outcome),
    sessionOf: (token) => unsafe.get(token)?.sessionId ?? known.get(token)?.outcome.question.sessionId,
    whenDurable: (token, done) => {
      const waiting = unsafe.get(token)?.waiting;
      const outcome = known.get(token)?.outcome;
      if (waiting !== undefined) waiting.push(done);
      else if (outcome !== undefined) done(outcome);
    },
    forgetSession: (sessionId) => {
      for (const token of [...(tokensOf.get(sessionId) ?? [])]) forget(token);
    },
    restore: (log) => {
      const found: OutcomeRecord[] = [];
      readDurable(onDisk, ["outcome"], log, (value) => {
        const { number, question, result } = value as OutcomeRecord;
        found.push({ number, question: { ...question }, result: { ...NO_RESULT, ...result } });
      });
      found.sort((a, b) => a.number - b.number);
      for (const { number, ...outcome } of found) keep(outcome, number, false);
    },
  };
}
