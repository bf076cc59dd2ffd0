// The stage of a case: connections to the producer, and scenarios that it shows.
import { setTimeout } from "node:timers/promises";
import { Fault, faultFrom } from "../../base/errors.js";
import { within } from "../../base/time-limit.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { PLATFORM_TIMERS } from "../../client/timers.js";
import type { Millis } from "../../contracts/clock.js";
import { type Driver, LATEST_BEGINNING, type Performance, type ScenarioName } from "../drive/driver.js";
import { type Evidence, fail, type Level, skip } from "../findings/finding.js";
import {
  type Arrived,
  arrivedIn,
  type Conversation,
  converse,
  evidenceOf,
  type Message,
} from "../wire/conversation.js";
import { accidentWords } from "../wire/endpoint-faults.js";
import type { Links } from "../wire/link.js";
import { wordsOf } from "../wire/message-text.js";

/** How long a case listens for something that must not come. Lateness can only hide a fault, never make one. */
export const QUIET_MS: Millis = 400;

/** How long a producer that need not answer has for it. */
const UNASKED_MS: Millis = 1000;

export interface Subscription {
  readonly conversation: Conversation;
  readonly accepted: Message;
  readonly id: string;
  readonly honored: Message;
}

/** A scenario that a subscription hears. */
export interface Shown {
  readonly sessionId: string;
  /** Before its beginning. */
  readonly askedAt: Millis;
  /** Resolves when the scenario is over. Rejects with a `Judged` that skips the case if it could not be performed. */
  readonly done: Promise<void>;
}

/** A session that began because a case asked for it, so that its time is known. */
export interface ShownSession {
  readonly scenario: ScenarioName;
  /** The driver named the session. Otherwise it is the first that began after the scenario was asked for. */
  readonly isNamed: boolean;
  /** Before its beginning. */
  readonly askedAt: Millis;
  /** When its scenario was over; undefined: it was not, or could not be performed. */
  readonly overAt: Millis | undefined;
}

export type ProducerStage = ReturnType<typeof createStage>;

export const REQUEST = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "conformance-suite" };

/** The run that a case is a part of. */
export interface ProducerRun {
  readonly links: Links;
  readonly driver: Driver;
  readonly level: Level;
  /** How long something that must come may take, ms. The producer may be slow, and the machine too. */
  readonly patienceMs: Millis;
}

/** The messages, sessions and tools that the cases of a run have seen so far. */
export interface Heard {
  readonly conversations: Conversation[];
  /** By the ids of their sessions. */
  readonly shown: Map<string, ShownSession>;
  /** The tools whose calls accepts have brought about: they take the actions that questions are about. */
  readonly actions: Set<unknown>;
  /** The producer is on the suite's own machine, and has its clock. */
  readonly isLocal: boolean;
}

const CASE_IS_OVER = "The case is over.";

/** A scenario that the case has asked for. */
interface AskedScenario extends Pick<ShownSession, "askedAt" | "isNamed"> {
  readonly over: Promise<unknown>;
  readonly giveUp: () => void;
  hasBegun: boolean;
  isOver: boolean;
}

