// Calls of an agent that are not answered yet. They outlive the connection that they went over, and go over the next one in the order in which they
// were made: the daemon answers a repeated one as it answered the first (R3).
import { Fault, type FaultCode, faultFrom } from "../base/errors.js";
import type { RpcConnection } from "../contracts/rpc.js";
import type { Timers } from "./platform-clock.js";

type Over = Pick<RpcConnection, "request">;

export interface AgentCalls {
  /**
   * As `RpcConnection.request`, and waits while there is no connection. Rejects with "rate_limit" where too many wait already, and with "peer_gone"
   * where the wait has taken too long.
   */
  readonly request: RpcConnection["request"];
  /** All that is not answered goes over this connection, and then all that is asked for. */
  readonly goOver: (connection: Over) => void;
  /** The connection is lost: calls wait for the next. */
  readonly wait: () => void;
  /** Rejects what is not answered, and all that is asked for from now on. */
  readonly end: (fault: Fault) => void;
}

interface Call {
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (fault: Fault) => void;
  /** Where it went last. */
  over: Over | undefined;
}

/** What a call is answered with that the daemon has not taken, and will, or its next run: it is made again. */
const UNTAKEN: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down"]);

/** Most calls that wait for a connection. Who makes more than that without an answer is told so at once. */
const MOST_WAITING = 4096;

export interface AgentCallsOptions {
  /** Whether a call that its connection did not answer is made again over the next; else it is rejected. */
  readonly repeats: boolean;
  /** How long calls wait for a connection, ms. */
  readonly patienceMs: number;
  readonly timers: Timers;
}

/** Waits for its first connection. */
export function createAgentCalls({ repeats, patienceMs, timers }: AgentCallsOptions): AgentCalls {
  const calls = new Set<Call>();
  let connection: Over | undefined;
  // What calls are rejected with meanwhile: for good, or until there is a connection again.
  let ended: Fault | undefined;
  let givenUp: Fault | undefined;
  let cancelPatience: () => void = () => {};

  const rejectAll = (fault: Fault): void => {
    for (const { reject } of calls) reject(fault);
    calls.clear();
  };

  const make = (call: Call, over: Over): void => {
    call.over = over;
    over.request(call.method, call.params).then(
      (result) => {
        calls.delete(call);
        call.resolve(result);
      },
      (caught: unknown) => {
        const fault = faultFrom(caught);
        // The next connection may have it by now.
        if (call.over !== over || (repeats && ended === undefined && UNTAKEN.has(fault.code))) return;
        calls.delete(call);
        call.reject(fault);
      },
    );
  };

  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const refusal = ended ?? givenUp;
        if (refusal !== undefined) return reject(refusal);
        if (connection === undefined && calls.size >= MOST_WAITING) return reject(tooMany());
        const call: Call = { method, params, resolve, reject, over: undefined };
        calls.add(call);
        if (connection !== undefined) make(call, connection);
      }),
    goOver: (next) => {
      connection = next;
      givenUp = undefined;
      cancelPatience();
      for (const call of calls) make(call, next);
    },
    wait: () => {
      connection = undefined;
      cancelPatience = timers.wakeAt(timers.now() + patienceMs, () => {
        givenUp = longAway(patienceMs);
        rejectAll(givenUp);
      });
    },
    end: (fault) => {
      ended = fault;
      connection = undefined;
      cancelPatience();
      rejectAll(fault);
    },
  };
}

function longAway(patienceMs: number): Fault {
  const sentence = `The daemon is away, and was not back within ${patienceMs / 1000} s. Start it, and try again; an event that may have been taken, with the event_id that it had.`;
  return new Fault("peer_gone", sentence, { origin: "local" });
}

function tooMany(): Fault {
  const sentence = `Wait for answers, or for the daemon: ${MOST_WAITING} calls wait for a connection to it.`;
  return new Fault("rate_limit", sentence, { origin: "local" });
}
