// Producers that break questions and their tokens (chapter 6).
import type { Deviation, Deviations, Link } from "./deviation.js";
import { andThen, asAsked, eventsAdded, leaving, nothing, otherTerms, selfAnswered, sent, told } from "./forms.js";
import {
  decisionReply,
  invented,
  isAccepted,
  isClose,
  isConfirmation,
  isConfirmationReply,
  isIrreversible,
  isKind,
  isQuestion,
  isReply,
  isRequest,
  isStart,
  isState,
  leavesQuestion,
  type Message,
  record,
  resolution,
  session,
  text,
  token,
  without,
} from "./messages.js";

const isCancelled = (message: Message): boolean => isKind(message, "agent.session.cancelled");
const isShort = ({ timeout_seconds: seconds }: Message): boolean => Number(seconds) <= 5;
const secondsOf = ({ timeout_seconds: seconds }: Message): number => Number(seconds);

const defaultAccepted = (risk: string): Deviation =>
  told(
    (event) => isConfirmation(event) && isIrreversible(event) && event.risk_level === risk,
    (event) => ({ ...event, default_decision: "accept" }),
  );

const decisionTaken = (from: string, as: string): Deviation =>
  sent(
    (message) => isConfirmationReply(message) && message.decision === from,
    (reply) => ({ ...reply, decision: as }),
  );

/** A reply to a question of a cancelled session counts, and is announced after the end. */
const outlivesCancellation: Deviation = ({ toSubscriber, seen }) => {
  const cancelled = new Set<string>();
  return {
    down: (message) => {
      if (isCancelled(message)) cancelled.add(session(message));
      return message;
    },
    up: (message) => {
      const question = isReply(message) ? seen.questions.get(token(message)) : undefined;
      if (question === undefined || !cancelled.has(session(question)) || seen.replied.has(token(message)))
        return message;
      return void toSubscriber(resolution(question, message.decision !== "reject"));
    },
  };
};

/** What a producer does when the only subscription that was asked has gone. */
const goneAnswered =
  (isGone: "closed" | "broken"): Deviation =>
  ({ toProducer, seen }) => {
    let open: Message | undefined;
    const accept = (): void => {
      if (open !== undefined) toProducer(decisionReply(open, seen.subscription, "accept"));
    };
    return {
      down: (message) => {
        if (isConfirmation(message)) open = message;
        if (leavesQuestion(message)) open = undefined;
        return message;
      },
      up: (message) => {
        if (isGone === "closed" && isClose(message)) accept();
        return message;
      },
      gone: () => {
        if (isGone === "broken") accept();
      },
    };
  };

const CALL = { tool: "delete_photos", tool_call_id: "call_00", summary_normal: "Deletes nine photos." };

/** The call of the action that a question is about. */
const calls = (like: Message, members: Message = {}): readonly Message[] => [
  invented(like, "agent.tool.invoked", { ...CALL, ...members }),
  invented(like, "agent.tool.completed", { ...without({ ...CALL, ...members }, "irreversible"), status: "success" }),
];

/** The action is taken after a reject, and does not say that it is irreversible. */
const takenAllTheSame: Deviation = ({ seen }) => {
  const rejected = new Set<string>();
  return {
    up: (message) => {
      if (isConfirmationReply(message) && message.decision === "reject")
        rejected.add(session(seen.questions.get(token(message)) ?? {}));
      return message;
    },
    down: (message) => {
      const told = isKind(message, "agent.tool.invoked") ? without(message, "irreversible") : message;
      return leavesQuestion(message) && rejected.delete(session(message)) ? [told, ...calls(message)] : told;
    },
  };
};

/** A reply to a question that its agent has withdrawn is heard, and the action is taken. */
const withdrawnAnswered: Deviation = ({ toSubscriber, toProducer }: Link) => {
  const withdrawn = new Map<string, Message>();
  let open: Message | undefined;
  return {
    down: (message) => {
      if (isConfirmation(message)) open = message;
      if (open !== undefined && leavesQuestion(message)) withdrawn.set(token(open), message);
      return message;
    },
    up: (message) => {
      const of = withdrawn.get(token(message));
      toProducer(message);
      // A question that was answered is none that was withdrawn.
      if (of === undefined) withdrawn.delete(token(message));
      else if (text(of.summary_normal).includes("needed after all")) calls(of).forEach(toSubscriber);
      return undefined;
    },
  };
};

/** The action is taken where nobody can be asked. */
const silentAccepts: Deviation = () => {
  let answers = false;
  return {
    up: (message) => {
      if (isRequest(message)) answers = record(message.capabilities).supports_confirmation_reply === true;
      return message;
    },
    down: (message) => {
      if (answers || !isState(message) || message.to_state !== "awaiting_input") return message;
      return [message, ...calls(message, { timestamp: message.timestamp, irreversible: true })];
    },
  };
};

/** Another subscription hears nothing of a session any more when one of them has replied in it. */
function resolutionKeptFromOthers(): Deviation {
  const replied = new Map<string, Link>();
  return (link) => {
    const tokens = new Map<string, string>();
    return {
      up: (message) => {
        if (isReply(message)) replied.set(token(message), link);
        return message;
      },
      down: (message) => {
        if (isQuestion(message)) tokens.set(session(message), token(message));
        const by = replied.get(tokens.get(session(message)) ?? "");
        return !("event_id" in message) || by === undefined || by === link ? message : undefined;
      },
    };
  };
}

