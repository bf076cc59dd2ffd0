// Broken producers for the cases that none of the chapters' mutants fails. Each was written after its case was read.
import {
  type Change,
  isAccepted,
  isEvent,
  isKind,
  isQuestion,
  isReply,
  isRequest,
  record,
  text,
  token,
  without,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";
import {
  honored,
  honoredClaims,
  intervalOf,
  messageChanged,
  messagesDropped,
  otherTerms,
  queued,
  type Rule,
} from "./mutant-forms.js";

const UNSIGNED = Buffer.from(JSON.stringify({ type: "aaep:producer.manifest" })).toString("base64url");

export const CASE_MUTANTS: readonly Mutant[] = [
  messagesDropped(
    { name: "handoff-not-told", paragraph: "AAEP §4.4.3", breaks: "handoff.requested never comes." },
    (message) => isKind(message, "agent.handoff.requested"),
  ),
  resolutionKeptFromOthers(),
  honoredClaims(
    { name: "replies-honored-unasked", paragraph: "AAEP §5.4.4", breaks: "Replies are honored that were not offered." },
    (terms) => ({ ...terms, supports_confirmation_reply: true }),
  ),
  oneSubscriptionId(),
  messageChanged(
    { name: "manifest-nowhere", paragraph: "AAEP §5.10", breaks: "subscription.accepted names no manifest." },
    isAccepted,
    (accepted) => without(accepted, "manifest_uri"),
  ),
  messageChanged(
    { name: "manifest-without-agent", paragraph: "AAEP §5.10.1", breaks: "The signed manifest has no agent_id." },
    isAccepted,
    (accepted) => ({ ...accepted, signed_manifest: `e30.${UNSIGNED}.c2lnbmF0dXJl` }),
  ),
  questionKeptOpen(),
  criticalInLine(),
];

/** Another subscription hears nothing of a session any more when one of them has replied in it. */
function resolutionKeptFromOthers(): Mutant {
  const replied = new Map<string, MutantLink>();
  return {
    name: "resolution-kept-from-others",
    paragraph: "AAEP §6.7.2",
    breaks: "Only the subscription that replied hears how its question ended.",
    link: (link) => {
      const tokens = new Map<string, string>();
      return {
        fromSubscriber: (message) => {
          if (isReply(message)) replied.set(token(message), link);
          link.toProducer(message);
        },
        fromProducer: (message) => {
          const session = text(message.session_id);
          if (isQuestion(message)) tokens.set(session, token(message));
          const by = replied.get(tokens.get(session) ?? "");
          if (!isEvent(message) || by === undefined || by === link) link.toSubscriber(message);
        },
      };
    },
  };
}

function oneSubscriptionId(): Mutant {
  return {
    name: "one-subscription-id",
    paragraph: "AAEP §5.4.1",
    breaks: "Every subscription has the same id.",
    link: ({ toSubscriber, toProducer }) => {
      let own: unknown;
      const named = (message: Message, id: unknown): Message =>
        "subscription_id" in message ? { ...message, subscription_id: id } : message;
      return {
        fromProducer: (message) => {
          if (isAccepted(message)) own = message.subscription_id;
          toSubscriber(named(message, "sub_same"));
        },
        fromSubscriber: (message) => toProducer(message.subscription_id === "sub_same" ? named(message, own) : message),
      };
    },
  };
}

/** A subscription that cannot answer is counted as one that can, and its question is kept from it. */
function questionKeptOpen(): Mutant {
  const asked = otherTerms(
    {
      name: "question-kept-open",
      paragraph: "AAEP §5.3.1.4",
      breaks: "A session waits for a subscription that cannot answer.",
    },
    (terms) => ({ ...terms, supports_confirmation_reply: true }),
    (terms, { supports_confirmation_reply: offered }) => ({ ...terms, supports_confirmation_reply: offered ?? false }),
  );
  return {
    ...asked,
    link: (link) => {
      let isCapable = false;
      const toSubscriber = (message: Message): void => {
        if (isAccepted(message)) isCapable = record(message.honored_capabilities).supports_confirmation_reply === true;
        if (isCapable || !isKind(message, "agent.awaiting.confirmation")) link.toSubscriber(message);
      };
      return asked.link({ ...link, toSubscriber });
    },
  };
}

/** Events are held one by one, not merged, and a critical event stands in line behind them. */
function criticalInLine(): Mutant {
  return {
    name: "critical-in-line",
    paragraph: "AAEP §5.6.1",
    breaks: "A critical event comes after everything that the rate holds back.",
    link: (link) => {
      let rate: unknown;
      let interval = 0;
      const send = queued(link, () => interval, true);
      return {
        fromSubscriber: (message) => {
          const terms = record(message.capabilities);
          if (typeof terms.max_events_per_second !== "number") return link.toProducer(message);
          rate = terms.max_events_per_second;
          link.toProducer({ ...message, capabilities: without(terms, "max_events_per_second") });
        },
        fromProducer: (message) => {
          if (!isAccepted(message)) return send(message);
          const claimed = honored(message, (terms) =>
            typeof rate === "number" ? { ...terms, max_events_per_second: rate } : terms,
          );
          interval = intervalOf(claimed);
          send(claimed);
        },
      };
    },
  };
}

/**
 * For the set "aaepd". The layer itself breaks A-duplicate-member: it reads a reply and writes it anew, and only the last of two members is left.
 */
export const AAEPD_MUTANTS: readonly Mutant[] = [
  { name: "duplicate-member-accepted", paragraph: "R19", breaks: "The last of two members counts.", link: () => ({}) },
  requestChanged({ name: "resumption-ignored", paragraph: "R17", breaks: "What came meanwhile is lost." }, (request) =>
    without(request, "extensions"),
  ),
  requestChanged(
    { name: "pause-ignored", paragraph: "R26", breaks: "A paused subscription hears everything." },
    (request) => withoutOwnTerm(request, "paused"),
  ),
  requestChanged({ name: "length-ignored", paragraph: "R26", breaks: "Text is as long as it is." }, (request) =>
    withoutOwnTerm(request, "max_chars"),
  ),
];

function requestChanged(rule: Rule, change: Change): Mutant {
  return {
    ...rule,
    link: ({ toProducer }) => ({
      fromSubscriber: (message) => toProducer(isRequest(message) ? change(message) : message),
    }),
  };
}

function withoutOwnTerm(request: Message, term: string): Message {
  const terms = record(request.capabilities);
  if (!("aaepd" in terms)) return request;
  return { ...request, capabilities: { ...terms, aaepd: without(record(terms.aaepd), term) } };
}