export function createStage({ links, driver, level, patienceMs }: ProducerRun, heard: Heard) {
  const { shown } = heard;
  const own: Conversation[] = [];
  const asked: ScenarioName[] = [];
  const scenarios: AskedScenario[] = [];
  let isCleared = false;
  const { promise: clearing, resolve: tellCleared } = withResolvers();
  const cleared = clearing.then((): never => skip(CASE_IS_OVER));
  cleared.catch(() => {});

  const connect = async (): Promise<Conversation> => {
    if (isCleared) skip(CASE_IS_OVER);
    const conversation = converse(await links.open(), patienceMs);
    own.push(conversation);
    heard.conversations.push(conversation);
    return conversation;
  };
  const requested = async (members: Message): Promise<Conversation> => {
    const conversation = await connect();
    conversation.say({ ...REQUEST, ...members });
    return conversation;
  };

  return {
    /** How long something that must come may take. */
    patienceMs,
    links,
    actions: heard.actions,
    connect,
    wait: (ms: Millis): Promise<void> => Promise.race([cleared, setTimeout(ms)]),
    /** Connects, and says a request with these members. Fails the case if no answer comes. */
    request: async (members: Message) => {
      const conversation = await requested(members);
      const answer = await answerIn(conversation);
      return { conversation, message: answer.message, evidence: exchange(conversation, answer) };
    },
    /** Connects and subscribes. Fails the case if the request is not accepted. */
    subscribe: async (capabilities: Message = {}, members: Message = {}): Promise<Subscription> => {
      const conversation = await requested({ capabilities, ...members });
      // A producer below level 3 need not answer requests: it may send events unasked (AAEP §9.3.3).
      const answer = await (level === 3
        ? answerIn(conversation)
        : conversation.seek(isAnswer, { withinMs: UNASKED_MS }));
      if (answer === undefined) return { conversation, accepted: {}, id: "sub_unasked", honored: {} };
      if (answer.message.type !== "subscription.accepted")
        fail("The request is accepted.", "It is answered by something else.", exchange(conversation, answer));
      const accepted = answer.message;
      const honored = (accepted.honored_capabilities ?? {}) as Message;
      return { conversation, accepted, id: wordsOf(accepted.subscription_id), honored };
    },
    /** Makes the producer show a scenario, and waits until the subscription hears its session begin. Skips the case if it does not. */
    show: async (scenario: ScenarioName, { conversation }: Subscription): Promise<Shown> => {
      if (isCleared) skip(CASE_IS_OVER);
      const lack = driver.lacks(scenario);
      if (lack !== undefined) skip(lack);
      asked.push(scenario);
      const from = conversation.record.length;
      const askedAt = performance.now();
      const { sessionId, done, giveUp } = await driver
        .perform(scenario)
        .catch((caught: unknown) => skip(reasonOf(caught)));
      const isNamed = sessionId !== undefined;
      const settled = (): void => {
        current.isOver = true;
      };
      const current: AskedScenario = {
        askedAt,
        isNamed,
        over: done.then(settled, settled),
        giveUp,
        hasBegun: isNamed,
        isOver: false,
      };
      scenarios.push(current);
      const { first, failure } = await firstOf(conversation, from, { sessionId, done }, () => driver.lacks(scenario));
      // Nothing waits for the beginning any more.
      if (first === undefined) await conversation.vanish();
      const lackNow = driver.lacks(scenario);
      if (lackNow !== undefined) skip(lackNow);
      if (first === undefined) skip(failure ?? `The scenario "${scenario}" was asked for, and no event of it came.`);
      current.hasBegun = true;
      const begun = wordsOf(first.message.session_id);
      const known = { scenario, isNamed, askedAt, overAt: undefined };
      shown.set(begun, known);
      const over = done.then(
        () => void shown.set(begun, { ...known, overAt: performance.now() }),
        (caught: unknown) => skip(reasonOf(caught)),
      );
      // A case that does not wait for the end is not interrupted by it.
      over.catch(() => {});
      const ended = Promise.race([over, cleared]);
      ended.catch(() => {});
      return { sessionId: begun, askedAt, done: ended };
    },
    /**
     * A session that began beside that of a scenario, where the driver did not name the scenario's: what the case has judged may be of either.
     * Undefined: there is none.
     */
    rival: () => {
      const from = scenarios.find(({ isNamed }) => !isNamed)?.askedAt;
      return from === undefined ? undefined : sessionsSince(from, own).find((id) => !shown.has(id));
    },
    /** The scenarios that the case has asked for. */
    asked,
    /** Whether the case has waited for something as long as the patience of the run, and it did not come. */
    hasRunOut: () => own.some((one) => one.hasRunOut()),
    /**
     * Ends the case: its connections, and everything that it waits for. Resolves when its scenarios are over, or the patience is. A scenario whose
     * session has not begun is waited for longer, for the next case would take that session for its own.
     */
    clear: async (): Promise<void> => {
      isCleared = true;
      tellCleared();
      await Promise.all(own.splice(0).map((one) => one.vanish()));
      await waitOut(scenarios.splice(0), patienceMs);
    },
  };
}

