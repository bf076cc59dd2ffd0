// Checks the messages of a recorded conversation that are no events: the handshake and the replies (AAEP chapters 5 and 6).

import { listOf } from "../../adapters/fields.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { type Members, membersOf, textOf } from "../../base/members.js";
import {
  assertClarificationReply,
  assertConfirmationReply,
  assertRenegotiate,
  assertSubscriptionAccepted,
  assertSubscriptionClose,
  assertSubscriptionRejected,
  assertSubscriptionRequest,
} from "../../protocols/aaep/validation/validate-messages.js";

/** The form of each message. */
const FORMS: ReadonlyMap<unknown, (value: unknown) => void> = new Map<unknown, (value: unknown) => void>([
  ["subscription.request", assertSubscriptionRequest],
  ["subscription.accepted", assertSubscriptionAccepted],
  ["subscription.rejected", assertSubscriptionRejected],
  ["subscription.renegotiate", assertRenegotiate],
  ["subscription.close", assertSubscriptionClose],
  ["confirmation.reply", assertConfirmationReply],
  ["clarification.reply", assertClarificationReply],
]);

export function createConversationChecker() {
  const tokens = new Set<unknown>();
  /** The terms of the requests and renegotiations, in their order. The first `answeredCount` have an answer. */
  const requests: Members[] = [];
  let answeredCount = 0;
  /** The terms that the accepted subscriptions asked for, by their ids. */
  const accepted = new Map<unknown, Members>();

  /** A recording without a handshake says nothing about ids. */
  function foreignIdFault({ subscription_id: id }: Members): Fault | undefined {
    if (accepted.size === 0 || accepted.has(id) || typeof id !== "string") return undefined;
    return misplaced("No subscription that the recording accepts has this id.", "/subscription_id", "AAEP §5.4.1");
  }

  function answerFault({ type, subscription_id: id, honored_capabilities: honored }: Members): Fault | undefined {
    const asked = requests[answeredCount];
    if (asked === undefined) return misplaced(`No request before this ${textOf(type)} is unanswered.`, "", "AAEP §5.4");
    answeredCount += 1;
    if (type === "subscription.rejected") return undefined;
    const terms = { ...accepted.get(id), ...asked };
    accepted.set(id, terms);
    const wider = widerTerm(terms, membersOf(honored));
    if (wider === undefined) return undefined;
    const sentence = `The honored ${wider} is wider than the requested one.`;
    return misplaced(sentence, `/honored_capabilities/${wider}`, "AAEP §5.4.4");
  }

  function orderFault(fields: Members): Fault | undefined {
    const { type, capabilities, reply_token: token } = fields;
    switch (type) {
      case "subscription.request":
        requests.push(membersOf(capabilities));
        return undefined;
      case "subscription.renegotiate":
        requests.push(membersOf(capabilities));
        return foreignIdFault(fields);
      case "subscription.accepted":
      case "subscription.rejected":
        return answerFault(fields);
      case "subscription.close":
        return foreignIdFault(fields);
      case "confirmation.reply":
      case "clarification.reply":
        return tokens.has(token)
          ? foreignIdFault(fields)
          : misplaced("No question of the recording has this reply_token.", "/reply_token", "AAEP §6.3.4");
      default:
        return undefined;
    }
  }

  return {
    /** Returns the faults of a message at its place in the conversation; undefined: the line is no such message, and may be an event. */
    check: (fields: Members): readonly Fault[] | undefined => {
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
    /** Notes an event, whose question may be answered. */
    event: ({ reply_token: token }: Members): void => {
      if (token !== undefined) tokens.add(token);
    },
    /** How many requests and renegotiations no message has answered yet. */
    unanswered: () => requests.length - answeredCount,
  };
}

function misplaced(sentence: string, pointer: string, rule: string): Fault {
  return new Fault("invalid_message", sentence, { pointer, rule });
}

/** The name of the first honored term that allows more than the requested one (AAEP §5.4.4); undefined: none does. */
function widerTerm(asked: Members, honored: Members): string | undefined {
  const { max_events_per_second: rate } = asked;
  const { max_events_per_second: honoredRate } = honored;
  if (typeof rate === "number" && typeof honoredRate === "number" && honoredRate > rate) return "max_events_per_second";
  for (const name of ["languages", "coalesce_boundaries", "supported_extensions"]) {
    const wanted = asked[name];
    if (Array.isArray(wanted) && listOf(honored[name]).some((one) => !wanted.includes(one))) return name;
  }
  return ["supports_confirmation_reply", "supports_clarification_reply"].find(
    (name) => honored[name] === true && asked[name] === false,
  );
}
