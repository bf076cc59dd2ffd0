/** Producers of AAEP that break exactly one rule each: a layer in front of a correct one. */

export type Message = Readonly<Record<string, unknown>>;

export interface Link {
  /** Sends a message on to the subscriber, now. */
  readonly toSubscriber: (message: Message) => void;
  /** Sends a message on to the producer, now. */
  readonly toProducer: (message: Message) => void;
  readonly after: (ms: number, run: () => void) => void;
  readonly close: () => void;
}

export interface Mutant {
  readonly name: string;
  readonly paragraph: string;
  readonly breaks: string;
  /** Called for each new connection of a subscriber; a handler that is missing passes everything on. */
  readonly link: (link: Link) => {
    readonly fromProducer?: (message: Message) => void;
    readonly fromSubscriber?: (message: Message) => void;
  };
}

type Handlers = ReturnType<Mutant["link"]>;
type Handler = (message: Message) => void;
type Change = (message: Message) => Message;

const CORE_CONTEXT = "https://aaep-protocol.org/context/v1";
const CORE_TYPES = "https://aaep-protocol.org/types/";
const CRITICAL_KINDS: readonly string[] = [
  "agent.session.errored",
  "agent.awaiting.confirmation",
  "agent.awaiting.clarification",
  "agent.handoff.requested",
];
const CORE_CAPABILITIES: readonly string[] = [
  "max_events_per_second",
  "preferred_verbosity",
  "languages",
  "supports_confirmation_reply",
  "supports_clarification_reply",
  "coalesce_boundaries",
  "event_filters",
  "supported_conformance_levels",
  "supported_extensions",
  "cognitive_load",
  "pace_wpm",
  "accept_signed_manifests_only",
];
const DEFAULT_FILTERS: Message = { include: ["aaep:agent.*"], exclude: [] };
const DEFAULT_BOUNDARIES: readonly string[] = ["sentence", "completion"];

// ---------------------------------------------------------------- reading messages

const isRecord = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const record = (value: unknown): Message => (isRecord(value) ? value : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];

const isEvent = (message: Message): boolean => "event_id" in message && "session_id" in message;

/** `agent.tool.invoked` for either spelling of the core type, "" for everything that is no core event. */
function kind(message: Message): string {
  const type = text(message.type);
  if (type.startsWith("aaep:")) return type.slice("aaep:".length);
  return type.startsWith(CORE_TYPES) ? type.slice(CORE_TYPES.length) : "";
}

const isKind = (message: Message, ...kinds: readonly string[]): boolean => kinds.includes(kind(message));
const isState = (message: Message): boolean => isKind(message, "agent.state.changed");
const isChunk = (message: Message): boolean => isKind(message, "agent.output.streaming");
const isConfirmation = (message: Message): boolean => isKind(message, "agent.awaiting.confirmation");
const isQuestion = (message: Message): boolean => kind(message).startsWith("agent.awaiting.");
const isStart = (message: Message): boolean => isKind(message, "agent.session.started");
const isTerminal = (message: Message): boolean =>
  isKind(message, "agent.session.completed", "agent.session.errored", "agent.session.cancelled");
const isCritical = (message: Message): boolean =>
  isEvent(message) && (message.urgency === "critical" || isKind(message, ...CRITICAL_KINDS));

const isAccepted = (message: Message): boolean => message.type === "subscription.accepted";
const isRejected = (message: Message): boolean => message.type === "subscription.rejected";
const isRequest = (message: Message): boolean => message.type === "subscription.request";
const isRenegotiation = (message: Message): boolean => message.type === "subscription.renegotiate";
const isClose = (message: Message): boolean => message.type === "subscription.close";
const isConfirmationReply = (message: Message): boolean => message.type === "confirmation.reply";
const isClarificationReply = (message: Message): boolean => message.type === "clarification.reply";
const isReply = (message: Message): boolean => isConfirmationReply(message) || isClarificationReply(message);

const session = (event: Message): string => text(event.session_id);
const token = (message: Message): string => text(message.reply_token);
const outputKey = (event: Message): string => `${session(event)} ${text(event.output_id)}`;
const position = (event: Message): number => (typeof event.position === "number" ? event.position : 0);
const codePoints = (value: unknown): readonly string[] => [...text(value)];
const endOf = (event: Message): number => position(event) + codePoints(event.chunk).length;
const leavesQuestion = (event: Message): boolean => isState(event) && event.from_state === "awaiting_input";
const isIrreversible = (question: Message): boolean =>
  question.irreversible === true || question.reversibility === "irreversible";

const deadline = (question: Message): number =>
  Date.parse(text(question.timestamp)) + Number(question.timeout_seconds) * 1000;

// ---------------------------------------------------------------- making messages

const without = (message: Message, ...fields: readonly string[]): Message =>
  Object.fromEntries(Object.entries(message).filter(([field]) => !fields.includes(field)));

const now = (): string => new Date().toISOString();
const freshHex = (): string => crypto.randomUUID().replaceAll("-", "");
const freshEventId = (): string => `evt_${freshHex()}`;

const notBefore = (timestamp: unknown): string =>
  new Date(Math.max(Date.now(), Date.parse(text(timestamp)) || 0)).toISOString();

/** An event that the producer never made, valid in itself, with the envelope of one that it did. */
function invented(like: Message, type: string, payload: Message): Message {
  return {
    "@context": CORE_CONTEXT,
    type: `aaep:${type}`,
    event_id: freshEventId(),
    session_id: like.session_id,
    timestamp: notBefore(like.timestamp),
    producer: like.producer,
    urgency: "normal",
    localization_hints: like.localization_hints ?? { primary_language: "en" },
    ...payload,
  };
}

const resolution = (question: Message, accepted: boolean): Message =>
  invented(question, "agent.state.changed", {
    from_state: "awaiting_input",
    to_state: accepted ? "calling_tool" : "thinking",
    summary_normal: accepted ? "The answer was yes; going on." : "The answer was no; reconsidering.",
  });

const decisionReply = (question: Message, subscription: string, decision: string): Message => ({
  type: "confirmation.reply",
  reply_token: question.reply_token,
  decision,
  subscription_id: subscription,
  timestamp: now(),
});

const rejection = (code: string, message: string): Message => ({
  type: "subscription.rejected",
  reason_code: code,
  reason_message: message,
});

// ---------------------------------------------------------------- forms that many mutants share

type Rule = Pick<Mutant, "name" | "paragraph" | "breaks">;

/** Rewrites each event by itself. */
const eventsChanged = (rule: Rule, change: Change): Mutant => eventsFollowed(rule, () => change);

/** Rewrites events by what went before them on the same connection. */
function eventsFollowed(rule: Rule, begin: () => Change): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber }) => {
      const change = begin();
      return { fromProducer: (message) => toSubscriber(isEvent(message) ? change(message) : message) };
    },
  };
}