export const BLOCKING: Deviations = {
  // AAEP §6.4.1: the default of an irreversible question of high or medium risk MUST be reject; it is accept.
  "default-accept-on-irreversible-high": defaultAccepted("high"),
  // AAEP §6.1(1): the action MUST NOT run before a valid reply; it goes ahead 100 ms after the question.
  "answer-not-awaited": selfAnswered(() => ({ ms: 100, decision: "accept" })),
  // AAEP §6.4: on timeout default_decision MUST be applied; the opposite is.
  "default-turned-round": selfAnswered((question) => ({
    ms: secondsOf(question) * 1000 - 150,
    decision: question.default_decision === "accept" ? "reject" : "accept",
  })),
  // AAEP §6.4: the default applies after half the time.
  "default-after-half-the-time": selfAnswered((question) =>
    isShort(question) ? { ms: secondsOf(question) * 500, decision: text(question.default_decision) } : undefined,
  ),
  // AAEP §6.3.4(4): a question is open for twice its time.
  "replies-count-a-second-longer": told(
    (event) => isConfirmation(event) && isShort(event),
    (event) => ({ ...event, timeout_seconds: secondsOf(event) / 2 }),
  ),
  // AAEP §4.5.3: the action MUST NOT run without an accept; a reject counts as one.
  "reject-taken-as-accept": decisionTaken("reject", "accept"),
  // AAEP §9.4.1(6): the first valid reply is honored; an accept counts as reject.
  "accept-taken-as-reject": decisionTaken("accept", "reject"),
  // AAEP §6.1: the action follows a reject too.
  "action-after-reject-unsaid": takenAllTheSame,
  // AAEP §6.8: a withdrawn question counts.
  "withdrawn-question-answered": withdrawnAnswered,
  // AAEP §5.8.2(2): the default is reject, and the end of the last subscription that was asked counts as accept.
  "close-counts-as-accept": goneAnswered("closed"),
  "disconnect-counts-as-accept": goneAnswered("broken"),
  // AAEP §9.4.1(9): a follow-up event MUST be emitted when a question is resolved; none is.
  "resolution-never-announced": told(leavesQuestion, nothing),
  // AAEP §6.7.2: only the subscription that replied hears how its question ended.
  "resolution-kept-from-others": resolutionKeptFromOthers(),
  // AAEP §6.8: session.cancelled cancels what is pending; a reply to it still counts and is announced after the end.
  "question-outlives-cancellation": outlivesCancellation,
};

/** A subscription that cannot answer is counted as one that can, and its question is kept from it (AAEP §5.3.1.4). */
const questionKeptOpen: Deviation = (link) => {
  let isCapable = false;
  return andThen(
    otherTerms(
      (terms) => ({ ...terms, supports_confirmation_reply: true }),
      asAsked("supports_confirmation_reply", false),
    ),
    (message) => {
      if (isAccepted(message)) isCapable = record(message.honored_capabilities).supports_confirmation_reply === true;
      return isCapable || !isKind(message, "agent.awaiting.confirmation") ? message : undefined;
    },
  )(link);
};

export const ASKED: Deviations = {
  // AAEP §5.3.1.4, §5.3.1.5: a question MUST NOT go to a subscription that does not support its reply; it does.
  ...Object.fromEntries(
    ["confirmation", "clarification"].map((what) => [
      `${what}-for-those-who-cannot-reply`,
      otherTerms((terms) => ({ ...terms, [`supports_${what}_reply`]: true }), asAsked(`supports_${what}_reply`, false)),
    ]),
  ),
  // AAEP §5.3.1.4: a session waits for a subscription that cannot answer.
  "question-kept-open": questionKeptOpen,
  // AAEP §5.3.1.4: the default of who is not asked is accept.
  "silent-counts-as-accept": silentAccepts,
};

export const TOKENS: Deviations = {
  // AAEP §6.2.2: a reply token MUST NOT be reused; the second question carries the first one's.
  "token-reused": () => {
    let shown: string | undefined;
    let current = "";
    return {
      down: (message) => {
        if (!isQuestion(message)) return message;
        shown ??= token(message);
        current = token(message);
        return { ...message, reply_token: shown };
      },
      up: (message) => (isReply(message) && token(message) === shown ? { ...message, reply_token: current } : message),
    };
  },
};

/** For the set "aaepd". The layer itself breaks A-duplicate-member: it reads a reply and writes it anew, and only the last of two members is left. */
const withoutOwnTerm = (term: string): Deviation =>
  sent(isRequest, (request) => {
    const terms = record(request.capabilities);
    if (!("aaepd" in terms)) return request;
    return { ...request, capabilities: { ...terms, aaepd: without(record(terms.aaepd), term) } };
  });

export const AAEPD: Deviations = {
  // R19: the last of two members counts.
  "duplicate-member-accepted": () => ({}),
  // R5: an irreversible call goes out unasked.
  "irreversible-call-let-through": eventsAdded(isStart, (event) =>
    invented(event, "agent.tool.invoked", { tool: "wipe", irreversible: true, summary_normal: "Wipes." }),
  ),
  // R17: what came meanwhile is lost.
  "resumption-ignored": sent(isRequest, leaving("extensions")),
  // R26: a paused subscription hears everything.
  "pause-ignored": withoutOwnTerm("paused"),
  // R26: text is as long as it is.
  "length-ignored": withoutOwnTerm("max_chars"),
};
