// Producers that take replies that are nearly right, that refuse one of the allowed forms, or whose deeds are not what they tell (chapter 6).
import {
  deadline,
  decisionReply,
  invented,
  isClarificationReply,
  isClose,
  isConfirmation,
  isConfirmationReply,
  isKind,
  isQuestion,
  isReply,
  isState,
  leavesQuestion,
  now,
  record,
  session,
  text,
  token,
  without,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";
import { eventsChanged, type Rule, repliesMended } from "./mutant-forms.js";
import { selfAnswered } from "./question-mutants.js";

/** How a reply is read: as another one, or not at all. */
type Reading = (reply: Message, questions: readonly Message[]) => Message | undefined;

/** RFC 3339 as AAEP §3.2.5 has it. */
const DATED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?:\d{3}|\d{6}))?(?:Z|[+-]\d\d:\d\d)$/;

const isDated = ({ timestamp }: Message): boolean => typeof timestamp === "string" && DATED.test(timestamp);
const dated = (reply: Message): Message => ({ ...reply, timestamp: now() });

function ofToken(
  reply: Message,
  questions: readonly Message[],
  isLike: (sent: string, asked: string) => boolean,
): Message {
  const meant = questions.find((question) => isLike(token(reply), token(question)));
  return meant === undefined ? reply : { ...reply, reply_token: meant.reply_token };
}

/** An accept that is dated by the texts of two instants alone. */
const byText: Reading = (reply, questions) => {
  const question = questions.find((one) => token(one) === token(reply));
  if (question === undefined || !isDated(reply)) return reply;
  return text(reply.timestamp) < new Date(deadline(question)).toISOString() ? dated(reply) : undefined;
};

const READ: readonly (readonly [name: string, breaks: string, read: Reading])[] = [
  [
    "decision-case-folded",
    "ACCEPT and ' accept ' count as accept.",
    (reply) => ({ ...reply, decision: text(reply.decision).trim().toLowerCase() || reply.decision }),
  ],
  [
    "decision-by-truth",
    "A decision that is no text counts as accept, if it is true in JavaScript.",
    (reply) =>
      isConfirmationReply(reply) && typeof reply.decision !== "string" && reply.decision
        ? { ...reply, decision: "accept" }
        : reply,
  ],
  [
    "token-case-folded",
    "The case of a reply_token does not matter.",
    (reply, questions) => ofToken(reply, questions, (sent, asked) => sent.toLowerCase() === asked.toLowerCase()),
  ],
  [
    "token-by-prefix",
    "A reply_token counts whose beginning is a question's.",
    (reply, questions) => ofToken(reply, questions, (sent, asked) => sent.startsWith(asked)),
  ],
  [
    "date-not-read",
    "A timestamp that is no date counts, if it is a text.",
    (reply) => (typeof reply.timestamp === "string" && !isDated(reply) ? dated(reply) : reply),
  ],
  ["dates-compared-as-texts", "The deadline is compared with the text of a timestamp.", byText],
  [
    "instants-with-z-alone",
    "A reply whose timestamp has an offset is lost.",
    (reply) => (!isDated(reply) || text(reply.timestamp).endsWith("Z") ? reply : undefined),
  ],
  [
    "clarification-undated",
    "A clarification.reply needs no timestamp.",
    (reply) => (isClarificationReply(reply) && !("timestamp" in reply) ? dated(reply) : reply),
  ],
  [
    "reply-of-another-kind",
    "A clarification.reply answers a confirmation.",
    (reply) =>
      isClarificationReply(reply) && reply.response === "accept"
        ? { ...without(reply, "response"), type: "confirmation.reply", decision: "accept" }
        : reply,
  ],
  [
    "label-for-a-choice",
    "The label of a choice counts as its value.",
    (reply, questions) => {
      const choices = questions.flatMap((question) => (Array.isArray(question.choices) ? question.choices : []));
      const chosen = choices.map(record).find(({ label }) => label === reply.response);
      return chosen === undefined ? reply : { ...reply, response: chosen.value };
    },
  ],
  [
    "number-read-from-a-text",
    "A text with a number answers a question for a number.",
    (reply) =>
      isClarificationReply(reply) && /^\d$/.test(text(reply.response))
        ? { ...reply, response: Number(reply.response) }
        : reply,
  ],
];

