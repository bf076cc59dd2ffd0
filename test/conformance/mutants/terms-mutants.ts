// Producers that keep a part of their terms: one member, one type, one script, one pattern (chapter 5).
import {
  codePoints,
  DEFAULT_FILTERS,
  freshEventId,
  invented,
  isAccepted,
  isChunk,
  isCritical,
  isKind,
  isRejected,
  isRenegotiation,
  isRequest,
  isState,
  kind,
  position,
  record,
  strings,
  text,
} from "./messages.js";
import type { Message, Mutant, MutantLink } from "./mutant.js";
import { asAsked, askedTerms, honored, honoredClaims, otherTerms, type Rule } from "./mutant-forms.js";

const rule = (name: string, paragraph: string, breaks: string): Rule => ({ name, paragraph, breaks });

/** Answers a renegotiation as asked, and takes some of its members. */
function renegotiationTakes(about: Rule, isTaken: (member: string) => boolean): Mutant {
  return {
    ...about,
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      let isChanged = false;
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          if (!isRenegotiation(message)) return toProducer(message);
          isChanged = true;
          const taken = Object.entries(record(message.capabilities)).filter(([member]) => isTaken(member));
          toProducer({ ...message, capabilities: Object.fromEntries(taken) });
        },
        fromProducer: (message) =>
          toSubscriber(
            isAccepted(message) && isChanged ? honored(message, (terms) => ({ ...terms, ...asked.read() })) : message,
          ),
      };
    },
  };
}

const CRITICAL = ["agent.handoff.requested", "agent.awaiting.confirmation", "agent.awaiting.clarification"] as const;

/** One critical type is kept back where filters leave its name out. */
function criticalFiltered(type: string): Mutant {
  return {
    ...rule(`${type.replace(/^agent\.|\./g, "-").slice(1)}-filtered`, "AAEP §5.5.4", `Filters keep ${type} back.`),
    link: ({ toSubscriber, toProducer }) => {
      const asked = askedTerms();
      return {
        fromSubscriber: (message) => {
          asked.follow(message);
          toProducer(message);
        },
        fromProducer: (message) => {
          const { exclude, include } = record(asked.read().event_filters);
          const isNarrow = strings(exclude).length > 0 || (Array.isArray(include) && !include.includes("aaep:agent.*"));
          if (!isNarrow || !isKind(message, type)) toSubscriber(message);
        },
      };
    },
  };
}

/** One critical type comes late, and what follows behind it. */
function criticalHeld(type: string): Mutant {
  return {
    ...rule(`${type.replace(/^agent\.|\./g, "-").slice(1)}-held`, "AAEP §5.6.1(3)", `Each ${type} is held for 1.2 s.`),
    link: ({ toSubscriber, after }) => {
      const held: Message[] = [];
      return {
        fromProducer: (message) => {
          if (!isKind(message, type) && held.length === 0) return toSubscriber(message);
          held.push(message);
          if (held.length === 1) after(1200, () => held.splice(0).forEach(toSubscriber));
        },
      };
    },
  };
}

/** Cuts the text of a script into pieces that are labelled as sentences. */
function textCut(name: string, script: RegExp, piecesOf: (chunk: string) => readonly string[]): Mutant {
  return {
    ...rule(name, "AAEP §5.6.3", "Sentences of one script come in pieces that say that they are sentences."),
    link: ({ toSubscriber }) => ({
      fromProducer: (message) => {
        const pieces = isChunk(message) && script.test(text(message.chunk)) ? piecesOf(text(message.chunk)) : [];
        if (pieces.length < 2) return toSubscriber(message);
        let from = position(message);
        for (const [index, chunk] of pieces.entries()) {
          const isLast = index === pieces.length - 1;
          const hint = isLast ? {} : { coalesce_hint: "sentence" };
          const complete = isLast && message.complete === true;
          toSubscriber({ ...message, ...hint, event_id: freshEventId(), chunk, position: from, complete });
          from += codePoints(chunk).length;
        }
      },
    }),
  };
}

/** The patterns of a subscription without some. */
function patternsWithout(about: Rule, isLost: (pattern: string) => boolean): Mutant {
  const kept = (patterns: unknown): readonly string[] => strings(patterns).filter((pattern) => !isLost(pattern));
  return otherTerms(
    about,
    (terms) => {
      if (!("event_filters" in terms)) return terms;
      const { include, exclude } = record(terms.event_filters);
      const included = kept(include ?? DEFAULT_FILTERS.include);
      const filters = { include: included.length > 0 ? included : ["aaep:agent.*"], exclude: kept(exclude) };
      return { ...terms, event_filters: filters };
    },
    (terms, asked) => ({ ...terms, event_filters: asked.event_filters ?? DEFAULT_FILTERS }),
  );
}

