// Unanswered calls of an agent. The calls outlive their connection and go over the next one in the order in which they were made: the daemon answers
// a repeated call as it answered the first (R3).
import { Fault, type FaultCode, faultFrom } from "../base/errors.js";
import { assertWritable } from "../base/json-number.js";
import type { RpcConnection } from "../contracts/rpc.js";
import type { Timers } from "./platform-clock.js";

type Link = Pick<RpcConnection, "request" | "writable">;

export interface AgentCallsOptions {
  /** Whether a call that its connection did not answer is sent again over the next one; if false, the call is rejected. */
  readonly repeats: boolean;
  /** How long calls wait for a connection, ms. */
  readonly patienceMs: number;
  /** The fault of calls that have waited so long. Undefined: calls wait for ever. */
  readonly longAway?: Fault | undefined;
  /** A connection that lasts this long, ms, ends a period without connection. Any answer ends the period too. */
  readonly stableAfterMs: number;
  readonly timers: Timers;
}

interface Call {
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (fault: Fault) => void;
}

/** Codes that answer a call that the daemon did not take: a later connection or the daemon's next boot will take it, so the call is sent again. */
export const UNTAKEN: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down"]);

/** Most calls that wait for a connection. Further calls are rejected at once. */
const MOST_WAITING = 4096;
/** Most calls under way at a time; the next call is sent when one is answered. */
const MOST_ON_THEIR_WAY = 1024;

/** Begins without a connection; calls wait for the first one. */
export class AgentCalls {
  readonly #options: AgentCallsOptions;
  // In the order in which they were made, sent or not.
  readonly #calls = new Set<Call>();
  #unsent = new Set<Call>();
  #onTheirWay = 0;
  #link: Link | undefined;
  #isSending = false;
  // Faults with which calls are rejected now: `#ended` for good, `#givenUp` until there is a connection again.
  #ended: Fault | undefined;
  #givenUp: Fault | undefined;
  #awaySince: number | undefined;
  #upSince: number;
  #cancelPatience = (): void => {};

  constructor(options: AgentCallsOptions) {
    this.#options = options;
    this.#upSince = options.timers.now();
  }

  /**
   * As `RpcConnection.request`, and waits while there is no connection. Rejects with "rate_limit" if too many calls already wait, and with
   * "peer_gone" if the wait takes too long.
   */
  request(method: string, params: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const refusal = this.#ended ?? this.#givenUp;
      if (refusal !== undefined) return reject(refusal);
      if (this.#link === undefined && this.#calls.size >= MOST_WAITING) return reject(tooMany());
      assertWritable(params);
      const call: Call = { method, params, resolve, reject };
      this.#calls.add(call);
      this.#unsent.add(call);
      void this.#send();
    });
  }

  /** Sends every unanswered call over this connection, and every later call. */
  goOver(link: Link): void {
    this.#link = link;
    this.#unsent = new Set(this.#calls);
    this.#onTheirWay = 0;
    this.#givenUp = undefined;
    this.#upSince = this.#options.timers.now();
    this.#cancelPatience();
    void this.#send();
  }

  /** Reports the loss of the connection: calls wait for the next one. */
  wait(): void {
    const { longAway, patienceMs, stableAfterMs, timers } = this.#options;
    this.#link = undefined;
    const now = timers.now();
    if (this.#awaySince === undefined || now - this.#upSince >= stableAfterMs) this.#awaySince = now;
    if (longAway === undefined) return;
    this.#cancelPatience = timers.wakeAt(this.#awaySince + patienceMs, () => {
      this.#givenUp = longAway;
      this.#rejectAll(longAway);
    });
  }

  /** Rejects every unanswered call and every later one. */
  end(fault: Fault): void {
    this.#ended = fault;
    this.#link = undefined;
    this.#cancelPatience();
    this.#rejectAll(fault);
  }

  #rejectAll(fault: Fault): void {
    for (const { reject } of this.#calls) reject(fault);
    this.#calls.clear();
    this.#unsent.clear();
  }

  /** Sends as the connection takes, so that many waiting calls do not break it. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (const over = this.#link; over !== undefined && over === this.#link; await over.writable()) {
        const [next] = this.#unsent;
        if (next === undefined || this.#onTheirWay >= MOST_ON_THEIR_WAY) return;
        this.#unsent.delete(next);
        this.#make(next, over);
      }
    } finally {
      this.#isSending = false;
    }
    // The connection was replaced meanwhile.
    if (this.#link !== undefined) await this.#send();
  }

  #make(call: Call, over: Link): void {
    this.#onTheirWay += 1;
    const answered = (settle: () => void): void => {
      // Answers over a lost connection no longer count.
      if (this.#link !== over || !this.#calls.delete(call)) return;
      this.#onTheirWay -= 1;
      this.#awaySince = undefined;
      settle();
      void this.#send();
    };
    over.request(call.method, call.params).then(
      (result) => answered(() => call.resolve(result)),
      (caught: unknown) => {
        const fault = faultFrom(caught);
        if (!this.#options.repeats || !UNTAKEN.has(fault.code)) answered(() => call.reject(fault));
      },
    );
  }
}

function tooMany(): Fault {
  const sentence = `Wait for the daemon: ${MOST_WAITING} calls wait for it.`;
  return new Fault("rate_limit", sentence, { origin: "local" });
}
