// An agent's connection to its daemon, replaced when it is lost, by the rules of its options (R8, R8b).
import { Fault, faultFrom } from "../base/errors.js";
import type { RpcConnection } from "../contracts/rpc.js";
import type { CloseInfo } from "../contracts/transport.js";
import type { AgentState } from "./agent-states.js";
import { type BackOffOptions, backOffMs, isHopeless } from "./back-off.js";
import { Pause } from "./pause.js";
import type { Timers } from "./platform-clock.js";

export interface AgentLinkOptions {
  /** `always`; `never`: the agent ends with its first connection. Default `always`. */
  readonly reconnect?: "always" | "never";
  readonly backOff?: BackOffOptions | undefined;
  /** A connection that lasted as long as this resets the back-off, ms. Default 10,000. */
  readonly stableAfterMs?: number;
  /** Must not throw. */
  readonly onState?: (state: AgentState) => void;
  /** Default the platform's. */
  readonly timers?: Timers;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: () => number;
}

/** The options with all that has a default. */
export type CompleteLinkOptions = AgentLinkOptions &
  Required<Pick<AgentLinkOptions, "reconnect" | "stableAfterMs" | "timers" | "chance">>;

export interface AgentLinkServices {
  /** Makes one connection; called for each attempt. */
  readonly connect: () => Promise<RpcConnection>;
  /**
   * Takes over with a new connection everything that the lost one had. Resolves with the sessions that could not be taken over. Calls `goesOn` after
   * each answer of the daemon. Rejects if the attempt has to be repeated.
   */
  readonly comeBack: (connection: RpcConnection, goesOn: () => void) => Promise<readonly string[]>;
  /** Reports a connection that is ready for use. */
  readonly up: (connection: RpcConnection) => void;
  readonly down: () => void;
  /** Reports that no connection will follow. */
  readonly over: (fault: Fault) => void;
}

export interface AgentLink {
  /** Resolves when the connection is closed and no attempt is under way. */
  readonly close: () => Promise<void>;
  /** Resolves when no further connection will follow, with the end of the last one. Never rejects. */
  readonly closed: Promise<CloseInfo>;
}

/** How long a daemon may take to answer for some sessions, ms. After that the connection counts as lost. */
const ANSWER_MS = 10_000;

/** Starts with a first connection. Rejects with the Fault of `connect` if that fails, so that a wrong address is reported at once. */
export async function createAgentLink(services: AgentLinkServices, options: CompleteLinkOptions): Promise<AgentLink> {
  const { reconnect, stableAfterMs, onState = () => {}, timers, chance } = options;
  let connection = await services.connect();
  let isClosing = false;
  const pause = new Pause(timers);

  function end(info: CloseInfo, because: Fault): CloseInfo {
    services.over(isClosing ? closedHere() : because);
    onState({ kind: "ended", because: isClosing ? undefined : because });
    return info;
  }

  /** Makes one attempt. Resolves with the lost sessions, or with the fault of the attempt. */
  async function attempt(): Promise<readonly string[] | Fault> {
    try {
      connection = await services.connect();
    } catch (caught) {
      return faultFrom(caught);
    }
    const { close } = connection;
    const timeOut = (): (() => void) => timers.wakeAt(timers.now() + ANSWER_MS, () => void close());
    let cancelTimeout = timeOut();
    const goesOn = (): void => {
      cancelTimeout();
      cancelTimeout = timeOut();
    };
    try {
      // A client that was closed during the attempt takes nothing over.
      if (isClosing) throw closedHere();
      return await services.comeBack(connection, goesOn);
    } catch (caught) {
      await close();
      return faultFrom(caught);
    } finally {
      cancelTimeout();
    }
  }

  async function keep(): Promise<CloseInfo> {
    let retry = 0;
    let since = timers.now();
    for (;;) {
      const info = await connection.closed;
      services.down();
      if (timers.now() - since >= stableAfterMs) retry = 0;
      let attempted: readonly string[] | Fault = faultOf(info);
      for (; attempted instanceof Fault; retry += 1) {
        if (isClosing || reconnect === "never" || isHopeless(attempted)) return end(info, attempted);
        const retryInMs = backOffMs(retry, chance(), options.backOff);
        onState({ kind: "waiting", retryInMs, because: attempted });
        await pause.take(retryInMs);
        if (isClosing) return end(info, attempted);
        attempted = await attempt();
      }
      since = timers.now();
      services.up(connection);
      onState({ kind: "active", isResumed: true, lostSessions: attempted });
    }
  }

  services.up(connection);
  // A turn later, so that the creator of the client can observe the first state.
  const closed = Promise.resolve().then(() => {
    onState({ kind: "active", isResumed: false, lostSessions: [] });
    return keep();
  });
  return {
    close: async () => {
      isClosing = true;
      pause.cutShort();
      await connection.close();
      await closed;
    },
    closed,
  };
}

function faultOf({ fault }: CloseInfo): Fault {
  return fault ?? new Fault("peer_gone", "The daemon has ended the connection.");
}

function closedHere(): Fault {
  return new Fault("peer_gone", "This client was closed before the answer.", { origin: "local" });
}