/** Whoever narrows their filters narrows everybody's. */
function neighbourNarrows(about: Rule, type: string): Mutant {
  let isNarrow = false;
  return {
    ...about,
    link: ({ toSubscriber, toProducer }) => {
      let isOwn = false;
      return {
        fromSubscriber: (message) => {
          const { preferred_verbosity, event_filters } = record(message.capabilities);
          if (message.type === type && event_filters !== undefined && preferred_verbosity === "terse") isOwn = true;
          if (isOwn) isNarrow = true;
          toProducer(message);
        },
        fromProducer: (message) => {
          if (isOwn || !isNarrow || !kind(message).startsWith("agent.tool.")) toSubscriber(message);
        },
        subscriberGone: () => {
          if (isOwn) isNarrow = false;
        },
      };
    },
  };
}

/** Critical events go to those who were rejected, too. */
function criticalToAll(about: Rule): Mutant {
  const gone = new Set<MutantLink>();
  return {
    ...about,
    link: (link) => ({
      fromProducer: (message) => {
        link.toSubscriber(message);
        if (isRejected(message)) gone.add(link);
        if (isCritical(message)) for (const one of gone) if (one !== link) one.toSubscriber(message);
      },
      subscriberGone: () => void gone.delete(link),
    }),
  };
}

/** The action is taken where nobody can be asked. */
function silentAccepts({ toSubscriber, toProducer }: MutantLink): ReturnType<Mutant["link"]> {
  let answers = false;
  return {
    fromSubscriber: (message) => {
      if (isRequest(message)) answers = record(message.capabilities).supports_confirmation_reply === true;
      toProducer(message);
    },
    fromProducer: (message) => {
      toSubscriber(message);
      if (answers || !isState(message) || message.to_state !== "awaiting_input") return;
      const { timestamp } = message;
      const call = {
        tool: "delete_photos",
        tool_call_id: "call_00",
        summary_normal: "Deletes nine photos.",
        timestamp,
      };
      toSubscriber(invented(message, "agent.tool.invoked", { ...call, irreversible: true }));
      toSubscriber(invented(message, "agent.tool.completed", { ...call, status: "success" }));
    },
  };
}

/** Rewrites or drops what a subscriber sends, and what it is answered. */
function asked(
  about: Rule,
  read: (message: Message) => Message | undefined,
  answer: (accepted: Message, asked: Message) => Message = (accepted) => accepted,
): Mutant {
  return {
    ...about,
    link: ({ toSubscriber, toProducer }) => {
      let last: Message = {};
      return {
        fromSubscriber: (message) => {
          if (isRequest(message) || isRenegotiation(message)) last = message;
          const meant = read(message);
          if (meant !== undefined) toProducer(meant);
        },
        fromProducer: (message) => toSubscriber(isAccepted(message) ? answer(message, last) : message),
      };
    },
  };
}

const termsOf = ({ capabilities }: Message): Message => record(capabilities);
const ofLanguages = (about: Rule, change: (languages: readonly string[]) => readonly string[]): Mutant =>
  otherTerms(
    about,
    (terms) => (Array.isArray(terms.languages) ? { ...terms, languages: change(strings(terms.languages)) } : terms),
    asAsked("languages", ["en-US"]),
  );

function endsAllAtAnArray(): Mutant {
  const links = new Set<MutantLink>();
  return {
    ...rule("array-ends-every-connection", "AAEP §5.9", "A message that is an array ends every connection."),
    link: (link) => {
      links.add(link);
      return {
        fromSubscriber: (message) => {
          if (Array.isArray(message)) for (const one of links) one.close();
          else link.toProducer(message);
        },
      };
    },
  };
}

function answeredTwice({ toSubscriber, toProducer }: MutantLink): ReturnType<Mutant["link"]> {
  let isAsked = false;
  return {
    fromSubscriber: (message) => {
      isAsked ||= isRenegotiation(message);
      toProducer(message);
    },
    fromProducer: (message) => {
      toSubscriber(message);
      if (isAsked && isAccepted(message)) toSubscriber(message);
    },
  };
}

