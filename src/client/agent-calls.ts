// Unanswered calls of an agent. The calls outlive their connection and go over the next one in the order in which they were made: the daemon answers
// a repeated call as it answered the first (R3).
import { Fault, type FaultCode, faultFrom } from "../base/errors.js";
import { assertWritable } from "../base/json-number.js";
import type { RpcConnection } from "../contracts/rpc.js";
import type { Timers } from "./platform-clock.js";

type Link = Pick<RpcConnection, "request" | "writable">;

export interface AgentCalls {
  /**
   * As `RpcConnection.request`, and waits while there is no connection. Rejects with "rate_limit" if too many calls already wait, and with
   * "peer_gone" if the wait takes too long.
   */
  readonly request: RpcConnection["request"];
  /** Sends every unanswered call over this connection, and every later call. */
  readonly goOver: (link: Link) => void;
  /** Reports the loss of the connection: calls wait for the next one. */
  readonly wait: () => void;
  /** Rejects every unanswered call and every later one. */
  readonly end: (fault: Fault) => void;
}

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

/** Creates the calls without a connection; they wait for the first one. */
export function createAgentCalls(options: AgentCallsOptions): AgentCalls {
  const { repeats, patienceMs, longAway, stableAfterMs, timers } = options;
  // In the order in which they were made, sent or not.
  const calls = new Set<Call>();
  let unsent = new Set<Call>();
  let onTheirWay = 0;
  let link: Link | undefined;
  let isSending = false;
  // Faults with which calls are rejected now: `ended` for good, `givenUp` until there is a connection again.
  let ended: Fault | undefined;
  let givenUp: Fault | undefined;
  let awaySince: number | undefined;
  let upSince = timers.now();
  let cancelPatience: () => void = () => {};

  const rejectAll = (fault: Fault): void => {
    for (const { reject } of calls) reject(fault);
    calls.clear();
    unsent.clear();
  };

  const make = (call: Call, over: Link): void => {
    onTheirWay += 1;
    const answered = (settle: () => void): void => {
      // Answers over a lost connection no longer count.
      if (link !== over || !calls.delete(call)) return;
      onTheirWay -= 1;
      awaySince = undefined;
      settle();
      void send();
    };
    over.request(call.method, call.params).then(
      (result) => answered(() => call.resolve(result)),
      (caught: unknown) => {
        const fault = faultFrom(caught);
        if (!repeats || !UNTAKEN.has(fault.code)) answered(() => call.reject(fault));
      },
    );
  };

  /** Sends as the connection takes, so that many waiting calls do not break it. */
  const send = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    try {
      for (const over = link; over !== undefined && over === link; await over.writable()) {
        const [next] = unsent;
        if (next === undefined || onTheirWay >= MOST_ON_THEIR_WAY) return;
        unsent.delete(next);
        make(next, over);
      }
    } finally {
      isSending = false;
    }
    // The connection was replaced meanwhile.
    if (link !== undefined) await send();
  };

  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const refusal = ended ?? givenUp;
        if (refusal !== undefined) return reject(refusal);
        if (link === undefined && calls.size >= MOST_WAITING) return reject(tooMany());
        assertWritable(params);
        const call: Call = { method, params, resolve, reject };
        calls.add(call);
        unsent.add(call);
        void send();
      }),
    goOver: (next) => {
      link = next;
      unsent = new Set(calls);
      onTheirWay = 0;
      givenUp = undefined;
      upSince = timers.now();
      cancelPatience();
      void send();
    },
    wait: () => {
      link = undefined;
      const now = timers.now();
      if (awaySince === undefined || now - upSince >= stableAfterMs) awaySince = now;
      if (longAway === undefined) return;
      cancelPatience = timers.wakeAt(awaySince + patienceMs, () => {
        givenUp = longAway;
        rejectAll(longAway);
      });
    },
    end: (fault) => {
      ended = fault;
      link = undefined;
      cancelPatience();
      rejectAll(fault);
    },
  };
}

function tooMany(): Fault {
  const sentence = `Wait for the daemon: ${MOST_WAITING} calls wait for it.`;
  return new Fault("rate_limit", sentence, { origin: "local" });
}