function messagesDropped(rule: Rule, dropped: (message: Message) => boolean): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber }) => ({
      fromProducer: (message) => {
        if (!dropped(message)) toSubscriber(message);
      },
    }),
  };
}

const fieldLeftOut = (rule: Rule, field: string, concerns: (event: Message) => boolean = () => true): Mutant =>
  eventsChanged(rule, (event) => (concerns(event) ? without(event, field) : event));

const messageChanged = (rule: Rule, concerns: (message: Message) => boolean, change: Change): Mutant => ({
  ...rule,
  link: ({ toSubscriber }) => ({
    fromProducer: (message) => toSubscriber(concerns(message) ? change(message) : message),
  }),
});

function honored(accepted: Message, change: Change): Message {
  return { ...accepted, honored_capabilities: change(record(accepted.honored_capabilities)) };
}

/** The capabilities asked for so far: a request begins anew, a renegotiation changes only what it names. */
function askedTerms(): { readonly read: () => Message; readonly follow: Handler } {
  let asked: Message = {};
  return {
    read: () => asked,
    follow: (message) => {
      const given = record(message.capabilities);
      if (isRequest(message)) asked = given;
      if (isRenegotiation(message)) asked = merged(asked, given);
    },
  };
}

function merged(old: Message, given: Message): Message {
  const filters = { ...record(old.event_filters), ...record(given.event_filters) };
  return { ...old, ...given, ...(Object.keys(filters).length > 0 ? { event_filters: filters } : {}) };
}

/** Asks the producer for other terms than the subscriber did, and tells the subscriber that it got its own. */
function otherTerms(rule: Rule, ask: Change, pretend: (honoredTerms: Message, asked: Message) => Message): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          if (!isRequest(message) && !isRenegotiation(message)) return toProducer(message);
          toProducer({ ...message, capabilities: ask(record(message.capabilities)) });
        },
        fromProducer: (message) => {
          if (!isAccepted(message)) return toSubscriber(message);
          // Notes would tell of the terms that were really asked for.
          const plain = without(message, "negotiation_notes");
          toSubscriber(honored(plain, (terms) => pretend(terms, asked.read())));
        },
      };
    },
  };
}

const replace =
  (field: string, value: unknown): Change =>
  (terms) =>
    field in terms ? { ...terms, [field]: value } : terms;

/** Gives back the field as it was asked for, or with its default. */
const asAsked =
  (field: string, byDefault: unknown) =>
  (terms: Message, asked: Message): Message => ({ ...terms, [field]: asked[field] ?? byDefault });

/** Rewrites what `accepted` says; what the producer does stays as negotiated. */
function honoredClaims(rule: Rule, claim: (terms: Message, asked: Message) => Message): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          toProducer(message);
        },
        fromProducer: (message) =>
          toSubscriber(isAccepted(message) ? honored(message, (terms) => claim(terms, asked.read())) : message),
      };
    },
  };
}

/** Lets events go one interval apart. Critical ones go at once, with all before them, unless they are charged too. */
function queued({ toSubscriber, after }: Link, interval: () => number, chargeCritical = false): Handler {
  const waiting: Message[] = [];
  let free = 0;
  let armed = false;

  const wait = (message: Message): number => (isEvent(message) ? free - Date.now() : 0);
  const emit = (message: Message): void => {
    if (isEvent(message)) free = Math.max(Date.now(), free) + interval();
    toSubscriber(message);
  };
  const drain = (hurried: boolean): void => {
    let next = waiting[0];
    while (next !== undefined && (hurried || wait(next) <= 0)) {
      waiting.shift();
      emit(next);
      next = waiting[0];
    }
    if (next !== undefined) arm(wait(next));
  };
  const arm = (ms: number): void => {
    if (armed) return;
    armed = true;
    after(Math.ceil(ms), () => {
      armed = false;
      drain(false);
    });
  };
  return (message) => {
    waiting.push(message);
    drain(isCritical(message) && !chargeCritical);
  };
}

/** Keeps added events within the honored rate, so that they break no second rule. */
function paced(link: Link, ratio = 1, chargeCritical = false): Handler {
  let interval = 0;
  const send = queued(link, () => interval, chargeCritical);
  return (message) => {
    if (isAccepted(message)) interval = intervalOf(message) / ratio;
    send(message);
  };
}

function intervalOf(accepted: Message): number {
  const rate = record(accepted.honored_capabilities).max_events_per_second;
  return typeof rate === "number" && rate > 0 ? 1000 / rate : 0;
}

/** Sends further events after some. */
function eventsAdded(rule: Rule, begin: () => (event: Message) => readonly Message[]): Mutant {
  return {
    ...rule,
    link: (link) => {
      const send = paced(link);
      const added = begin();
      return {
        fromProducer: (message) => {
          send(message);
          if (isEvent(message)) added(message).forEach(send);
        },
      };
    },
  };
}

/** Mends replies that a correct producer would ignore, so that they count. */
function repliesMended(rule: Rule, mend: (reply: Message, question: Message, subscription: string) => Message): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          toProducer(question === undefined ? message : mend(message, question, seen.subscription()));
        },
      };
    },
  };
}

interface QuestionsSeen {
  readonly follow: Handler;
  readonly question: (replyToken: string) => Message | undefined;
  readonly subscription: () => string;
}

function questionsSeen(): QuestionsSeen {
  const asked = new Map<string, Message>();
  let subscription = "";
  return {
    follow: (message) => {
      if (isAccepted(message)) subscription = text(message.subscription_id);
      if (isQuestion(message)) asked.set(token(message), message);
    },
    question: (replyToken) => asked.get(replyToken),
    subscription: () => subscription,
  };
}

// ---------------------------------------------------------------- handshake and terms

const raisedRate = (terms: Message, asked: Message): Message =>
  typeof asked.max_events_per_second === "number"
    ? { ...terms, max_events_per_second: asked.max_events_per_second + 1 }
    : terms;

function widerBoundaries(terms: Message, asked: Message): Message {
  const wanted = Array.isArray(asked.coalesce_boundaries) ? strings(asked.coalesce_boundaries) : DEFAULT_BOUNDARIES;
  const extra = ["word", "paragraph", "none", "sentence", "completion"].find((boundary) => !wanted.includes(boundary));
  return { ...terms, coalesce_boundaries: extra === undefined ? wanted : [...wanted, extra] };
}

