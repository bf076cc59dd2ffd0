// The stage of a case for subscribers: the suite listens as a producer, and the subscriber connects.
import { setTimeout as wait } from "node:timers/promises";
import { Fault, usage } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { newSessionId } from "../../client/random-ids.js";
import type { Millis } from "../../contracts/clock.js";
import { type CaseDescription, caseOf, fail, type Level, skip } from "../findings/finding.js";
import {
  type Arrived,
  arrivedIn,
  type Conversation,
  converse,
  evidenceOf,
  type Message,
  noted,
} from "../wire/conversation.js";
import { type Endpoint, endpointText } from "../wire/endpoint.js";
import { isSetUpFault } from "../wire/endpoint-faults.js";
import { brokenContact, foreignVersion, patienceAdvice } from "../wire/first-contact.js";
import type { Link } from "../wire/link.js";
import type { ListenForLinks } from "../wire/open-links.js";
import { createScript, type Script, SUITE_PRODUCER } from "./script.js";
import {
  type SubscriberDeath,
  type SubscriberHooks,
  startSubscriber,
  type TestedSubscriber,
} from "./tested-subscriber.js";

/** How long a case listens for something that must not come. */
export const QUIET_MS: Millis = 600;
/** A person needs a moment between hearing a question and the answer, and a subscriber may take no answer before. */
export const HEARING_MS: Millis = 1300;

/** How long a subscriber that need not ask has for it. */
const UNASKED_MS: Millis = 2000;
/** A look at a subscriber that need not say anything, ms. */
const GLANCE_MS: Millis = 300;

/** A subscriber that has connected. */
export interface Present {
  readonly subscriber: TestedSubscriber;
  readonly conversation: Conversation;
  readonly request: Message;
  readonly capabilities: Message;
  readonly script: Script;
  readonly id: string;
}

export interface SubscriberCase extends CaseDescription {
  /** Throws a `Judged`; a case that comes to its end has passed. */
  readonly run: (stage: SubscriberStage) => Promise<void>;
}

export function subscriberCase(
  id: string,
  title: string,
  paragraphs: readonly string[],
  run: SubscriberCase["run"],
): SubscriberCase {
  return { ...caseOf(id, title, paragraphs), run };
}

export type SubscriberStage = ReturnType<typeof createSubscriberStage>;

/** The run that a case is a part of. */
export interface SubscriberRun {
  /** Where the suite listens. */
  readonly endpoint: Endpoint;
  readonly hooks: SubscriberHooks;
  readonly level: Level;
  /** How long something that must come may take, ms. A subscriber may start slowly, and its voice may be slow. */
  readonly patienceMs: Millis;
}

/** The user's reply that several cases of a run judge: the first of them asks for it. */
export interface SharedReply {
  confirmed: Promise<ConfirmedReply> | undefined;
}

export interface ConfirmedReply {
  readonly question: Message;
  readonly reply: Arrived;
  /** From the user's line to the reply. */
  readonly tookMs: Millis;
  /** The subscriber that was asked. It has ended when the case that asked is over. */
  readonly present: Present;
}

