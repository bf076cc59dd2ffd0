// Producers that break the handshake or its terms (chapter 5).
import {
  CORE_CAPABILITIES,
  DEFAULT_BOUNDARIES,
  DEFAULT_FILTERS,
  freshHex,
  isAccepted,
  isRejected,
  isRequest,
  record,
  rejection,
  strings,
  text,
  without,
} from "./messages.js";
import type { Message, Mutant } from "./mutant.js";
import { honoredClaims, messageChanged, messagesDropped } from "./mutant-forms.js";

const raisedRate = (terms: Message, asked: Message): Message =>
  typeof asked.max_events_per_second === "number"
    ? { ...terms, max_events_per_second: asked.max_events_per_second + 1 }
    : terms;

function widerBoundaries(terms: Message, asked: Message): Message {
  const wanted = Array.isArray(asked.coalesce_boundaries) ? strings(asked.coalesce_boundaries) : DEFAULT_BOUNDARIES;
  const extra = ["word", "paragraph", "none", "sentence", "completion"].find((boundary) => !wanted.includes(boundary));
  return { ...terms, coalesce_boundaries: extra === undefined ? wanted : [...wanted, extra] };
}

export const HONORED_CLAIMS: readonly Mutant[] = [
  honoredClaims(
    {
      name: "honored-rate-raised",
      paragraph: "AAEP §5.4.4",
      breaks: "honored max_events_per_second MUST be at most the requested one; it is one more.",
    },
    raisedRate,
  ),
  honoredClaims(
    {
      name: "honored-languages-widened",
      paragraph: "AAEP §5.4.4",
      breaks: "honored languages MUST be a subset of the requested ones; a language nobody asked for is added.",
    },
    (terms, asked) => ({ ...terms, languages: [...strings(asked.languages ?? ["en-US"]), "is-IS"] }),
  ),
  honoredClaims(
    {
      name: "honored-boundaries-widened",
      paragraph: "AAEP §5.4.4",
      breaks: "honored coalesce_boundaries MUST be a subset of the requested ones; one more is added.",
    },
    widerBoundaries,
  ),
  honoredClaims(
    {
      name: "honored-filters-widened",
      paragraph: "AAEP §5.4.4",
      breaks: "honored event_filters MUST be at least as restrictive as requested; they let everything through.",
    },
    (terms, asked) => ("event_filters" in asked ? { ...terms, event_filters: DEFAULT_FILTERS } : terms),
  ),
  honoredClaims(
    {
      name: "honored-rate-not-kept",
      paragraph: "AAEP §5.4.4",
      breaks: "Events MUST NOT violate the honored terms; half the rate is promised and the whole rate is sent.",
    },
    (terms) =>
      typeof terms.max_events_per_second === "number"
        ? { ...terms, max_events_per_second: Math.max(1, Math.floor(terms.max_events_per_second / 2)) }
        : terms,
  ),
];

export const HANDSHAKE: readonly Mutant[] = [
  messagesDropped(
    {
      name: "refusal-in-silence",
      paragraph: "AAEP §9.5.1(3)",
      breaks: "A request MUST be answered, never silently; one that is refused gets no answer.",
    },
    isRejected,
  ),
  {
    name: "accepted-twice",
    paragraph: "AAEP §5.4",
    breaks: "A request gets one answer; it gets two subscription.accepted with two ids.",
    link: ({ toSubscriber }) => ({
      fromProducer: (message) => {
        toSubscriber(message);
        if (isAccepted(message)) toSubscriber({ ...message, subscription_id: `sub_${freshHex()}` });
      },
    }),
  },
  messageChanged(
    {
      name: "accepted-without-honored-terms",
      paragraph: "AAEP §5.4.1",
      breaks: "subscription.accepted requires honored_capabilities; the field is left out.",
    },
    isAccepted,
    (message) => without(message, "honored_capabilities"),
  ),
  messageChanged(
    {
      name: "accepted-without-version",
      paragraph: "AAEP §5.4.1",
      breaks: "subscription.accepted requires aaep_version; the field is left out.",
    },
    isAccepted,
    (message) => without(message, "aaep_version"),
  ),
  messageChanged(
    {
      name: "accepted-without-producer",
      paragraph: "AAEP §5.4.1",
      breaks: "subscription.accepted requires the producer's identity; the field is left out.",
    },
    isAccepted,
    (message) => without(message, "producer"),
  ),
  messageChanged(
    {
      name: "rejected-with-invented-code",
      paragraph: "AAEP §5.5.3",
      breaks: "reason_code is one of the eight normative codes; it is `go_away`.",
    },
    isRejected,
    (message) => ({ ...message, reason_code: "go_away" }),
  ),
  messageChanged(
    {
      name: "rejected-without-message",
      paragraph: "AAEP §5.5.1",
      breaks: "subscription.rejected requires reason_message; the field is left out.",
    },
    isRejected,
    (message) => without(message, "reason_message"),
  ),
  {
    name: "unknown-capability-rejected",
    paragraph: "AAEP §5.3.2",
    breaks: "Unknown extension capabilities MUST be ignored; they cause rejection.",
    link: ({ toSubscriber, toProducer }) => ({
      fromSubscriber: (message) => {
        const unknown = Object.keys(record(message.capabilities)).find((key) => !CORE_CAPABILITIES.includes(key));
        if (!isRequest(message) || unknown === undefined) return toProducer(message);
        toSubscriber(rejection("capabilities_incompatible", `The capability "${unknown}" is not known here.`));
      },
    }),
  },
  {
    name: "later-minor-version-rejected",
    paragraph: "AAEP §12.3.2",
    breaks: "A version of the same major is served; every 1.x but 1.0.0 is rejected.",
    link: ({ toSubscriber, toProducer }) => ({
      fromSubscriber: (message) => {
        const version = text(message.aaep_version);
        if (!isRequest(message) || !version.startsWith("1.") || version === "1.0.0") return toProducer(message);
        toSubscriber(rejection("version_unsupported", "Only 1.0.0 is supported."));
      },
    }),
  },
  {
    name: "other-major-version-claimed",
    paragraph: "AAEP §5.4.1",
    breaks: "accepted names the version that will be used; for an unsupported major it claims that major.",
    link: ({ toSubscriber, toProducer }) => {
      let claimed: string | undefined;
      return {
        fromSubscriber: (message) => {
          if (!isRequest(message)) return toProducer(message);
          const version = text(message.aaep_version);
          claimed = /^(?:[2-9]|[1-9]\d+)\./.test(version) ? version : undefined;
          toProducer(claimed === undefined ? message : { ...message, aaep_version: "1.0.0" });
        },
        fromProducer: (message) =>
          toSubscriber(isAccepted(message) && claimed !== undefined ? { ...message, aaep_version: claimed } : message),
      };
    },
  },
  {
    name: "signature-demand-ignored",
    paragraph: "AAEP §5.3.1.12",
    breaks: "Without a signed manifest a subscriber that demands one MUST be rejected; it is accepted, unsigned.",
    link: ({ toSubscriber, toProducer }) => {
      let demanded = false;
      return {
        fromSubscriber: (message) => {
          const terms = record(message.capabilities);
          if (!isRequest(message)) return toProducer(message);
          demanded = terms.accept_signed_manifests_only === true;
          toProducer({ ...message, capabilities: without(terms, "accept_signed_manifests_only") });
        },
        fromProducer: (message) =>
          toSubscriber(isAccepted(message) && demanded ? without(message, "signed_manifest", "manifest_uri") : message),
      };
    },
  },
];