const HONORED_CLAIMS: readonly Mutant[] = [
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

const HANDSHAKE: readonly Mutant[] = [
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

// ---------------------------------------------------------------- delivery

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

const FILTERING: readonly Mutant[] = [
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
function saving(link: Link): Handler {
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

function slowestPace(link: Link, neighbours: Neighbour[]): Handlers {
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

const PACE: readonly Mutant[] = [
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

const SHAPE: readonly Mutant[] = [
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

// ---------------------------------------------------------------- renegotiation and close

interface Pretence {
  readonly keep: Handler;
  /** The `accepted` that this renegotiation would get. */
  readonly answer: (renegotiation: Message) => Message;
}

function pretence(): Pretence {
  let last: Message = { type: "subscription.accepted" };
  return {
    keep: (message) => {
      if (isAccepted(message)) last = message;
    },
    answer: (renegotiation) => {
      last = honored(last, (terms) => merged(terms, record(renegotiation.capabilities)));
      return last;
    },
  };
}

const LATE_MS = 1500;

const DEFAULTS_ON_OMISSION: Message = {
  preferred_verbosity: "normal",
  languages: ["en-US"],
  coalesce_boundaries: DEFAULT_BOUNDARIES,
  event_filters: DEFAULT_FILTERS,
};

function emptied(event: Message): Message {
  return { ...event, chunk: "", position: endOf(event) };
}

const RENEGOTIATION: readonly Mutant[] = [
  {
    name: "renegotiation-not-applied",
    paragraph: "AAEP §5.7.2",
    breaks: "Renegotiated capabilities MUST apply to all later events; they are accepted and nothing changes.",
    link: ({ toSubscriber, toProducer }) => {
      const pretended = pretence();
      return {
        fromProducer: (message) => {
          pretended.keep(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) =>
          isRenegotiation(message) ? toSubscriber(pretended.answer(message)) : toProducer(message),
      };
    },
  },
  {
    name: "renegotiation-applied-late",
    paragraph: "AAEP §5.7.2",
    breaks: "Renegotiated capabilities MUST apply after their accepted; the old terms go on for 1.5 s.",
    link: ({ toSubscriber, toProducer, after }) => {
      const pretended = pretence();
      let answered = 0;
      return {
        fromSubscriber: (message) => {
          if (!isRenegotiation(message)) return toProducer(message);
          toSubscriber(pretended.answer(message));
          after(LATE_MS, () => {
            answered += 1;
            toProducer(message);
          });
        },
        fromProducer: (message) => {
          pretended.keep(message);
          if (!isAccepted(message) || answered === 0) return toSubscriber(message);
          answered -= 1;
        },
      };
    },
  },
  {
    name: "renegotiation-unanswered",
    paragraph: "AAEP §5.7",
    breaks: "A renegotiation MUST be answered; the new terms are applied without a word.",
    link: ({ toSubscriber, toProducer }) => {
      let open = 0;
      return {
        fromSubscriber: (message) => {
          if (isRenegotiation(message)) open += 1;
          toProducer(message);
        },
        fromProducer: (message) => {
          if (open === 0 || !(isAccepted(message) || isRejected(message))) return toSubscriber(message);
          open -= 1;
        },
      };
    },
  },
  {
    name: "renegotiation-resets-the-rest",
    paragraph: "AAEP §5.7.1",
    breaks: "Fields omitted retain their values; they fall back to the defaults.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) =>
        toProducer(
          isRenegotiation(message)
            ? { ...message, capabilities: { ...DEFAULTS_ON_OMISSION, ...record(message.capabilities) } }
            : message,
        ),
    }),
  },
  {
    name: "renegotiation-renames-the-subscription",
    paragraph: "AAEP §5.7",
    breaks: "A renegotiation updates the active subscription; its accepted names another subscription_id.",
    link: ({ toSubscriber, toProducer }) => {
      let id: unknown;
      let renamed = false;
      return {
        fromSubscriber: (message) => {
          if (isRenegotiation(message)) renamed = true;
          const foreign = "subscription_id" in message && message.subscription_id === `${text(id)}x`;
          toProducer(foreign ? { ...message, subscription_id: id } : message);
        },
        fromProducer: (message) => {
          if (!isAccepted(message)) return toSubscriber(message);
          id = message.subscription_id;
          toSubscriber(renamed ? { ...message, subscription_id: `${text(id)}x` } : message);
        },
      };
    },
  },
  {
    name: "text-lost-at-renegotiation",
    paragraph: "AAEP §8.2.4",
    breaks: "Lost messages are non-conforming; the first text after a renegotiation's accepted is not delivered.",
    link: ({ toSubscriber, toProducer }) => {
      let asked = false;
      let losing = false;
      return {
        fromSubscriber: (message) => {
          if (isRenegotiation(message)) asked = true;
          toProducer(message);
        },
        fromProducer: (message) => {
          if (isAccepted(message) && asked) losing = true;
          if (!losing || !isChunk(message) || text(message.chunk) === "") return toSubscriber(message);
          losing = false;
          asked = false;
          if (message.complete === true) toSubscriber(emptied(message));
        },
      };
    },
  },
];

const CLOSING: readonly Mutant[] = [
  {
    name: "close-ignored",
    paragraph: "AAEP §5.8.2(1)",
    breaks: "After a close the producer MUST stop emitting; events go on.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) => {
        if (!isClose(message)) toProducer(message);
      },
    }),
  },
  {
    name: "close-leaves-the-question-open",
    paragraph: "AAEP §5.8.2(2)",
    breaks: "A close MUST apply the default of what the closed subscription was asked; the question stays open.",
    link: ({ toSubscriber, toProducer }) => {
      let closed = false;
      return {
        fromSubscriber: (message) => {
          if (isClose(message)) closed = true;
          if (!closed) toProducer(message);
        },
        fromProducer: (message) => {
          if (!closed) toSubscriber(message);
        },
      };
    },
  },
  messageChanged(
    {
      name: "close-names-another-subscription",
      paragraph: "AAEP §5.8.1",
      breaks: "subscription.close carries the id given in accepted; the producer's own close carries another.",
    },
    isClose,
    (message) => ({ ...message, subscription_id: `${text(message.subscription_id)}x` }),
  ),
];

// ---------------------------------------------------------------- questions and replies

function confirmationReply(message: Message): { readonly decision: string } | undefined {
  return isConfirmationReply(message) ? { decision: text(message.decision) } : undefined;
}

function defaultAccepted(rule: Rule, risk: string): Mutant {
  return eventsChanged(rule, (event) =>
    isConfirmation(event) && isIrreversible(event) && event.risk_level === risk
      ? { ...event, default_decision: "accept" }
      : event,
  );
}

/** Answers in the listener's place, and lets the listener's own answers through: they come too late. */
function selfAnswered(
  rule: Rule,
  plan: (question: Message) => { readonly ms: number; readonly decision: string },
): Mutant {
  return {
    ...rule,
    link: ({ toSubscriber, toProducer, after }) => {
      const seen = questionsSeen();
      const replied = new Set<string>();
      return {
        fromSubscriber: (message) => {
          if (isReply(message)) replied.add(token(message));
          toProducer(message);
        },
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
          if (!isConfirmation(message)) return;
          const { ms, decision } = plan(message);
          after(Math.max(0, ms), () => {
            if (!replied.has(token(message))) toProducer(decisionReply(message, seen.subscription(), decision));
          });
        },
      };
    },
  };
}

const BLOCKING: readonly Mutant[] = [
  defaultAccepted(
    {
      name: "default-accept-on-irreversible-high",
      paragraph: "AAEP §6.4.1",
      breaks: "The default of an irreversible high-risk question MUST be reject; it is accept.",
    },
    "high",
  ),
  defaultAccepted(
    {
      name: "default-accept-on-irreversible-medium",
      paragraph: "AAEP §6.4.1",
      breaks: "The default of an irreversible medium-risk question MUST be reject; it is accept.",
    },
    "medium",
  ),
  selfAnswered(
    {
      name: "answer-not-awaited",
      paragraph: "AAEP §6.1(1)",
      breaks: "The action MUST NOT run before a valid reply; it goes ahead 100 ms after the question.",
    },
    () => ({ ms: 100, decision: "accept" }),
  ),
  selfAnswered(
    {
      name: "default-turned-round",
      paragraph: "AAEP §6.4",
      breaks: "On timeout default_decision MUST be applied; the opposite is.",
    },
    (question) => ({
      ms: Number(question.timeout_seconds) * 1000 - 150,
      decision: question.default_decision === "accept" ? "reject" : "accept",
    }),
  ),
  {
    name: "reject-taken-as-accept",
    paragraph: "AAEP §4.5.3",
    breaks: "The action MUST NOT run without an accept; a reject counts as one.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) =>
        toProducer(confirmationReply(message)?.decision === "reject" ? { ...message, decision: "accept" } : message),
    }),
  },
  {
    name: "accept-taken-as-reject",
    paragraph: "AAEP §9.4.1(6)",
    breaks: "The first valid reply is honored; an accept counts as reject.",
    link: ({ toProducer }) => ({
      fromSubscriber: (message) =>
        toProducer(confirmationReply(message)?.decision === "accept" ? { ...message, decision: "reject" } : message),
    }),
  },
  messagesDropped(
    {
      name: "resolution-never-announced",
      paragraph: "AAEP §9.4.1(9)",
      breaks: "A follow-up event MUST be emitted when a question is resolved; none is.",
    },
    leavesQuestion,
  ),
  fieldLeftOut(
    {
      name: "question-without-consequence",
      paragraph: "AAEP §4.4.1",
      breaks: "awaiting.confirmation requires consequence; the field is left out.",
    },
    "consequence",
    isConfirmation,
  ),
  eventsChanged(
    {
      name: "question-not-critical",
      paragraph: "AAEP §4.4.1",
      breaks: "awaiting.confirmation MUST have urgency critical; it has normal.",
    },
    (event) => (isConfirmation(event) ? { ...event, urgency: "normal" } : event),
  ),
  {
    name: "question-asked-twice",
    paragraph: "AAEP §6.1(4)",
    breaks: "No second question for the same action while one is open; it is asked again with a new token.",
    link: ({ toSubscriber, toProducer, after }) => {
      const twins = new Map<string, string>();
      const resolved = new Set<string>();
      const again = (question: Message): void => {
        if (resolved.has(session(question))) return;
        const twin = `rpl_${freshHex()}`;
        twins.set(twin, token(question));
        toSubscriber({
          ...question,
          event_id: freshEventId(),
          reply_token: twin,
          timestamp: notBefore(question.timestamp),
        });
      };
      return {
        fromSubscriber: (message) => {
          const real = isReply(message) ? twins.get(token(message)) : undefined;
          toProducer(real === undefined ? message : { ...message, reply_token: real });
        },
        fromProducer: (message) => {
          if (leavesQuestion(message) || isTerminal(message)) resolved.add(session(message));
          toSubscriber(message);
          if (!isConfirmation(message)) return;
          resolved.delete(session(message));
          after(300, () => again(message));
        },
      };
    },
  },
  {
    name: "question-outlives-cancellation",
    paragraph: "AAEP §6.8",
    breaks: "session.cancelled cancels what is pending; a reply to it still counts and is announced after the end.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      const replied = new Set<string>();
      const cancelled = new Set<string>();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          if (isKind(message, "agent.session.cancelled")) cancelled.add(session(message));
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          const lives = question !== undefined && cancelled.has(session(question)) && !replied.has(token(message));
          if (isReply(message)) replied.add(token(message));
          if (!lives) return toProducer(message);
          toSubscriber(resolution(question, message.decision !== "reject"));
        },
      };
    },
  },
  {
    name: "cancelled-question-resolved-by-default",
    paragraph: "AAEP §4.5.1",
    breaks: "Nothing follows the terminal event; 500 ms after session.cancelled its open question gets its default.",
    link: ({ toSubscriber, toProducer, after }) => {
      const open = new Map<string, Message>();
      const replied = new Set<string>();
      return {
        fromSubscriber: (message) => {
          if (isReply(message)) replied.add(token(message));
          toProducer(message);
        },
        fromProducer: (message) => {
          if (isQuestion(message)) open.set(session(message), message);
          toSubscriber(message);
          const question = open.get(session(message));
          if (!isKind(message, "agent.session.cancelled") || question === undefined) return;
          if (replied.has(token(question))) return;
          after(500, () => toSubscriber(resolution(question, question.default_decision === "accept")));
        },
      };
    },
  },
];

