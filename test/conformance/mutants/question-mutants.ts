// Producers that break questions and replies (chapter 6).
import {
  deadline,
  decisionReply,
  freshEventId,
  freshHex,
  isClarificationReply,
  isConfirmation,
  isConfirmationReply,
  isEvent,
  isIrreversible,
  isKind,
  isQuestion,
  isReply,
  isTerminal,
  leavesQuestion,
  notBefore,
  now,
  record,
  resolution,
  session,
  strings,
  text,
  token,
} from "./messages.js";
import type { Message, Mutant } from "./mutant.js";
import {
  asAsked,
  eventsChanged,
  fieldLeftOut,
  messagesDropped,
  otherTerms,
  questionsSeen,
  type Rule,
  repliesMended,
} from "./mutant-forms.js";

function confirmationReply(message: Message): { readonly decision: string } | undefined {
  return isConfirmationReply(message) ? { decision: text(message.decision) } : undefined;
}

function defaultAccepted(rule: Rule, risk: string): Mutant {
  return eventsChanged(rule, (event) =>
    isConfirmation(event) && isIrreversible(event) && event.risk_level === risk
      ? { ...event, default_decision: "accept" }
      : event,
  );
}

/**
 * Answers in the listener's place, and lets the listener's own answers through: they come too late. `plan` returns undefined for a question that is
 * left to the listener.
 */
export function selfAnswered(
  rule: Rule,
  plan: (question: Message) => { readonly ms: number; readonly decision: string } | undefined,
): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer, after }) => {
      const seen = questionsSeen();
      const replied = new Set<string>();
      return {
        fromSubscriber: (message) => {
          if (isReply(message)) replied.add(token(message));
          toProducer(message);
        },
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
          const planned = isConfirmation(message) ? plan(message) : undefined;
          if (planned === undefined) return;
          const { ms, decision } = planned;
          after(Math.max(0, ms), () => {
            if (!replied.has(token(message))) toProducer(decisionReply(message, seen.subscription(), decision));
          });
        },
      };
    },
  };
}

