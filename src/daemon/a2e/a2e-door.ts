// The way into A2E: nothing of it is loaded before a provider is configured or a peer speaks it.
import type { Millis } from "../../contracts/clock.js";
import type { Conversation, FirstMessage } from "../../contracts/protocol.js";
import type { Connection } from "../../contracts/transport.js";
import { isA2eType } from "../../protocols/a2e/messages/first-types.js";
import type { TextCodec } from "../../runtime/run-exchange.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import type { A2eHost, A2eHostServices, A2eReport } from "./a2e-host.js";

export interface A2eDoor {
  readonly recognizes: (first: FirstMessage) => boolean;
  /** `frames`: the frames of the connection. Default: the UTF-8 of a message. */
  readonly serve: (connection: Connection<Uint8Array>, frames?: TextCodec<Uint8Array>) => Conversation;
  /** Loads A2E, with the providers of the configuration. */
  readonly open: () => Promise<A2eHost>;
  /** Undefined while A2E was never used. */
  readonly report: () => A2eReport | undefined;
  /** Numbers for the metrics; 0 while A2E was never used. */
  readonly counts: () => { readonly agents: number; readonly providers: number; readonly requests: number };
  /** Ends the agents' sessions, as their requests end, at `until` at the latest. */
  readonly endAgents: (until: Millis) => Promise<void>;
  /** Ends the providers of the configuration, at `until` at the latest. */
  readonly stop: (until: Millis) => Promise<void>;
}

export function createA2eDoor(options: DaemonOptions, services: A2eHostServices): A2eDoor {
  let opened: Promise<A2eHost> | undefined;
  let host: A2eHost | undefined;
  const conversations = new Set<Conversation>();
  const open = (): Promise<A2eHost> => {
    opened ??= import("./a2e-host.js").then(({ startA2eHost }) => {
      host = startA2eHost(options, services);
      return host;
    });
    return opened;
  };
  return {
    open,
    recognizes: ({ members }) => isA2eType(members.type),
    serve: (connection, frames) => {
      const served =
        host === undefined
          ? later(open().then((one) => one.serve(connection, frames)))
          : host.serve(connection, frames);
      conversations.add(served);
      void served.done.then(() => conversations.delete(served));
      return served;
    },
    endAgents: async (until) => {
      await Promise.all(Array.from(conversations, (one) => one.finish("producer_shutdown", until)));
    },
    report: () => host?.report(),
    counts: () => {
      const { agents = 0, providers = [] } = host?.report() ?? {};
      return {
        agents,
        providers: providers.filter(({ state }) => state === "ready").length,
        requests: providers.reduce((sum, { requests }) => sum + requests, 0),
      };
    },
    stop: async (until) => {
      if (opened !== undefined) await (await opened).stop(until);
    },
  };
}

/** A conversation that begins when the code of its protocol is loaded. */
function later(conversation: Promise<Conversation>): Conversation {
  return {
    finish: async (reason, until) => (await conversation).finish(reason, until),
    inputEnded: conversation.then((one) => one.inputEnded),
    done: conversation.then((one) => one.done),
  };
}
