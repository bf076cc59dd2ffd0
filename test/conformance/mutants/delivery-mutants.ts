// Producers that break filters, rates, boundaries, languages and verbosity (chapter 5).
import type { Deviation, Deviations, Link } from "./deviation.js";
import {
  andThen,
  asAsked,
  type Claim,
  held,
  honored,
  intervalOf,
  ofTerm,
  otherTerms,
  paced,
  queued,
  told,
} from "./forms.js";
import {
  type Change,
  codePoints,
  DEFAULT_BOUNDARIES,
  DEFAULT_FILTERS,
  freshEventId,
  isAccepted,
  isChunk,
  isClose,
  isCritical,
  isEvent,
  isKind,
  isRecord,
  isState,
  kind,
  type Message,
  position,
  record,
  strings,
  text,
  without,
} from "./messages.js";

const asksForPieces = (terms: Message): boolean =>
  strings(terms.coalesce_boundaries).some((boundary) => boundary === "word" || boundary === "none");
const inWords: Change = (terms) => (asksForPieces(terms) ? terms : { ...terms, coalesce_boundaries: ["word"] });
const boundariesIgnored = otherTerms(inWords, asAsked("coalesce_boundaries", DEFAULT_BOUNDARIES));

const filtersAsAsked: Claim = asAsked("event_filters", DEFAULT_FILTERS);

function withoutExactPatterns(filters: unknown): unknown {
  const kept = (patterns: unknown): readonly string[] => strings(patterns).filter((pattern) => pattern.endsWith("*"));
  const { include, exclude } = record(filters);
  const included = kept(include ?? DEFAULT_FILTERS.include);
  return { include: included.length > 0 ? included : DEFAULT_FILTERS.include, exclude: kept(exclude) };
}

function isNarrow(filters: unknown): boolean {
  const { exclude, include } = record(filters);
  return strings(exclude).length > 0 || (Array.isArray(include) && !include.includes("aaep:agent.*"));
}

/** A message of this type, with filters and terse, keeps tools from every other subscription. */
function neighbourNarrows(type: string): Deviation {
  let isNarrowed = false;
  return () => {
    let isOwn = false;
    return {
      up: (message) => {
        const { preferred_verbosity, event_filters } = record(message.capabilities);
        if (message.type === type && event_filters !== undefined && preferred_verbosity === "terse") isOwn = true;
        if (isOwn) isNarrowed = true;
        return message;
      },
      down: (message) => (isOwn || !isNarrowed || !kind(message).startsWith("agent.tool.") ? message : undefined),
      gone: () => {
        if (isOwn) isNarrowed = false;
      },
    };
  };
}

const CRITICAL = ["handoff.requested", "awaiting.confirmation", "awaiting.clarification"];

export const FILTERING: Deviations = {
  // AAEP §9.5.1(5): event_filters MUST be honored; everything is sent.
  "filters-ignored": otherTerms((terms) => without(terms, "event_filters"), filtersAsAsked),
  // AAEP §5.3.1.7: exclude patterns take precedence over include patterns; what matches both is sent.
  "include-beats-exclude": otherTerms(
    ofTerm("event_filters", (filters) => (isRecord(filters) ? { ...filters, exclude: [] } : filters)),
    filtersAsAsked,
  ),
  // AAEP §5.3.1.7: a pattern without a wildcard is ignored.
  "exact-patterns-ignored": otherTerms(ofTerm("event_filters", withoutExactPatterns), filtersAsAsked),
  // AAEP §5.5.4: one critical type is kept back where filters leave its name out.
  ...Object.fromEntries(
    CRITICAL.map((type) => [
      `${type.replace(".", "-")}-filtered`,
      told(
        (message) => isKind(message, `agent.${type}`),
        (message, { seen }) => (isNarrow(seen.asked.event_filters) ? undefined : message),
      ),
    ]),
  ),
  // AAEP §2.2.8: events MUST NOT be left out for verbosity; a terse subscriber gets no state.changed (questions aside).
  "terse-gets-fewer-events": told(
    (event) => isState(event) && event.from_state !== "awaiting_input" && event.to_state !== "awaiting_input",
    (event, { seen }) => (seen.asked.preferred_verbosity === "terse" ? undefined : event),
  ),
  // AAEP §5.9: the filters of one subscription keep tools from another.
  "neighbour-narrows-all": neighbourNarrows("subscription.request"),
  // AAEP §5.9: the filters that one subscription changes to keep tools from another.
  "change-narrows-all": neighbourNarrows("subscription.renegotiate"),
};

