// A daemon, and the producers elsewhere that it relays to its own listeners (R38). Each comes in over the daemon's own socket, as of `aaepd relay`.
import { currentPlace, ipcDirectories } from "../../transports/ipc/paths.js";
import { usage } from "../base/errors.js";
import type { DaemonOptions } from "./config/daemon-options.js";
import { type Daemon, startDaemon } from "./daemon.js";

/** As `startDaemon`. Throws the Fault `usage` for relays that others could read on their way, and for relays without a socket. */
export async function startDaemonAndRelays(options: DaemonOptions): Promise<Daemon> {
  if (options.relay.length === 0) return startDaemon(options);
  const { relayAddress } = await import("../adapters/relay/relay-address.js");
  const open = options.relay.find((base) => relayAddress(base, options.relayPlainHttp) === undefined);
  if (open !== undefined)
    throw usage(`Give https for the relay of ${open}, which is on another machine, or allow http: --relay-plain-http`);
  if (options.socket.kind === "off") throw usage("A relay needs the local socket. Leave out --socket off, or --relay.");
  const daemon = await startDaemon(options);
  const relays = await startRelays(options, String(daemon.endpoints.ipc));
  return {
    ...daemon,
    stop: async (reason) => {
      await relays.stop();
      return daemon.stop(reason);
    },
  };
}

/** Begins to relay. A producer that cannot be relayed is told to the log. */
async function startRelays({ relay, defaultLanguage, log, place = currentPlace() }: DaemonOptions, socket: string) {
  const [{ openRelay }, { createRelayNews }, { speechOf }] = await Promise.all([
    import("../adapters/relay/open-relay.js"),
    import("../adapters/relay/relay-news.js"),
    import("../adapters/language.js"),
  ]);
  const opened = relay.map(async (base) => {
    const { host } = new URL(base);
    const ended = (err: unknown): void => log.warn({ relay: host, err }, "a producer is not relayed");
    try {
      const one = await openRelay({
        base,
        socket,
        runtimeFolder: ipcDirectories(place)[0],
        speech: speechOf(defaultLanguage, {}),
        onNews: createRelayNews(base, (words) => log.info({ relay: host }, words)),
      });
      void one.ended.then((because) => because && ended(because));
      return one;
    } catch (caught) {
      ended(caught);
      return undefined;
    }
  });
  return { stop: () => Promise.all(opened.map(async (one) => (await one)?.close())) };
}
