// Producers that break the handshake or its terms (chapter 5).
import type { Deviation, Deviations, Link } from "./deviation.js";
import { asksForTerms, honored, honoredClaims, leaving, nothing, sent, told } from "./forms.js";
import {
  CORE_CAPABILITIES,
  DEFAULT_BOUNDARIES,
  DEFAULT_FILTERS,
  freshHex,
  isAccepted,
  isCritical,
  isRejected,
  isRequest,
  type Message,
  record,
  rejection,
  strings,
  text,
  without,
} from "./messages.js";

const UNSIGNED = Buffer.from(JSON.stringify({ type: "aaep:producer.manifest" })).toString("base64url");

const unknownIn = (message: Message): string | undefined =>
  Object.keys(record(message.capabilities)).find((key) => !CORE_CAPABILITIES.includes(key));

const isLaterMinor = ({ aaep_version: version }: Message): boolean =>
  text(version).startsWith("1.") && version !== "1.0.0";

function widerBoundaries(terms: Message, asked: Message): Message {
  const wanted = Array.isArray(asked.coalesce_boundaries) ? strings(asked.coalesce_boundaries) : DEFAULT_BOUNDARIES;
  const extra = ["word", "paragraph", "none", "sentence", "completion"].find((boundary) => !wanted.includes(boundary));
  return { ...terms, coalesce_boundaries: extra === undefined ? wanted : [...wanted, extra] };
}

/** What a subscriber sends is read otherwise, and it is answered by what it sent last. */
function asked(read: (message: Message) => Message, answer: (accepted: Message, asked: Message) => Message): Deviation {
  return () => {
    let last: Message = {};
    return {
      up: (message) => {
        if (asksForTerms(message)) last = message;
        return read(message);
      },
      down: (message) => (isAccepted(message) ? answer(message, last) : message),
    };
  };
}

/** Serves versions that it does not have as 1.0.0, and says that it serves them. */
const claimsVersions = (isClaimed: (version: string) => boolean): Deviation =>
  asked(
    (message) =>
      isRequest(message) && isClaimed(text(message.aaep_version)) ? { ...message, aaep_version: "1.0.0" } : message,
    (accepted, { aaep_version }) =>
      isClaimed(text(aaep_version)) ? { ...accepted, aaep_version: text(aaep_version) } : accepted,
  );

const termsOf = ({ capabilities }: Message): Message => record(capabilities);

/** Critical events go to those who were rejected, too. */
function criticalToAll(): Deviation {
  const gone = new Set<Link>();
  return (link) => ({
    down: (message) => {
      link.toSubscriber(message);
      if (isRejected(message)) gone.add(link);
      if (isCritical(message)) for (const one of gone) if (one !== link) one.toSubscriber(message);
      return undefined;
    },
    gone: () => void gone.delete(link),
  });
}

function endsAllAtAnArray(): Deviation {
  const links = new Set<Link>();
  return (link) => {
    links.add(link);
    return {
      up: (message) => {
        if (Array.isArray(message)) for (const one of links) one.close();
        return Array.isArray(message) ? undefined : message;
      },
    };
  };
}

export const HONORED_CLAIMS: Deviations = {
  // AAEP §5.4.4: honored max_events_per_second MUST be at most the requested one; it is one more.
  "honored-rate-raised": honoredClaims((terms, { max_events_per_second: rate }) =>
    typeof rate === "number" ? { ...terms, max_events_per_second: rate + 1 } : terms,
  ),
  // AAEP §5.4.4: no honored rate is below 2.
  "rate-of-two-at-least": honoredClaims((terms) =>
    typeof terms.max_events_per_second === "number"
      ? { ...terms, max_events_per_second: Math.max(2, terms.max_events_per_second) }
      : terms,
  ),
  // AAEP §5.4.4: events MUST NOT violate the honored terms; half the rate is promised and the whole rate is sent.
  "honored-rate-not-kept": honoredClaims((terms) =>
    typeof terms.max_events_per_second === "number"
      ? { ...terms, max_events_per_second: Math.max(1, Math.floor(terms.max_events_per_second / 2)) }
      : terms,
  ),
  // AAEP §5.4.4: honored languages MUST be a subset of the requested ones; a language nobody asked for is added.
  "honored-languages-widened": honoredClaims((terms, { languages }) => ({
    ...terms,
    languages: [...strings(languages ?? ["en-US"]), "is-IS"],
  })),
  // AAEP §5.4.4: English is honored for Klingon.
  "unserved-language-replaced": honoredClaims((terms, { languages }) =>
    strings(languages).join() === "tlh" ? { ...terms, languages: ["en"] } : terms,
  ),
  // AAEP §5.4.4: honored coalesce_boundaries MUST be a subset of the requested ones; one more is added.
  "honored-boundaries-widened": honoredClaims(widerBoundaries),
  // AAEP §5.4.4: honored event_filters MUST be at least as restrictive as requested; they let everything through.
  "honored-filters-widened": honoredClaims((terms, asked) =>
    "event_filters" in asked ? { ...terms, event_filters: DEFAULT_FILTERS } : terms,
  ),
  // AAEP §5.4.4: replies are honored that were not offered.
  "replies-honored-unasked": honoredClaims((terms) => ({ ...terms, supports_confirmation_reply: true })),
  // AAEP §5.4.4: who offers confirmations is taken to clarify.
  "clarification-honored-with-confirmation": honoredClaims((terms) => ({
    ...terms,
    supports_clarification_reply: terms.supports_confirmation_reply,
  })),
  // AAEP §9.5.1: a text is honored for an array of languages.
  "languages-as-a-text": asked(
    (message) => {
      const { languages } = termsOf(message);
      return typeof languages === "string"
        ? { ...message, capabilities: { ...termsOf(message), languages: [languages] } }
        : message;
    },
    (accepted, last) =>
      typeof termsOf(last).languages === "string"
        ? honored(accepted, (terms) => ({ ...terms, languages: termsOf(last).languages }))
        : accepted,
  ),
};