const INCAPABLE: readonly Mutant[] = (["confirmation", "clarification"] as const).map((what) =>
  otherTerms(
    {
      name: `${what}-for-those-who-cannot-reply`,
      paragraph: what === "confirmation" ? "AAEP §5.3.1.4" : "AAEP §5.3.1.5",
      breaks: `awaiting.${what} MUST NOT go to a subscription without supports_${what}_reply; it does.`,
    },
    (terms) => ({ ...terms, [`supports_${what}_reply`]: true }),
    asAsked(`supports_${what}_reply`, false),
  ),
);

const TOKENS: readonly Mutant[] = [
  {
    name: "token-reused",
    paragraph: "AAEP §6.2.2",
    breaks: "A reply token MUST NOT be reused; the second question carries the first one's.",
    link: ({ toSubscriber, toProducer }) => {
      let shown: string | undefined;
      let current = "";
      return {
        fromProducer: (message) => {
          if (!isQuestion(message)) return toSubscriber(message);
          shown ??= token(message);
          current = token(message);
          toSubscriber({ ...message, reply_token: shown });
        },
        fromSubscriber: (message) =>
          toProducer(isReply(message) && token(message) === shown ? { ...message, reply_token: current } : message),
      };
    },
  },
  {
    name: "token-malformed",
    paragraph: "AAEP §6.2.1",
    breaks: "A reply token is `rpl_` and 1 to 64 alphanumerics; it is `token-…`.",
    link: ({ toSubscriber, toProducer }) => ({
      fromProducer: (message) =>
        toSubscriber(isQuestion(message) ? { ...message, reply_token: `token-${token(message)}` } : message),
      fromSubscriber: (message) =>
        toProducer(isReply(message) ? { ...message, reply_token: token(message).replace(/^token-/, "") } : message),
    }),
  },
];

