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

/** An agent's session, as far as providers concern it. */
interface ProviderListener {
  /** Told of a message that a provider sends to all agents that may use it. */
  readonly announced: (provider: Provider, text: string) => void;
}

export interface Router {
  /** Adds a provider. Returns the function that removes it. */
  readonly add: (provider: Provider) => () => void;
  readonly holderOf: (capability: CapabilityName) => Held | undefined;
  readonly providers: () => readonly Provider[];
  /** Joins a listener until the returned function is called. */
  readonly listen: (listener: ProviderListener) => () => void;
  /**
   * Tells the listeners, over several turns if there are many. While 1,000 announcements or 4 Mi UTF-16 units of them wait, more are dropped.
   */
  readonly announce: (provider: Provider, text: string) => void;
}

const MOST_ANNOUNCEMENTS = 1000;
/** UTF-16 units of them. */
const MOST_ANNOUNCED_UNITS = 4 * 1024 * 1024;

/** `turns`: those of all announcements (R34). `failed` is called with the error of a listener. */
export function createRouter(turns: Turns, failed: (caught: unknown) => void): Router {
  /** In the order in which they came. */
  const providers = new Set<Provider>();
  const listeners = new Set<ProviderListener>();
  const holders = new Map<CapabilityName, Held>();
  let waitingCount = 0;
  let waitingUnits = 0;

  const choose = (capability: CapabilityName): void => {
    let best: Held | undefined;
    for (const provider of providers) {
      const served = provider.capabilities.find(({ name }) => name === capability);
      if (served !== undefined && (best === undefined || provider.priority > best.provider.priority))
        best = { provider, served };
    }
    if (best === undefined) holders.delete(capability);
    else holders.set(capability, best);
  };

  return {
    add: (provider) => {
      providers.add(provider);
      for (const { name } of provider.capabilities) choose(name);
      return () => {
        if (!providers.delete(provider)) return;
        for (const { name } of provider.capabilities) choose(name);
      };
    },
    holderOf: (capability) => holders.get(capability),
    providers: () => [...providers],
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    announce: (provider, text) => {
      if (waitingCount >= MOST_ANNOUNCEMENTS || waitingUnits >= MOST_ANNOUNCED_UNITS) return;
      waitingCount += 1;
      waitingUnits += text.length;
      turns.run(() => {
        waitingCount -= 1;
        waitingUnits -= text.length;
        try {
          for (const listener of listeners) listener.announced(provider, text);
        } catch (caught) {
          failed(caught);
        }
      });
    },
  };
}
