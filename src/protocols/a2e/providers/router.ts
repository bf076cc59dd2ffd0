// Which provider has which capability. The first provider of a capability keeps it unless another has a higher priority; when it leaves, the next one
// in this order has it.
import type { Turns } from "../../../engine/time/turns.js";
import type { CapabilityName, ServedCapability } from "../messages/capabilities.js";
import type { A2eMessage } from "../messages/message.js";

/** The news of one request, in the order in which its provider sent it. Of the last four, one comes once, and last. */
export interface RequestNews {
  /** A message about the request that does not end it. */
  readonly event: (message: A2eMessage, text: string) => void;
  readonly answered: (message: A2eMessage, text: string) => void;
  /** The provider answered by an `error`. */
  readonly refused: (message: A2eMessage, text: string) => void;
  /** The provider's message about the request could not be read. It may have been the answer. */
  readonly unreadable: () => void;
  /** No answer will come. `sentence` says why. */
  readonly lost: (sentence: string) => void;
}

/** The capabilities of a provider, and its place in the order. */
export interface Offer {
  readonly name: string;
  readonly kind: "child" | "peer";
  /** A higher priority takes a capability from a provider that has it. */
  readonly priority: number;
  readonly capabilities: readonly ServedCapability[];
}

/** A host that serves capabilities: a child process, or a peer that registered. */
export interface Provider {
  readonly offer: Offer;
  /**
   * Sends a request, under an id of the daemon's own. Calls `news` in later calls of the connection, or at once if nothing can be sent, and not after
   * the returned function was called.
   */
  readonly request: (text: string, news: RequestNews) => () => void;
  /** Sends a message that needs no answer. */
  readonly passOn: (text: string) => void;
  /** Requests that the provider has or that wait for it. */
  readonly requestCount: () => number;
}

/** A capability with the provider that has it now. */
export interface Held {
  readonly provider: Provider;
  readonly served: ServedCapability;
}

/** Told of the text of a message that a provider sends to all agents that may use it. */
type ProviderListener = (provider: Provider, text: string) => void;

const MOST_ANNOUNCEMENTS = 1000;
/** UTF-16 units of them. */
const MOST_ANNOUNCED_UNITS = 4 * 1024 * 1024;

export class Router {
  private readonly turns: Turns;
  private readonly failed: (caught: unknown) => void;
  /** In the order in which they came. */
  private readonly present = new Set<Provider>();
  private readonly holders = new Map<CapabilityName, Held>();
  private readonly listeners = new Set<ProviderListener>();
  private waitingCount = 0;
  private waitingUnits = 0;

  /** `turns`: those of all announcements (R34). `failed` is called with the error of a listener. */
  constructor(turns: Turns, failed: (caught: unknown) => void) {
    this.turns = turns;
    this.failed = failed;
  }

  /** Adds a provider. Returns the function that removes it. */
  add(provider: Provider): () => void {
    const { capabilities } = provider.offer;
    const chooseAll = (): void => {
      for (const { name } of capabilities) this.choose(name);
    };
    this.present.add(provider);
    chooseAll();
    return () => {
      if (this.present.delete(provider)) chooseAll();
    };
  }

  holderOf(capability: CapabilityName): Held | undefined {
    return this.holders.get(capability);
  }

  providers(): readonly Provider[] {
    return [...this.present];
  }

  /** Joins a listener until the returned function is called. */
  listen(listener: ProviderListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Tells the listeners, over several turns if there are many. While 1,000 announcements or 4 Mi UTF-16 units of them wait, more are dropped. */
  announce(provider: Provider, text: string): void {
    if (this.waitingCount >= MOST_ANNOUNCEMENTS || this.waitingUnits >= MOST_ANNOUNCED_UNITS) return;
    this.waitingCount += 1;
    this.waitingUnits += text.length;
    this.turns.run(() => {
      this.waitingCount -= 1;
      this.waitingUnits -= text.length;
      try {
        for (const listener of this.listeners) listener(provider, text);
      } catch (caught) {
        this.failed(caught);
      }
    });
  }

  private choose(capability: CapabilityName): void {
    let best: Held | undefined;
    for (const provider of this.present) {
      const { capabilities, priority } = provider.offer;
      const served = capabilities.find(({ name }) => name === capability);
      if (served !== undefined && (best === undefined || priority > best.provider.offer.priority))
        best = { provider, served };
    }
    if (best === undefined) this.holders.delete(capability);
    else this.holders.set(capability, best);
  }
}
