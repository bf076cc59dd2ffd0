// Subscriptions whose listeners use calls beside their stream, found by id and key (R19).
import { Fault } from "../../../base/errors.js";
import type { SubscriptionHandler } from "../subscriber/subscription-handler.js";

export interface KeyedSubscription {
  readonly handler: SubscriptionHandler;
  /** Ends the subscription's stream in order. */
  readonly end: () => void;
}

export interface KeyedSubscriptions {
  readonly add: (one: KeyedSubscription) => void;
  readonly remove: (id: string) => void;
  /** Undefined for an unknown id and for a wrong key; the caller cannot distinguish the two. */
  readonly find: (id: unknown, key: unknown) => KeyedSubscription | undefined;
  /** As `find`, but throws `unknown_subscription`. */
  readonly needed: (id: unknown, key: unknown) => KeyedSubscription;
}

export function createKeyedSubscriptions(): KeyedSubscriptions {
  const subscriptions = new Map<string, KeyedSubscription>();

  const find = (id: unknown, key: unknown): KeyedSubscription | undefined => {
    const one = typeof id === "string" ? subscriptions.get(id) : undefined;
    const isKnown = isSameKey(typeof key === "string" ? key : "", one?.handler.key ?? NO_KEY);
    return isKnown ? one : undefined;
  };

  return {
    add: (one) => void subscriptions.set(one.handler.id, one),
    remove: (id) => void subscriptions.delete(id),
    find,
    needed: (id, key) => {
      const one = find(id, key);
      if (one !== undefined) return one;
      const sentence =
        "There is no such subscription of Listen; give the subscription_id of its acceptance, and the key of its honored_capabilities.aaepd.";
      throw new Fault("unknown_subscription", sentence, { pointer: "/subscription_id", rule: "R19" });
    },
  };
}

/** As long as a real key, so that the search for an unknown subscription takes as long as for a known one. */
const NO_KEY = "-".repeat(32);

/** Compares without an early exit, so that the time reveals nothing about a guess. */
function isSameKey(given: string, key: string): boolean {
  let difference = given.length ^ key.length;
  for (let index = 0; index < key.length; index++) difference |= given.charCodeAt(index) ^ key.charCodeAt(index);
  return difference === 0;
}
