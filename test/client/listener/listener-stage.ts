// A listener whose time is virtual, and what its loop gets.
import { onTestFinished } from "vitest";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import type { Terms } from "../../../src/client/listener/terms.js";
import type {
  Discovery,
  DiscoveryListeners,
  SubscribeOptions,
  Subscription,
} from "../../../src/client/listener/types.js";
import { createVirtualClock, settle } from "../../support/rigs/virtual-clock.js";
import { eventMessage, type FakeProducer } from "../fake-producer.js";

type Targets = Parameters<typeof subscribe>[0];

export function start(targets: Targets, options: SubscribeOptions = {}, terms: Terms = {}) {
  const timers = createVirtualClock();
  const told: string[] = [];
  const subscription = subscribe(targets, terms, {
    id: "reader",
    timers,
    chance: () => 0,
    onState: ({ kind }, { name }) => void told.push(`${name} ${kind}`),
    onCursor: (cursor, { name }) => void told.push(`${name} reached ${cursor}`),
    onReplyNotTaken: (token, { name }) => void told.push(`${name} did not take ${token}`),
    ...options,
  });
  onTestFinished(() => subscription.close());
  return { subscription, timers, told };
}

export function side(producer: FakeProducer, index = 0) {
  const found = producer.sides[index];
  if (found === undefined) throw new Error(`no connection ${index}`);
  return found;
}

export async function accepted(...producers: readonly FakeProducer[]): Promise<void> {
  await settle();
  for (const producer of producers) side(producer).accept();
  await settle();
}

/** What a loop gets, as it gets it. */
export function listen(subscription: Subscription, work: (event: ReceivedEvent) => Promise<void> | void = () => {}) {
  const heard: string[] = [];
  const ended = (async () => {
    for await (const event of subscription) {
      heard.push(event.event_id);
      await work(event);
    }
    return "over";
  })().catch((caught: unknown) => caught);
  return { heard, ended };
}

/** A promise that a test opens. */
export function gate() {
  let open = (): void => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opens, open };
}

/** A discovery that finds what a test says, from the next turn on. */
export function scriptedDiscovery() {
  let found: DiscoveryListeners | undefined;
  let stopCount = 0;
  const discovery: Discovery = {
    watch: (listeners) => {
      found = listeners;
      return () => {
        stopCount += 1;
      };
    },
  };
  const listeners = (): DiscoveryListeners => {
    if (found === undefined) throw new Error("nobody looks");
    return found;
  };
  return {
    discovery,
    appear: (name: string, connect: FakeProducer["connect"]) => listeners().appeared({ name, connect }),
    leave: (name: string) => listeners().left(name),
    stopCount: () => stopCount,
  };
}

export const question = (token: string, number = 1) =>
  eventMessage(number, {
    type: "aaep:agent.awaiting.confirmation",
    progress: undefined,
    reply_token: token,
    action: "Sends it.",
    consequence: "It is sent.",
  });
