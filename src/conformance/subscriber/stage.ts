// The stage of a case for subscribers: the suite listens as a producer, and the subscriber connects.
import type { Timers } from "../../client/platform-clock.js";
import type { Millis } from "../../contracts/clock.js";
import { fail, skip } from "../findings/verdicts.js";
import { type Conversation, converse, type Message, type Recorded } from "../wire/conversation.js";
import { type Endpoint, endpointText } from "../wire/endpoint.js";
import type { Link } from "../wire/link.js";
import { listenForLinks } from "../wire/listen-for-links.js";
import { createScript, type Script, type ScriptServices, SUITE_PRODUCER } from "./script.js";
import { type SubscriberHooks, startSubscriber, type TestedSubscriber } from "./tested-subscriber.js";

/** How long something that must come may take. A subscriber may start slowly. */
export const PATIENCE_MS: Millis = 8000;
/** How long a case listens for something that must not come. */
export const QUIET_MS: Millis = 600;
/** A person needs a moment before an answer; a subscriber may take none that is faster than hearing. */
export const HEARING_MS: Millis = 1300;

/** A subscriber that has connected. */
export interface Present {
  readonly subscriber: TestedSubscriber;
  readonly conversation: Conversation;
  readonly request: Message;
  readonly capabilities: Message;
  readonly script: Script;
  readonly id: string;
}

export interface SubscriberStage {
  readonly hooks: SubscriberHooks;
  /** Starts the subscriber and takes its first message. Skips the case if none comes. */
  readonly meet: () => Promise<{
    readonly subscriber: TestedSubscriber;
    readonly conversation: Conversation;
    readonly first: Recorded;
  }>;
  /** Starts the subscriber, and accepts its request. `honored` replaces terms. Skips the case if no request comes. */
  readonly accept: (honored?: Message) => Promise<Present>;
  readonly wait: (ms: Millis) => Promise<void>;
  /** Ends the subscriber and everything else of the case. */
  readonly clear: () => Promise<void>;
}

export interface SubscriberStageServices extends ScriptServices {
  readonly endpoint: Endpoint;
  readonly hooks: SubscriberHooks;
  readonly timers: Timers;
}

export function createSubscriberStage(services: SubscriberStageServices): SubscriberStage {
  const { endpoint, hooks, timers, hex } = services;
  const ends: (() => Promise<void>)[] = [];

  const wait = (ms: Millis): Promise<void> =>
    new Promise((resolve) => void timers.wakeAt(timers.now() + ms, () => resolve()));

  const meet: SubscriberStage["meet"] = async () => {
    let tell: (link: Link) => void = () => {};
    const linked = new Promise<Link>((resolve) => {
      tell = resolve;
    });
    const listener = await listenForLinks(endpoint, (link) => tell(link));
    ends.push(listener.stop);
    const subscriber = startSubscriber(hooks, endpoint, timers);
    ends.push(subscriber.shutDown);
    const link = await Promise.race([linked, wait(PATIENCE_MS)]);
    if (link === undefined)
      skip(`The subscriber did not connect to ${endpointText(endpoint)} within ${PATIENCE_MS} ms.`);
    const conversation = converse("subscriber", link, timers);
    ends.push(conversation.vanish);
    const first = await conversation.seek(() => true, PATIENCE_MS);
    return first === undefined
      ? skip("The subscriber connected, and sent nothing. Level 1 does not ask for a request.")
      : { subscriber, conversation, first };
  };

  return {
    hooks,
    meet,
    wait,
    accept: async (honored = {}) => {
      const { subscriber, conversation, first } = await meet();
      const request = first.message ?? {};
      const capabilities = (request.capabilities ?? {}) as Message;
      const id = `sub_${hex(8)}`;
      conversation.say({
        type: "subscription.accepted",
        subscription_id: id,
        aaep_version: "1.0.0",
        producer: SUITE_PRODUCER,
        honored_capabilities: { ...capabilities, ...honored },
      });
      return { subscriber, conversation, request, capabilities, script: createScript(services), id };
    },
    clear: async () => {
      // The last first: the subscriber ends before the place where it would come back to.
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

/** Sends a session's beginning. */
export function begin({ conversation, script }: Present, members: Message = {}): void {
  conversation.say(script.event("session.started", { summary_normal: "Sorts the photos.", ...members }));
}

/** Fails unless the subscriber still is there. */
export async function staysThere(
  stage: SubscriberStage,
  present: Present,
  expected: string,
  because: Message,
): Promise<void> {
  await stage.wait(QUIET_MS);
  const { conversation, subscriber } = present;
  const closing = conversation.record.find(
    ({ way, message }) => way === "received" && message?.type === "subscription.close",
  );
  if (closing !== undefined || conversation.isOver() || subscriber.hasEnded())
    fail(expected, subscriber.hasEnded() ? "It has ended." : "It has closed the subscription.", [
      { note: "sent", text: JSON.stringify(because) },
      ...(closing === undefined ? [] : [{ note: "received", text: closing.text }]),
    ]);
}
