// Producers that break renegotiation and close (chapter 5).
import {
  DEFAULT_BOUNDARIES,
  DEFAULT_FILTERS,
  endOf,
  type Handler,
  isAccepted,
  isChunk,
  isClose,
  isRejected,
  isRenegotiation,
  record,
  text,
} from "./messages.js";
import type { Message, Mutant } from "./mutant.js";
import { honored, merged, messageChanged } from "./mutant-forms.js";

interface Pretence {
  readonly keep: Handler;
  /** The `accepted` that this renegotiation would get. */
  readonly answer: (renegotiation: Message) => Message;
}

function pretence(): Pretence {
  let last: Message = { type: "subscription.accepted" };
  return {
    keep: (message) => {
      if (isAccepted(message)) last = message;
    },
    answer: (renegotiation) => {
      last = honored(last, (terms) => merged(terms, record(renegotiation.capabilities)));
      return last;
    },
  };
}

const LATE_MS = 1500;

const DEFAULTS_ON_OMISSION: Message = {
  preferred_verbosity: "normal",
  languages: ["en-US"],
  coalesce_boundaries: DEFAULT_BOUNDARIES,
  event_filters: DEFAULT_FILTERS,
};

export function emptied(event: Message): Message {
  return { ...event, chunk: "", position: endOf(event) };
}

export const RENEGOTIATION: readonly Mutant[] = [
  {
    name: "renegotiation-not-applied",
    paragraph: "AAEP §5.7.2",
    breaks: "Renegotiated capabilities MUST apply to all later events; they are accepted and nothing changes.",
    link: ({ toSubscriber, toProducer }) => {
      const pretended = pretence();
      return {
        fromProducer: (message) => {
          pretended.keep(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) =>
          isRenegotiation(message) ? toSubscriber(pretended.answer(message)) : toProducer(message),
      };
    },
  },
  {
    name: "renegotiation-applied-late",
    paragraph: "AAEP §5.7.2",
    breaks: "Renegotiated capabilities MUST apply after their accepted; the old terms go on for 1.5 s.",
    link: ({ toSubscriber, toProducer, after }) => {
      const pretended = pretence();
      let answered = 0;
      return {
        fromSubscriber: (message) => {
          if (!isRenegotiation(message)) return toProducer(message);
          toSubscriber(pretended.answer(message));
          after(LATE_MS, () => {
            answered += 1;
            toProducer(message);
          });
        },
        fromProducer: (message) => {
          pretended.keep(message);
          if (!isAccepted(message) || answered === 0) return toSubscriber(message);
          answered -= 1;
        },
      };
    },
  },
  {
    name: "renegotiation-unanswered",
    paragraph: "AAEP §5.7",
    breaks: "A renegotiation MUST be answered; the new terms are applied without a word.",
    link: ({ toSubscriber, toProducer }) => {
      let open = 0;
      return {
        fromSubscriber: (message) => {
          if (isRenegotiation(message)) open += 1;
          toProducer(message);
        },
        fromProducer: (message) => {
          if (open === 0 || !(isAccepted(message) || isRejected(message))) return toSubscriber(message);
          open -= 1;
        },
      };
    },
  },
  {
    name: "renegotiation-resets-the-rest",
    paragraph: "AAEP §5.7.1",
    breaks: "Fields omitted retain their values; they fall back to the defaults.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) =>
        toProducer(
          isRenegotiation(message)
            ? { ...message, capabilities: { ...DEFAULTS_ON_OMISSION, ...record(message.capabilities) } }
            : message,
        ),
    }),
  },
  {
    name: "renegotiation-renames-the-subscription",
    paragraph: "AAEP §5.7",
    breaks: "A renegotiation updates the active subscription; its accepted names another subscription_id.",
    link: ({ toSubscriber, toProducer }) => {
      let id: unknown;
      let renamed = false;
      return {
        fromSubscriber: (message) => {
          if (isRenegotiation(message)) renamed = true;
          const foreign = "subscription_id" in message && message.subscription_id === `${text(id)}x`;
          toProducer(foreign ? { ...message, subscription_id: id } : message);
        },
        fromProducer: (message) => {
          if (!isAccepted(message)) return toSubscriber(message);
          id = message.subscription_id;
          toSubscriber(renamed ? { ...message, subscription_id: `${text(id)}x` } : message);
        },
      };
    },
  },
  {
    name: "text-lost-at-renegotiation",
    paragraph: "AAEP §8.2.4",
    breaks: "Lost messages are non-conforming; the first text after a renegotiation's accepted is not delivered.",
    link: ({ toSubscriber, toProducer }) => {
      let asked = false;
      let losing = false;
      return {
        fromSubscriber: (message) => {
          if (isRenegotiation(message)) asked = true;
          toProducer(message);
        },
        fromProducer: (message) => {
          if (isAccepted(message) && asked) losing = true;
          if (!losing || !isChunk(message) || text(message.chunk) === "") return toSubscriber(message);
          losing = false;
          asked = false;
          if (message.complete === true) toSubscriber(emptied(message));
        },
      };
    },
  },
];

export const CLOSING: readonly Mutant[] = [
  {
    name: "close-ignored",
    paragraph: "AAEP §5.8.2(1)",
    breaks: "After a close the producer MUST stop emitting; events go on.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) => {
        if (!isClose(message)) toProducer(message);
      },
    }),
  },
  {
    name: "close-leaves-the-question-open",
    paragraph: "AAEP §5.8.2(2)",
    breaks: "A close MUST apply the default of what the closed subscription was asked; the question stays open.",
    link: ({ toSubscriber, toProducer }) => {
      let closed = false;
      return {
        fromSubscriber: (message) => {
          if (isClose(message)) closed = true;
          if (!closed) toProducer(message);
        },
        fromProducer: (message) => {
          if (!closed) toSubscriber(message);
        },
      };
    },
  },
  messageChanged(
    {
      name: "close-names-another-subscription",
      paragraph: "AAEP §5.8.1",
      breaks: "subscription.close carries the id given in accepted; the producer's own close carries another.",
    },
    isClose,
    (message) => ({ ...message, subscription_id: `${text(message.subscription_id)}x` }),
  ),
];
