// Subscribers that break one rule each: a layer between a correct one and the scripted producer. Written from the chapters alone.
import type { Message, Mutant } from "./mutant.js";

type Change = (message: Message) => Message;
type Rule = Pick<Mutant, "name" | "paragraph" | "breaks">;

const CORE_TYPES = "https://aaep-protocol.org/types/";
const CORE_KINDS: ReadonlySet<string> = new Set([
  "agent.session.started",
  "agent.session.completed",
  "agent.session.errored",
  "agent.session.cancelled",
  "agent.state.changed",
  "agent.progress.updated",
  "agent.tool.invoked",
  "agent.tool.completed",
  "agent.output.streaming",
  "agent.awaiting.confirmation",
  "agent.awaiting.clarification",
  "agent.handoff.requested",
]);
const RECOMMENDED_STATES: readonly string[] = [
  "idle",
  "thinking",
  "calling_tool",
  "writing_output",
  "awaiting_input",
  "deciding",
  "handing_off",
];

const isRecord = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const record = (value: unknown): Message => (isRecord(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

function kind(message: Message): string {
  const type = text(message.type);
  if (type.startsWith("aaep:")) return type.slice("aaep:".length);
  return type.startsWith(CORE_TYPES) ? type.slice(CORE_TYPES.length) : "";
}

const isEvent = (message: Message): boolean => "event_id" in message && "session_id" in message;
const isState = (message: Message): boolean => kind(message) === "agent.state.changed";
const isConfirmation = (message: Message): boolean => kind(message) === "agent.awaiting.confirmation";
const isQuestion = (message: Message): boolean => kind(message).startsWith("agent.awaiting.");
const isCancelled = (message: Message): boolean => kind(message) === "agent.session.cancelled";
const isAccepted = (message: Message): boolean => message.type === "subscription.accepted";
const isRequest = (message: Message): boolean => message.type === "subscription.request";
const isRenegotiation = (message: Message): boolean => message.type === "subscription.renegotiate";
const isClose = (message: Message): boolean => message.type === "subscription.close";
const isConfirmationReply = (message: Message): boolean => message.type === "confirmation.reply";
const isClarificationReply = (message: Message): boolean => message.type === "clarification.reply";
const isReply = (message: Message): boolean => isConfirmationReply(message) || isClarificationReply(message);

const session = (event: Message): string => text(event.session_id);
const token = (message: Message): string => text(message.reply_token);
const without = (message: Message, ...fields: readonly string[]): Message =>
  Object.fromEntries(Object.entries(message).filter(([field]) => !fields.includes(field)));

function answer(question: Message, subscription: unknown): Message {
  const common = {
    reply_token: question.reply_token,
    subscription_id: subscription,
    timestamp: new Date().toISOString(),
  };
  return isConfirmation(question)
    ? { type: "confirmation.reply", decision: "accept", ...common }
    : { type: "clarification.reply", response: responseTo(question), ...common };
}

function responseTo(question: Message): unknown {
  const first = strings(question.accepted_response_kinds)[0];
  if (first === "yes_no") return true;
  if (first === "numeric") return 1;
  return first === "multiple_choice" ? choiceValues(question)[0] : "Yes.";
}

const choiceValues = (question: Message): readonly string[] =>
  Array.isArray(question.choices) ? question.choices.map((choice) => text(record(choice).value)) : [];

const sentChanged = (rule: Rule, concerns: (message: Message) => boolean, change: Change): Mutant => ({
  ...rule,
  link: ({ toProducer }) => ({
    fromSubscriber: (message) => toProducer(concerns(message) ? change(message) : message),
  }),
});

const sentDropped = (rule: Rule, dropped: (message: Message) => boolean): Mutant => ({
  ...rule,
  link: ({ toProducer }) => ({
    fromSubscriber: (message) => {
      if (!dropped(message)) toProducer(message);
    },
  }),
});

/** Rewrites replies in the light of what was asked. */
const answeredOtherwise = (rule: Rule, change: (reply: Message, question: Message) => Message): Mutant => ({
  ...rule,
  link: ({ toSubscriber, toProducer }) => {
    const asked = new Map<string, Message>();
    return {
      fromProducer: (message) => {
        if (isQuestion(message)) asked.set(token(message), message);
        toSubscriber(message);
      },
      fromSubscriber: (message) => {
        const question = isReply(message) ? asked.get(token(message)) : undefined;
        toProducer(question === undefined ? message : change(message, question));
      },
    };
  },
});

/** Breaks the connection at the first message of this sort. */
const crashes = (rule: Rule, at: (message: Message) => boolean): Mutant => ({
  ...rule,
  link: ({ toSubscriber, close }) => ({
    fromProducer: (message) => {
      if (at(message)) close();
      else toSubscriber(message);
    },
  }),
});

const REQUEST: readonly Mutant[] = [
  sentChanged(
    {
      name: "request-without-capabilities",
      paragraph: "AAEP §9.5.2(2)",
      breaks: "subscription.request MUST include capabilities; the field is left out.",
    },
    isRequest,
    (message) => without(message, "capabilities"),
  ),
  sentChanged(
    {
      name: "request-without-version",
      paragraph: "AAEP §5.2.1",
      breaks: "subscription.request requires aaep_version; the field is left out.",
    },
    isRequest,
    (message) => without(message, "aaep_version"),
  ),
  sentChanged(
    {
      name: "request-without-subscriber-id",
      paragraph: "AAEP §5.2.1",
      breaks: "subscription.request requires subscriber_id; the field is left out.",
    },
    isRequest,
    (message) => without(message, "subscriber_id"),
  ),
  sentChanged(
    {
      name: "claims-no-confirmation-reply",
      paragraph: "AAEP §9.4.2(2)",
      breaks: "From Level 2 on supports_confirmation_reply MUST be declared true; it is false.",
    },
    (message) => isRequest(message) || isRenegotiation(message),
    (message) => ({
      ...message,
      capabilities: { ...record(message.capabilities), supports_confirmation_reply: false },
    }),
  ),
  {
    name: "keeps-asking-the-old-terms",
    paragraph: "AAEP §9.5.2(3)",
    breaks: "honored_capabilities MUST be accepted; where the rate is lower than asked, the old one is asked again.",
    link: ({ toSubscriber, toProducer, after }) => {
      let asked: Message = {};
      let left = 5;
      let again = 0;
      const ask = (accepted: Message): void => {
        again += 1;
        toProducer({
          type: "subscription.renegotiate",
          subscription_id: accepted.subscription_id,
          capabilities: { max_events_per_second: asked.max_events_per_second },
        });
      };
      const answersOurs = (): boolean => {
        if (again === 0) return false;
        again -= 1;
        return true;
      };
      return {
        fromSubscriber: (message) => {
          if (isRequest(message) || isRenegotiation(message)) asked = { ...asked, ...record(message.capabilities) };
          toProducer(message);
        },
        fromProducer: (message) => {
          if (!isAccepted(message)) return toSubscriber(message);
          if (!answersOurs()) toSubscriber(message);
          const rate = record(message.honored_capabilities).max_events_per_second;
          if (left === 0 || !(Number(rate) < Number(asked.max_events_per_second))) return;
          left -= 1;
          after(200, () => ask(message));
        },
      };
    },
  },
  sentDropped(
    {
      name: "change-of-terms-not-sent",
      paragraph: "AAEP §9.5.2(4)",
      breaks: "Changed capabilities MUST be renegotiated; no subscription.renegotiate is sent.",
    },
    isRenegotiation,
  ),
  sentChanged(
    {
      name: "renegotiates-to-nothing",
      paragraph: "AAEP §5.7.1",
      breaks: "A renegotiation carries the capabilities that change; it carries none.",
    },
    isRenegotiation,
    (message) => ({ ...message, capabilities: {} }),
  ),
  sentChanged(
    {
      name: "renegotiates-another-subscription",
      paragraph: "AAEP §5.7.1",
      breaks: "subscription_id is the one given in accepted; renegotiations name another.",
    },
    isRenegotiation,
    (message) => ({ ...message, subscription_id: `${text(message.subscription_id)}x` }),
  ),
  sentDropped(
    {
      name: "never-closes",
      paragraph: "AAEP §9.5.2(7)",
      breaks: "subscription.close MUST be sent on shutdown; the connection just ends.",
    },
    isClose,
  ),
];

const CRASHES: readonly Mutant[] = [
  crashes(
    {
      name: "crashes-on-unknown-type",
      paragraph: "AAEP §9.3.2(5)",
      breaks: "Unknown types MUST be handled gracefully; the connection is broken off.",
    },
    (message) => isEvent(message) && !CORE_KINDS.has(kind(message)),
  ),
  crashes(
    {
      name: "crashes-on-extensions",
      paragraph: "AAEP §9.3.2(6)",
      breaks: "Unknown extensions MUST be handled gracefully; the connection is broken off.",
    },
    (message) => isEvent(message) && Object.keys(record(message.extensions)).some((prefix) => prefix !== "aaepd"),
  ),
  crashes(
    {
      name: "crashes-on-unknown-state",
      paragraph: "AAEP §4.2.1",
      breaks: "Events with unrecognized states MUST NOT be rejected; the connection is broken off.",
    },
    (message) => isState(message) && !RECOMMENDED_STATES.includes(text(message.to_state)),
  ),
  {
    name: "questions-dropped",
    paragraph: "AAEP §5.6.2",
    breaks: "Critical events MUST NOT be dropped; questions never reach the listener and are never answered.",
    link: ({ toSubscriber }) => ({
      fromProducer: (message) => {
        if (!isQuestion(message)) toSubscriber(message);
      },
    }),
  },
  {
    name: "duplicate-question-answered-again",
    paragraph: "AAEP §9.5.2(6)",
    breaks: "Duplicates MUST be recognised by event_id; a question that arrives twice is answered for each arrival.",
    link: ({ toSubscriber, toProducer }) => {
      const arrived = new Set<unknown>();
      let subscription: unknown;
      return {
        fromProducer: (message) => {
          if (isAccepted(message)) subscription = message.subscription_id;
          const duplicate = isQuestion(message) && arrived.has(message.event_id);
          if (isQuestion(message)) arrived.add(message.event_id);
          toSubscriber(message);
          if (duplicate) toProducer(answer(message, subscription));
        },
      };
    },
  },
];

function wrongType(reply: Message): Message {
  const { response } = reply;
  if (typeof response === "string") return { ...reply, response: { text: response } };
  return { ...reply, response: typeof response === "number" ? String(response) : response === true ? "yes" : "no" };
}

function disallowed(question: Message): string {
  const allowed = Array.isArray(question.allowed_replies) ? strings(question.allowed_replies) : ["accept", "reject"];
  return ["accept", "reject"].find((decision) => !allowed.includes(decision)) ?? "maybe";
}

/** Answers each question that has just been called off. */
function answersTheDead(): Mutant {
  return {
    name: "cancelled-question-answered",
    paragraph: "AAEP §9.4.2(9)",
    breaks: "The end of a pending question MUST be detected; one that was cancelled is answered.",
    link: ({ toSubscriber, toProducer, after }) => {
      const open = new Map<string, Message>();
      let subscription: unknown;
      const callsOff = (message: Message): boolean =>
        isCancelled(message) ||
        (isState(message) &&
          message.from_state === "awaiting_input" &&
          /^(?:thinking|deciding)$/.test(text(message.to_state)));
      return {
        fromSubscriber: (message) => {
          if (isReply(message))
            for (const [of, question] of open) if (token(question) === token(message)) open.delete(of);
          toProducer(message);
        },
        fromProducer: (message) => {
          if (isAccepted(message)) subscription = message.subscription_id;
          if (isQuestion(message)) open.set(session(message), message);
          toSubscriber(message);
          const question = callsOff(message) ? open.get(session(message)) : undefined;
          if (question === undefined) return;
          open.delete(session(message));
          after(100, () => toProducer(answer(question, subscription)));
        },
      };
    },
  };
}

/** Answers for its user when the user has not, after 5 s. */
function answersInTheEnd(name: string, concerns: (question: Message) => boolean, how: string): Mutant {
  return {
    name,
    paragraph: "AAEP §9.4.2(6)",
    breaks: `No answer on the user's behalf; ${how}`,
    link: ({ toSubscriber, toProducer, after }) => {
      const open = new Set<string>();
      let subscription: unknown;
      return {
        fromProducer: (message) => {
          if (isAccepted(message)) subscription = message.subscription_id;
          if (isCancelled(message)) open.clear();
          toSubscriber(message);
          if (!isQuestion(message) || !concerns(message)) return;
          open.add(token(message));
          after(5000, () => {
            if (open.delete(token(message))) toProducer(answer(message, subscription));
          });
        },
        fromSubscriber: (message) => {
          open.delete(token(message));
          toProducer(message);
        },
      };
    },
  };
}

const REPLIES: readonly Mutant[] = [
  sentChanged(
    {
      name: "token-altered",
      paragraph: "AAEP §9.4.2(4)",
      breaks: "reply_token MUST be echoed exactly; one character is appended.",
    },
    isReply,
    (message) => ({ ...message, reply_token: `${token(message)}0` }),
  ),
  {
    name: "accepts-unasked",
    paragraph: "AAEP §9.4.2(6)",
    breaks: "No answer on the user's behalf; each confirmation is accepted 50 ms after it arrives.",
    link: ({ toSubscriber, toProducer, after }) => {
      let subscription: unknown;
      return {
        fromProducer: (message) => {
          if (isAccepted(message)) subscription = message.subscription_id;
          toSubscriber(message);
          if (isConfirmation(message)) after(50, () => toProducer(answer(message, subscription)));
        },
        fromSubscriber: (message) => {
          if (!isConfirmationReply(message)) toProducer(message);
        },
      };
    },
  },
  answersInTheEnd(
    "accepts-unasked-late",
    isConfirmation,
    "each confirmation that is still open after 5 s is accepted.",
  ),
  answersInTheEnd(
    "clarifies-unasked-late",
    (question) => isQuestion(question) && !isConfirmation(question),
    "each clarification that is still open after 5 s is answered.",
  ),
  sentDropped(
    {
      name: "decision-not-sent",
      paragraph: "AAEP §9.4.2(3)",
      breaks: "The user's decision MUST be sent as confirmation.reply; it is not.",
    },
    isConfirmationReply,
  ),
  answersTheDead(),
  {
    name: "replies-twice",
    paragraph: "AAEP §6.3.5",
    breaks: "A token is good for one reply; each reply is sent twice.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) => {
        toProducer(message);
        if (isReply(message)) toProducer(message);
      },
    }),
  },
  {
    name: "replies-again-late",
    paragraph: "AAEP §6.3.5",
    breaks: "A token is good for one reply; each reply is sent again after 3 s.",
    link: ({ toProducer, after }) => ({
      fromSubscriber: (message) => {
        toProducer(message);
        if (isReply(message)) after(3000, () => toProducer(message));
      },
    }),
  },
  sentChanged(
    {
      name: "response-of-wrong-type",
      paragraph: "AAEP §6.5.2",
      breaks:
        "response has the type of an accepted kind; a number is sent as string, a boolean as word, a string as object.",
    },
    isClarificationReply,
    wrongType,
  ),
  answeredOtherwise(
    {
      name: "response-outside-the-choices",
      paragraph: "AAEP §6.5.2",
      breaks: "A multiple_choice response is the value of a choice; another string is sent.",
    },
    (reply, question) =>
      isClarificationReply(reply) && choiceValues(question).includes(text(reply.response))
        ? { ...reply, response: `${text(reply.response)}-not-offered` }
        : reply,
  ),
  answeredOtherwise(
    {
      name: "decision-not-allowed",
      paragraph: "AAEP §6.3.4(6)",
      breaks: "decision is one of allowed_replies; another is sent.",
    },
    (reply, question) => (isConfirmationReply(reply) ? { ...reply, decision: disallowed(question) } : reply),
  ),
  sentChanged(
    {
      name: "reply-names-another-subscription",
      paragraph: "AAEP §6.3.1",
      breaks: "subscription_id is the one the reply is sent on; another is named.",
    },
    isReply,
    (message) => ({ ...message, subscription_id: `${text(message.subscription_id)}x` }),
  ),
  sentChanged(
    {
      name: "reply-without-timestamp",
      paragraph: "AAEP §6.3.1",
      breaks: "A reply requires timestamp; the field is left out.",
    },
    isReply,
    (message) => without(message, "timestamp"),
  ),
  sentChanged(
    {
      name: "reply-timestamp-in-numbers",
      paragraph: "AAEP §6.3.1",
      breaks: "The timestamp of a reply is RFC 3339; it is milliseconds since 1970.",
    },
    isReply,
    (message) => ({ ...message, timestamp: Date.parse(text(message.timestamp)) }),
  ),
  sentChanged(
    {
      name: "clarification-sent-as-confirmation",
      paragraph: "AAEP §6.5.1",
      breaks: "A clarification is answered by clarification.reply; confirmation.reply is sent.",
    },
    isClarificationReply,
    (message) => ({ ...without(message, "response"), type: "confirmation.reply", decision: "accept" }),
  ),
];

export const SUBSCRIBER_MUTANTS: readonly Mutant[] = [...REQUEST, ...CRASHES, ...REPLIES];
