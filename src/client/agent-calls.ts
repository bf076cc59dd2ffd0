// Calls of an agent that are not answered yet. They outlive the connection that they went over, and go over the next one in the order in which they
// were made: the daemon answers a repeated one as it answered the first (R3).
import { Fault, type FaultCode, faultFrom } from "../base/errors.js";
import type { RpcConnection } from "../contracts/rpc.js";
import type { Timers } from "./platform-clock.js";

type Link = Pick<RpcConnection, "request" | "writable">;

export interface AgentCalls {
  /**
   * As `RpcConnection.request`, and waits while there is no connection. Rejects with "rate_limit" where too many wait already, and with
   * "peer_gone" where the wait has taken too long.
   */
  readonly request: RpcConnection["request"];
  /** All that is not answered goes over this connection, and then all that is asked for. */
  readonly goOver: (link: Link) => void;
  /** The connection is lost: calls wait for the next. */
  readonly wait: () => void;
  /** Rejects what is not answered, and all that is asked for from now on. */
  readonly end: (fault: Fault) => void;
}

export interface AgentCallsOptions {
  /** Whether a call that its connection did not answer is made again over the next; else it is rejected. */
  readonly repeats: boolean;
  /** How long calls wait for a connection, ms. Infinity: for ever. */
  readonly patienceMs: number;
  /** A connection that lasted as long as this ends a time without one, ms; so does any answer. */
  readonly stableAfterMs: number;
  readonly timers: Timers;
}

interface Call {
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (fault: Fault) => void;
}

/** What a call is answered with that the daemon has not taken, and will, or its next run: it is made again. */
export const UNTAKEN: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down"]);

/** Most calls that wait for a connection. An agent that makes more than that without an answer is told so at once. */
const MOST_WAITING = 4096;
/** Most calls that are on their way at a time; the next goes when one is answered. */
const MOST_ON_THEIR_WAY = 1024;

/** Waits for its first connection. */
export function createAgentCalls(options: AgentCallsOptions): AgentCalls {
  const { repeats, patienceMs, stableAfterMs, timers } = options;
  // In the order in which they were made, whether they are on their way or not.
  const calls = new Set<Call>();
  let unsent = new Set<Call>();
  let onTheirWay = 0;
  let link: Link | undefined;
  let isSending = false;
  // The faults that calls are rejected with meanwhile: for good, or until there is a connection again.
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
      // A connection that is lost counts for nothing any more.
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

  /** As the connection takes it, so that much that has waited does not break it. */
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
    // There was another connection meanwhile.
    if (link !== undefined) await send();
  };

  const giveUp = (): void => {
    givenUp = longAway(patienceMs);
    rejectAll(givenUp);
  };

  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const refusal = ended ?? givenUp;
        if (refusal !== undefined) return reject(refusal);
        if (link === undefined && calls.size >= MOST_WAITING) return reject(tooMany());
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
      if (patienceMs <= LONGEST_PATIENCE_MS) cancelPatience = timers.wakeAt(awaySince + patienceMs, giveUp);
    },
    end: (fault) => {
      ended = fault;
      link = undefined;
      cancelPatience();
      rejectAll(fault);
    },
  };
}

/** Longer than a timer can be set to. */
const LONGEST_PATIENCE_MS = 0x7fff_ffff;

function longAway(patienceMs: number): Fault {
  const sentence = `The daemon is away, and was not back within ${patienceMs / 1000} s. Start it, and try again. It may have taken this; it tells of a repeat with the same ids, and of a question by its reply_token (outcomeOf).`;
  return new Fault("peer_gone", sentence, { origin: "local" });
}

function tooMany(): Fault {
  const sentence = `Wait for answers, or for the daemon: ${MOST_WAITING} calls wait for a connection to it.`;
  return new Fault("rate_limit", sentence, { origin: "local" });
}
