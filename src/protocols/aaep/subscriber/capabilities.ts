// The capabilities of a subscriber in their wire form (AAEP §5.3, R26): read into requested terms, and written as honored ones (§5.4.4). The daemon's
// grant is decided in negotiate.ts.
import { isObject } from "../../../base/members.js";
import { distinctTags } from "../../../engine/terms/language.js";
import { BOUNDARIES, type EventFilters, type SpeakableChoices, type Terms } from "../../../engine/terms/terms.js";
import { type Capabilities, LOADS, VERBOSITIES, withoutUnknownWords } from "../validation/validate-messages.js";
import { notesOfTypes, notesOfUnknown, unknownValue } from "./notes.js";

/** The terms that a request asks for, and what is said about the rest of it. */
export interface Requested {
  /** The terms that it names. Lists keep their order and have no duplicates. */
  readonly terms: Partial<Terms>;
  /** The filters that it names. */
  readonly filters: Partial<EventFilters>;
  /** Whether it names the daemon's own capability, which is then echoed. */
  readonly namesOwn: boolean;
  /** Sentences for people about ignored parts of the request (R32). */
  readonly notes: readonly string[];
}

/** Reads a value that the schema has passed; undefined for a word of a later version, which requests nothing. May add notes. */
type Reader = (value: unknown, path: string, notes: string[]) => unknown;

interface Capability {
  readonly term: keyof Terms;
  /** Default: the term is the value. */
  readonly read?: Reader;
}

/** The core capabilities besides `event_filters`, by name. */
const CORE: Readonly<Record<string, Capability>> = {
  max_events_per_second: { term: "maxEventsPerSecond" },
  preferred_verbosity: { term: "preferredVerbosity", read: word(VERBOSITIES) },
  // Tags of one language are one, in the first spelling.
  languages: { term: "languages", read: (tags) => distinctTags(tags as readonly string[]) },
  supports_confirmation_reply: { term: "supportsConfirmationReply" },
  supports_clarification_reply: { term: "supportsClarificationReply" },
  coalesce_boundaries: { term: "coalesceBoundaries", read: known(BOUNDARIES) },
  supported_conformance_levels: { term: "supportedConformanceLevels", read: known([1, 2, 3]) },
  supported_extensions: { term: "supportedExtensions", read: distinct },
  cognitive_load: { term: "cognitiveLoad", read: word(LOADS) },
  pace_wpm: { term: "paceWpm" },
  accept_signed_manifests_only: { term: "acceptSignedManifestsOnly" },
};

/** The members of the daemon's own capability, `aaepd`. */
const OWN: Readonly<Record<string, Capability>> = {
  paused: { term: "paused" },
  max_chars: { term: "maxChars" },
  reply_status: { term: "replyStatus" },
  checkpoints: { term: "checkpoints" },
  speakable: { term: "speakable", read: speakable },
};

const FILTERS = ["include", "exclude"] as const;
/** Members that are merged one by one; all others are replaced whole. */
const MERGED_BY_MEMBER: ReadonlySet<string> = new Set(["event_filters", "aaepd"]);
const KNOWN_NAMES: readonly string[] = [...Object.keys(CORE), ...MERGED_BY_MEMBER];
/** Members that `subscription.accepted` adds. A client that sends its honored capabilities back includes them; they request nothing (R19). */
const ADDED_MEMBERS: readonly string[] = ["key", "limits", "heartbeat_seconds", "cursor", "resumed"];

/** The names of what can be asked for, as notes have them. */
const ALL_NAMES: readonly string[] = [
  ...KNOWN_NAMES,
  ...FILTERS.map((name) => `event_filters.${name}`),
  ...Object.keys(OWN).map((name) => `aaepd.${name}`),
];

/** Reads a `capabilities` object that the schema has passed. Unknown keys belong to extensions, have no effect (AAEP §5.3.2) and are noted. */
export function readCapabilities(capabilities: Capabilities): Requested {
  const { event_filters: given = {}, aaepd: own = {} } = capabilities as Readonly<Record<string, Capabilities>>;
  const filters = Object.fromEntries(
    FILTERS.filter((name) => given[name] !== undefined).map((name) => [name, distinct(given[name])]),
  ) as Partial<EventFilters>;
  const unknown = [
    ...namesOutside(capabilities, KNOWN_NAMES),
    ...namesOutside(given, FILTERS).map((name) => `event_filters.${name}`),
    ...namesOutside(own, [...Object.keys(OWN), ...ADDED_MEMBERS]).map((name) => `aaepd.${name}`),
  ];
  const notes: string[] = [
    ...notesOfUnknown(unknown, ALL_NAMES),
    ...notesOfTypes([...(filters.include ?? []), ...(filters.exclude ?? [])]),
  ];
  const terms = { ...readAll(capabilities, CORE, "", notes), ...readAll(own, OWN, "aaepd.", notes) };
  return { terms, filters, namesOwn: capabilities.aaepd !== undefined, notes };
}

