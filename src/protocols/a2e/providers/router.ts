// Which provider has which capability. The first provider of a capability keeps it unless another has a higher priority; when it leaves, the next one
// in this order has it.
import type { Turns } from "../../../engine/time/turns.js";
import type { CapabilityName, ServedCapability } from "../messages/capabilities.js";
import type { Provider } from "./provider.js";

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
    const chooseAll = (): void => {
      for (const { name } of provider.capabilities) this.choose(name);
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
      const served = provider.capabilities.find(({ name }) => name === capability);
      if (served !== undefined && (best === undefined || provider.priority > best.provider.priority))
        best = { provider, served };
    }
    if (best === undefined) this.holders.delete(capability);
    else this.holders.set(capability, best);
  }
}
