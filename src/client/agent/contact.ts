// An agent's contact to a daemon: finds one, goes back to it, finds another one when it is lost, or is silent.
import { Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { RpcConnection, RpcHandlers } from "../../contracts/rpc.js";
import { type BackOffOptions, backOffMs, Pause, type Timers } from "../timers.js";
import { AgentClient, type AgentClientState } from "./agent-client.js";
import type { AgentConnector, OpenAgentOptions } from "./agent-options.js";
import { withOwn } from "./own-extension.js";
import type { AgentStatus } from "./session-types.js";

/** The options of an agent, with their defaults. */
export type AgentSettings = OpenAgentOptions & { readonly [Name in WithDefault]: NonNullable<OpenAgentOptions[Name]> };
type WithDefault =
  | "chance"
  | "gatherMs"
  | "mostQueuedCharacters"
  | "mostQueuedEvents"
  | "patienceMs"
  | "timers"
  | "unheard";

/** What a contact tells its agent. */
export interface ContactNews {
  /** A daemon does not know these sessions any more. */
  readonly onLost: (sessionIds: readonly string[]) => void;
  /** A daemon and everything in it is gone. */
  readonly onGone: () => void;
  /** A way to a daemon is closed to the agent. */
  readonly onRefused: (because: Fault) => void;
  readonly onStatus: (status: AgentStatus) => void;
  readonly onNotification: (method: string, params: unknown) => void;
}

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

/** Its first search is under way when it is made. */
export class Contact {
  readonly #options: AgentSettings;
  readonly #news: ContactNews;
  readonly #pause: Pause;
  #status: AgentStatus = { kind: "away", because: undefined };
  #client: AgentClient | undefined;
  #awaySince: number | undefined;
  #foundAt = 0;
  #audible: Promise<void> = Promise.resolve();
  #searchAgainAt = 0;
  #vainSearches = 0;
  #quickLosses = 0;
  #search: Promise<void>;

  constructor(options: AgentSettings, news: ContactNews) {
    this.#options = options;
    this.#news = news;
    this.#pause = new Pause(options.timers);
    this.#search = this.#look();
  }

  get status(): AgentStatus {
    return this.#status;
  }

  /** The client of the daemon, also while the daemon is away. */
  get client(): AgentClient | undefined {
    return this.#client;
  }

  /** Since when the daemon is away, an instant of the timers; undefined if it is there, or if there is none. */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /** Whether there is no daemon, and none is looked for. */
  get isMute(): boolean {
    return this.#status.kind === "silent" || this.#isClosed;
  }

  /** Resolves at the end of a search with the client; with undefined if there is no daemon. Never rejects. */
  async found(): Promise<AgentClient | undefined> {
    // A daemon may be lost again as soon as it was found.
    for (let current = this.#search; ; current = this.#search) {
      await current;
      if (current === this.#search) return this.#client;
    }
  }

  /** Resolves when the listeners of this user have had the time to find the daemon. */
  audible(): Promise<void> {
    return this.#audible;
  }

  /** Looks for a daemon again if there is none, unless the last search was a moment ago. */
  lookAgain(): void {
    if (this.#status.kind !== "silent" || this.#options.timers.now() < this.#searchAgainAt) return;
    this.#quickLosses = 0;
    this.#become({ kind: "away", because: this.#status.because });
    this.#search = this.#look();
  }

  async close(): Promise<void> {
    const last = this.#client;
    this.#become({ kind: "closed" });
    this.#pause.cutShort();
    this.#client = undefined;
    await last?.close();
  }

  get #isClosed(): boolean {
    return this.#status.kind === "closed";
  }

  #become(next: AgentStatus): void {
    if (this.#isClosed) return;
    const isChange = next.kind !== this.#status.kind;
    this.#status = next;
    this.#awaySince = next.kind === "away" ? (this.#awaySince ?? this.#options.timers.now()) : undefined;
    if (isChange) this.#news.onStatus(next);
  }

  #observe(state: AgentClientState): void {
    switch (state.kind) {
      case "active":
        this.#become({ kind: "connected" });
        if (state.lostSessions.length > 0) this.#news.onLost(state.lostSessions);
        break;
      case "waiting":
        this.#become({ kind: "away", because: state.because });
        break;
      case "ended":
        if (state.because !== undefined) this.#lose(state.because);
    }
  }

  #lose(because: Fault): void {
    this.#client = undefined;
    if (this.#isClosed) return;
    const wasStable = this.#options.timers.now() - this.#foundAt >= STABLE_MS;
    this.#quickLosses = wasStable ? 0 : this.#quickLosses + 1;
    if (wasStable) this.#vainSearches = 0;
    this.#become({ kind: "away", because });
    if (this.#quickLosses <= MOST_QUICK_LOSSES) this.#search = this.#look();
    else {
      this.#search = Promise.resolve();
      this.#fallSilent(because);
    }
    this.#news.onGone();
  }

  #fallSilent(because: Fault): void {
    this.#searchAgainAt = this.#options.timers.now() + backOffMs(this.#vainSearches, 1, SEARCH_AGAIN);
    this.#vainSearches += 1;
    this.#become({ kind: "silent", because });
  }

  async #look(): Promise<void> {
    const { connectors, timers, chance, backOff } = this.#options;
    // A turn later, so that the owner of the contact can observe its first state.
    await Promise.resolve();
    if (this.#quickLosses > 0) await this.#pause.take(backOffMs(this.#quickLosses, chance(), backOff));
    let because = new Fault("not_found", "No connector is given.", { origin: "local" });
    for (const connector of connectors) {
      if (this.#isClosed) return;
      try {
        const client = await this.#reach(connector);
        if (this.#isClosed) return await client.close();
        this.#client = client;
        this.#foundAt = timers.now();
        const { findingMs } = connector;
        if (findingMs !== undefined) this.#audible = new Pause(timers).take(findingMs);
        return this.#become({ kind: "connected" });
      } catch (caught) {
        const fault = faultFrom(caught);
        if (!isAbsence(fault)) this.#news.onRefused(fault);
        // A refusal is why, whatever the other ways say.
        if (isAbsence(because)) because = fault;
      }
    }
    this.#fallSilent(because);
  }

  /** Rejects also if the peer goes before it has answered, or does not answer in time: then it is no daemon. */
  #reach({ connect, isLasting = true }: AgentConnector): Promise<AgentClient> {
    const { timers, chance, backOff } = this.#options;
    const { promise: given, reject: giveUp } = withResolvers<never>();
    const connectQuietly = async (handlers: RpcHandlers): Promise<RpcConnection> => {
      const connection = await connect(handlers);
      // An agent that nobody waits for keeps no program running.
      connection.unref?.();
      return connection;
    };
    let reached: AgentClient | undefined;
    const opening = AgentClient.open(connectQuietly, {
      reconnect: isLasting ? "always" : "never",
      timers,
      chance,
      backOff,
      onNotification: this.#news.onNotification,
      onState: (state) => {
        if (reached !== undefined && reached === this.#client) this.#observe(state);
        if (state.kind === "waiting") giveUp(state.because);
      },
    });
    const declared = opening.then(async (one) => {
      reached = one;
      await one.setManifest(manifestOf(this.#options));
      return one;
    });
    const { searchMs = isLasting ? ANSWER_MS : START_MS } = this.#options;
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

function manifestOf({ id, name, manifest, language, pid, onStop, onUserInput }: AgentSettings): Members {
  const own = {
    agent_name: name ?? id,
    ...(language === undefined ? {} : { languages_supported: [language.replaceAll("_", "-")] }),
    ...manifest,
    agent_id: id,
  };
  return withOwn(own, {
    pid,
    can_stop: onStop && true,
    takes_user_input: onUserInput && true,
  });
}
