// The stage of a case for subscribers: the suite listens as a producer, and the subscriber connects.
import type { Timers } from "../../client/platform-clock.js";
import type { Millis } from "../../contracts/clock.js";
import type { Level } from "../findings/finding.js";
import { fail, skip } from "../findings/verdicts.js";
import { type Conversation, converse, type Message, type Recorded } from "../wire/conversation.js";
import { type Endpoint, endpointText } from "../wire/endpoint.js";
import type { Link } from "../wire/link.js";
import type { ListenForLinks } from "../wire/listen-for-links.js";
import { createScript, type Script, type ScriptServices, SUITE_PRODUCER } from "./script.js";
import { type SubscriberHooks, startSubscriber, type TestedSubscriber } from "./tested-subscriber.js";

/** How long a case listens for something that must not come. */
export const QUIET_MS: Millis = 600;
/** A person needs a moment between hearing a question and the answer, and a subscriber may take no answer before. */
export const HEARING_MS: Millis = 1300;

/** How long a subscriber that need not ask has for it. */
const UNASKED_MS: Millis = 2000;
const SILENT = "The subscriber connected, and sent nothing.";

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
  /** How long something that must come may take. */
  readonly patienceMs: Millis;
  /** Starts the subscriber and takes its first message. Skips the case if none comes. */
  readonly meet: () => Promise<{
    readonly subscriber: TestedSubscriber;
    readonly conversation: Conversation;
    readonly first: Recorded;
  }>;
  /**
   * Starts the subscriber, and accepts its request. `honored` replaces terms. A subscriber of level 1 that sends nothing is there all the same: it
   * may receive events unasked (AAEP §9.3.3). Skips the case if a subscriber of another level sends nothing.
   */
  readonly accept: (honored?: Message) => Promise<Present>;
  /** The events of a new session. */
  readonly script: () => Script;
  readonly wait: (ms: Millis) => Promise<void>;
  /** Ends the subscriber and everything else of the case. */
  readonly clear: () => Promise<void>;
}

export interface SubscriberStageServices extends ScriptServices {
  readonly endpoint: Endpoint;
  /** Listens at `endpoint`. */
  readonly listen: ListenForLinks;
  readonly hooks: SubscriberHooks;
  readonly timers: Timers;
  readonly level: Level;
  readonly patienceMs: Millis;
}

export function createSubscriberStage(services: SubscriberStageServices): SubscriberStage {
  const { endpoint, listen, hooks, timers, hex, level, patienceMs } = services;
  const ends: (() => Promise<void>)[] = [];

  const wait = (ms: Millis): Promise<void> =>
    new Promise((resolve) => void timers.wakeAt(timers.now() + ms, () => resolve()));

  const connected = async (): Promise<{
    readonly subscriber: TestedSubscriber;
    readonly conversation: Conversation;
  }> => {
    let tell: (link: Link) => void = () => {};
    const linked = new Promise<Link>((resolve) => {
      tell = resolve;
    });
    const listener = await listen((link) => tell(link));
    ends.push(listener.stop);
    const subscriber = startSubscriber(hooks, endpoint, timers);
    ends.push(subscriber.shutDown);
    const link = await Promise.race([linked, wait(patienceMs)]);
    if (link === undefined)
      skip(`The subscriber did not connect to ${endpointText(endpoint)} within ${patienceMs} ms.`);
    const conversation = converse("subscriber", link, timers, patienceMs);
    ends.push(conversation.vanish);
    return { subscriber, conversation };
  };
  const present = (there: Pick<Present, "subscriber" | "conversation">, request: Message): Present => {
    const capabilities = (request.capabilities ?? {}) as Message;
    return { ...there, request, capabilities, script: createScript(services), id: `sub_${hex(8)}` };
  };

  return {
    hooks,
    patienceMs,
    meet: async () => {
      const there = await connected();
      const first = await there.conversation.seek(() => true);
      return first === undefined ? skip(SILENT) : { ...there, first };
    },
    script: () => createScript(services),
    wait,
    accept: async (honored = {}) => {
      const there = await connected();
      const first = await there.conversation.seek(() => true, level === 1 ? { withinMs: UNASKED_MS } : {});
      if (first === undefined) return level === 1 ? present(there, {}) : skip(SILENT);
      const accepted = present(there, first.message ?? {});
      there.conversation.say({
        type: "subscription.accepted",
        subscription_id: accepted.id,
        aaep_version: "1.0.0",
        producer: SUITE_PRODUCER,
        honored_capabilities: { ...accepted.capabilities, ...honored },
      });
      return accepted;
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
