// Tells agents of events: finds the subscriptions that an event concerns, and hands it to their agents. Many matches take several turns of the event
// loop (R34).

import { createSharedRoom } from "../../../base/shared-room.js";
import {
  type FieldAgent,
  type FieldEvent,
  type FieldServices,
  type FieldSubscription,
  MOST_WAITING_BYTES_IN_ALL,
  MOST_WINDOWS,
} from "./field-types.js";
import type { KeptWaiting } from "./mailbox.js";
import { createSubscriptionIndex, type Match, type SubscriptionIndex } from "./subscription-index.js";
import { createToldAgent, type ToldAgent } from "./told-agent.js";

/** Steps of the index in one turn. */
const STEPS_PER_TURN = 64;

export interface Notifier {
  /** `waiting`: of an earlier boot. */
  readonly add: (agent: FieldAgent, waiting?: readonly KeptWaiting[]) => ToldAgent;
  /** The agent registers again. Its subscriptions and what waits for it stay. */
  readonly renew: (known: ToldAgent, agent: FieldAgent) => void;
  /** Forgets an agent with everything of it. */
  readonly remove: (agent: ToldAgent) => void;
  readonly subscribe: (agent: ToldAgent, subscription: FieldSubscription) => void;
  /** Returns false if the agent has no such subscription. */
  readonly unsubscribe: (agent: ToldAgent, id: string) => boolean;
  /** Tells the agents that the event concerns, the first of them at once, after everything told before. */
  readonly tell: (event: FieldEvent) => void;
  /** Resolves when everything told so far was sent or waits for its agent; undefined: it was or does. */
  readonly settled: () => Promise<void> | undefined;
}

interface Told {
  readonly event: FieldEvent;
  readonly number: number;
  readonly matches: ReturnType<SubscriptionIndex["matches"]>;
}

export function createNotifier(services: Pick<FieldServices, "clock" | "kept">): Notifier {
  const { clock } = services;
  const index = createSubscriptionIndex();
  const rooms = {
    waiting: createSharedRoom(() => MOST_WAITING_BYTES_IN_ALL),
    windows: createSharedRoom(() => MOST_WINDOWS),
  };
  const queue = new Set<Told>();
  let told = 0;
  let isArmed = false;
  /** Callers that wait for an event and all before it, in the order of the events. */
  const waiting: { readonly number: number; readonly resolve: () => void }[] = [];

  const work = (): void => {
    let left = STEPS_PER_TURN;
    for (const one of queue) {
      let isDone = false;
      for (; left > 0 && !isDone; left -= 1) {
        const step = one.matches.next();
        if (step.done === true) isDone = true;
        else if (step.value !== undefined && isCurrent(step.value, one)) {
          const { agent, subscription, score } = step.value;
          agent.tell(one.event, subscription, score);
        }
      }
      if (!isDone) break;
      queue.delete(one);
      const firstLater = waiting.findIndex(({ number }) => number > one.number);
      for (const { resolve } of waiting.splice(0, firstLater === -1 ? waiting.length : firstLater)) resolve();
    }
    if (queue.size > 0) arm();
  };
  const arm = (): void => {
    if (isArmed) return;
    isArmed = true;
    clock.afterTurn(() => {
      isArmed = false;
      work();
    });
  };
  const unsubscribe: Notifier["unsubscribe"] = (agent, id) => {
    const subscription = agent.subscriptions.get(id);
    if (subscription === undefined) return false;
    index.remove(subscription);
    agent.unsubscribe(subscription);
    return true;
  };

  return {
    add: (agent, waiting = []) => {
      const added = createToldAgent(agent, { ...services, rooms }, waiting);
      index.addAgent(added);
      return added;
    },
    renew: (known, agent) => {
      index.removeAgent(known);
      known.become(agent);
      index.addAgent(known);
    },
    remove: (agent) => {
      for (const id of [...agent.subscriptions.keys()]) unsubscribe(agent, id);
      index.removeAgent(agent);
      agent.left();
    },
    subscribe: (agent, subscription) => index.add(agent, agent.subscribe(subscription, told)),
    unsubscribe,
    tell: (event) => {
      told += 1;
      queue.add({ event, number: told, matches: index.matches(event) });
      if (!isArmed) work();
    },
    settled: () =>
      queue.size === 0 ? undefined : new Promise((resolve) => void waiting.push({ number: told, resolve })),
  };
}

/** Whether the subscription still is there, and began before the event. */
function isCurrent({ agent, subscription }: Match, { number }: Told): boolean {
  return subscription.since < number && agent.subscriptions.get(subscription.id) === subscription;
}
