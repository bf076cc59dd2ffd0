// Outcomes of questions, their lines in the audit log, and the listeners that wait until an outcome is safe (AAEP §10 T3, R8, R29). Bounded, because
// an agent may ask for ever.
import type { Audit, AuditEntry } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { textSize } from "../event/event-size.js";
import { readDurable } from "../journal/durable-entry.js";
import { OUTCOMES_KEPT_BYTES, SESSION_COUNTS } from "../sessions/session-limits.js";
import type { WakeUps } from "../time/wake-ups.js";
import { outcomeFields, type ResolvedQuestion } from "./question-result.js";

/** The subscription that decided a question, with its reply as it came. Without `reply` it has left the question to the agent's own window (R5b). */
export interface Decider {
  readonly subscription_id: string;
  readonly subscriber_id: string;
  readonly reply?: unknown;
}

export interface OutcomesServices {
  readonly clock: Pick<Clock, "now" | "wallTime">;
  readonly wakeUps: WakeUps;
  readonly audit: Audit;
  /** Stores open questions, outcomes, and lines that the log lacks, for the next boot, and says when they are safe (R29). */
  readonly journal: Pick<Journal, "durable" | "durableState">;
  readonly log: Pick<Log, "error">;
  /** Called once with each outcome, when it is safe. */
  readonly resolved: (resolved: ResolvedQuestion) => void;
}

/** The lines of one outcome that the log may lack. `at`: milliseconds since 1970. */
interface Lines {
  readonly at: number;
  readonly entries: readonly AuditEntry[];
}

/** An outcome in the durable state, under its token, without undefined members. */
interface OutcomeRecord extends ResolvedQuestion {
  readonly number: number;
  readonly lines?: Lines | undefined;
}

interface Kept {
  /** Rises with each outcome, and gives their order. */
  readonly number: number;
  readonly outcome: ResolvedQuestion;
  readonly bytes: number;
  /** The lines that are stored until the log has them; undefined if it has them, or keeps none. */
  lines: Lines | undefined;
  isForgotten: boolean;
}

/** Estimated bytes of an outcome without its members. */
const ENTRY_OVERHEAD_BYTES = 400;
/** Wait before the journal that failed is asked again whether an outcome is safe, in ms. */
const RETRY_MS = 1000;

/** Remembers the newest `maxCount` outcomes of each session, and the newest `maxBytes` of all sessions together, by estimate. */
export class QuestionOutcomes {
  private readonly services: OutcomesServices;
  private readonly maxCount: number;
  private readonly maxBytes: number;
  // In the order of outcomes, the oldest first.
  private readonly known = new Map<string, Kept>();
  private readonly tokensOf = new Map<string, Set<string>>();
  // Outcomes that are not safe yet, with their lines for the log.
  private readonly unsafe = new Map<string, { readonly one: Kept; readonly lines: Lines }>();
  private cancelRetry: (() => void) | undefined;
  private isClosed = false;
  private lastNumber = 0;
  private bytes = 0;
  private unwrittenCount = 0;
  private waitingForLog: (() => void)[] = [];

  constructor(services: OutcomesServices, maxCount = SESSION_COUNTS.outcomes, maxBytes = OUTCOMES_KEPT_BYTES) {
    this.services = services;
    this.maxCount = maxCount;
    this.maxBytes = maxBytes;
  }

  /**
   * Remembers an outcome. When it is safe, at once or when `durable` resolves, its lines go to the audit log and `resolved` is called. If `durable`
   * rejects, that happens when the journal has recovered. If the process ends before that, the question is open again after the restart.
   */
  add(outcome: ResolvedQuestion, decider: Decider | undefined, durable: Promise<void> | undefined): void {
    const { audit, journal, clock } = this.services;
    const lines = { at: clock.wallTime(), entries: entriesOf(outcome, decider) };
    const isLineKept = journal.durableState.isDurable && audit.isOn;
    const one = this.keep(outcome, this.lastNumber + 1, isLineKept ? lines : undefined);
    this.store(one);
    this.unsafe.set(outcome.question.token, { one, lines });
    if (durable === undefined) this.tell(outcome.question.token);
    else
      durable.then(
        () => this.tell(outcome.question.token),
        () => this.retryLater(),
      );
  }

  /** "unsafe" until the journal has made the outcome safe; undefined for a question that is unknown or forgotten. */
  find(token: string): ResolvedQuestion | "unsafe" | undefined {
    return this.unsafe.has(token) ? "unsafe" : this.known.get(token)?.outcome;
  }

  /** The session of an outcome, safe or not; undefined for one that is unknown or forgotten. */
  sessionOf(token: string): string | undefined {
    return (this.unsafe.get(token)?.one ?? this.known.get(token))?.outcome.question.sessionId;
  }

  forgetSession(sessionId: string): void {
    for (const token of [...(this.tokensOf.get(sessionId) ?? [])]) this.forget(token);
  }

