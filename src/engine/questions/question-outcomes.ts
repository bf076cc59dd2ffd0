// Outcomes of questions, and the listeners that wait until an outcome is safe (R8, R29). Bounded, because an agent may ask for ever.
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { jsonSize } from "../event/event-size.js";
import { readDurable } from "../journal/durable-entry.js";
import { NO_DURABLE_STATE } from "../journal/no-durable-state.js";
import { OUTCOMES_KEPT_BYTES, SESSION_COUNTS } from "../sessions/session-limits.js";
import { NO_RESULT, outcomeFields, type ResolvedQuestion } from "./question-result.js";

/** Called once, when the outcome is safe. */
export type OutcomeListener = (resolved: ResolvedQuestion) => void;

export interface QuestionOutcomes {
  /**
   * Remembers an outcome, and calls `listeners` when it is safe: at once, or when `durable` resolves. If `durable` rejects, they are called when the
   * journal has recovered. If the process ends before that, the question is open again after the restart.
   */
  readonly add: (
    outcome: ResolvedQuestion,
    listeners: readonly OutcomeListener[],
    durable: Promise<void> | undefined,
  ) => void;
  /** "unsafe" until the journal has made the outcome safe; undefined for a question that is unknown or forgotten. */
  readonly find: (token: string) => ResolvedQuestion | "unsafe" | undefined;
  /** The session of an outcome, safe or not; undefined for one that is unknown or forgotten. */
  readonly sessionOf: (token: string) => string | undefined;
  /** Calls `done` once, when the outcome is safe. */
  readonly whenDurable: (token: string, done: OutcomeListener) => void;
  readonly forgetSession: (sessionId: string) => void;
  /** Reads the outcomes that the previous boot stored. */
  readonly restore: (log: Pick<Log, "error">) => void;
}

export interface QuestionOutcomesOptions {
  /** Most outcomes of a session. Default 256. */
  readonly maxCount?: number;
  /** Most bytes of all sessions' outcomes together, by estimate. Default 8 MiB. */
  readonly maxBytes?: number;
  /** Stores outcomes for the next boot. Default: nothing is stored. */
  readonly durableState?: DurableState;
  /**
   * Returns a promise that resolves when all that was journaled is safe; undefined if it is safe already. Throws or rejects while the journal fails.
   * Default: always safe.
   */
  readonly whenDurable?: () => Promise<void> | undefined;
  /** Called with what a listener threw. The other listeners are called all the same. Default: ignored. */
  readonly accident?: (caught: unknown) => void;
  /** Calls `again` after a while. Default: never. */
  readonly later?: (again: () => void) => void;
}

interface KnownOutcome {
  /** Rises with each outcome, and gives their order. */
  readonly number: number;
  readonly outcome: ResolvedQuestion;
  readonly bytes: number;
}

/** Estimated bytes of an outcome without its members. */
const ENTRY_OVERHEAD_BYTES = 400;

/** An outcome in the durable state, under its token, without undefined members. */
interface OutcomeRecord extends ResolvedQuestion {
  readonly number: number;
}

/** Remembers the newest `maxCount` outcomes of each session, and the newest `maxBytes` of all sessions together, by estimate. */
export function createQuestionOutcomes(options: QuestionOutcomesOptions = {}): QuestionOutcomes {
  const { maxCount = SESSION_COUNTS.outcomes, maxBytes = OUTCOMES_KEPT_BYTES } = options;
  const { whenDurable = () => undefined, later = () => undefined } = options;
  const onDisk = options.durableState ?? NO_DURABLE_STATE;
  let lastNumber = 0;
  // In the order of outcomes, the oldest first.
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
    if (tokens.size > maxCount && oldest !== undefined) forget(oldest);
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
