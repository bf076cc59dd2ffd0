// Producers that take replies that do not count, that refuse one of the allowed forms, or that explain (chapter 6).
import type { Deviation, Deviations } from "./deviation.js";
import { repliesMended, sent } from "./forms.js";
import {
  choiceValues,
  dated,
  deadline,
  isClarificationReply,
  isConfirmationReply,
  isDated,
  isEvent,
  isQuestion,
  isReply,
  isTerminal,
  leavesQuestion,
  type Message,
  record,
  resolution,
  session,
  strings,
  text,
  token,
  without,
} from "./messages.js";

function coerced(reply: Message, question: Message): Message {
  const kinds = strings(question.accepted_response_kinds);
  const { response } = reply;
  if (!isClarificationReply(reply) || kinds.length === 0 || kinds.includes(kindOfResponse(response, kinds)))
    return reply;
  return { ...reply, response: asKind(response, kinds[0] ?? "freetext", question) };
}

function kindOfResponse(response: unknown, kinds: readonly string[]): string {
  if (typeof response === "boolean") return "yes_no";
  if (typeof response === "number") return "numeric";
  if (typeof response !== "string") return "";
  return kinds.includes("multiple_choice") ? "multiple_choice" : "freetext";
}

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
  return isClarificationReply(reply) && onlyChoices && outside ? { ...reply, response: values[0] } : reply;
}

function withinAllowed(reply: Message, question: Message): Message {
  const allowed = Array.isArray(question.allowed_replies) ? strings(question.allowed_replies) : ["accept", "reject"];
  if (!isConfirmationReply(reply) || allowed.includes(text(reply.decision))) return reply;
  return { ...reply, decision: allowed[0] };
}

/** A reply is read as another one, or not at all. */
const read = (reading: (reply: Message, questions: readonly Message[]) => Message | undefined): Deviation =>
  sent(isReply, (reply, { seen }) => reading(reply, [...seen.questions.values()]));

const ofToken = (isLike: (sent: string, asked: string) => boolean): Deviation =>
  read((reply, questions) => {
    const meant = questions.find((question) => isLike(token(reply), token(question)));
    return meant === undefined ? reply : { ...reply, reply_token: meant.reply_token };
  });

/** How long the end of a session with an answered question is held: a second reply then counts before it, on a busy machine too. */
const HELD_END_MS = 1000;

function secondReply(): Deviation {
  /** Of all connections: which tokens were replied to at all. */
  const replied = new Set<string>();
  return ({ toSubscriber, after, seen }) => {
    const resolved = new Set<string>();
    const ended = new Set<string>();
    // Of the event before: a later one would stand before events that were made earlier.
    let timestamp: unknown;
    return {
      down: (message) => {
        if (isEvent(message)) timestamp = message.timestamp;
        if (isQuestion(message)) resolved.delete(session(message));
        if (leavesQuestion(message)) resolved.add(session(message));
        if (!isTerminal(message) || !resolved.has(session(message))) return message;
        after(HELD_END_MS, () => {
          ended.add(session(message));
          toSubscriber(message);
        });
        return undefined;
      },
      up: (message) => {
        if (!isReply(message)) return message;
        const question = seen.questions.get(token(message));
        const isAgain = replied.has(token(message));
        replied.add(token(message));
        if (!isAgain || question === undefined) return message;
        if (!resolved.has(session(question)) || ended.has(session(question))) return message;
        return void toSubscriber({ ...resolution(question, message.decision !== "reject"), timestamp });
      },
    };
  };
}

function lastReplyWins(): Deviation {
  const latest = new Map<string, () => void>();
  return ({ toProducer, after }) => ({
    up: (message) => {
      if (!isReply(message)) return message;
      const key = token(message);
      const waiting = latest.has(key);
      latest.set(key, () => toProducer(message));
      if (!waiting)
        after(400, () => {
          latest.get(key)?.();
          latest.delete(key);
        });
      return undefined;
    },
  });
}

/** A reject that comes within 100 ms after an accept overrides it. */
const rejectOverrides: Deviation = ({ toProducer, after }) => {
  const held = new Map<string, Message>();
  return {
    up: (message) => {
      if (!isConfirmationReply(message)) return message;
      held.delete(token(message));
      if (message.decision !== "accept") return message;
      held.set(token(message), message);
      after(100, () => {
        if (held.get(token(message)) === message) toProducer(message);
      });
      return undefined;
    },
  };
};

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
  if (coerced(reply, question) !== reply)
    return explained("response_type", "The response has the wrong type.", "/response");
  return undefined;
}

/** The sender is told for which reason a reply fails (AAEP §6.3.4). */
const explains = (noticeOf: (reply: Message, question: Message | undefined) => Message | undefined): Deviation =>
  sent(isReply, (reply, { toSubscriber, seen }) => {
    const notice = noticeOf(reply, seen.questions.get(token(reply)));
    if (notice !== undefined) toSubscriber(notice);
    return reply;
  });

const notice = (code: string): Message => ({ type: "vendor.notice", code });

