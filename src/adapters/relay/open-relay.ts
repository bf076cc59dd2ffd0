// A relay, and the connection to the daemon that hears it.
import { Fault, faultFrom } from "../../base/errors.js";
import { AgentClient } from "../../client/agent/agent-client.js";
import { ipcRpcConnector } from "../../client/node.js";
import { PLATFORM_TIMERS } from "../../client/timers.js";
import { claimName } from "../claim-name.js";
import type { Speech } from "../language.js";
import { Relay } from "./relay.js";
import { producerAddress } from "./relay-address.js";
import type { RelayNews } from "./relay-news.js";
import { RelayCounts } from "./relay-report.js";

export interface OpenRelayOptions {
  /** As of `relayAddress`. */
  readonly base: string;
  /** The daemon's socket. */
  readonly socket: string;
  /** Where the relays of this user are noted, so that nothing is heard twice. */
  readonly runtimeFolder: string | undefined;
  readonly speech: Speech;
  /** Must not throw. */
  readonly onNews: (news: RelayNews) => void;
}

export interface OpenRelay {
  /** Resolves when the daemon is gone for good, with why, or after `close`. */
  readonly ended: Promise<Fault | undefined>;
  readonly close: () => Promise<void>;
}

/** Rejects with the Fault "address_in_use" where the producer is relayed already, or as `AgentClient.open`. */
export async function openRelay({ base, socket, runtimeFolder, speech, onNews }: OpenRelayOptions): Promise<OpenRelay> {
  const { host } = new URL(base);
  const key = `relay ${producerAddress(base)}`;
  const { name, release } = claimName(key, runtimeFolder, process.getuid?.());
  try {
    if (name !== key) throw new Fault("address_in_use", `Another process relays ${host} already.`, { origin: "local" });
    let last: Fault | undefined;
    let refusal: Fault | undefined;
    let counts: RelayCounts | undefined;
    const client = await AgentClient.open(ipcRpcConnector(socket), {
      onState: (state) => {
        if (state.kind === "ended") last = state.because;
        if (state.kind === "active") counts?.tell();
      },
    });
    await client.setManifest({
      agent_id: "aaepd-relay",
      agent_name: `Relay of ${host}`,
      languages_supported: [speech.language],
    });
    const counted = new RelayCounts({
      host,
      client,
      timers: PLATFORM_TIMERS,
      journal: () => relay.journal,
      onRefused: (fault) => {
        if (fault.code === "address_in_use") return relay.yieldTo(fault);
        refusal = fault;
        void client.close();
      },
    });
    counts = counted;
    const relay = new Relay({
      base,
      client,
      words: speech.words,
      timers: PLATFORM_TIMERS,
      chance: Math.random,
      mayOpen: () => counted.tellNow(),
      onNews: (news) => {
        counted.count(news);
        onNews(news);
      },
    });
    const running = relay.run();
    const ended = client.closed.then(async () => {
      relay.close();
      counted.close();
      await running;
      release();
      return refusal ?? last;
    });
    return { ended, close: () => client.close() };
  } catch (caught) {
    release();
    throw faultFrom(caught);
  }
}