export function createSubscriberStage(run: SubscriberRun, listen: ListenForLinks, shared: SharedReply) {
  const { endpoint, hooks, level, patienceMs } = run;
  const ends: (() => Promise<void>)[] = [];
  const started: TestedSubscriber[] = [];
  const conversations: Conversation[] = [];

  const connected = async (): Promise<Pick<Present, "subscriber" | "conversation">> => {
    const { promise: linked, resolve: tell } = withResolvers<Link>();
    const listener = await listen((link) => tell(link));
    ends.push(listener.stop);
    const subscriber = startSubscriber(hooks, endpoint);
    ends.push(subscriber.shutDown);
    started.push(subscriber);
    // A timer that is left keeps the process from its end.
    const over = new AbortController();
    const late = wait(patienceMs, undefined, { signal: over.signal }).catch(() => undefined);
    const link = await Promise.race([linked, subscriber.failed, late]);
    over.abort();
    if (link === undefined) throw absence(subscriber.death());
    const conversation = converse(link, patienceMs);
    conversations.push(conversation);
    ends.push(conversation.vanish);
    return { subscriber, conversation };
  };
  const absence = (death: SubscriberDeath | undefined): Fault => {
    const said = death === undefined ? "" : lastWordsOf(death);
    if (death?.refusal !== undefined) return usage(`The command of --start cannot be run. ${death.refusal}${said}`);
    const place = endpointText(endpoint);
    return new Fault(
      "peer_gone",
      death === undefined
        ? `The subscriber did not connect to ${place}. ${patienceAdvice(patienceMs)}`
        : `The subscriber ended before it connected to ${place}. ${deathWords(death)}`,
    );
  };
  const silence = (): string => `The subscriber connected, and sent nothing. ${patienceAdvice(patienceMs)}`;
  const present = (there: Pick<Present, "subscriber" | "conversation">, request: Message): Present => {
    const capabilities = (request.capabilities ?? {}) as Message;
    return {
      ...there,
      request,
      capabilities,
      script: createScript(patienceMs),
      id: newSessionId().replace("sess_", "sub_"),
    };
  };

  return {
    hooks,
    patienceMs,
    shared,
    /** Starts the subscriber and takes its first message. Skips the case if none comes. */
    meet: async () => {
      const there = await connected();
      const first = await there.conversation.seek(() => true);
      return first === undefined ? skip(silence()) : { ...there, first };
    },
    /** Starts the subscriber. Resolves with the one reason for which no case can judge it; undefined: none. Throws a Fault for a wrong set-up. */
    reasonNotToRun: async (): Promise<string | undefined> => {
      try {
        const { conversation, subscriber } = await connected();
        const first = await conversation.seek(() => true, level === 1 ? { withinMs: GLANCE_MS } : {});
        // A flood and a death show themselves after the first message.
        await wait(GLANCE_MS);
        const broken = brokenContact(conversation);
        const death = subscriber.death();
        if (broken !== undefined) return death === undefined ? broken : `${broken} ${deathWords(death)}`;
        if (first !== undefined) return foreignVersion(first.message);
        return level === 1 ? undefined : silence();
      } catch (caught) {
        if (!(caught instanceof Fault) || isSetUpFault(caught)) throw caught;
        return caught.sentence;
      }
    },
    /** How the subscriber failed within the case; undefined: it did not. */
    death: () => started.map((one) => one.death()).find((one) => one?.hasFailed),
    /** Whether the case has waited for something as long as the patience of the run, and it did not come. */
    hasRunOut: () => conversations.some((one) => one.hasRunOut()),
    /** The events of a new session. */
    script: () => createScript(patienceMs),
    /**
     * Starts the subscriber, and accepts its request. `honored` replaces terms. A subscriber of level 1 that sends nothing is there all the same: it
     * may receive events unasked (AAEP §9.3.3). Skips the case if a subscriber of another level sends nothing.
     */
    accept: async (honored: Message = {}): Promise<Present> => {
      const there = await connected();
      const first = await there.conversation.seek(() => true, level === 1 ? { withinMs: UNASKED_MS } : {});
      if (first === undefined) return level === 1 ? present(there, {}) : skip(silence());
      const accepted = present(there, first.message);
      there.conversation.say({
        type: "subscription.accepted",
        subscription_id: accepted.id,
        aaep_version: "1.0.0",
        producer: SUITE_PRODUCER,
        honored_capabilities: { ...accepted.capabilities, ...honored },
      });
      return accepted;
    },
    /** Ends the subscriber and everything else of the case. */
    clear: async (): Promise<void> => {
      // The last first: the subscriber ends before the place where it would come back to.
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

/** How the subscriber ended, in sentences. */
export function deathWords(death: SubscriberDeath): string {
  return `The command ended with ${death.ending}.${lastWordsOf(death)}`;
}

function lastWordsOf({ lastWords }: SubscriberDeath): string {
  const words = lastWords.trim();
  return words === "" ? "" : ` The end of its standard error: ${words}`;
}

/** Sends a session's beginning. */
export function begin({ conversation, script }: Present, members: Message = {}): void {
  conversation.say(script.event("session.started", { summary_normal: "Sorts the photos.", ...members }));
}

/** Fails unless the subscriber still is there. */
export async function staysThere(present: Present, expected: string, ...because: readonly Message[]): Promise<void> {
  await wait(QUIET_MS);
  const { conversation, subscriber } = present;
  const closing = arrivedIn(conversation).find(({ message }) => message.type === "subscription.close");
  if (closing !== undefined || conversation.isOver() || subscriber.hasEnded())
    fail(expected, subscriber.hasEnded() ? "It has ended." : "It has closed the subscription.", [
      ...because.map((message) => noted("sent", message)),
      ...(closing === undefined ? [] : [evidenceOf(closing)]),
    ]);
}