export const TERMS: readonly Mutant[] = [
  renegotiationTakes(
    rule("renegotiation-takes-filters-alone", "AAEP §5.7.2", "A renegotiation changes the filters alone."),
    (member) => member === "event_filters",
  ),
  ...["languages", "preferred_verbosity", "coalesce_boundaries", "cognitive_load", "supports_clarification_reply"].map(
    (lost) =>
      renegotiationTakes(
        rule(`renegotiation-without-${lost.replaceAll("_", "-")}`, "AAEP §5.7.2", `A renegotiation leaves ${lost}.`),
        (member) => member !== lost,
      ),
  ),
  asked(
    rule("languages-widened-by-renegotiation", "AAEP §5.4.4", "A renegotiation honors a language nobody asked for."),
    (message) => message,
    (accepted, last) =>
      isRenegotiation(last)
        ? honored(accepted, (terms) => ({ ...terms, languages: [...strings(terms.languages), "is-IS"] }))
        : accepted,
  ),
  ...CRITICAL.map(criticalFiltered),
  ...CRITICAL.map(criticalHeld),
  textCut("arabic-cut-at-words", /\p{Script=Arabic}/u, (chunk) => chunk.split(/(?<=\s)/u)),
  textCut("japanese-cut-at-words", /\p{Script=Hiragana}/u, (chunk) => chunk.match(/.{1,4}/gsu) ?? []),
  textCut("hindi-cut-within-letters", /\p{Script=Devanagari}/u, (chunk) => chunk.split(/(?=\p{M})/u)),
  textCut("thai-cut-within-phrases", /\p{Script=Thai}/u, (chunk) => chunk.match(/.{1,6}/gsu) ?? []),
  patternsWithout(
    rule("exact-patterns-ignored", "AAEP §5.3.1.7", "A pattern without a wildcard is ignored."),
    (pattern) => !pattern.endsWith("*"),
  ),
  neighbourNarrows(
    rule("neighbour-narrows-all", "AAEP §5.9", "The filters of one subscription keep tools from another."),
    "subscription.request",
  ),
  neighbourNarrows(
    rule("change-narrows-all", "AAEP §5.9", "The filters that one subscription changes to keep tools from another."),
    "subscription.renegotiate",
  ),
  criticalToAll(rule("rejected-hears-critical", "AAEP §5.5", "Critical events go to the rejected.")),
  {
    ...rule("silent-counts-as-accept", "AAEP §5.3.1.4", "The default of who is not asked is accept."),
    link: silentAccepts,
  },
  honoredClaims(rule("rate-of-two-at-least", "AAEP §5.4.4", "No honored rate is below 2."), (terms) =>
    typeof terms.max_events_per_second === "number"
      ? { ...terms, max_events_per_second: Math.max(2, terms.max_events_per_second) }
      : terms,
  ),
  honoredClaims(
    rule("clarification-honored-with-confirmation", "AAEP §5.4.4", "Who offers confirmations is taken to clarify."),
    (terms) => ({ ...terms, supports_clarification_reply: terms.supports_confirmation_reply }),
  ),
  honoredClaims(
    rule("unserved-language-replaced", "AAEP §5.4.4", "English is honored for Klingon."),
    (terms, wanted) => (strings(wanted.languages).join() === "tlh" ? { ...terms, languages: ["en"] } : terms),
  ),
  asked(
    rule("languages-as-a-text", "AAEP §9.5.1", "A text is honored for an array of languages."),
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
  asked(rule("negative-rate-in-silence", "AAEP §9.5.1(3)", "A rate below 1 is not answered."), (message) =>
    Number(termsOf(message).max_events_per_second) < 1 ? undefined : message,
  ),
  asked(
    rule("next-major-version-claimed", "AAEP §5.4.1", "A request of 2.0.0 is accepted as 2.0.0."),
    (message) => (message.aaep_version === "2.0.0" ? { ...message, aaep_version: "1.0.0" } : message),
    (accepted, last) => (last.aaep_version === "2.0.0" ? { ...accepted, aaep_version: "2.0.0" } : accepted),
  ),
  asked(
    rule("malformed-renegotiation-opens-filters", "AAEP §5.7", "Languages that are a number end the filters."),
    (message) =>
      isRenegotiation(message) && typeof termsOf(message).languages === "number"
        ? { ...message, capabilities: { event_filters: DEFAULT_FILTERS } }
        : message,
  ),
  { ...rule("renegotiation-answered-twice", "AAEP §5.7", "A renegotiation is answered twice."), link: answeredTwice },
  endsAllAtAnArray(),
  ofLanguages(
    rule("region-not-matched", "AAEP §11.1.3", "A tag with a region matches no tag without."),
    (languages) => {
      const plain = languages.filter((tag) => !tag.includes("-"));
      return plain.length > 0 ? plain : ["qaa"];
    },
  ),
  ofLanguages(rule("first-language-alone", "AAEP §11.1.3", "The second language is not tried."), ([first]) =>
    first === undefined ? [] : [first],
  ),
];