  /** Reads the outcomes of the previous boot, and writes the lines that it did not write. If the log was switched off since, they are dropped. */
  restore(): void {
    const { journal, audit, log } = this.services;
    const found: OutcomeRecord[] = [];
    readDurable(journal.durableState, ["outcome"], log, (value) => {
      const { number, question, result, lines } = value as OutcomeRecord;
      found.push({
        number,
        question: { ...question },
        result: { ...result },
        lines: lines && { at: lines.at, entries: [...lines.entries] },
      });
    });
    found.sort((a, b) => a.number - b.number);
    for (const { number, lines, ...outcome } of found) {
      const one = this.keep(outcome, number, audit.isOn ? lines : undefined);
      if (lines !== undefined && !audit.isOn) this.store(one);
      if (one.lines !== undefined) this.write(one, one.lines);
    }
  }

  /** Returns a promise that resolves when the log has every line that it was given and that is stored; undefined if it has them already. */
  audited(): Promise<void> | undefined {
    return this.unwrittenCount === 0 ? undefined : new Promise((resolve) => this.waitingForLog.push(resolve));
  }

  /** Cancels the timer. */
  close(): void {
    this.isClosed = true;
    this.cancelRetry?.();
  }

  /** Asks the journal after a second whether all that was journaled is safe now. */
  private retryLater(): void {
    if (this.isClosed || this.cancelRetry !== undefined) return;
    this.cancelRetry = this.services.wakeUps.at(this.services.clock.now() + RETRY_MS, () => {
      this.cancelRetry = undefined;
      const tokens = [...this.unsafe.keys()];
      const tell = (): void => {
        for (const token of tokens) this.tell(token);
      };
      try {
        const durable = this.services.journal.durable();
        if (durable === undefined) tell();
        else durable.then(tell, () => this.retryLater());
      } catch {
        this.retryLater();
      }
    });
  }

  private tell(token: string): void {
    const safe = this.unsafe.get(token);
    if (safe === undefined) return;
    this.unsafe.delete(token);
    const { one, lines } = safe;
    try {
      this.write(one, lines);
      this.services.resolved(one.outcome);
    } catch (caught) {
      this.services.log.error({ err: caught }, "somebody could not be told the outcome of a question");
    }
  }

  private keep(outcome: ResolvedQuestion, number: number, lines: Lines | undefined): Kept {
    const { token, sessionId } = outcome.question;
    this.lastNumber = Math.max(this.lastNumber, number);
    const bytes = ENTRY_OVERHEAD_BYTES + textSize(JSON.stringify(outcomeFields(outcome)));
    const one: Kept = { number, outcome, bytes, lines, isForgotten: false };
    this.forget(token);
    this.known.set(token, one);
    this.bytes += bytes;
    const tokens = this.tokensOf.get(sessionId) ?? new Set();
    this.tokensOf.set(sessionId, tokens.add(token));
    const [oldest] = tokens;
    if (tokens.size > this.maxCount && oldest !== undefined) this.forget(oldest);
    for (const [oldestOfAll] of this.known) {
      if (this.bytes <= this.maxBytes) break;
      this.forget(oldestOfAll);
    }
    return one;
  }

  private forget(token: string): void {
    const one = this.known.get(token);
    if (one === undefined) return;
    this.known.delete(token);
    this.bytes -= one.bytes;
    const { sessionId } = one.outcome.question;
    const tokens = this.tokensOf.get(sessionId);
    tokens?.delete(token);
    if (tokens?.size === 0) this.tokensOf.delete(sessionId);
    one.isForgotten = true;
    this.store(one);
  }

  /** Stores an outcome until it is forgotten and the log has its lines. */
  private store(one: Kept): void {
    const { outcome, number } = one;
    this.services.journal.durableState.put(["outcome", outcome.question.token], () =>
      one.isForgotten && one.lines === undefined
        ? undefined
        : ({ number, ...outcome, lines: one.lines } satisfies OutcomeRecord),
    );
  }

  /** Writes lines to the log; once it has them all, they are stored no longer. If that is unknown after a kill, they are written again unchanged. */
  private write(one: Kept, { entries, at }: Lines): void {
    let left = entries.length;
    if (one.lines !== undefined) this.unwrittenCount += 1;
    const settled = (): void => {
      left -= 1;
      if (left > 0 || one.lines === undefined) return;
      one.lines = undefined;
      this.store(one);
      this.unwrittenCount -= 1;
      if (this.unwrittenCount === 0) for (const tell of this.waitingForLog.splice(0)) tell();
    };
    for (const entry of entries) this.services.audit.record(entry, { at, settled });
  }
}

/** The reply that counted, or who left the question; and the outcome. */
function entriesOf(outcome: ResolvedQuestion, decider: Decider | undefined): readonly AuditEntry[] {
  const { token: reply_token, eventId: event_id } = outcome.question;
  const resolved: AuditEntry = { kind: "outcome", event_id, reply_token, outcome: outcomeFields(outcome) };
  if (decider === undefined) return [resolved];
  const { subscription_id, subscriber_id } = decider;
  const by = { reply_token, subscription_id, subscriber_id };
  if (!("reply" in decider)) return [{ kind: "left", event_id, ...by }, resolved];
  return [{ kind: "reply", fate: "counted", token_is_open: true, ...by, reply: decider.reply }, resolved];
}