function coerced(reply: Message, question: Message): Message {
  const kinds = strings(question.accepted_response_kinds);
  const { response } = reply;
  if (kinds.length === 0 || kinds.includes(kindOfResponse(response, kinds))) return reply;
  return { ...reply, response: asKind(response, kinds[0] ?? "freetext", question) };
}

function kindOfResponse(response: unknown, kinds: readonly string[]): string {
  if (typeof response === "boolean") return "yes_no";
  if (typeof response === "number") return "numeric";
  if (typeof response !== "string") return "";
  return kinds.includes("multiple_choice") ? "multiple_choice" : "freetext";
}

const choiceValues = (question: Message): readonly string[] =>
  Array.isArray(question.choices) ? question.choices.map((choice) => text(record(choice).value)) : [];

function asKind(response: unknown, wanted: string, question: Message): unknown {
  if (wanted === "numeric") return Number(response) || 0;
  if (wanted === "yes_no") return Boolean(response);
  if (wanted === "multiple_choice") return choiceValues(question)[0];
  return typeof response === "string" ? response : JSON.stringify(response ?? null);
}

function withinChoices(reply: Message, question: Message): Message {
  const values = choiceValues(question);
  const onlyChoices = strings(question.accepted_response_kinds).every((each) => each === "multiple_choice");
  const outside = typeof reply.response === "string" && values.length > 0 && !values.includes(reply.response);
  return onlyChoices && outside ? { ...reply, response: values[0] } : reply;
}

function withinAllowed(reply: Message, question: Message): Message {
  const allowed = Array.isArray(question.allowed_replies) ? strings(question.allowed_replies) : ["accept", "reject"];
  if (!isConfirmationReply(reply) || allowed.includes(text(reply.decision))) return reply;
  return { ...reply, decision: allowed[0] };
}

const REPLIES_MENDED: readonly Mutant[] = [
  repliesMended(
    {
      name: "wrong-typed-clarification-counted",
      paragraph: "AAEP §6.5.5",
      breaks: "A response of a wrong type MUST be treated as no reply; it is converted and counts.",
    },
    (reply, question) => (isClarificationReply(reply) ? coerced(reply, question) : reply),
  ),
  repliesMended(
    {
      name: "choice-outside-the-list-counted",
      paragraph: "AAEP §6.5.5",
      breaks: "A multiple_choice response MUST be one of choices; another counts as the first.",
    },
    (reply, question) => (isClarificationReply(reply) ? withinChoices(reply, question) : reply),
  ),
  repliesMended(
    {
      name: "disallowed-decision-counted",
      paragraph: "AAEP §6.3.4(6)",
      breaks: "A decision outside allowed_replies MUST be ignored; it counts as the first allowed one.",
    },
    withinAllowed,
  ),
  repliesMended(
    {
      name: "reply-without-timestamp-counted",
      paragraph: "AAEP §6.3.4(1)",
      breaks: "A reply that fails the schema MUST be ignored; one without timestamp counts.",
    },
    (reply) => ("timestamp" in reply ? reply : { ...reply, timestamp: now() }),
  ),
  repliesMended(
    {
      name: "foreign-subscription-reply-counted",
      paragraph: "AAEP §10.2.2 T1",
      breaks: "A reply MUST come over a subscription entitled to it; one in another subscription's name counts.",
    },
    (reply, _question, subscription) => ({ ...reply, subscription_id: subscription }),
  ),
];

/** Shared by all connections: which tokens were replied to at all. */
function secondReply(): Mutant {
  const replied = new Set<string>();
  return {
    name: "second-reply-counted",
    paragraph: "AAEP §6.3.5",
    breaks: "Replies after the first valid one MUST be ignored; a second one is announced as a second resolution.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      const resolved = new Set<string>();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          if (isQuestion(message)) resolved.delete(session(message));
          if (leavesQuestion(message)) resolved.add(session(message));
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          const again = question !== undefined && replied.has(token(message)) && resolved.has(session(question));
          if (isReply(message)) replied.add(token(message));
          if (again) return toSubscriber(resolution(question, message.decision !== "reject"));
          toProducer(message);
        },
      };
    },
  };
}

const LAST_WINS_MS = 400;

function lastReplyWins(): Mutant {
  const latest = new Map<string, () => void>();
  return {
    name: "last-reply-wins",
    paragraph: "AAEP §6.7.1",
    breaks: "The first valid reply MUST be honored; of those within 400 ms the last one is.",
    link: ({ toProducer, after }) => ({
      fromSubscriber: (message) => {
        if (!isReply(message)) return toProducer(message);
        const key = token(message);
        const waiting = latest.has(key);
        latest.set(key, () => toProducer(message));
        if (waiting) return;
        after(LAST_WINS_MS, () => {
          latest.get(key)?.();
          latest.delete(key);
        });
      },
    }),
  };
}

const explained = (code: string, message: string, pointer: string): Message => ({
  type: "aaepd.error",
  code,
  message,
  pointer,
  rule: "AAEP §6.3.4",
});

/** Used tokens are left out: a courtesy notice about them is allowed (§6.3.5). */
function failedCheck(reply: Message, question: Message | undefined): Message | undefined {
  if (question === undefined) return explained("token_unknown", "No open question has this token.", "/reply_token");
  if (withinAllowed(reply, question) !== reply)
    return explained("decision_not_allowed", "This decision is not among allowed_replies.", "/decision");
  if (isClarificationReply(reply) && coerced(reply, question) !== reply)
    return explained("response_type", "The response has the wrong type.", "/response");
  return undefined;
}

const REPLIES: readonly Mutant[] = [
  ...REPLIES_MENDED,
  secondReply(),
  lastReplyWins(),
  {
    name: "late-reply-counted",
    paragraph: "AAEP §6.3.4(4)",
    breaks: "A reply after the deadline MUST be ignored; it is dated back, or announced if the default was applied.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      const replied = new Set<string>();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const question = isReply(message) ? seen.question(token(message)) : undefined;
          if (question === undefined || replied.has(token(message))) return toProducer(message);
          replied.add(token(message));
          if (Date.now() > deadline(question)) return toSubscriber(resolution(question, message.decision !== "reject"));
          const late = Date.parse(text(message.timestamp)) >= deadline(question);
          toProducer(late ? { ...message, timestamp: now() } : message);
        },
      };
    },
  },
  {
    name: "failed-reply-explained",
    paragraph: "AAEP §6.3.4",
    breaks: "The sender MUST NOT be told which check failed; it is told that the token, decision or type is wrong.",
    link: ({ toSubscriber, toProducer }) => {
      const seen = questionsSeen();
      return {
        fromProducer: (message) => {
          seen.follow(message);
          toSubscriber(message);
        },
        fromSubscriber: (message) => {
          const told = isReply(message) ? failedCheck(message, seen.question(token(message))) : undefined;
          if (told !== undefined) toSubscriber(told);
          toProducer(message);
        },
      };
    },
  },
];

// ---------------------------------------------------------------- sessions, states, tools

