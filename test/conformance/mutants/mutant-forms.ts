// Forms that many mutants share.
import {
  type Change,
  type Handler,
  isAccepted,
  isCritical,
  isEvent,
  isQuestion,
  isRenegotiation,
  isReply,
  isRequest,
  record,
  text,
  token,
  without,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";

export type Rule = Pick<Mutant, "name" | "paragraph" | "breaks">;

/** Rewrites each event by itself. */
export const eventsChanged = (rule: Rule, change: Change): Mutant => eventsFollowed(rule, () => change);

/** Rewrites events by what went before them on the same connection. */
export function eventsFollowed(rule: Rule, begin: () => Change): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber }) => {
      const change = begin();
      return { fromProducer: (message) => toSubscriber(isEvent(message) ? change(message) : message) };
    },
  };
}

export function messagesDropped(rule: Rule, dropped: (message: Message) => boolean): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber }) => ({
      fromProducer: (message) => {
        if (!dropped(message)) toSubscriber(message);
      },
    }),
  };
}

export const fieldLeftOut = (rule: Rule, field: string, concerns: (event: Message) => boolean = () => true): Mutant =>
  eventsChanged(rule, (event) => (concerns(event) ? without(event, field) : event));

export const messageChanged = (rule: Rule, concerns: (message: Message) => boolean, change: Change): Mutant => ({
  ...rule,
  link: ({ toSubscriber }) => ({
    fromProducer: (message) => toSubscriber(concerns(message) ? change(message) : message),
  }),
});

export function honored(accepted: Message, change: Change): Message {
  return { ...accepted, honored_capabilities: change(record(accepted.honored_capabilities)) };
}

/** The capabilities asked for so far: a request begins anew, a renegotiation changes only what it names. */
export function askedTerms(): { readonly read: () => Message; readonly follow: Handler } {
  let asked: Message = {};
  return {
    read: () => asked,
    follow: (message) => {
      const given = record(message.capabilities);
      if (isRequest(message)) asked = given;
      if (isRenegotiation(message)) asked = merged(asked, given);
    },
  };
}

export function merged(old: Message, given: Message): Message {
  const filters = { ...record(old.event_filters), ...record(given.event_filters) };
  return { ...old, ...given, ...(Object.keys(filters).length > 0 ? { event_filters: filters } : {}) };
}

/** Asks the producer for other terms than the subscriber did, and tells the subscriber that it got its own. */
export function otherTerms(
  rule: Rule,
  ask: Change,
  pretend: (honoredTerms: Message, asked: Message) => Message,
): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          if (!isRequest(message) && !isRenegotiation(message)) return toProducer(message);
          toProducer({ ...message, capabilities: ask(record(message.capabilities)) });
        },
        fromProducer: (message) => {
          if (!isAccepted(message)) return toSubscriber(message);
          // Notes would tell of the terms that were really asked for.
          const plain = without(message, "negotiation_notes");
          toSubscriber(honored(plain, (terms) => pretend(terms, asked.read())));
        },
      };
    },
  };
}

export const replace =
  (field: string, value: unknown): Change =>
  (terms) =>
    field in terms ? { ...terms, [field]: value } : terms;

/** Gives back the field as it was asked for, or with its default. */
export const asAsked =
  (field: string, byDefault: unknown) =>
  (terms: Message, asked: Message): Message => ({ ...terms, [field]: asked[field] ?? byDefault });

/** Rewrites what `accepted` says; what the producer does stays as negotiated. */
export function honoredClaims(rule: Rule, claim: (terms: Message, asked: Message) => Message): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          toProducer(message);
        },
        fromProducer: (message) =>
          toSubscriber(isAccepted(message) ? honored(message, (terms) => claim(terms, asked.read())) : message),
      };
    },
  };
}

/** Lets events go one interval apart. Critical ones go at once, with all before them, unless they are charged too. */
export function queued({ toSubscriber, after }: MutantLink, interval: () => number, chargeCritical = false): Handler {
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
  };
}

/** Keeps added events within the honored rate, so that they break no second rule. */
export function paced(link: MutantLink, ratio = 1, chargeCritical = false): Handler {
  let interval = 0;
  const send = queued(link, () => interval, chargeCritical);
  return (message) => {
    if (isAccepted(message)) interval = intervalOf(message) / ratio;
    send(message);
  };
}

export function intervalOf(accepted: Message): number {
  const rate = record(accepted.honored_capabilities).max_events_per_second;
  return typeof rate === "number" && rate > 0 ? 1000 / rate : 0;
}

/** Sends further events after some. */
export function eventsAdded(rule: Rule, begin: () => (event: Message) => readonly Message[]): Mutant {
  return {
    ...rule,
    link: (link) => {
      const send = paced(link);
      const added = begin();
      return {
        fromProducer: (message) => {
          send(message);
          if (isEvent(message)) added(message).forEach(send);
        },
      };
    },
  };
}

/** Mends replies that a correct producer would ignore, so that they count. */
export function repliesMended(
  rule: Rule,
  mend: (reply: Message, question: Message, subscription: string) => Message,
): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          toProducer(question === undefined ? message : mend(message, question, seen.subscription()));
        },
      };
    },
  };
}

interface QuestionsSeen {
  readonly follow: Handler;
  readonly question: (replyToken: string) => Message | undefined;
  readonly subscription: () => string;
}

export function questionsSeen(): QuestionsSeen {
  const asked = new Map<string, Message>();
  let subscription = "";
  return {
    follow: (message) => {
      if (isAccepted(message)) subscription = text(message.subscription_id);
      if (isQuestion(message)) asked.set(token(message), message);
    },
    question: (replyToken) => asked.get(replyToken),
    subscription: () => subscription,
  };
}
