// Producers that break renegotiation and close (chapter 5).
import type { Deviation, Deviations } from "./deviation.js";
import { honored, nothing, sent } from "./forms.js";
import {
  DEFAULT_BOUNDARIES,
  DEFAULT_FILTERS,
  emptied,
  isAccepted,
  isChunk,
  isClose,
  isRejected,
  isRenegotiation,
  type Message,
  merged,
  record,
  strings,
  text,
  without,
} from "./messages.js";

const DEFAULTS_ON_OMISSION: Message = {
  preferred_verbosity: "normal",
  languages: ["en-US"],
  coalesce_boundaries: DEFAULT_BOUNDARIES,
  event_filters: DEFAULT_FILTERS,
};

/** Answers each renegotiation itself, as the producer would, and hands it on to the producer late or never. */
const answeredAhead =
  (afterMs: number | undefined): Deviation =>
  ({ toSubscriber, toProducer, after }) => {
    let last: Message = { type: "subscription.accepted" };
    let handedOn = 0;
    return {
      up: (message) => {
        if (!isRenegotiation(message)) return message;
        last = honored(last, (terms) => merged(terms, record(message.capabilities)));
        toSubscriber(last);
        if (afterMs !== undefined)
          after(afterMs, () => {
            handedOn += 1;
            toProducer(message);
          });
        return undefined;
      },
      down: (message) => {
        if (!isAccepted(message)) return message;
        last = message;
        if (handedOn === 0) return message;
        handedOn -= 1;
        return undefined;
      },
    };
  };

/** Answers a renegotiation as asked, and takes all of its members but one. */
const renegotiationLoses =
  (lost: string): Deviation =>
  ({ seen }) => {
    let isChanged = false;
    return {
      up: (message) => {
        if (!isRenegotiation(message)) return message;
        isChanged = true;
        return { ...message, capabilities: without(record(message.capabilities), lost) };
      },
      down: (message) =>
        isAccepted(message) && isChanged ? honored(message, (terms) => ({ ...terms, ...seen.asked })) : message,
    };
  };

/** Tells otherwise what comes after the first renegotiation. */
const toldSince = (change: (message: Message) => Message | readonly Message[]): Deviation => {
  return () => {
    let isAsked = false;
    return {
      up: (message) => {
        isAsked ||= isRenegotiation(message);
        return message;
      },
      down: (message) => (isAsked && isAccepted(message) ? change(message) : message),
    };
  };
};

export const RENEGOTIATION: Deviations = {
  // AAEP §5.7.2: renegotiated capabilities MUST apply to all later events; they are accepted and nothing changes.
  "renegotiation-not-applied": answeredAhead(undefined),
  // AAEP §5.7.2: renegotiated capabilities MUST apply after their accepted; the old terms go on for 1.5 s.
  "renegotiation-applied-late": answeredAhead(1500),
  // AAEP §5.7.2: a renegotiation leaves one member as it was.
  ...Object.fromEntries(
    ["languages", "preferred_verbosity", "coalesce_boundaries", "cognitive_load", "supports_clarification_reply"].map(
      (lost) => [`renegotiation-without-${lost.replaceAll("_", "-")}`, renegotiationLoses(lost)],
    ),
  ),
  // AAEP §5.4.4: a renegotiation honors a language nobody asked for.
  "languages-widened-by-renegotiation": toldSince((accepted) =>
    honored(accepted, (terms) => ({ ...terms, languages: [...strings(terms.languages), "is-IS"] })),
  ),
  // AAEP §5.7: a renegotiation MUST be answered; the new terms are applied without a word.
  "renegotiation-unanswered": () => {
    let open = 0;
    return {
      up: (message) => {
        if (isRenegotiation(message)) open += 1;
        return message;
      },
      down: (message) => {
        if (open === 0 || !(isAccepted(message) || isRejected(message))) return message;
        open -= 1;
        return undefined;
      },
    };
  },
  // AAEP §5.7: a renegotiation is answered twice.
  "renegotiation-answered-twice": toldSince((accepted) => [accepted, accepted]),
  // AAEP §5.7: languages that are a number end the filters.
  "malformed-renegotiation-opens-filters": sent(
    (message) => isRenegotiation(message) && typeof record(message.capabilities).languages === "number",
    (message) => ({ ...message, capabilities: { event_filters: DEFAULT_FILTERS } }),
  ),
  // AAEP §5.7.1: fields omitted retain their values; they fall back to the defaults.
  "renegotiation-resets-the-rest": sent(isRenegotiation, (message) => ({
    ...message,
    capabilities: { ...DEFAULTS_ON_OMISSION, ...record(message.capabilities) },
  })),
  // AAEP §5.7: a renegotiation updates the active subscription; its accepted names another subscription_id.
  "renegotiation-renames-the-subscription": () => {
    let id: unknown;
    let renamed = false;
    return {
      up: (message) => {
        if (isRenegotiation(message)) renamed = true;
        const foreign = message.subscription_id === `${text(id)}x`;
        return foreign ? { ...message, subscription_id: id } : message;
      },
      down: (message) => {
        if (!isAccepted(message)) return message;
        id = message.subscription_id;
        return renamed ? { ...message, subscription_id: `${text(id)}x` } : message;
      },
    };
  },
  // AAEP §8.2.4: lost messages are non-conforming; the first text after a renegotiation's accepted is not delivered.
  "text-lost-at-renegotiation": () => {
    let asked = false;
    let losing = false;
    return {
      up: (message) => {
        if (isRenegotiation(message)) asked = true;
        return message;
      },
      down: (message) => {
        if (isAccepted(message) && asked) losing = true;
        if (!losing || !isChunk(message) || text(message.chunk) === "") return message;
        losing = false;
        asked = false;
        return message.complete === true ? emptied(message) : undefined;
      },
    };
  },
};

export const CLOSING: Deviations = {
  // AAEP §5.8.2(1): after a close the producer MUST stop emitting; events go on.
  "close-ignored": sent(isClose, nothing),
  // AAEP §5.8.2(2): a close MUST apply the default of what the closed subscription was asked; the question stays open.
  "close-leaves-the-question-open": () => {
    let closed = false;
    return {
      up: (message) => {
        if (isClose(message)) closed = true;
        return closed ? undefined : message;
      },
      down: (message) => (closed ? undefined : message),
    };
  },
};