function repliesRead([name, breaks, read]: (typeof READ)[number]): Mutant {
  return {
    name,
    paragraph: "AAEP §6.3.4",
    breaks,
    link: ({ toSubscriber, toProducer }) => {
      const questions: Message[] = [];
      return {
        fromProducer: (message) => {
          if (isQuestion(message)) questions.push(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const meant = isReply(message) ? read(message, questions) : message;
          if (meant !== undefined) toProducer(meant);
        },
      };
    },
  };
}

/** What a producer does when the only subscription that was asked has gone. */
function goneAnswered(name: string, isGone: "closed" | "broken"): Mutant {
  return {
    name,
    paragraph: "AAEP §5.8.2(2)",
    breaks: "The default is reject, and the end of the last subscription that was asked counts as accept.",
    link: ({ toSubscriber, toProducer }) => {
      let subscription: unknown;
      let open: Message | undefined;
      const accept = (): void => {
        if (open !== undefined) toProducer(decisionReply(open, text(subscription), "accept"));
      };
      return {
        fromProducer: (message) => {
          if ("subscription_id" in message) subscription = message.subscription_id;
          if (isConfirmation(message)) open = message;
          if (leavesQuestion(message)) open = undefined;
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          if (isGone === "closed" && isClose(message)) accept();
          toProducer(message);
        },
        subscriberGone: () => {
          if (isGone === "broken") accept();
        },
      };
    },
  };
}

/** The call of the action that a question is about. It does not say that it is irreversible. */
function calls(like: Message): readonly Message[] {
  const call = { tool: "delete_photos", tool_call_id: "call_00", summary_normal: "Deletes nine photos." };
  return [
    invented(like, "agent.tool.invoked", call),
    invented(like, "agent.tool.completed", { ...call, status: "success" }),
  ];
}

/** The action is taken `ms` after a reject, and does not say that it is irreversible. */
function takenAllTheSame({ toSubscriber, toProducer }: MutantLink): ReturnType<Mutant["link"]> {
  const rejected = new Set<string>();
  const sessions = new Map<string, string>();
  return {
    fromSubscriber: (message) => {
      if (isConfirmationReply(message) && message.decision === "reject")
        rejected.add(sessions.get(token(message)) ?? "");
      toProducer(message);
    },
    fromProducer: (message) => {
      if (isConfirmation(message)) sessions.set(token(message), session(message));
      toSubscriber(isKind(message, "agent.tool.invoked") ? without(message, "irreversible") : message);
      if (leavesQuestion(message) && rejected.delete(session(message))) calls(message).forEach(toSubscriber);
    },
  };
}

/** A reply to a question that its agent has withdrawn is heard, and the action is taken. */
function withdrawnAnswered({ toSubscriber, toProducer }: MutantLink): ReturnType<Mutant["link"]> {
  const withdrawn = new Map<string, Message>();
  let open: Message | undefined;
  return {
    fromProducer: (message) => {
      if (isConfirmation(message)) open = message;
      if (isState(message) && open !== undefined && leavesQuestion(message)) withdrawn.set(token(open), message);
      toSubscriber(message);
    },
    fromSubscriber: (message) => {
      const of = withdrawn.get(token(message));
      toProducer(message);
      // A question that was answered is none that was withdrawn.
      if (of === undefined) withdrawn.delete(token(message));
      else if (text(of.summary_normal).includes("needed after all")) calls(of).forEach(toSubscriber);
    },
  };
}

/** A reject that comes within 100 ms after an accept overrides it. */
function rejectOverrides({ toProducer, after }: MutantLink): ReturnType<Mutant["link"]> {
  const held = new Map<string, Message>();
  return {
    fromSubscriber: (message) => {
      if (!isConfirmationReply(message)) return toProducer(message);
      if (message.decision !== "accept") {
        held.delete(token(message));
        return toProducer(message);
      }
      held.set(token(message), message);
      after(100, () => {
        if (held.get(token(message)) === message) toProducer(message);
      });
    },
  };
}

/** Tells of one reason alone for which a reply fails. */
function explains(name: string, breaks: string, isMeant: (reply: Message) => boolean): Mutant {
  return {
    name,
    paragraph: "AAEP §6.3.4",
    breaks,
    link: ({ toSubscriber, toProducer }) => ({
      fromSubscriber: (message) => {
        if (isReply(message) && isMeant(message)) toSubscriber({ type: "vendor.notice", code: name });
        toProducer(message);
      },
    }),
  };
}

const rule = (name: string, paragraph: string, breaks: string): Rule => ({ name, paragraph, breaks });
const isShort = ({ timeout_seconds: seconds }: Message): boolean => Number(seconds) <= 5;

export const NEARLY_RIGHT: readonly Mutant[] = [
  ...READ.map(repliesRead),
  goneAnswered("close-counts-as-accept", "closed"),
  goneAnswered("disconnect-counts-as-accept", "broken"),
  { ...rule("action-after-reject-unsaid", "AAEP §6.1", "The action follows a reject too."), link: takenAllTheSame },
  { ...rule("withdrawn-question-answered", "AAEP §6.8", "A withdrawn question counts."), link: withdrawnAnswered },
  { ...rule("reject-overrides-accept", "AAEP §6.7.1", "A reject beats an accept before it."), link: rejectOverrides },
  selfAnswered(
    rule("default-after-half-the-time", "AAEP §6.4", "The default applies after half the time."),
    (question) =>
      isShort(question)
        ? { ms: Number(question.timeout_seconds) * 500, decision: text(question.default_decision) }
        : undefined,
  ),
  eventsChanged(
    rule("replies-count-a-second-longer", "AAEP §6.3.4(4)", "A question is open for twice its time."),
    (event) =>
      isConfirmation(event) && isShort(event)
        ? { ...event, timeout_seconds: Number(event.timeout_seconds) / 2 }
        : event,
  ),
  repliesMended(
    rule("dated-within-a-minute-counted", "AAEP §6.3.4(4)", "A reply may be dated 30 s late."),
    (reply, question) => {
      const late = Date.parse(text(reply.timestamp)) - deadline(question);
      return isDated(reply) && late >= 0 && late < 30_000 ? dated(reply) : reply;
    },
  ),
  explains(
    "late-reply-explained",
    "The sender learns that a reply is dated late.",
    ({ timestamp }) => Date.parse(text(timestamp)) > Date.now() + 10_000,
  ),
  explains(
    "undated-reply-explained",
    "The sender learns that a timestamp is missing.",
    (reply) => !("timestamp" in reply),
  ),
];
