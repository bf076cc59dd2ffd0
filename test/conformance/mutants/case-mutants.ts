// Broken producers for the cases that none of the chapters' mutants fails. Each was written after its case was read.
import {
  type Change,
  invented,
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
  eventsAdded,
  eventsChanged,
  honored,
  honoredClaims,
  intervalOf,
  messageChanged,
  messagesDropped,
  otherTerms,
  queued,
  type Rule,
} from "./mutant-forms.js";
import { selfAnswered } from "./question-mutants.js";

const UNSIGNED = Buffer.from(JSON.stringify({ type: "aaep:producer.manifest" })).toString("base64url");

export const CASE_MUTANTS: readonly Mutant[] = [
  messagesDropped(
    { name: "handoff-not-told", paragraph: "AAEP §4.4.3", breaks: "handoff.requested never comes." },
    (message) => isKind(message, "agent.handoff.requested"),
  ),
  eventsChanged(
    { name: "agent-of-the-event", paragraph: "AAEP §3.2.6.1", breaks: "Each event has an agent_id of its own." },
    (event) => ofAgent(event, text(event.event_id)),
  ),
  eventsChanged(
    { name: "agent-of-the-session", paragraph: "AAEP §3.2.6.1", breaks: "Each session has an agent_id of its own." },
    (event) => ofAgent(event, text(event.session_id)),
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
  eventsChanged(
    {
      name: "default-accept-of-the-call",
      paragraph: "AAEP §6.4.1",
      breaks: "The default is accept, and only the call that follows says that it is irreversible and how risky.",
    },
    (event) =>
      isKind(event, "agent.awaiting.confirmation") && event.risk_level === "high"
        ? { ...without(without(event, "reversibility"), "risk_level"), default_decision: "accept" }
        : event,
  ),
  eventsChanged({ name: "integer-beyond-2-53", paragraph: "AAEP §3.8", breaks: "A duration is 2^53 + 2." }, (event) =>
    isKind(event, "agent.tool.completed") ? { ...event, extensions: { aaepd: { size: 2 ** 53 + 2 } } } : event,
  ),
  eventsChanged(
    { name: "version-never-published", paragraph: "AAEP §3.4.4", breaks: "aaep_version is 7.0.0 on every event." },
    (event) => ({ ...event, aaep_version: "7.0.0" }),
  ),
  messageChanged(
    { name: "message-in-an-array", paragraph: "AAEP §3.8", breaks: "progress.updated comes in an array." },
    (message) => isKind(message, "agent.progress.updated"),
    (message) => [message] as unknown as Message,
  ),
  messagesDroppedAbove(60_000),
  languageFiltered(),
  selfAnswered(
    { name: "default-at-once", paragraph: "AAEP §6.4", breaks: "The default of a short question applies at once." },
    ({ timeout_seconds: seconds, default_decision: decision }) =>
      Number(seconds) <= 5 ? { ms: 0, decision: text(decision) } : undefined,
  ),
];

function ofAgent(event: Message, agent_id: string): Message {
  return { ...event, producer: { ...record(event.producer), agent_id } };
}

/** Requests that are longer are not answered. */
function messagesDroppedAbove(characters: number): Mutant {
  return {
    name: "large-request-lost",
    paragraph: "AAEP §8.3",
    breaks: "A request of more than 60,000 characters is lost.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) => {
        if (JSON.stringify(message).length <= characters) toProducer(message);
      },
    }),
  };
}

/** States are kept from a subscription whose first language the event is not in. */
function languageFiltered(): Mutant {
  return {
    name: "events-in-other-languages-dropped",
    paragraph: "AAEP §11.2",
    breaks: "A state.changed in another language than the first that was asked for does not come.",
    link: ({ toSubscriber, toProducer }) => {
      let wanted: unknown;
      return {
        fromSubscriber: (message) => {
          const { languages } = record(message.capabilities);
          if (Array.isArray(languages)) [wanted] = languages as readonly unknown[];
          toProducer(message);
        },
        fromProducer: (message) => {
          const { primary_language: language } = record(message.localization_hints);
          const isForeign = wanted !== undefined && language !== wanted;
          if (!isForeign || !isKind(message, "agent.state.changed")) toSubscriber(message);
        },
      };
    },
  };
}

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
  irreversibleInvented(),
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

function irreversibleInvented(): Mutant {
  return eventsAdded(
    { name: "irreversible-call-let-through", paragraph: "R5", breaks: "An irreversible call goes out unasked." },
    () => (event) =>
      isKind(event, "agent.session.started")
        ? [invented(event, "agent.tool.invoked", { tool: "wipe", irreversible: true, summary_normal: "Wipes." })]
        : [],
  );
}

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
