// An agent's contact to a daemon: finds one, goes back to it, finds another one when it is lost, or is silent.
import { Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { type AgentManifest, connectClient, type PublishingClient } from "../agent-client.js";
import type { AgentState } from "../agent-states.js";
import { type BackOffOptions, backOffMs } from "../back-off.js";
import { Pause } from "../pause.js";
import type { Timers } from "../platform-clock.js";
import type { AgentConnector, OpenAgentOptions } from "./agent-options.js";
import type { AgentStatus } from "./agent-status.js";
import { withOwn } from "./own-extension.js";

export interface Contact {
  readonly status: () => AgentStatus;
  /** The client of the daemon, also while the daemon is away. */
  readonly client: () => PublishingClient | undefined;
  /** Resolves at the end of a search with the client; with undefined if there is no daemon. Never rejects. */
  readonly found: () => Promise<PublishingClient | undefined>;
  /** Resolves when the listeners of this user have had the time to find the daemon. */
  readonly audible: () => Promise<void>;
  /** Whether there is no daemon, and none is looked for. */
  readonly isMute: () => boolean;
  /** Since when the daemon is away, an instant of the timers; undefined if it is there, or if there is none. */
  readonly awaySince: () => number | undefined;
  /** Looks for a daemon again if there is none, unless the last search was a moment ago. */
  readonly lookAgain: () => void;
  readonly close: () => Promise<void>;
}

export interface ContactListeners {
  /** A daemon does not know these sessions any more. */
  readonly lost: (sessionIds: readonly string[]) => void;
  /** A daemon and everything in it is gone. */
  readonly gone: (because: Fault) => void;
  /** A way to a daemon is closed to the agent. */
  readonly refused: (because: Fault) => void;
  readonly status: (status: AgentStatus) => void;
  /** A person asks for the end of an AAEP session. Undefined if the agent cannot be asked. */
  readonly stop: ((sessionId: string) => void) | undefined;
}

export type ContactOptions = Pick<
  OpenAgentOptions,
  "id" | "name" | "manifest" | "language" | "connectors" | "backOff" | "chance" | "onWaiting" | "pid" | "searchMs"
> & { readonly timers: Timers };

/** How long a daemon may take to answer, ms, and one that has to be started first. */
const ANSWER_MS = 2000;
const START_MS = 10_000;

/** Steps of that time. A step counts the same, however long the process had no turn in it. */
const SEARCH_STEPS = 20;

/** A silent agent looks for a daemon again after so long, ms, and after twice as long each time that there is none. */
const SEARCH_AGAIN: BackOffOptions = { firstMs: 5000, longestMs: 300_000 };
/** A daemon that was there as long as this, ms, did not fail at once. */
const STABLE_MS = 10_000;
/** So many daemons in a row may be lost soon after they were found. Then the agent is silent. */
const MOST_QUICK_LOSSES = 5;

/** Codes that mean that no daemon answers. */
const ABSENT: ReadonlySet<FaultCode> = new Set<FaultCode>(["not_found", "peer_gone", "timed_out"]);

/** Creates the contact. Its first search is under way then. */
export function createContact(options: ContactOptions, listeners: ContactListeners): Contact {
  const { connectors, timers, chance = Math.random, backOff } = options;
  const pause = new Pause(timers);
  let status: AgentStatus = { kind: "away", because: undefined };
  let client: PublishingClient | undefined;
  let awaySince: number | undefined;
  let foundAt = 0;
  let audible: Promise<void> = Promise.resolve();
  let searchAgainAt = 0;
  let vainSearches = 0;
  let quickLosses = 0;

  const become = (next: AgentStatus): void => {
    if (status.kind === "closed") return;
    const isChange = next.kind !== status.kind;
    status = next;
    awaySince = next.kind === "away" ? (awaySince ?? timers.now()) : undefined;
    if (isChange) listeners.status(next);
  };
  const isClosed = (): boolean => status.kind === "closed";

  function observe(state: AgentState, of: PublishingClient): void {
    if (of !== client) return;
    switch (state.kind) {
      case "active":
        become({ kind: "connected" });
        if (state.lostSessions.length > 0) listeners.lost(state.lostSessions);
        break;
      case "waiting":
        become({ kind: "away", because: state.because });
        break;
      case "ended":
        if (state.because !== undefined) lose(state.because);
    }
  }

  function lose(because: Fault): void {
    client = undefined;
    if (isClosed()) return;
    const wasStable = timers.now() - foundAt >= STABLE_MS;
    quickLosses = wasStable ? 0 : quickLosses + 1;
    if (wasStable) vainSearches = 0;
    become({ kind: "away", because });
    search = quickLosses > MOST_QUICK_LOSSES ? fallSilent(because) : look();
    listeners.gone(because);
  }

  async function fallSilent(because: Fault): Promise<undefined> {
    searchAgainAt = timers.now() + backOffMs(vainSearches, 1, SEARCH_AGAIN);
    vainSearches += 1;
    become({ kind: "silent", because });
  }

  /** Rejects also if the peer goes before it has answered, or does not answer in time: then it is no daemon. */
  function reach({ connect, isLasting = true }: AgentConnector): Promise<PublishingClient> {
    let reached: PublishingClient | undefined;
    const { promise: given, reject: giveUp } = withResolvers<never>();
    const connectQuietly: AgentConnector["connect"] = async (handlers) => {
      const connection = await connect(handlers);
      // An agent that nobody waits for keeps no program running.
      connection.unref?.();
      return connection;
    };
    const opening = connectClient(connectQuietly, {
      reconnect: isLasting ? "always" : "never",
      // The outbox holds what waits. The client waits with its few calls as long as the agent does.
      patienceMs: 0,
      stableAfterMs: STABLE_MS,
      timers,
      chance,
      backOff,
      onWaiting: options.onWaiting,
      onNotification: (method, params) => {
        if (method === "aaep.stop_requested")
          listeners.stop?.(String((params as { readonly session_id?: unknown }).session_id));
      },
      onState: (state) => {
        if (reached !== undefined) observe(state, reached);
        if (state.kind === "waiting") giveUp(state.because);
      },
    });
    const declared = opening.then(async (one) => {
      reached = one;
      await one.setManifest(manifestOf(options, listeners.stop !== undefined));
      return one;
    });
    const { searchMs = isLasting ? ANSWER_MS : START_MS } = options;
    const cancel = afterTurns(searchMs, timers, () =>
      giveUp(new Fault("timed_out", "The daemon does not answer.", { origin: "local" })),
    );
    return Promise.race([declared, given])
      .catch((caught: unknown) => {
        opening.then((one) => one.close()).catch(() => {});
        throw caught;
      })
      .finally(cancel);
  }

  async function look(): Promise<PublishingClient | undefined> {
    // A turn later, so that the creator of the contact can observe its first state.
    await Promise.resolve();
    if (quickLosses > 0) await pause.take(backOffMs(quickLosses, chance(), backOff));
    let because = new Fault("not_found", "No connector is given.", { origin: "local" });
    for (const connector of connectors) {
      if (isClosed()) return undefined;
      try {
        const one = await reach(connector);
        if (isClosed()) {
          await one.close();
          return undefined;
        }
        client = one;
        foundAt = timers.now();
        const { findingMs } = connector;
        if (findingMs !== undefined) audible = new Pause(timers).take(findingMs);
        become({ kind: "connected" });
        return one;
      } catch (caught) {
        const fault = faultFrom(caught);
        if (!isAbsence(fault)) listeners.refused(fault);
        // A refusal is why, whatever the other ways say.
        if (isAbsence(because)) because = fault;
      }
    }
    return fallSilent(because);
  }

  let search: Promise<PublishingClient | undefined> = look();

  return {
    status: () => status,
    client: () => client,
    found: async () => {
      // A daemon may be lost again as soon as it was found.
      for (let current = search; ; current = search) {
        await current;
        if (current === search) return client;
      }
    },
    audible: () => audible,
    isMute: () => status.kind === "silent" || isClosed(),
    awaySince: () => awaySince,
    lookAgain: () => {
      if (status.kind !== "silent" || timers.now() < searchAgainAt) return;
      quickLosses = 0;
      become({ kind: "away", because: status.because });
      search = look();
    },
    close: async () => {
      const last = client;
      become({ kind: "closed" });
      pause.cutShort();
      client = undefined;
      await last?.close();
    },
  };
}

/**
 * Calls `run` after so long, ms, in turns of this process. A process that loads a package, or waits for a processor, has no turn to take the answer
 * in: that time counts as one step.
 */
function afterTurns(milliseconds: number, timers: Timers, run: () => void): () => void {
  let stepsLeft = SEARCH_STEPS;
  let cancel: () => void = () => {};
  const step = (): void => {
    if (stepsLeft === 0) {
      run();
      return;
    }
    stepsLeft -= 1;
    cancel = timers.wakeAt(timers.now() + milliseconds / SEARCH_STEPS, step);
  };
  step();
  return () => cancel();
}

/** Whether the fault means that no daemon answers. */
export function isAbsence({ code }: Fault): boolean {
  return ABSENT.has(code);
}

function manifestOf({ id, name, manifest, language, pid }: ContactOptions, canStop: boolean): AgentManifest {
  const own = {
    agent_name: name ?? id,
    ...(language === undefined ? {} : { languages_supported: [language.replaceAll("_", "-")] }),
    ...manifest,
    agent_id: id,
  };
  return withOwn(own, { pid, can_stop: canStop ? true : undefined }) as AgentManifest;
}
