// The two lines of an outcome in the audit log: the reply that counted, or who left the question, and the outcome. Both are stored until the log
// has them, so that a kill at any instant loses neither (AAEP §10 T3, R29). If it is unknown whether the lines were written, they are written again
// unchanged.
import type { Audit, AuditEntry } from "../../contracts/audit.js";
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { readDurable } from "../journal/durable-entry.js";
import type { Decision } from "./pending-question.js";
import { outcomeFields, type ResolvedQuestion } from "./question-result.js";

export interface OutcomeAudit {
  /**
   * Stores the lines of an outcome in one group with the outcome itself. Returns the function that writes them to the log. Call it once, when the
   * outcome is safe, so that the log reports only outcomes that happened.
   */
  readonly addPending: (outcome: ResolvedQuestion, decision: Decision) => () => void;
  /** Writes the lines that the previous boot did not write. */
  readonly restore: (log: Pick<Log, "error">) => void;
  /** Returns a promise that resolves when the log has every pending line; undefined if none is pending. */
  readonly settled: () => Promise<void> | undefined;
}

/** The lines of one question that the log may lack. */
interface LinesRecord {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly entries: readonly AuditEntry[];
}

export function createOutcomeAudit(audit: Audit, durableState: DurableState): OutcomeAudit {
  let pendingCount = 0;
  let waiting: (() => void)[] = [];

  const isOver = (): void => {
    pendingCount -= 1;
    if (pendingCount > 0) return;
    for (const tell of waiting) tell();
    waiting = [];
  };

  const write = ({ entries, at }: LinesRecord, written: () => void): void => {
    let left = entries.length;
    const settled = (): void => {
      left -= 1;
      if (left === 0) written();
    };
    for (const entry of entries) audit.record(entry, { at, settled });
  };

  const addPending = (lines: LinesRecord): (() => void) => {
    let isWritten = false;
    let isKept = false;
    pendingCount += 1;
    durableState.put(["audit", lines.token], () => {
      if (isWritten) return undefined;
      isKept = true;
      return lines;
    });
    return () =>
      write(lines, () => {
        isWritten = true;
        if (isKept) durableState.put(["audit", lines.token], () => undefined);
        isOver();
      });
  };

  return {
    addPending: (outcome, decision) => {
      const lines = { token: outcome.question.token, at: decision.at, entries: entriesOf(outcome, decision) };
      return durableState.isDurable && audit.isOn ? addPending(lines) : () => write(lines, () => {});
    },
    restore: (log) => {
      const found: LinesRecord[] = [];
      readDurable(durableState, ["audit"], log, (value) => {
        const { token, at, entries } = value as LinesRecord;
        found.push({ token, at, entries: [...entries] });
      });
      found.sort((a, b) => a.at - b.at);
      for (const lines of found) {
        // If the log was switched off since, the lines are dropped.
        if (audit.isOn) addPending(lines)();
        else durableState.put(["audit", lines.token], () => undefined);
      }
    },
    settled: () => (pendingCount === 0 ? undefined : new Promise((resolve) => waiting.push(resolve))),
  };
}

function entriesOf(outcome: ResolvedQuestion, { reply }: Decision): readonly AuditEntry[] {
  const { token, eventId } = outcome.question;
  const resolved: AuditEntry = {
    kind: "outcome",
    event_id: eventId,
    reply_token: token,
    outcome: outcomeFields(outcome),
  };
  if (reply === undefined) return [resolved];
  if (!("reply" in reply)) return [{ kind: "left", event_id: eventId, reply_token: token, ...reply }, resolved];
  return [{ kind: "reply", fate: "counted", reply_token: token, token_is_open: true, ...reply }, resolved];
}