const secondEnding = (end: Message): Message =>
  isKind(end, "agent.session.completed")
    ? invented(end, "agent.session.cancelled", { cancelled_by: "producer", summary_normal: "Cancelled." })
    : invented(end, "agent.session.completed", { summary_normal: "Done." });

const progressAfter = (end: Message): Message =>
  invented(end, "agent.progress.updated", {
    urgency: "background",
    progress: { percent: 100 },
    summary_normal: "All steps done.",
  });

const SESSIONS: readonly Mutant[] = [
  messagesDropped(
    {
      name: "session-started-missing",
      paragraph: "AAEP §4.1.1",
      breaks: "session.started MUST be the first event of a session; it is not sent.",
    },
    isStart,
  ),
  eventsAdded(
    {
      name: "session-started-repeated",
      paragraph: "AAEP §4.1.1",
      breaks: "Exactly one session.started per session; a second one follows.",
    },
    () => (event) => (isStart(event) ? [{ ...event, event_id: freshEventId() }] : []),
  ),
  messagesDropped(
    {
      name: "session-never-ends",
      paragraph: "AAEP §4.5.1",
      breaks: "A session MUST end with a terminal event; it is not sent.",
    },
    isTerminal,
  ),
  eventsAdded(
    {
      name: "two-terminal-events",
      paragraph: "AAEP §4.1.2",
      breaks: "Exactly one terminal event per session; another of another kind follows.",
    },
    () => (event) => (isTerminal(event) ? [secondEnding(event)] : []),
  ),
  eventsAdded(
    {
      name: "event-after-the-end",
      paragraph: "AAEP §4.5.1",
      breaks: "No event of a session after its terminal event; a progress.updated follows.",
    },
    () => (event) => (isTerminal(event) ? [progressAfter(event)] : []),
  ),
  eventsFollowed(
    {
      name: "session-id-changes",
      paragraph: "AAEP §3.2.4",
      breaks: "All events of a session MUST carry its session_id; state.changed carries another.",
    },
    () => (event) => (isState(event) ? { ...event, session_id: `${session(event)}x` } : event),
  ),
  fieldLeftOut(
    {
      name: "errored-without-category",
      paragraph: "AAEP §4.1.3",
      breaks: "session.errored requires error_category; the field is left out.",
    },
    "error_category",
    (event) => isKind(event, "agent.session.errored"),
  ),
  eventsChanged(
    {
      name: "errored-not-critical",
      paragraph: "AAEP §4.1.3",
      breaks: "session.errored MUST have urgency critical; it has normal.",
    },
    (event) => (isKind(event, "agent.session.errored") ? { ...event, urgency: "normal" } : event),
  ),
  fieldLeftOut(
    {
      name: "summary-normal-missing",
      paragraph: "AAEP §9.3.1(9)",
      breaks: "session.started, the terminal events and tool.invoked require summary_normal; it is left out.",
    },
    "summary_normal",
    (event) => isStart(event) || isTerminal(event) || isKind(event, "agent.tool.invoked"),
  ),
];

/** The index of this event among those of its session that `counts` takes, from 0. */
function counter(counts: (event: Message) => boolean): (event: Message) => number {
  const seen = new Map<string, number>();
  return (event) => {
    if (!counts(event)) return -1;
    const index = seen.get(session(event)) ?? 0;
    seen.set(session(event), index + 1);
    return index;
  };
}

const STATES: readonly Mutant[] = [
  eventsFollowed(
    {
      name: "state-chain-broken",
      paragraph: "AAEP §4.2.1",
      breaks: "from_state MUST continue the last to_state or what events imply; it names a state never entered.",
    },
    () => {
      const index = counter(isState);
      return (event) => (index(event) > 0 ? { ...event, from_state: "elsewhere" } : event);
    },
  ),
  eventsFollowed(
    {
      name: "first-state-not-idle",
      paragraph: "AAEP §4.2.1",
      breaks: "The first state.changed of a session MUST leave idle; it leaves another state.",
    },
    () => {
      const index = counter(isState);
      return (event) =>
        index(event) === 0 && event.from_state === "idle" ? { ...event, from_state: "elsewhere" } : event;
    },
  ),
  fieldLeftOut(
    {
      name: "state-without-to-state",
      paragraph: "AAEP §4.2.1",
      breaks: "state.changed requires to_state; the field is left out.",
    },
    "to_state",
    isState,
  ),
  eventsChanged(
    {
      name: "progress-says-nothing",
      paragraph: "AAEP §4.2.2",
      breaks: "progress MUST contain at least one member; it is empty.",
    },
    (event) => (isKind(event, "agent.progress.updated") ? { ...event, progress: {} } : event),
  ),
];

const isInvoked = (event: Message): boolean => isKind(event, "agent.tool.invoked");
const isToolDone = (event: Message): boolean => isKind(event, "agent.tool.completed");
const callKey = (event: Message): string => `${session(event)} ${text(event.tool_call_id) || text(event.tool)}`;

const TOOLS: readonly Mutant[] = [
  messagesDropped(
    {
      name: "tool-completed-missing",
      paragraph: "AAEP §9.3.1(5)",
      breaks: "Every tool.invoked MUST be followed by tool.completed; it is not sent.",
    },
    isToolDone,
  ),
  messagesDropped(
    {
      name: "tool-invoked-missing",
      paragraph: "AAEP §4.5.2",
      breaks: "Every tool.completed MUST be preceded by its tool.invoked; it is not sent.",
    },
    isInvoked,
  ),
  {
    name: "tool-invoked-after-completed",
    paragraph: "AAEP §4.3.1",
    breaks: "tool.invoked MUST come before the tool's effect; it comes after tool.completed.",
    link: ({ toSubscriber }) => {
      const held = new Map<string, Message>();
      return {
        fromProducer: (message) => {
          if (isInvoked(message)) return void held.set(callKey(message), message);
          toSubscriber(message);
          const invoked = isToolDone(message) ? held.get(callKey(message)) : undefined;
          if (invoked === undefined) return;
          held.delete(callKey(message));
          toSubscriber({ ...invoked, timestamp: message.timestamp });
        },
      };
    },
  },
  eventsChanged(
    {
      name: "tool-call-id-mismatched",
      paragraph: "AAEP §4.3.1",
      breaks: "tool_call_id MUST match between tool.invoked and tool.completed; it differs.",
    },
    (event) =>
      isToolDone(event) && "tool_call_id" in event ? { ...event, tool_call_id: `${text(event.tool_call_id)}x` } : event,
  ),
  eventsFollowed(
    {
      name: "tool-call-id-reused",
      paragraph: "AAEP §4.3.1",
      breaks: "tool_call_id MUST be unique within the session; all calls carry the first one's.",
    },
    () => {
      const first = new Map<string, unknown>();
      return (event) => {
        if (!(isInvoked(event) || isToolDone(event)) || !("tool_call_id" in event)) return event;
        if (!first.has(session(event))) first.set(session(event), event.tool_call_id);
        return { ...event, tool_call_id: first.get(session(event)) };
      };
    },
  ),
  eventsChanged(
    {
      name: "tool-name-mismatched",
      paragraph: "AAEP §4.3.2",
      breaks: "tool of tool.completed MUST match its tool.invoked; it is another name.",
    },
    (event) => (isToolDone(event) ? { ...event, tool: `${text(event.tool)}_two` } : event),
  ),
  eventsChanged(
    {
      name: "tool-status-invented",
      paragraph: "AAEP §4.3.2",
      breaks: "status is success, error or timeout; it is `finished`.",
    },
    (event) => (isToolDone(event) ? { ...event, status: "finished" } : event),
  ),
  eventsFollowed(
    {
      name: "irreversible-without-question",
      paragraph: "AAEP §4.3.1",
      breaks:
        "An irreversible tool.invoked MUST have been confirmed; it goes out in a session where nothing was asked.",
    },
    () => {
      const asked = new Set<string>();
      return (event) => {
        if (isConfirmation(event)) asked.add(session(event));
        return isInvoked(event) && !asked.has(session(event)) ? { ...event, irreversible: true } : event;
      };
    },
  ),
];