export const BLOCKING: readonly Mutant[] = [
  defaultAccepted(
    {
      name: "default-accept-on-irreversible-high",
      paragraph: "AAEP §6.4.1",
      breaks: "The default of an irreversible high-risk question MUST be reject; it is accept.",
    },
    "high",
  ),
  defaultAccepted(
    {
      name: "default-accept-on-irreversible-medium",
      paragraph: "AAEP §6.4.1",
      breaks: "The default of an irreversible medium-risk question MUST be reject; it is accept.",
    },
    "medium",
  ),
  selfAnswered(
    {
      name: "answer-not-awaited",
      paragraph: "AAEP §6.1(1)",
      breaks: "The action MUST NOT run before a valid reply; it goes ahead 100 ms after the question.",
    },
    () => ({ ms: 100, decision: "accept" }),
  ),
  selfAnswered(
    {
      name: "default-turned-round",
      paragraph: "AAEP §6.4",
      breaks: "On timeout default_decision MUST be applied; the opposite is.",
    },
    (question) => ({
      ms: Number(question.timeout_seconds) * 1000 - 150,
      decision: question.default_decision === "accept" ? "reject" : "accept",
    }),
  ),
  {
    name: "reject-taken-as-accept",
    paragraph: "AAEP §4.5.3",
    breaks: "The action MUST NOT run without an accept; a reject counts as one.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) =>
        toProducer(confirmationReply(message)?.decision === "reject" ? { ...message, decision: "accept" } : message),
    }),
  },
  {
    name: "accept-taken-as-reject",
    paragraph: "AAEP §9.4.1(6)",
    breaks: "The first valid reply is honored; an accept counts as reject.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) =>
        toProducer(confirmationReply(message)?.decision === "accept" ? { ...message, decision: "reject" } : message),
    }),
  },
  messagesDropped(
    {
      name: "resolution-never-announced",
      paragraph: "AAEP §9.4.1(9)",
      breaks: "A follow-up event MUST be emitted when a question is resolved; none is.",
    },
    leavesQuestion,
  ),
  fieldLeftOut(
    {
      name: "question-without-consequence",
      paragraph: "AAEP §4.4.1",
      breaks: "awaiting.confirmation requires consequence; the field is left out.",
    },
    "consequence",
    isConfirmation,
  ),
  eventsChanged(
    {
      name: "question-not-critical",
      paragraph: "AAEP §4.4.1",
      breaks: "awaiting.confirmation MUST have urgency critical; it has normal.",
    },
    (event) => (isConfirmation(event) ? { ...event, urgency: "normal" } : event),
  ),
  {
    name: "question-asked-twice",
    paragraph: "AAEP §6.1(4)",
    breaks: "No second question for the same action while one is open; it is asked again with a new token.",
    link: ({ toSubscriber, toProducer, after }) => {
      const twins = new Map<string, string>();
      const resolved = new Set<string>();
      const again = (question: Message): void => {
        if (resolved.has(session(question))) return;
        const twin = `rpl_${freshHex()}`;
        twins.set(twin, token(question));
        toSubscriber({
          ...question,
          event_id: freshEventId(),
          reply_token: twin,
          timestamp: notBefore(question.timestamp),
        });
      };
      return {
        fromSubscriber: (message) => {
          const real = isReply(message) ? twins.get(token(message)) : undefined;
          toProducer(real === undefined ? message : { ...message, reply_token: real });
        },
        fromProducer: (message) => {
          if (leavesQuestion(message) || isTerminal(message)) resolved.add(session(message));
          toSubscriber(message);
          if (!isConfirmation(message)) return;
          resolved.delete(session(message));
          after(300, () => again(message));
        },
      };
    },
  },
  {
    name: "question-outlives-cancellation",
    paragraph: "AAEP §6.8",
    breaks: "session.cancelled cancels what is pending; a reply to it still counts and is announced after the end.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      const replied = new Set<string>();
      const cancelled = new Set<string>();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          if (isKind(message, "agent.session.cancelled")) cancelled.add(session(message));
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          const lives = question !== undefined && cancelled.has(session(question)) && !replied.has(token(message));
          if (isReply(message)) replied.add(token(message));
          if (!lives) return toProducer(message);
          toSubscriber(resolution(question, message.decision !== "reject"));
        },
      };
    },
  },
  {
    name: "cancelled-question-resolved-by-default",
    paragraph: "AAEP §4.5.1",
    breaks: "Nothing follows the terminal event; 500 ms after session.cancelled its open question gets its default.",
    link: ({ toSubscriber, toProducer, after }) => {
      const open = new Map<string, Message>();
      const replied = new Set<string>();
      return {
        fromSubscriber: (message) => {
          if (isReply(message)) replied.add(token(message));
          toProducer(message);
        },
        fromProducer: (message) => {
          if (isQuestion(message)) open.set(session(message), message);
          toSubscriber(message);
          const question = open.get(session(message));
          if (!isKind(message, "agent.session.cancelled") || question === undefined) return;
          if (replied.has(token(question))) return;
          after(500, () => toSubscriber(resolution(question, question.default_decision === "accept")));
        },
      };
    },
  },
];

export const INCAPABLE: readonly Mutant[] = (["confirmation", "clarification"] as const).map((what) =>
  otherTerms(
    {
      name: `${what}-for-those-who-cannot-reply`,
      paragraph: what === "confirmation" ? "AAEP §5.3.1.4" : "AAEP §5.3.1.5",
      breaks: `awaiting.${what} MUST NOT go to a subscription without supports_${what}_reply; it does.`,
    },
    (terms) => ({ ...terms, [`supports_${what}_reply`]: true }),
    asAsked(`supports_${what}_reply`, false),
  ),
);

