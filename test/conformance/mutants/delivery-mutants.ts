// Producers that break filters, rates, boundaries, languages and verbosity (chapter 5).
import {
  type Change,
  DEFAULT_BOUNDARIES,
  DEFAULT_FILTERS,
  type Handler,
  type Handlers,
  isAccepted,
  isChunk,
  isClose,
  isCritical,
  isEvent,
  isRecord,
  isState,
  kind,
  record,
  strings,
  text,
  without,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";
import {
  asAsked,
  askedTerms,
  eventsChanged,
  fieldLeftOut,
  intervalOf,
  otherTerms,
  paced,
  queued,
  type Rule,
  replace,
} from "./mutant-forms.js";

const asksForPieces = (terms: Message): boolean =>
  strings(terms.coalesce_boundaries).some((boundary) => boundary === "word" || boundary === "none");
const inWords: Change = (terms) => (asksForPieces(terms) ? terms : { ...terms, coalesce_boundaries: ["word"] });

const WORDS_LABELLED: Rule = {
  name: "word-pieces-labelled-sentence",
  paragraph: "AAEP §9.5.1(10)",
  breaks: "Output MUST be coalesced to the negotiated boundary; single words go out as if they were sentences.",
};

function wordsLabelled(): Mutant {
  const plain = otherTerms(WORDS_LABELLED, inWords, asAsked("coalesce_boundaries", DEFAULT_BOUNDARIES));
  const label: Change = (event) =>
    isChunk(event) && event.coalesce_hint === "word" ? { ...event, coalesce_hint: "sentence" } : event;
  return {
    ...plain,
    link: (link) => plain.link({ ...link, toSubscriber: (message) => link.toSubscriber(label(message)) }),
  };
}

function matches(type: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern));
}

function passes(event: Message, filters: Message): boolean {
  const type = `aaep:${kind(event)}`;
  const include = Array.isArray(filters.include) ? strings(filters.include) : strings(DEFAULT_FILTERS.include);
  return matches(type, include) && !matches(type, strings(filters.exclude));
}

export const FILTERING: readonly Mutant[] = [
  otherTerms(
    {
      name: "filters-ignored",
      paragraph: "AAEP §9.5.1(5)",
      breaks: "event_filters MUST be honored; everything is sent.",
    },
    (terms) => without(terms, "event_filters"),
    (terms, asked) => ({ ...terms, event_filters: asked.event_filters ?? DEFAULT_FILTERS }),
  ),
  otherTerms(
    {
      name: "include-beats-exclude",
      paragraph: "AAEP §5.3.1.7",
      breaks: "Exclude patterns take precedence over include patterns; what matches both is sent.",
    },
    (terms) =>
      isRecord(terms.event_filters) ? { ...terms, event_filters: { ...terms.event_filters, exclude: [] } } : terms,
    (terms, asked) => ({ ...terms, event_filters: asked.event_filters ?? DEFAULT_FILTERS }),
  ),
  {
    name: "critical-filtered-out",
    paragraph: "AAEP §5.5.4",
    breaks: "Critical events MUST go to all subscriptions whatever the filters; the filters hold them back.",
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          toProducer(message);
        },
        fromProducer: (message) => {
          if (!isCritical(message) || passes(message, record(asked.read().event_filters))) toSubscriber(message);
        },
      };
    },
  },
  {
    name: "terse-gets-fewer-events",
    paragraph: "AAEP §2.2.8",
    breaks: "Events MUST NOT be left out for verbosity; a terse subscriber gets no state.changed (questions aside).",
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      const needed = (event: Message): boolean =>
        !isState(event) || event.from_state === "awaiting_input" || event.to_state === "awaiting_input";
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          toProducer(message);
        },
        fromProducer: (message) => {
          if (asked.read().preferred_verbosity !== "terse" || needed(message)) toSubscriber(message);
        },
      };
    },
  },
];

const faster = (rate: number): number => Math.ceil(rate * 1.2);

/** Saves the budget up for two seconds and spends it at one go: more than a whole second's worth at once. */
function saving(link: MutantLink): Handler {
  const held: Message[] = [];
  let armed = false;
  const release = (): void => {
    armed = false;
    held.splice(0).forEach(link.toSubscriber);
  };
  return (message) => {
    held.push(message);
    if (!isEvent(message) || isCritical(message)) return release();
    if (armed) return;
    armed = true;
    link.after(2000, release);
  };
}

interface Neighbour {
  rate: number;
  until: number;
}

const NEIGHBOUR_MS = 10_000;

function slowestPace(link: MutantLink, neighbours: Neighbour[]): Handlers {
  const own: Neighbour = { rate: Number.POSITIVE_INFINITY, until: 0 };
  neighbours.push(own);
  const rates = (): number[] => neighbours.filter((each) => each.until > Date.now()).map((each) => each.rate);
  const send = queued(link, () => 1000 / Math.min(...rates()));
  return {
    fromProducer: (message) => {
      if (isAccepted(message)) own.rate = 1000 / intervalOf(message);
      own.until = Date.now() + NEIGHBOUR_MS;
      send(message);
    },
    fromSubscriber: (message) => {
      if (isClose(message)) own.rate = Number.POSITIVE_INFINITY;
      link.toProducer(message);
    },
  };
}