// ---------------------------------------------------------------- output

function perOutput<State>(initial: () => State): (event: Message) => State {
  const states = new Map<string, State>();
  return (event) => {
    const state = states.get(outputKey(event)) ?? initial();
    states.set(outputKey(event), state);
    return state;
  };
}

const GAP = 7;

function chunksSwapped({ toSubscriber, after }: Link): Handlers {
  let held: Message | undefined;
  let turn = 0;
  const release = (): void => {
    if (held !== undefined) toSubscriber(held);
    held = undefined;
  };
  const swap = (first: Message, second: Message): void => {
    held = undefined;
    toSubscriber({ ...second, timestamp: first.timestamp });
    toSubscriber({ ...first, timestamp: second.timestamp });
  };
  const hold = (message: Message): void => {
    held = message;
    turn += 1;
    const mine = turn;
    after(1000, () => {
      if (mine === turn) release();
    });
  };
  const open = (message: Message): boolean => isChunk(message) && message.complete !== true;
  return {
    fromProducer: (message) => {
      if (held !== undefined && open(message) && outputKey(held) === outputKey(message)) return swap(held, message);
      release();
      if (open(message)) hold(message);
      else toSubscriber(message);
    },
  };
}

function overlapping(): Change {
  const last = new Map<string, string>();
  return (event) => {
    if (!isChunk(event)) return event;
    const before = last.get(outputKey(event));
    const own = codePoints(event.chunk).at(-1);
    if (own !== undefined) last.set(outputKey(event), own);
    if (before === undefined || position(event) === 0) return event;
    return { ...event, chunk: before + text(event.chunk), position: position(event) - 1 };
  };
}

const OUTPUT: readonly Mutant[] = [
  eventsChanged(
    {
      name: "positions-with-a-gap",
      paragraph: "AAEP §4.3.3",
      breaks: "position MUST be the offset in the output; all but the first are 7 too high.",
    },
    (event) => (isChunk(event) && position(event) > 0 ? { ...event, position: position(event) + GAP } : event),
  ),
  eventsFollowed(
    {
      name: "chunks-overlap",
      paragraph: "AAEP §4.3.3",
      breaks: "position MUST be the total offset of the text so far; each chunk repeats the last character before it.",
    },
    overlapping,
  ),
  eventsChanged(
    {
      name: "positions-always-zero",
      paragraph: "AAEP §4.3.3",
      breaks: "position MUST be the offset since the start of the output; each chunk begins at 0.",
    },
    (event) => (isChunk(event) ? { ...event, position: 0 } : event),
  ),
  eventsFollowed(
    {
      name: "positions-in-bytes",
      paragraph: "AAEP §4.3.3",
      breaks: "position counts characters; it counts UTF-8 bytes.",
    },
    () => {
      const bytes = perOutput(() => ({ before: -1 }));
      return (event) => {
        if (!isChunk(event)) return event;
        const count = bytes(event);
        if (count.before < 0) count.before = position(event);
        const own = count.before;
        count.before += new TextEncoder().encode(text(event.chunk)).length;
        return { ...event, position: own };
      };
    },
  ),
  eventsChanged(
    {
      name: "last-space-trimmed",
      paragraph: "AAEP §4.3.3",
      breaks: "Chunks carry the output without loss up to the next position; white space at their end is cut off.",
    },
    (event) => (isChunk(event) ? { ...event, chunk: text(event.chunk).trimEnd() } : event),
  ),
  {
    name: "chunks-out-of-order",
    paragraph: "AAEP §8.2.3",
    breaks: "Order within a session is kept; two chunks change places.",
    link: chunksSwapped,
  },
  eventsFollowed(
    {
      name: "two-complete-chunks",
      paragraph: "AAEP §4.5.4",
      breaks: "Exactly one chunk of an output has complete: true; the first one has it already.",
    },
    () => {
      const first = perOutput(() => ({ seen: false }));
      return (event) => {
        if (!isChunk(event)) return event;
        const state = first(event);
        const changed = state.seen ? event : { ...event, complete: true };
        state.seen = true;
        return changed;
      };
    },
  ),
  eventsAdded(
    {
      name: "completion-announced-again",
      paragraph: "AAEP §4.5.4",
      breaks: "Exactly one chunk of an output has complete: true; an empty second one follows.",
    },
    () => (event) =>
      isChunk(event) && event.complete === true ? [{ ...emptied(event), event_id: freshEventId() }] : [],
  ),
  eventsAdded(
    {
      name: "chunk-after-complete",
      paragraph: "AAEP §4.5.4",
      breaks: "No chunk of an output after complete: true; an empty open one follows.",
    },
    () => (event) =>
      isChunk(event) && event.complete === true
        ? [{ ...without(emptied(event), "coalesce_hint"), event_id: freshEventId(), complete: false }]
        : [],
  ),
  eventsChanged(
    {
      name: "output-never-complete",
      paragraph: "AAEP §4.3.3",
      breaks: "The final chunk of an output MUST have complete: true; it has false.",
    },
    (event) => (isChunk(event) ? { ...event, complete: false } : event),
  ),
  fieldLeftOut(
    {
      name: "coalesce-hint-missing",
      paragraph: "AAEP §9.3.1(6)",
      breaks: "coalesce_hint is set on output at granular boundaries; it is left out.",
    },
    "coalesce_hint",
    isChunk,
  ),
  eventsChanged(
    {
      name: "coalesce-hint-invented",
      paragraph: "AAEP §4.3.3",
      breaks: "coalesce_hint is one of five words; it is `line`.",
    },
    (event) => (isChunk(event) ? { ...event, coalesce_hint: "line" } : event),
  ),
];

// ---------------------------------------------------------------- envelope