/** Saves the budget up for two seconds and spends it at one go: more than a whole second's worth at once. */
const saving: Deviation = ({ toSubscriber, after }) => {
  const held: Message[] = [];
  let armed = false;
  const release = (): void => {
    armed = false;
    held.splice(0).forEach(toSubscriber);
  };
  return {
    down: (message) => {
      held.push(message);
      if (!isEvent(message) || isCritical(message)) release();
      else if (!armed) after(2000, release);
      armed = held.length > 0;
      return undefined;
    },
  };
};

const NEIGHBOUR_MS = 10_000;

function slowNeighbour(): Deviation {
  const neighbours: { rate: number; until: number }[] = [];
  const rates = (): number[] => neighbours.filter((each) => each.until > Date.now()).map((each) => each.rate);
  return (link) => {
    const own = { rate: Number.POSITIVE_INFINITY, until: 0 };
    neighbours.push(own);
    const send = queued(link, () => 1000 / Math.min(...rates()));
    return {
      down: (message) => {
        if (isAccepted(message)) own.rate = 1000 / intervalOf(message);
        own.until = Date.now() + NEIGHBOUR_MS;
        return send(message);
      },
      up: (message) => {
        if (isClose(message)) own.rate = Number.POSITIVE_INFINITY;
        return message;
      },
    };
  };
}

/** Events are held one by one, not merged, and a critical event stands in line behind them. */
const criticalInLine: Deviation = (link: Link) => {
  let rate: unknown;
  let interval = 0;
  const send = queued(link, () => interval, true);
  return {
    up: (message) => {
      const terms = record(message.capabilities);
      if (typeof terms.max_events_per_second !== "number") return message;
      rate = terms.max_events_per_second;
      return { ...message, capabilities: without(terms, "max_events_per_second") };
    },
    down: (message) => {
      if (!isAccepted(message)) return send(message);
      const claimed = honored(message, (terms) =>
        typeof rate === "number" ? { ...terms, max_events_per_second: rate } : terms,
      );
      interval = intervalOf(claimed);
      return send(claimed);
    },
  };
};

const faster = (rate: unknown): unknown => (typeof rate === "number" ? Math.ceil(rate * 1.2) : rate);

export const PACE: Deviations = {
  // AAEP §5.3.1.1: events MUST NOT come faster than max_events_per_second; they come 20 % faster (rounded up to a whole one).
  "rate-exceeded-by-a-fifth": otherTerms(
    ofTerm("max_events_per_second", faster),
    (terms, { max_events_per_second: asked }) =>
      typeof asked === "number" && typeof terms.max_events_per_second === "number"
        ? { ...terms, max_events_per_second: Math.min(asked, terms.max_events_per_second) }
        : terms,
  ),
  // AAEP §5.6.1(1): the budget is replenished smoothly, not at fixed intervals; it is saved up for two seconds and spent at once.
  "budget-refilled-in-jumps": saving,
  // AAEP §5.6.1(3): critical events MUST NOT be delayed nor rate-limited; they wait in line and pay budget like all others.
  // A little faster than honored, so that events that are on time are not pushed back by jitter.
  "critical-behind-the-held": (link) => ({ down: paced(link, 1.05, true) }),
  // AAEP §5.6.1: a critical event comes after everything that the rate holds back.
  "critical-in-line": criticalInLine,
  // AAEP §5.6.1(3): one critical type comes late, and what follows behind it.
  ...Object.fromEntries(
    CRITICAL.map((type) => [
      `${type.replace(".", "-")}-held`,
      held((message) => isKind(message, `agent.${type}`), 1200),
    ]),
  ),
  // AAEP §5.9: one subscription MUST NOT be degraded because of another; the lowest rate of all is everyone's.
  "slow-neighbour-slows-all": slowNeighbour(),
};