function slowNeighbour(): Mutant {
  const neighbours: Neighbour[] = [];
  return {
    name: "slow-neighbour-slows-all",
    paragraph: "AAEP §5.9",
    breaks: "One subscription MUST NOT be degraded because of another; the lowest rate of all is everyone's.",
    link: (link) => slowestPace(link, neighbours),
  };
}

export const PACE: readonly Mutant[] = [
  otherTerms(
    {
      name: "rate-exceeded-by-a-fifth",
      paragraph: "AAEP §5.3.1.1",
      breaks:
        "Events MUST NOT come faster than max_events_per_second; they come 20 % faster (rounded up to a whole one).",
    },
    (terms) =>
      typeof terms.max_events_per_second === "number"
        ? { ...terms, max_events_per_second: faster(terms.max_events_per_second) }
        : terms,
    (terms, { max_events_per_second: asked }) =>
      typeof asked === "number" && typeof terms.max_events_per_second === "number"
        ? { ...terms, max_events_per_second: Math.min(asked, terms.max_events_per_second) }
        : terms,
  ),
  {
    name: "budget-refilled-in-jumps",
    paragraph: "AAEP §5.6.1(1)",
    breaks:
      "The budget is replenished smoothly, not at fixed intervals; it is saved up for two seconds and spent at once.",
    link: (link) => ({ fromProducer: saving(link) }),
  },
  {
    name: "critical-behind-the-held",
    paragraph: "AAEP §5.6.1(3)",
    breaks: "Critical events MUST NOT be delayed nor rate-limited; they wait in line and pay budget like all others.",
    // A little faster than honored, so that events that are on time are not pushed back by jitter.
    link: (link) => ({ fromProducer: paced(link, 1.05, true) }),
  },
  {
    name: "critical-held-two-seconds",
    paragraph: "AAEP §5.6.1(3)",
    breaks: "Critical events are emitted at once; each waits two seconds, and what follows waits behind it.",
    link: ({ toSubscriber, after }) => {
      const held: Message[] = [];
      return {
        fromProducer: (message) => {
          if (!isCritical(message) && held.length === 0) return toSubscriber(message);
          held.push(message);
          if (held.length === 1) after(2000, () => held.splice(0).forEach(toSubscriber));
        },
      };
    },
  },
  slowNeighbour(),
  otherTerms(
    {
      name: "boundaries-ignored",
      paragraph: "AAEP §9.5.1(5)",
      breaks: "coalesce_boundaries MUST be honored; a subscriber of sentences gets words.",
    },
    inWords,
    asAsked("coalesce_boundaries", DEFAULT_BOUNDARIES),
  ),
  wordsLabelled(),
];

const otherLanguage = (tag: unknown): string => (text(tag).toLowerCase().startsWith("en") ? "de-DE" : "en-US");

export const SHAPE: readonly Mutant[] = [
  otherTerms(
    {
      name: "languages-ignored",
      paragraph: "AAEP §9.5.1(5)",
      breaks: "languages MUST be honored; everyone gets the primary language of the event.",
    },
    // A private-use tag: nothing is offered in it.
    (terms) => ({ ...terms, ...("languages" in terms ? { languages: ["qaa"] } : {}) }),
    asAsked("languages", ["en-US"]),
  ),
  otherTerms(
    {
      name: "last-language-first",
      paragraph: "AAEP §11.1.3",
      breaks: "The first matching language of the subscriber's order is used; the last one is.",
    },
    (terms) =>
      Array.isArray(terms.languages) ? { ...terms, languages: [...strings(terms.languages)].reverse() } : terms,
    asAsked("languages", ["en-US"]),
  ),
  eventsChanged(
    {
      name: "language-label-wrong",
      paragraph: "AAEP §11.1.1",
      breaks: "primary_language is the language the texts are written in; another one is named.",
    },
    (event) => {
      const hints = record(event.localization_hints);
      if (!("primary_language" in hints)) return event;
      return { ...event, localization_hints: { ...hints, primary_language: otherLanguage(hints.primary_language) } };
    },
  ),
  fieldLeftOut(
    {
      name: "language-undeclared",
      paragraph: "AAEP §11.1",
      breaks: "Events with text for people MUST carry a language declaration; localization_hints is left out.",
    },
    "localization_hints",
  ),
  otherTerms(
    {
      name: "verbosity-ignored",
      paragraph: "AAEP §9.5.1(5)",
      breaks: "All negotiated capabilities MUST be honored; preferred_verbosity is swapped for another.",
    },
    (terms) => replace("preferred_verbosity", terms.preferred_verbosity === "terse" ? "detailed" : "terse")(terms),
    asAsked("preferred_verbosity", "normal"),
  ),
  eventsChanged(
    {
      name: "verbosity-label-wrong",
      paragraph: "AAEP §3.3.1",
      breaks: "verbosity names the level of the texts in the event; it names another.",
    },
    (event) => ({ ...event, verbosity: event.verbosity === "detailed" ? "terse" : "detailed" }),
  ),
];
