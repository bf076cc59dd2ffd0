// The reply tokens of the newest questions of all sessions, so that no token is used twice (AAEP §6.2). They outlive their sessions and the process.
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { readDurable } from "../journal/durable-entry.js";

interface Use {
  readonly number: number;
  readonly sessionId: string;
}

export class UsedTokens {
  private readonly durableState: DurableState;
  private readonly maxCount: number;
  // In the order in which they were used.
  private readonly uses = new Map<string, Use>();
  private lastNumber = 0;

  /** `maxCount`: tokens remembered; beyond it the oldest is forgotten whose question is not open. */
  constructor(durableState: DurableState, maxCount: number) {
    this.durableState = durableState;
    this.maxCount = maxCount;
  }

  has(token: string): boolean {
    return this.uses.has(token);
  }

  /** `isOpen` returns whether a question of the session with the token is open. */
  add(token: string, sessionId: string, isOpen: (sessionId: string, token: string) => boolean): void {
    this.lastNumber += 1;
    this.uses.set(token, { number: this.lastNumber, sessionId });
    this.durableState.put(["token", this.lastNumber], () => [token, sessionId]);
    for (const [oldest, use] of this.uses) {
      if (this.uses.size <= this.maxCount) return;
      if (isOpen(use.sessionId, oldest)) continue;
      this.uses.delete(oldest);
      this.durableState.put(["token", use.number], () => undefined);
    }
  }

  /** Reads the tokens of the previous boot. */
  restore(log: Pick<Log, "error">): void {
    readDurable(this.durableState, ["token"], log, (value, [, number]) => {
      const [token, sessionId] = value as readonly [string, string];
      this.lastNumber = Math.max(this.lastNumber, Number(number));
      this.uses.set(token, { number: Number(number), sessionId });
    });
  }
}
