// Forms that many deviations share.
import type { Deviation, Handle, Link, Passed } from "./deviation.js";
import {
  type Change,
  decisionReply,
  isAccepted,
  isConfirmation,
  isCritical,
  isEvent,
  isRenegotiation,
  isReply,
  isRequest,
  type Message,
  record,
  token,
  without,
} from "./messages.js";

type Concerns = (message: Message) => boolean;

/** What the producer says of this sort goes to the subscriber otherwise. */
export const told =
  (concerns: Concerns, change: (message: Message, link: Link) => Passed): Deviation =>
  (link) => ({ down: (message) => (concerns(message) ? change(message, link) : message) });

/** What the subscriber says of this sort goes to the producer otherwise. */
export const sent =
  (concerns: Concerns, change: (message: Message, link: Link) => Passed): Deviation =>
  (link) => ({ up: (message) => (concerns(message) ? change(message, link) : message) });

export const nothing = (): undefined => undefined;

export const leaving =
  (...fields: readonly string[]): Change =>
  (message) =>
    without(message, ...fields);

const isSeveral = (passed: Passed): passed is readonly Message[] => Array.isArray(passed);

/** What is passed, one by one. */
export const listed = (passed: Passed): readonly Message[] =>
  passed === undefined ? [] : isSeveral(passed) ? passed : [passed];

/** What the first tells the subscriber goes through the second. */
export const andThen =
  (first: Deviation, change: (message: Message) => Message | undefined): Deviation =>
  (link) => {
    const { down = (message) => message, ...others } = first(link);
    return { ...others, down: (message) => listed(down(message)).flatMap((one) => listed(change(one))) };
  };

/** Rewrites events by what went before them on the same connection. */
export const eventsFollowed =
  (begin: () => Change): Deviation =>
  () => {
    const change = begin();
    return { down: (message) => (isEvent(message) ? change(message) : message) };
  };

export function honored(accepted: Message, change: Change): Message {
  return { ...accepted, honored_capabilities: change(record(accepted.honored_capabilities)) };
}

export const asksForTerms = (message: Message): boolean => isRequest(message) || isRenegotiation(message);

/** What `accepted` says, by the terms that are honored and those that were asked for. */
export type Claim = (honoredTerms: Message, asked: Message) => Message;

/** Rewrites what `accepted` says; what the producer does stays as negotiated. */
export const honoredClaims = (claim: Claim): Deviation =>
  told(isAccepted, (accepted, { seen }) => honored(accepted, (terms) => claim(terms, seen.asked)));

/** Asks the producer for other terms than the subscriber did, and tells the subscriber that it got its own. */
export const otherTerms =
  (ask: Change, pretend: Claim): Deviation =>
  ({ seen }) => ({
    up: (message) =>
      asksForTerms(message) ? { ...message, capabilities: ask(record(message.capabilities)) } : message,
    // Notes would tell of the terms that were really asked for.
    down: (message) =>
      isAccepted(message)
        ? honored(without(message, "negotiation_notes"), (terms) => pretend(terms, seen.asked))
        : message,
  });

/** Changes one of the terms, where it is named. */
export const ofTerm =
  (field: string, change: (value: unknown) => unknown): Change =>
  (terms) =>
    field in terms ? { ...terms, [field]: change(terms[field]) } : terms;

/** Gives back the field as it was asked for, or with its default. */
export const asAsked =
  (field: string, byDefault: unknown): Claim =>
  (terms, asked) => ({ ...terms, [field]: asked[field] ?? byDefault });

/** Holds messages of one sort, and all that come behind them. */
export const held =
  (concerns: Concerns, ms: number): Deviation =>
  ({ toSubscriber, after }) => {
    const waiting: Message[] = [];
    return {
      down: (message) => {
        if (!concerns(message) && waiting.length === 0) return message;
        waiting.push(message);
        if (waiting.length === 1) after(ms, () => waiting.splice(0).forEach(toSubscriber));
        return undefined;
      },
    };
  };

/** Lets events go one interval apart. Critical ones go at once, with all before them, unless they are charged too. */
export function queued({ toSubscriber, after }: Link, interval: () => number, chargeCritical = false): Handle {
  const waiting: Message[] = [];
  let free = 0;
  let armed = false;

  const wait = (message: Message): number => (isEvent(message) ? free - Date.now() : 0);
  const emit = (message: Message): void => {
    if (isEvent(message)) free = Math.max(Date.now(), free) + interval();
    toSubscriber(message);
  };
  const drain = (hurried: boolean): void => {
    let next = waiting[0];
    while (next !== undefined && (hurried || wait(next) <= 0)) {
      waiting.shift();
      emit(next);
      next = waiting[0];
    }
    if (next !== undefined) arm(wait(next));
  };
  const arm = (ms: number): void => {
    if (armed) return;
    armed = true;
    after(Math.ceil(ms), () => {
      armed = false;
      drain(false);
    });
  };
  return (message) => {
    waiting.push(message);
    drain(isCritical(message) && !chargeCritical);
    return undefined;
  };
}

/** Keeps events within the honored rate, so that those that are added break no second rule. */
export function paced(link: Link, ratio = 1, chargeCritical = false): Handle {
  let interval = 0;
  const send = queued(link, () => interval, chargeCritical);
  return (message) => {
    if (isAccepted(message)) interval = intervalOf(message) / ratio;
    return send(message);
  };
}

export function intervalOf(accepted: Message): number {
  const rate = record(accepted.honored_capabilities).max_events_per_second;
  return typeof rate === "number" && rate > 0 ? 1000 / rate : 0;
}

/** Sends a further event after each of one sort. */
export const eventsAdded =
  (concerns: Concerns, further: Change): Deviation =>
  (link) => {
    const send = paced(link);
    return {
      down: (message) => {
        send(message);
        if (concerns(message)) send(further(message));
        return undefined;
      },
    };
  };

/** Reads replies to questions of this connection as others. */
export const repliesMended = (mend: (reply: Message, question: Message, subscription: string) => Message): Deviation =>
  sent(isReply, (reply, { seen }) => {
    const question = seen.questions.get(token(reply));
    return question === undefined ? reply : mend(reply, question, seen.subscription);
  });

/**
 * Answers in the listener's place, and lets the listener's own answers through: they come too late. `plan` returns undefined for a question that is
 * left to the listener.
 */
export const selfAnswered =
  (plan: (question: Message) => { readonly ms: number; readonly decision: string } | undefined): Deviation =>
  ({ toProducer, after, seen }) => ({
    down: (message) => {
      const planned = isConfirmation(message) ? plan(message) : undefined;
      if (planned !== undefined)
        after(Math.max(0, planned.ms), () => {
          if (!seen.replied.has(token(message)))
            toProducer(decisionReply(message, seen.subscription, planned.decision));
        });
      return message;
    },
  });