export const TOKENS: readonly Mutant[] = [
  {
    name: "token-reused",
    paragraph: "AAEP §6.2.2",
    breaks: "A reply token MUST NOT be reused; the second question carries the first one's.",
    link: ({ toSubscriber, toProducer }) => {
      let shown: string | undefined;
      let current = "";
      return {
        fromProducer: (message) => {
          if (!isQuestion(message)) return toSubscriber(message);
          shown ??= token(message);
          current = token(message);
          toSubscriber({ ...message, reply_token: shown });
        },
        fromSubscriber: (message) =>
          toProducer(isReply(message) && token(message) === shown ? { ...message, reply_token: current } : message),
      };
    },
  },
  {
    name: "token-malformed",
    paragraph: "AAEP §6.2.1",
    breaks: "A reply token is `rpl_` and 1 to 64 alphanumerics; it is `token-…`.",
    link: ({ toSubscriber, toProducer }) => ({
      fromProducer: (message) =>
        toSubscriber(isQuestion(message) ? { ...message, reply_token: `token-${token(message)}` } : message),
      fromSubscriber: (message) =>
        toProducer(isReply(message) ? { ...message, reply_token: token(message).replace(/^token-/, "") } : message),
    }),
  },
];

function coerced(reply: Message, question: Message): Message {
  const kinds = strings(question.accepted_response_kinds);
  const { response } = reply;
  if (kinds.length === 0 || kinds.includes(kindOfResponse(response, kinds))) return reply;
  return { ...reply, response: asKind(response, kinds[0] ?? "freetext", question) };
}

function kindOfResponse(response: unknown, kinds: readonly string[]): string {
  if (typeof response === "boolean") return "yes_no";
  if (typeof response === "number") return "numeric";
  if (typeof response !== "string") return "";
  return kinds.includes("multiple_choice") ? "multiple_choice" : "freetext";
}

const choiceValues = (question: Message): readonly string[] =>
  Array.isArray(question.choices) ? question.choices.map((choice) => text(record(choice).value)) : [];

function asKind(response: unknown, wanted: string, question: Message): unknown {
  if (wanted === "numeric") return Number(response) || 0;
  if (wanted === "yes_no") return Boolean(response);
  if (wanted === "multiple_choice") return choiceValues(question)[0];
  return typeof response === "string" ? response : JSON.stringify(response ?? null);
}

function withinChoices(reply: Message, question: Message): Message {
  const values = choiceValues(question);
  const onlyChoices = strings(question.accepted_response_kinds).every((each) => each === "multiple_choice");
  const outside = typeof reply.response === "string" && values.length > 0 && !values.includes(reply.response);
  return onlyChoices && outside ? { ...reply, response: values[0] } : reply;
}

function withinAllowed(reply: Message, question: Message): Message {
  const allowed = Array.isArray(question.allowed_replies) ? strings(question.allowed_replies) : ["accept", "reject"];
  if (!isConfirmationReply(reply) || allowed.includes(text(reply.decision))) return reply;
  return { ...reply, decision: allowed[0] };
}

const REPLIES_MENDED: readonly Mutant[] = [
  repliesMended(
    {
      name: "wrong-typed-clarification-counted",
      paragraph: "AAEP §6.5.5",
      breaks: "A response of a wrong type MUST be treated as no reply; it is converted and counts.",
    },
    (reply, question) => (isClarificationReply(reply) ? coerced(reply, question) : reply),
  ),
  repliesMended(
    {
      name: "choice-outside-the-list-counted",
      paragraph: "AAEP §6.5.5",
      breaks: "A multiple_choice response MUST be one of choices; another counts as the first.",
    },
    (reply, question) => (isClarificationReply(reply) ? withinChoices(reply, question) : reply),
  ),
  repliesMended(
    {
      name: "disallowed-decision-counted",
      paragraph: "AAEP §6.3.4(6)",
      breaks: "A decision outside allowed_replies MUST be ignored; it counts as the first allowed one.",
    },
    withinAllowed,
  ),
  repliesMended(
    {
      name: "reply-without-timestamp-counted",
      paragraph: "AAEP §6.3.4(1)",
      breaks: "A reply that fails the schema MUST be ignored; one without timestamp counts.",
    },
    (reply) => ("timestamp" in reply ? reply : { ...reply, timestamp: now() }),
  ),
  repliesMended(
    {
      name: "foreign-subscription-reply-counted",
      paragraph: "AAEP §10.2.2 T1",
      breaks: "A reply MUST come over a subscription entitled to it; one in another subscription's name counts.",
    },
    (reply, _question, subscription) => ({ ...reply, subscription_id: subscription }),
  ),
];