export const REPLIES: Deviations = {
  // AAEP §6.5.5: a response of a wrong type MUST be treated as no reply; it is converted and counts.
  "wrong-typed-clarification-counted": repliesMended(coerced),
  // AAEP §6.5.5: a multiple_choice response MUST be one of choices; another counts as the first.
  "choice-outside-the-list-counted": repliesMended(withinChoices),
  // AAEP §6.3.4(6): a decision outside allowed_replies MUST be ignored; it counts as the first allowed one.
  "disallowed-decision-counted": repliesMended(withinAllowed),
  // AAEP §6.3.4(1): a reply that fails the schema MUST be ignored; one without timestamp counts.
  "reply-without-timestamp-counted": repliesMended((reply) => ("timestamp" in reply ? reply : dated(reply))),
  // AAEP §6.3.4(4): a reply after the deadline MUST be ignored; the first one is dated back.
  "late-reply-counted": sent(isReply, (reply, { seen }) => {
    const question = seen.questions.get(token(reply));
    if (question === undefined || seen.replied.has(token(reply))) return reply;
    return Date.parse(text(reply.timestamp)) >= deadline(question) ? dated(reply) : reply;
  }),
  // AAEP §6.3.4(4): a reply may be dated 30 s late.
  "dated-within-a-minute-counted": repliesMended((reply, question) => {
    const late = Date.parse(text(reply.timestamp)) - deadline(question);
    return isDated(reply) && late >= 0 && late < 30_000 ? dated(reply) : reply;
  }),
  // AAEP §10.2.2 T1: a reply MUST come over a subscription entitled to it; one in another subscription's name counts.
  "foreign-subscription-reply-counted": repliesMended((reply, _question, subscription_id) => ({
    ...reply,
    subscription_id,
  })),
  // AAEP §6.3.5: replies after the first valid one MUST be ignored; a second one is announced as a second resolution.
  "second-reply-counted": secondReply(),
  // AAEP §6.7.1: the first valid reply MUST be honored; of those within 400 ms the last one is.
  "last-reply-wins": lastReplyWins(),
  // AAEP §6.7.1: a reject beats an accept before it.
  "reject-overrides-accept": rejectOverrides,
  // AAEP §6.3.4: the sender MUST NOT be told which check failed; it is told that the token, decision or type is wrong.
  "failed-reply-explained": explains(failedCheck),
  // AAEP §6.3.4: the sender learns that a reply is dated late, or that a timestamp is missing.
  "late-reply-explained": explains(({ timestamp }) =>
    Date.parse(text(timestamp)) > Date.now() + 10_000 ? notice("late") : undefined,
  ),
  "undated-reply-explained": explains((reply) => ("timestamp" in reply ? undefined : notice("undated"))),
};

/** Replies that are nearly right (AAEP §6.3.4). */
export const READINGS: Deviations = {
  // ACCEPT and ' accept ' count as accept.
  "decision-case-folded": read((reply) => ({
    ...reply,
    decision: text(reply.decision).trim().toLowerCase() || reply.decision,
  })),
  // A decision that is no text counts as accept, if it is true in JavaScript.
  "decision-by-truth": read((reply) =>
    isConfirmationReply(reply) && typeof reply.decision !== "string" && reply.decision
      ? { ...reply, decision: "accept" }
      : reply,
  ),
  // The case of a reply_token does not matter.
  "token-case-folded": ofToken((sent, asked) => sent.toLowerCase() === asked.toLowerCase()),
  // A reply_token counts whose beginning is a question's.
  "token-by-prefix": ofToken((sent, asked) => sent.startsWith(asked)),
  // A timestamp that is no date counts, if it is a text.
  "date-not-read": read((reply) => (typeof reply.timestamp === "string" && !isDated(reply) ? dated(reply) : reply)),
  // The deadline is compared with the text of a timestamp.
  "dates-compared-as-texts": read((reply, questions) => {
    const question = questions.find((one) => token(one) === token(reply));
    if (question === undefined || !isDated(reply)) return reply;
    return text(reply.timestamp) < new Date(deadline(question)).toISOString() ? dated(reply) : undefined;
  }),
  // A reply whose timestamp has an offset is lost.
  "instants-with-z-alone": read((reply) =>
    !isDated(reply) || text(reply.timestamp).endsWith("Z") ? reply : undefined,
  ),
  // A clarification.reply needs no timestamp.
  "clarification-undated": read((reply) =>
    isClarificationReply(reply) && !("timestamp" in reply) ? dated(reply) : reply,
  ),
  // A clarification.reply answers a confirmation.
  "reply-of-another-kind": read((reply) =>
    isClarificationReply(reply) && reply.response === "accept"
      ? { ...without(reply, "response"), type: "confirmation.reply", decision: "accept" }
      : reply,
  ),
  // The label of a choice counts as its value.
  "label-for-a-choice": read((reply, questions) => {
    const choices = questions.flatMap((question) => (Array.isArray(question.choices) ? question.choices : []));
    const chosen = choices.map(record).find(({ label }) => label === reply.response);
    return chosen === undefined ? reply : { ...reply, response: chosen.value };
  }),
  // A text with a number answers a question for a number.
  "number-read-from-a-text": read((reply) =>
    isClarificationReply(reply) && /^\d$/.test(text(reply.response))
      ? { ...reply, response: Number(reply.response) }
      : reply,
  ),
};
