// Checks the messages of a recorded conversation that are no events: the handshake and the replies (AAEP chapters 5 and 6).
import { Fault, faultFrom } from "../../base/errors.js";
import {
  assertClarificationReply,
  assertConfirmationReply,
  assertRenegotiate,
  assertSubscriptionAccepted,
  assertSubscriptionClose,
  assertSubscriptionRejected,
  assertSubscriptionRequest,
} from "../../protocols/aaep/validation/validate-messages.js";

type Fields = Readonly<Record<string, unknown>>;

export interface ConversationChecker {
  /** Returns the faults of a message at its place in the conversation; undefined: the line is no such message, and may be an event. */
  readonly check: (fields: Fields) => readonly Fault[] | undefined;
  /** Notes an event, whose question may be answered. */
  readonly event: (fields: Fields) => void;
}

/** The form of each message. */
const FORMS: ReadonlyMap<unknown, (value: unknown) => void> = new Map<string, (value: unknown) => void>(
  Object.entries({
    "subscription.request": (value: unknown) => assertSubscriptionRequest(value),
    "subscription.accepted": (value: unknown) => assertSubscriptionAccepted(value),
    "subscription.rejected": (value: unknown) => assertSubscriptionRejected(value),
    "subscription.renegotiate": (value: unknown) => assertRenegotiate(value),
    "subscription.close": (value: unknown) => assertSubscriptionClose(value),
    "confirmation.reply": (value: unknown) => assertConfirmationReply(value),
    "clarification.reply": (value: unknown) => assertClarificationReply(value),
  }),
);

export function createConversationChecker(): ConversationChecker {
  const tokens = new Set<unknown>();
  /** Requests and renegotiations that have no answer. */
  let unanswered = 0;

  function orderFault({ type, reply_token: token }: Fields): Fault | undefined {
    switch (type) {
      case "subscription.request":
      case "subscription.renegotiate":
        unanswered += 1;
        return undefined;
      case "subscription.accepted":
      case "subscription.rejected":
        if (unanswered === 0)
          return misplaced(`No request before this ${String(type)} is unanswered.`, "", "AAEP §5.4");
        unanswered -= 1;
        return undefined;
      case "confirmation.reply":
      case "clarification.reply":
        return tokens.has(token)
          ? undefined
          : misplaced("No question of the recording has this reply_token.", "/reply_token", "AAEP §6.3.4");
      default:
        return undefined;
    }
  }

  return {
    check: (fields) => {
      const assertForm = FORMS.get(fields.type);
      if (assertForm === undefined) return undefined;
      const order = orderFault(fields);
      try {
        assertForm(fields);
        return order === undefined ? [] : [order];
      } catch (caught) {
        return [faultFrom(caught), ...(order === undefined ? [] : [order])];
      }
    },
    event: ({ reply_token: token }) => {
      if (token !== undefined) tokens.add(token);
    },
  };
}

function misplaced(sentence: string, pointer: string, rule: string): Fault {
  return new Fault("invalid_message", sentence, { pointer, rule });
}