/** The first event of a scenario's session; undefined: the scenario failed before, or none came in time. */
async function firstOf(
  conversation: Conversation,
  from: number,
  { sessionId, done }: Pick<Performance, "sessionId" | "done">,
  lacks: () => string | undefined,
): Promise<{ readonly first: Arrived | undefined; readonly failure: string | undefined }> {
  let failure: string | undefined;
  const failed = new Promise<undefined>((resolve) => {
    done.then(
      () => {
        // No event comes of a scenario that the driver has found that it lacks.
        if (lacks() !== undefined) resolve(undefined);
      },
      (caught: unknown) => {
        failure = reasonOf(caught);
        resolve(undefined);
      },
    );
  });
  const begins = conversation.seek(
    (message) =>
      typeof message.session_id === "string" &&
      typeof message.event_id === "string" &&
      (sessionId === undefined ? isType(message, "session.started") : message.session_id === sessionId),
    { from },
  );
  const first = await Promise.race([begins, failed]);
  return { first, failure };
}

/** The sessions that were heard to begin since an instant. */
function sessionsSince(from: Millis, conversations: readonly Conversation[]): readonly string[] {
  return conversations
    .flatMap(arrivedIn)
    .filter(({ at, message }) => at >= from && isType(message, "session.started"))
    .map(({ message }) => wordsOf(message.session_id));
}

/** Waits until scenarios are over, or the patience is, and longer for one whose session has not begun. Gives up what is left. */
async function waitOut(scenarios: readonly AskedScenario[], patienceMs: Millis): Promise<void> {
  const over = (some: readonly AskedScenario[], ms: Millis) =>
    within(performance.now() + ms, Promise.all(some.map((one) => one.over)), PLATFORM_TIMERS);
  await over(scenarios, patienceMs);
  const unbegun = scenarios.filter(({ hasBegun, isOver }) => !hasBegun && !isOver);
  if (unbegun.length > 0) await over(unbegun, (LATEST_BEGINNING - 1) * patienceMs);
  for (const { isOver, giveUp } of unbegun) if (!isOver) giveUp();
}

/** The first message that was said, and its answer. */
function exchange({ record }: Conversation, answer: Arrived): readonly Evidence[] {
  return [evidenceOf(record[0]), evidenceOf(answer)];
}

/** The answer to a request: accepted, rejected, or an error. Fails the case if none comes. */
export async function answerIn(conversation: Conversation, from = 0): Promise<Arrived> {
  const answer = await conversation.seek(isAnswer, { from });
  if (answer !== undefined) return answer;
  const accident = conversation.accident();
  const seen = conversation.isOver()
    ? `The connection ended without an answer. ${accident === undefined ? "" : accidentWords(accident)}`.trim()
    : "Nothing came in time.";
  return fail("A request is answered by subscription.accepted or subscription.rejected.", seen, [
    evidenceOf(conversation.record[from]),
  ]);
}

/** Whether a message answers a request: it is accepted, rejected, or refused by an error of aaepd. */
export function isAnswer({ type }: Message): boolean {
  return type === "subscription.accepted" || type === "subscription.rejected" || type === "aaepd.error";
}

const LONG_PREFIX = "https://aaep-protocol.org/types/agent.";
const PREFIX = "aaep:agent.";

/** The core type of a message without its prefix, as in "session.started"; undefined for everything else. */
export function kindOf({ type }: Message): string | undefined {
  if (typeof type !== "string") return undefined;
  const prefix = [PREFIX, LONG_PREFIX].find((one) => type.startsWith(one));
  return prefix === undefined ? undefined : type.slice(prefix.length);
}

export function isType(message: Message, ...kinds: readonly string[]): boolean {
  return kinds.includes(kindOf(message) ?? "");
}

/** Whether the message is an event, of whatever type. */
export function isEvent(message: Message): boolean {
  return (
    typeof message.event_id === "string" || typeof message.session_id === "string" || kindOf(message) !== undefined
  );
}

/** Urgency "critical", or one of the four critical types (AAEP §5.5.4). */
export function isCritical(message: Message): boolean {
  return (
    message.urgency === "critical" ||
    isType(message, "session.errored", "awaiting.confirmation", "awaiting.clarification", "handoff.requested")
  );
}

function reasonOf(caught: unknown): string {
  if (!(caught instanceof Fault)) return faultFrom(caught).sentence;
  return `The scenario could not be performed: ${caught.sentence}`;
}