export const HANDSHAKE: Deviations = {
  // AAEP §9.5.1(3): a request MUST be answered, never silently; one that is refused gets no answer.
  "refusal-in-silence": told(isRejected, nothing),
  // AAEP §9.5.1(3): a rate below 1 is not answered.
  "negative-rate-in-silence": sent((message) => Number(termsOf(message).max_events_per_second) < 1, nothing),
  // AAEP §8.3: a request of more than 60,000 characters is lost.
  "large-request-lost": sent((message) => JSON.stringify(message).length > 60_000, nothing),
  // AAEP §5.4: a request gets one answer; it gets two subscription.accepted with two ids.
  "accepted-twice": told(isAccepted, (accepted) => [accepted, { ...accepted, subscription_id: `sub_${freshHex()}` }]),
  // AAEP §5.4.1: subscription.accepted requires honored_capabilities; the field is left out.
  "accepted-without-honored-terms": told(isAccepted, leaving("honored_capabilities")),
  // AAEP §5.4.1: subscription.accepted requires the producer's identity; the field is left out.
  "accepted-without-producer": told(isAccepted, leaving("producer")),
  // AAEP §5.5.3: reason_code is one of the eight normative codes; it is `go_away`.
  "rejected-with-invented-code": told(isRejected, (message) => ({ ...message, reason_code: "go_away" })),
  // AAEP §5.5.1: subscription.rejected requires reason_message; the field is left out.
  "rejected-without-message": told(isRejected, leaving("reason_message")),
  // AAEP §5.5: critical events go to the rejected.
  "rejected-hears-critical": criticalToAll(),
  // AAEP §5.9: a message that is an array ends every connection.
  "array-ends-every-connection": endsAllAtAnArray(),
  // AAEP §5.10: subscription.accepted names no manifest.
  "manifest-nowhere": told(isAccepted, leaving("manifest_uri")),
  // AAEP §5.10.1: the signed manifest has no agent_id.
  "manifest-without-agent": told(isAccepted, (accepted) => ({
    ...accepted,
    signed_manifest: `e30.${UNSIGNED}.c2lnbmF0dXJl`,
  })),
  // AAEP §5.3.2: unknown extension capabilities MUST be ignored; they cause rejection.
  "unknown-capability-rejected": sent(
    (message) => isRequest(message) && unknownIn(message) !== undefined,
    (request, { toSubscriber }) =>
      void toSubscriber(
        rejection("capabilities_incompatible", `The capability "${unknownIn(request)}" is not known here.`),
      ),
  ),
  // AAEP §12.3.2: a version of the same major is served; every 1.x but 1.0.0 is rejected.
  "later-minor-version-rejected": sent(
    (message) => isRequest(message) && isLaterMinor(message),
    (_request, { toSubscriber }) => void toSubscriber(rejection("version_unsupported", "Only 1.0.0 is supported.")),
  ),
  // AAEP §5.4.1: accepted names the version that will be used; for an unsupported major it claims that major.
  "other-major-version-claimed": claimsVersions((version) => /^(?:[2-9]|[1-9]\d+)\./.test(version)),
  // AAEP §5.4.1: a request of 2.0.0 is accepted as 2.0.0.
  "next-major-version-claimed": claimsVersions((version) => version === "2.0.0"),
  // AAEP §5.3.1.12: without a signed manifest a subscriber that demands one MUST be rejected; it is accepted, unsigned.
  "signature-demand-ignored": asked(
    (message) =>
      isRequest(message)
        ? { ...message, capabilities: without(termsOf(message), "accept_signed_manifests_only") }
        : message,
    (accepted, last) =>
      termsOf(last).accept_signed_manifests_only === true
        ? without(accepted, "signed_manifest", "manifest_uri")
        : accepted,
  ),
  // AAEP §5.4.1: every subscription has the same id.
  "one-subscription-id": () => {
    let own: unknown;
    const named = (message: Message, id: unknown): Message =>
      "subscription_id" in message ? { ...message, subscription_id: id } : message;
    return {
      down: (message) => {
        if (isAccepted(message)) own = message.subscription_id;
        return named(message, "sub_same");
      },
      up: (message) => (message.subscription_id === "sub_same" ? named(message, own) : message),
    };
  },
};