function namesOutside(members: Capabilities, known: readonly string[]): readonly string[] {
  return Object.keys(members).filter((name) => !known.includes(name));
}

function readAll(
  members: Capabilities,
  capabilities: Readonly<Record<string, Capability>>,
  prefix: string,
  notes: string[],
): Partial<Terms> {
  const terms: Record<string, unknown> = {};
  for (const [name, { term, read }] of Object.entries(capabilities)) {
    const given = members[name];
    const value = given === undefined || read === undefined ? given : read(given, `${prefix}${name}`, notes);
    if (value !== undefined) terms[term] = value;
  }
  return terms;
}

function distinct(texts: unknown): readonly string[] {
  return [...new Set(texts as readonly string[])];
}

/** An unknown word of a later version requests nothing and is noted (AAEP §12.6, R32). */
function word(words: readonly string[]): Reader {
  return (value, path, notes) => {
    const found = words.find((one) => one === value);
    if (found === undefined) notes.push(unknownValue(path, value, words));
    return found;
  };
}

/** `true` for the defaults, or some of the choices. */
function speakable(value: unknown, path: string, notes: string[]): SpeakableChoices | undefined {
  if (value === false) return undefined;
  const asked = isObject(value) ? value : {};
  const choice = <Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word => {
    const read = asked[name] === undefined ? undefined : word(words)(asked[name], `${path}.${name}`, notes);
    return (read as Word | undefined) ?? words[0];
  };
  return {
    code: choice("code", ["announce", "read", "skip"]),
    links: choice("links", ["host", "text", "full"]),
    emoji: choice("emoji", ["name", "drop"]),
  };
}

/** Reads a list of known values and drops unknown ones with a note. */
function known(all: readonly unknown[]): Reader {
  return (value, path, notes) => {
    const asked = new Set(value as readonly unknown[]);
    for (const item of asked) {
      if (all.includes(item)) continue;
      notes.push(unknownValue(path, item, all));
      asked.delete(item);
    }
    return [...asked];
  };
}

/** `honored_capabilities`: every core capability with a value, so that no reader has to know defaults. */
export interface HonoredCapabilities extends Capabilities {
  readonly event_filters: EventFilters;
  readonly aaepd?: Capabilities;
}

/**
 * Writes terms in their wire form. The `aaepd` capability is echoed to those that named it (R26), two of its members to those that named them.
 * `languages`: those of the terms that are honored now; the terms keep all of them for agents that come later (R14).
 */
export function honoredCapabilities(
  terms: Terms,
  { namesOwn, terms: requested }: Pick<Requested, "namesOwn" | "terms">,
  languages: readonly string[],
): HonoredCapabilities {
  const written = (capabilities: Readonly<Record<string, Capability>>): Capabilities =>
    Object.fromEntries(
      Object.entries(capabilities).flatMap(([name, { term }]) =>
        terms[term] === undefined ? [] : [[name, terms[term]]],
      ),
    );
  const { reply_status, checkpoints, ...own } = written(OWN);
  return {
    ...written(CORE),
    languages,
    event_filters: terms.eventFilters,
    ...(namesOwn && {
      aaepd: {
        ...own,
        ...(requested.replyStatus !== undefined && { reply_status }),
        ...(requested.checkpoints !== undefined && { checkpoints }),
      },
    }),
  };
}

/** Returns the capabilities known here, which are all that a renegotiation needs. */
export function knownCapabilities(capabilities: Capabilities): Capabilities {
  const kept = only(withoutUnknownWords(capabilities), KNOWN_NAMES);
  return isObject(kept.aaepd) ? { ...kept, aaepd: only(kept.aaepd, Object.keys(OWN)) } : kept;
}

function only(members: Capabilities, names: readonly string[]): Capabilities {
  return Object.fromEntries(names.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])));
}

/** Merges a renegotiation into the earlier request (AAEP §5.7.1, R32). Omitted members keep their earlier values. */
export function mergeCapabilities(before: Capabilities, change: Capabilities): Capabilities {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(knownCapabilities(change))) {
    const old = merged[name];
    merged[name] = MERGED_BY_MEMBER.has(name) && isObject(old) && isObject(value) ? { ...old, ...value } : value;
  }
  return merged;
}
