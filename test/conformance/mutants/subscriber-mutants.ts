// Subscribers that break one rule each: a deviation between a correct one and the scripted producer. Written from the chapters alone.
import type { Deviation, Deviations } from "./deviation.js";
import { asksForTerms, leaving, nothing, sent, told } from "./forms.js";
import {
  CORE_KINDS,
  choiceValues,
  isClarificationReply,
  isClose,
  isConfirmation,
  isConfirmationReply,
  isEvent,
  isKind,
  isQuestion,
  isReply,
  isRequest,
  isState,
  kind,
  type Message,
  now,
  record,
  session,
  strings,
  text,
  token,
  without,
} from "./messages.js";

const RECOMMENDED_STATES = "idle thinking calling_tool writing_output awaiting_input deciding handing_off".split(" ");

function answer(question: Message, subscription: string): Message {
  const common = { reply_token: question.reply_token, subscription_id: subscription, timestamp: now() };
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

/** Breaks the connection at the first message of this sort. */
const crashes = (at: (message: Message) => boolean): Deviation => told(at, (_message, { close }) => void close());

const CRASHES: Deviations = {
  // AAEP §9.3.2(5): unknown types MUST be handled gracefully; the connection is broken off.
  "crashes-on-unknown-type": crashes((message) => isEvent(message) && !CORE_KINDS.includes(kind(message))),
  // AAEP §9.3.2(6): unknown extensions MUST be handled gracefully; the connection is broken off.
  "crashes-on-extensions": crashes(
    (message) => isEvent(message) && Object.keys(record(message.extensions)).some((prefix) => prefix !== "aaepd"),
  ),
  // AAEP §4.2.1: events with unrecognized states MUST NOT be rejected; the connection is broken off.
  "crashes-on-unknown-state": crashes(
    (message) => isState(message) && !RECOMMENDED_STATES.includes(text(message.to_state)),
  ),
  // AAEP §5.6.2: critical events MUST NOT be dropped; questions never reach the listener and are never answered.
  "questions-dropped": told(isQuestion, nothing),
};

const REQUEST: Deviations = {
  // AAEP §9.5.2(2): subscription.request MUST include capabilities; the field is left out.
  "request-without-capabilities": sent(isRequest, leaving("capabilities")),
  "request-without-subscriber-id": sent(isRequest, leaving("subscriber_id")),
  // AAEP §9.4.2(2): from Level 2 on supports_confirmation_reply MUST be declared true; it is false.
  "claims-no-confirmation-reply": sent(asksForTerms, (message) => ({
    ...message,
    capabilities: { ...record(message.capabilities), supports_confirmation_reply: false },
  })),
  // AAEP §9.5.2(7): subscription.close MUST be sent on shutdown; the connection just ends.
  "never-closes": sent(isClose, nothing),
};

function wrongType(reply: Message): Message {
  const { response } = reply;
  if (typeof response === "string") return { ...reply, response: { text: response } };
  return { ...reply, response: typeof response === "number" ? String(response) : response === true ? "yes" : "no" };
}

function disallowed(question: Message): string {
  const allowed = Array.isArray(question.allowed_replies) ? strings(question.allowed_replies) : ["accept", "reject"];
  return ["accept", "reject"].find((decision) => !allowed.includes(decision)) ?? "maybe";
}

const isCancelled = (message: Message): boolean => isKind(message, "agent.session.cancelled");
const callsOff = (message: Message): boolean =>
  isCancelled(message) ||
  (isState(message) &&
    message.from_state === "awaiting_input" &&
    /^(?:thinking|deciding)$/.test(text(message.to_state)));

/** Answers each question that has just been called off. */
const answersTheDead: Deviation = ({ toProducer, after, seen }) => {
  const open = new Map<string, Message>();
  return {
    up: (message) => {
      if (isReply(message)) for (const [of, question] of open) if (token(question) === token(message)) open.delete(of);
      return message;
    },
    down: (message) => {
      if (isQuestion(message)) open.set(session(message), message);
      const question = callsOff(message) ? open.get(session(message)) : undefined;
      if (question !== undefined) {
        open.delete(session(message));
        after(100, () => toProducer(answer(question, seen.subscription)));
      }
      return message;
    },
  };
};

/** Answers for its user when the user has not, after 5 s. */
const answersInTheEnd =
  (concerns: (question: Message) => boolean): Deviation =>
  ({ toProducer, after, seen }) => {
    const open = new Set<string>();
    return {
      down: (message) => {
        if (isCancelled(message)) open.clear();
        if (isQuestion(message) && concerns(message)) {
          open.add(token(message));
          after(5000, () => {
            if (open.delete(token(message))) toProducer(answer(message, seen.subscription));
          });
        }
        return message;
      },
      up: (message) => {
        open.delete(token(message));
        return message;
      },
    };
  };

const REPLIES: Deviations = {
  // AAEP §9.4.2(4): reply_token MUST be echoed exactly; one character is appended.
  "token-altered": sent(isReply, (reply) => ({ ...reply, reply_token: `${token(reply)}0` })),
  // AAEP §9.4.2(6): no answer on the user's behalf; each confirmation is accepted 50 ms after it arrives.
  "accepts-unasked": ({ toProducer, after, seen }) => ({
    down: (message) => {
      if (isConfirmation(message)) after(50, () => toProducer(answer(message, seen.subscription)));
      return message;
    },
    up: (message) => (isConfirmationReply(message) ? undefined : message),
  }),
  // AAEP §9.4.2(6): no answer on the user's behalf; each confirmation that is still open after 5 s is accepted.
  "accepts-unasked-late": answersInTheEnd(isConfirmation),
  // AAEP §9.4.2(6): no answer on the user's behalf; each clarification that is still open after 5 s is answered.
  "clarifies-unasked-late": answersInTheEnd((question) => !isConfirmation(question)),
  // AAEP §9.4.2(3): the user's decision MUST be sent as confirmation.reply; it is not.
  "decision-not-sent": sent(isConfirmationReply, nothing),
  // AAEP §9.4.2(9): the end of a pending question MUST be detected; one that was cancelled is answered.
  "cancelled-question-answered": answersTheDead,
  // AAEP §6.3.5: a token is good for one reply; each reply is sent twice, at once or after 3 s.
  "replies-twice": sent(isReply, (reply) => [reply, reply]),
  "replies-again-late": sent(isReply, (reply, { toProducer, after }) => {
    after(3000, () => toProducer(reply));
    return reply;
  }),
  // AAEP §6.5.2: response has the type of an accepted kind; a number is sent as string, a boolean as word, a string as object.
  "response-of-wrong-type": sent(isClarificationReply, wrongType),
  // AAEP §6.3.4(6): decision is one of allowed_replies; another is sent.
  "decision-not-allowed": sent(isConfirmationReply, (reply, { seen }) => {
    const question = seen.questions.get(token(reply));
    return question === undefined ? reply : { ...reply, decision: disallowed(question) };
  }),
  // AAEP §6.3.1: subscription_id is the one the reply is sent on; another is named.
  "reply-names-another-subscription": sent(isReply, (reply) => ({
    ...reply,
    subscription_id: `${text(reply.subscription_id)}x`,
  })),
  // AAEP §6.3.1: a reply requires timestamp; the field is left out.
  "reply-without-timestamp": sent(isReply, leaving("timestamp")),
  // AAEP §6.5.1: a clarification is answered by clarification.reply; confirmation.reply is sent.
  "clarification-sent-as-confirmation": sent(isClarificationReply, (reply) => ({
    ...without(reply, "response"),
    type: "confirmation.reply",
    decision: "accept",
  })),
};

export const SUBSCRIBER_MUTANTS: Deviations = { ...REQUEST, ...CRASHES, ...REPLIES };
