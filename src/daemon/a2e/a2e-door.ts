// The way into A2E: nothing of it runs before a provider is configured or a peer speaks it.
import type { Millis } from "../../contracts/clock.js";
import type { FirstMessage } from "../../contracts/protocol.js";
import { isA2eType } from "../../protocols/a2e/messages/first-types.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { createExchangeDoor, type ExchangeDoor } from "../exchanges/exchange-door.js";
import type { A2eHost, A2eHostServices, A2eReport } from "./a2e-host.js";

export interface A2eDoor extends Pick<ExchangeDoor<A2eHost>, "load" | "serve" | "open" | "endAll"> {
  readonly recognizes: (first: FirstMessage) => boolean;
  /** Undefined while A2E was never used. */
  readonly report: () => A2eReport | undefined;
  /** Numbers for the metrics; 0 while A2E was never used. */
  readonly counts: () => { readonly agents: number; readonly providers: number; readonly requests: number };
  /** Ends the providers of the configuration, at `until` at the latest. */
  readonly stop: (until: Millis) => Promise<void>;
}

export function createA2eDoor(options: DaemonOptions, services: A2eHostServices): A2eDoor {
  const { load, serve, open, opened, endAll } = createExchangeDoor(async () => {
    const { startA2eHost } = await import("./a2e-host.js");
    return () => startA2eHost(options, services);
  });
  return {
    load,
    serve,
    open,
    endAll,
    recognizes: ({ members }) => isA2eType(members.type),
    report: () => opened()?.report(),
    counts: () => {
      const { agents = 0, providers = [] } = opened()?.report() ?? {};
      return {
        agents,
        providers: providers.filter(({ state }) => state === "ready").length,
        requests: providers.reduce((sum, { requests }) => sum + requests, 0),
      };
    },
    stop: async (until) => {
      await opened()?.stop(until);
    },
  };
}