const REQUIRED_FIELDS: readonly (readonly [name: string, field: string, paragraph: string])[] = [
  ["context-missing", "@context", "AAEP §3.2.1"],
  ["event-id-missing", "event_id", "AAEP §3.2.3"],
  ["session-id-missing", "session_id", "AAEP §3.2.4"],
  ["timestamp-missing", "timestamp", "AAEP §3.2.5"],
  ["producer-missing", "producer", "AAEP §3.2.6"],
];

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function inWordsOfPeople(timestamp: unknown): string {
  const date = new Date(text(timestamp));
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)}`;
}

const shifted = (timestamp: unknown, ms: number): string => new Date(Date.parse(text(timestamp)) + ms).toISOString();

const ENVELOPE: readonly Mutant[] = [
  ...REQUIRED_FIELDS.map(([name, field, paragraph]) =>
    fieldLeftOut({ name, paragraph, breaks: `Every event MUST carry ${field}; it is left out.` }, field),
  ),
  eventsChanged(
    {
      name: "agent-id-missing",
      paragraph: "AAEP §3.2.6.1",
      breaks: "producer MUST contain agent_id; it has only a name.",
    },
    (event) => ({ ...event, producer: { agent_name: "An agent" } }),
  ),
  eventsChanged(
    {
      name: "core-context-second",
      paragraph: "AAEP §3.2.1",
      breaks: "The core context MUST be the first element of an array; it is the second.",
    },
    (event) => ({ ...event, "@context": ["https://example.org/first/context/v1", CORE_CONTEXT] }),
  ),
  eventsFollowed(
    {
      name: "event-id-reused",
      paragraph: "AAEP §3.2.3",
      breaks: "event_id MUST be unique; every second event of a session carries that of the one before it.",
    },
    () => {
      const index = counter(isEvent);
      const last = new Map<string, unknown>();
      return (event) => {
        if (index(event) % 2 === 1) return { ...event, event_id: last.get(session(event)) };
        last.set(session(event), event.event_id);
        return event;
      };
    },
  ),
  eventsChanged(
    {
      name: "event-id-malformed",
      paragraph: "AAEP §3.2.3",
      breaks: "event_id is `evt_` and 1 to 64 alphanumerics; it has a hyphen.",
    },
    (event) => ({ ...event, event_id: text(event.event_id).replace("evt_", "evt-") }),
  ),
  eventsFollowed(
    {
      name: "timestamps-go-back",
      paragraph: "AAEP §3.2.5",
      breaks: "Timestamps of a session MUST NOT decrease; every second one is a second before its predecessor.",
    },
    () => {
      const index = counter(isEvent);
      const last = new Map<string, unknown>();
      return (event) => {
        if (index(event) % 2 === 1) return { ...event, timestamp: shifted(last.get(session(event)), -1000) };
        last.set(session(event), event.timestamp);
        return event;
      };
    },
  ),
  eventsChanged(
    {
      name: "timestamps-in-the-future",
      paragraph: "AAEP §3.2.5",
      breaks: "Timestamps MUST NOT be future-dated; all are an hour ahead.",
    },
    (event) => ({ ...event, timestamp: shifted(event.timestamp, 3_600_000) }),
  ),
  eventsChanged(
    {
      name: "timestamp-in-words",
      paragraph: "AAEP §3.2.5",
      breaks: "timestamp MUST be RFC 3339; it is written as `May 24, 2026 14:22:11`.",
    },
    (event) => ({ ...event, timestamp: inWordsOfPeople(event.timestamp) }),
  ),
  eventsChanged(
    {
      name: "timestamp-with-two-digits",
      paragraph: "AAEP §3.2.5",
      breaks: "Fractions have 3 or 6 digits; they have two.",
    },
    // Cut from the same millisecond each time, so the order stays.
    (event) => ({ ...event, timestamp: `${shifted(event.timestamp, 0).slice(0, 22)}Z` }),
  ),
  eventsChanged(
    {
      name: "unknown-core-type",
      paragraph: "AAEP §3.2.2",
      breaks: "In the aaep: namespace only the twelve types exist; state.changed is sent as state.entered.",
    },
    (event) =>
      isState(event) && event.to_state !== "awaiting_input" && !leavesQuestion(event)
        ? { ...event, type: "aaep:agent.state.entered" }
        : event,
  ),
  eventsChanged(
    {
      name: "stray-envelope-field",
      paragraph: "AAEP §3.5",
      breaks: "Custom fields MUST be inside extensions; custom_field stands at envelope level.",
    },
    (event) => ({ ...event, custom_field: "value" }),
  ),
  eventsChanged(
    {
      name: "reserved-envelope-field",
      paragraph: "AAEP §3.5",
      breaks: "Names beginning aaep_ are reserved; aaep_trace stands at envelope level.",
    },
    (event) => ({ ...event, aaep_trace: "1" }),
  ),
  eventsChanged(
    {
      name: "extension-undeclared",
      paragraph: "AAEP §3.4.3",
      breaks: "A prefix in extensions MUST be declared in @context; medai is not.",
    },
    (event) =>
      typeof event["@context"] === "string"
        ? { ...event, extensions: { ...record(event.extensions), medai: { patient_data_accessed: true } } }
        : event,
  ),
  eventsFollowed(
    {
      name: "sequence-with-holes",
      paragraph: "AAEP §3.4.1",
      breaks: "sequence_number MUST grow by exactly 1; it grows by 2.",
    },
    () => {
      const index = counter(isEvent);
      return (event) => ({ ...event, sequence_number: index(event) * 2 });
    },
  ),
  eventsFollowed(
    {
      name: "sequence-on-some-events",
      paragraph: "AAEP §3.4.1",
      breaks: "sequence_number is on all events of a session or on none; every second one has it.",
    },
    () => {
      const index = counter(isEvent);
      return (event) => {
        const number = index(event);
        return number % 2 === 0
          ? { ...without(event, "sequence_number"), sequence_number: number }
          : without(event, "sequence_number");
      };
    },
  ),
];

export const CHAPTER_MUTANTS: readonly Mutant[] = [
  ...HANDSHAKE,
  ...HONORED_CLAIMS,
  ...FILTERING,
  ...PACE,
  ...SHAPE,
  ...RENEGOTIATION,
  ...CLOSING,
  ...BLOCKING,
  ...INCAPABLE,
  ...TOKENS,
  ...REPLIES,
  ...SESSIONS,
  ...STATES,
  ...TOOLS,
  ...OUTPUT,
  ...ENVELOPE,
];

/** The chapters say two things about these; a suite that takes no side, or only where a ruling does, lets them pass. */
export const CONTESTED: ReadonlySet<string> = new Set([
  "boundaries-ignored",
  "budget-refilled-in-jumps",
  "clarification-for-those-who-cannot-reply",
  "confirmation-for-those-who-cannot-reply",
  "language-undeclared",
  "later-minor-version-rejected",
  "verbosity-ignored",
  "verbosity-label-wrong",
]);