/** Cuts the text of a script into pieces that are labelled as sentences (AAEP §5.6.3). */
const textCut = (script: RegExp, piecesOf: (chunk: string) => readonly string[]): Deviation =>
  told(
    (message) => isChunk(message) && script.test(text(message.chunk)),
    (message) => {
      const pieces = piecesOf(text(message.chunk));
      if (pieces.length < 2) return message;
      let from = position(message);
      return pieces.map((chunk, index) => {
        const isLast = index === pieces.length - 1;
        const hint = isLast ? {} : { coalesce_hint: "sentence" };
        const complete = isLast && message.complete === true;
        const piece = { ...message, ...hint, event_id: freshEventId(), chunk, position: from, complete };
        from += codePoints(chunk).length;
        return piece;
      });
    },
  );

/** The languages that were asked for, changed. */
const ofLanguages = (change: (languages: readonly string[]) => readonly string[]): Deviation =>
  otherTerms(
    ofTerm("languages", (tags) => (Array.isArray(tags) ? change(strings(tags)) : tags)),
    asAsked("languages", ["en-US"]),
  );

export const SHAPE: Deviations = {
  // AAEP §9.5.1(5): coalesce_boundaries MUST be honored; a subscriber of sentences gets words.
  "boundaries-ignored": boundariesIgnored,
  // AAEP §9.5.1(10): output MUST be coalesced to the negotiated boundary; single words go out as if they were sentences.
  "word-pieces-labelled-sentence": andThen(boundariesIgnored, (event) =>
    isChunk(event) && event.coalesce_hint === "word" ? { ...event, coalesce_hint: "sentence" } : event,
  ),
  "arabic-cut-at-words": textCut(/\p{Script=Arabic}/u, (chunk) => chunk.split(/(?<=\s)/u)),
  "japanese-cut-at-words": textCut(/\p{Script=Hiragana}/u, (chunk) => chunk.match(/.{1,4}/gsu) ?? []),
  "hindi-cut-within-letters": textCut(/\p{Script=Devanagari}/u, (chunk) => chunk.split(/(?=\p{M})/u)),
  "thai-cut-within-phrases": textCut(/\p{Script=Thai}/u, (chunk) => chunk.match(/.{1,6}/gsu) ?? []),
  // AAEP §9.5.1(5): languages MUST be honored; everyone gets the primary language of the event. Nothing is offered in a tag of private use.
  "languages-ignored": otherTerms(
    ofTerm("languages", () => ["qaa"]),
    asAsked("languages", ["en-US"]),
  ),
  // AAEP §11.1.3: the first matching language of the subscriber's order is used; the last one is.
  "last-language-first": ofLanguages((languages) => [...languages].reverse()),
  // AAEP §11.1.3: the second language is not tried.
  "first-language-alone": ofLanguages((languages) => languages.slice(0, 1)),
  // AAEP §11.1.3: a tag with a region matches no tag without.
  "region-not-matched": ofLanguages((languages) => {
    const plain = languages.filter((tag) => !tag.includes("-"));
    return plain.length > 0 ? plain : ["qaa"];
  }),
  // AAEP §11.2: a state.changed in another language than the first that was asked for does not come.
  "events-in-other-languages-dropped": told(isState, (message, { seen }) => {
    const [wanted] = strings(seen.asked.languages);
    const { primary_language: language } = record(message.localization_hints);
    return wanted === undefined || language === wanted ? message : undefined;
  }),
  // AAEP §9.5.1(5): all negotiated capabilities MUST be honored; preferred_verbosity is swapped for another.
  "verbosity-ignored": otherTerms(
    ofTerm("preferred_verbosity", (verbosity) => (verbosity === "terse" ? "detailed" : "terse")),
    asAsked("preferred_verbosity", "normal"),
  ),
};