/** Shared by all connections: which tokens were replied to at all. */
/** The end of a session with an answered question is held so long, ms: a second reply then counts before it, on a busy machine too. */
const HELD_END_MS = 1000;

function secondReply(): Mutant {
  const replied = new Set<string>();
  return {
    name: "second-reply-counted",
    paragraph: "AAEP §6.3.5",
    breaks: "Replies after the first valid one MUST be ignored; a second one is announced as a second resolution.",
    link: ({ toSubscriber, toProducer, after }) => {
      const seen = questionsSeen();
      const resolved = new Set<string>();
      const ended = new Set<string>();
      // Of the event before: a later one would stand before events that were made earlier.
      let timestamp: unknown;
      return {
        fromProducer: (message) => {
          seen.follow(message);
          if (isEvent(message)) timestamp = message.timestamp;
          if (isQuestion(message)) resolved.delete(session(message));
          if (leavesQuestion(message)) resolved.add(session(message));
          if (!isTerminal(message) || !resolved.has(session(message))) return toSubscriber(message);
          after(HELD_END_MS, () => {
            ended.add(session(message));
            toSubscriber(message);
          });
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          const again =
            question !== undefined &&
            replied.has(token(message)) &&
            resolved.has(session(question)) &&
            !ended.has(session(question));
          if (isReply(message)) replied.add(token(message));
          if (again) return toSubscriber({ ...resolution(question, message.decision !== "reject"), timestamp });
          toProducer(message);
        },
      };
    },
  };
}

const LAST_WINS_MS = 400;

function lastReplyWins(): Mutant {
  const latest = new Map<string, () => void>();
  return {
    name: "last-reply-wins",
    paragraph: "AAEP §6.7.1",
    breaks: "The first valid reply MUST be honored; of those within 400 ms the last one is.",
    link: ({ toProducer, after }) => ({
      fromSubscriber: (message) => {
        if (!isReply(message)) return toProducer(message);
        const key = token(message);
        const waiting = latest.has(key);
        latest.set(key, () => toProducer(message));
        if (waiting) return;
        after(LAST_WINS_MS, () => {
          latest.get(key)?.();
          latest.delete(key);
        });
      },
    }),
  };
}

const explained = (code: string, message: string, pointer: string): Message => ({
  type: "aaepd.error",
  code,
  message,
  pointer,
  rule: "AAEP §6.3.4",
});

/** Used tokens are left out: a courtesy notice about them is allowed (§6.3.5). */
function failedCheck(reply: Message, question: Message | undefined): Message | undefined {
  if (question === undefined) return explained("token_unknown", "No open question has this token.", "/reply_token");
  if (withinAllowed(reply, question) !== reply)
    return explained("decision_not_allowed", "This decision is not among allowed_replies.", "/decision");
  if (isClarificationReply(reply) && coerced(reply, question) !== reply)
    return explained("response_type", "The response has the wrong type.", "/response");
  return undefined;
}

export const REPLIES: readonly Mutant[] = [
  ...REPLIES_MENDED,
  secondReply(),
  lastReplyWins(),
  {
    name: "late-reply-counted",
    paragraph: "AAEP §6.3.4(4)",
    breaks: "A reply after the deadline MUST be ignored; it is dated back.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      const replied = new Set<string>();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          if (question === undefined || replied.has(token(message))) return toProducer(message);
          replied.add(token(message));
          const late = Date.parse(text(message.timestamp)) >= deadline(question);
          toProducer(late ? { ...message, timestamp: now() } : message);
        },
      };
    },
  },
  {
    name: "failed-reply-explained",
    paragraph: "AAEP §6.3.4",
    breaks: "The sender MUST NOT be told which check failed; it is told that the token, decision or type is wrong.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const told = isReply(message) ? failedCheck(message, seen.question(token(message))) : undefined;
          if (told !== undefined) toSubscriber(told);
          toProducer(message);
        },
      };
    },
  },
];
