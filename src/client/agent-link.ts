// An agent's connection to its daemon, made again when it is lost, by the rules of its options (R8, R8b).
import { Fault, faultFrom } from "../base/errors.js";
import type { RpcConnection } from "../contracts/rpc.js";
import type { CloseInfo } from "../contracts/transport.js";
import type { AgentState } from "./agent-states.js";
import { type BackOffOptions, backOffMs, isHopeless } from "./back-off.js";
import { createPause } from "./pause.js";
import { PLATFORM_TIMERS, type Timers } from "./platform-clock.js";

export interface AgentLinkOptions {
  /** `always`; `never`: the agent has ended with its first connection. Default `always`. */
  readonly reconnect?: "always" | "never";
  readonly backOff?: BackOffOptions;
  /** A connection that lasted as long as this resets the back-off, ms. Default 10,000. */
  readonly stableAfterMs?: number;
  /** May not throw. */
  readonly onState?: (state: AgentState) => void;
  /** Default the platform's. */
  readonly timers?: Timers;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: () => number;
}

export interface AgentLinkServices {
  /** Makes one connection; called again for each attempt. */
  readonly connect: () => Promise<RpcConnection>;
  /**
   * Takes over by a new connection what the lost one had, and answers the sessions that could not be. Calls `goesOn` whenever the daemon has
   * answered. Rejects where it has to be tried again.
   */
  readonly comeBack: (connection: RpcConnection, goesOn: () => void) => Promise<readonly string[]>;
  /** A connection is there to be used. */
  readonly up: (connection: RpcConnection) => void;
  readonly down: () => void;
  /** For good. */
  readonly over: (fault: Fault) => void;
}

export interface AgentLink {
  /** Resolves when there is no connection any more, and no attempt at one. */
  readonly close: () => Promise<void>;
  /** Resolves when there will be no further connection, with how the last one ended. Never rejects. */
  readonly closed: Promise<CloseInfo>;
}

/** How long a daemon may take to answer for some sessions, ms. Then the connection counts as lost. */
const ANSWER_MS = 10_000;

/** Begins with a connection. Rejects with the Fault of `connect` where that fails: a wrong address is told at once. */
export async function createAgentLink(services: AgentLinkServices, options: AgentLinkOptions): Promise<AgentLink> {
  const {
    reconnect = "always",
    stableAfterMs = 10_000,
    onState = () => {},
    timers = PLATFORM_TIMERS,
    chance = Math.random,
  } = options;
  let connection = await services.connect();
  let isClosing = false;
  const pause = createPause(timers);

  function end(info: CloseInfo, because: Fault): CloseInfo {
    services.over(isClosing ? closedHere() : because);
    onState({ kind: "ended", because: isClosing ? undefined : because });
    return info;
  }

  /** One attempt. Answers the sessions that it lost, or why it failed. */
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
      // Closed while the attempt was under way, the client takes nothing over any more.
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
  // A turn later, so that the first state finds who just created the client.
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
  return new Fault("peer_gone", "This client was closed before the daemon had answered.", { origin: "local" });
}
