// Reads the capabilities of a subscriber from their wire form (AAEP §5.3, R26) into a request. The daemon's grant is decided in negotiate.ts.
import { Fault } from "../../../base/errors.js";
import { didYouMean } from "../../../base/nearest.js";
import type { Verbosity } from "../../../engine/event/event.js";
import { distinctTags } from "../../../engine/terms/language.js";
import { BOUNDARIES, type Boundary, type CognitiveLoad } from "../../../engine/terms/terms.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import { type Capabilities, LOADS, VERBOSITIES, withoutUnknownWords } from "../validation/capability-words.js";
import { coreTypeOf, isInCoreNamespace, nearestCoreType } from "../validation/core-types.js";

/** The requested terms; undefined members were not requested. Lists keep their order and have no duplicates. */
export interface Requested {
  readonly maxEventsPerSecond: number | undefined;
  readonly preferredVerbosity: Verbosity | undefined;
  readonly languages: readonly string[] | undefined;
  readonly supportsConfirmationReply: boolean | undefined;
  readonly supportsClarificationReply: boolean | undefined;
  readonly coalesceBoundaries: readonly Boundary[] | undefined;
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly supportedConformanceLevels: readonly number[] | undefined;
  readonly supportedExtensions: readonly string[] | undefined;
  readonly cognitiveLoad: CognitiveLoad | undefined;
  readonly paceWpm: number | undefined;
  readonly acceptSignedManifestsOnly: boolean | undefined;
  /** Whether the request named the daemon's own capability, which is then echoed. */
  readonly namesOwn: boolean;
  readonly paused: boolean | undefined;
  readonly maxChars: number | undefined;
  readonly replyStatus: boolean | undefined;
  readonly checkpoints: boolean | undefined;
  /** Sentences for people about ignored parts of the request (R32). */
  readonly notes: readonly string[];
}

const KNOWN_NAMES: ReadonlySet<string> = new Set([
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
  "aaepd",
]);
const FILTER_MEMBERS: ReadonlySet<string> = new Set(["include", "exclude"]);
const OWN_MEMBERS: ReadonlySet<string> = new Set(["paused", "max_chars", "reply_status", "checkpoints"]);
/** Members that `subscription.accepted` adds. A client that sends its honored capabilities back includes them; they request nothing (R19). */
const REQUESTED_MEMBERS: ReadonlySet<string> = new Set(["key", "limits", "heartbeat_seconds", "cursor", "resumed"]);

/** Members that are merged one by one; all others are replaced whole. */
const MERGED_BY_MEMBER: ReadonlySet<string> = new Set(["event_filters", "aaepd"]);

/** The names of what can be asked for, as notes have them. */
const NAMES: readonly string[] = [
  ...KNOWN_NAMES,
  ...[...FILTER_MEMBERS].map((name) => `event_filters.${name}`),
  ...[...OWN_MEMBERS].map((name) => `aaepd.${name}`),
];

const LEVELS = [1, 2, 3] as const;
const QUOTED_LENGTH = 64;

export function isObject(value: unknown): value is Capabilities {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Says that a name is not known. `advice`: a further sentence, or "". */
export function unknownNote(name: string, advice: string): string {
  return `${quoted(name)} is not known here and has no effect. ${advice}`.trim();
}

/** Quotes a peer's word in a sentence of ours, cut so that no note grows with it. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return shortenedText(text, QUOTED_LENGTH);
}

function malformed(path: string, expected: string): Fault {
  const pointer = `/capabilities/${path.replaceAll(".", "/")}`;
  return new Fault("invalid_params", `${path} must be ${expected}; send it so, or leave it out.`, {
    pointer,
    rule: "AAEP §5.3",
  });
}

function readBoolean(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw malformed(path, "true or false");
}

function readInteger(value: unknown, path: string, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw malformed(path, `an integer from ${least} to ${most}`);
}

/** An unknown word of a later version requests nothing and is noted (AAEP §12.6, R32). */
function readWord<Word extends string>(
  value: unknown,
  path: string,
  words: readonly Word[],
  notes: string[],
): Word | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw malformed(path, `one of ${words.join(", ")}`);
  const known = words.find((word) => word === value);
  if (known === undefined) notes.push(unknownValue(path, value, words));
  return known;
}

function unknownValue(path: string, value: unknown, known: readonly unknown[]): string {
  return `${path}: ${quoted(value)} is not known here and was left out. Known are ${known.join(", ")}.`;
}

function readTexts(value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item): item is string => typeof item === "string" && item !== "")) {
    return [...new Set(value)];
  }
  throw malformed(path, "a list of texts");
}

/** Reads a list of known values and drops unknown ones with a note. An empty list requests nothing and is refused. */
function readKnown<Value>(
  value: unknown,
  path: string,
  known: readonly Value[],
  notes: string[],
): readonly Value[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    throw malformed(path, `a list with at least one of ${known.join(", ")}`);
  }
  const asked = new Set<Value>();
  for (const item of value) {
    const match = known.find((candidate) => candidate === item);
    if (match === undefined) notes.push(unknownValue(path, item, known));
    else asked.add(match);
  }
  return [...asked];
}

/** Reads language tags; tags of one language are one, in the first spelling. */
function readLanguages(value: unknown): readonly string[] | undefined {
  const tags = readTexts(value, "languages");
  if (tags?.length === 0) throw malformed("languages", "a list with at least one language tag");
  return tags && distinctTags(tags);
}

function readMembers(value: unknown, path: string): Capabilities {
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw malformed(path, "an object");
}

/** Most names listed; the rest are counted. */
const MAX_NAMED = 8;

/** Notes unknown capabilities, so that a misspelt one is noticed; the capability of an unknown extension has no effect here either (AAEP §5.3.2). */
function notesOfUnknown(capabilities: Capabilities, filters: Capabilities, own: Capabilities): readonly string[] {
  const unknown = [
    ...Object.keys(capabilities).filter((name) => !KNOWN_NAMES.has(name)),
    ...Object.keys(filters).flatMap((name) => (FILTER_MEMBERS.has(name) ? [] : [`event_filters.${name}`])),
    ...Object.keys(own).flatMap((name) =>
      OWN_MEMBERS.has(name) || REQUESTED_MEMBERS.has(name) ? [] : [`aaepd.${name}`],
    ),
  ];
  const told = unknown.slice(0, MAX_NAMED).map((name) => unknownNote(name, didYouMean(name, NAMES)));
  const leftCount = unknown.length - told.length;
  if (leftCount === 0) return told;
  return [...told, `${leftCount} more ${leftCount === 1 ? "capability is" : "capabilities are"} not known here.`];
}

/** Notes what only a type of AAEP could be and none is (AAEP §3.9), such as a misspelt one: a filter with that name passes nothing. */
function notesOfTypes(names: readonly string[]): readonly string[] {
  return names
    .filter((name) => isInCoreNamespace(name) && !name.includes("*") && coreTypeOf(name) === undefined)
    .slice(0, MAX_NAMED)
    .map((name) =>
      `event_filters: ${quoted(name)} is none of the twelve types of AAEP. ${nearestCoreType(name)}`.trimEnd(),
    );
}

/**
 * Reads a `capabilities` object. Unknown keys belong to extensions, have no effect (AAEP §5.3.2) and are noted. Throws a Fault ("invalid_params",
 * with a pointer) for unreadable values.
 */
export function readCapabilities(capabilities: Capabilities): Requested {
  const filters = readMembers(capabilities.event_filters, "event_filters");
  const own = readMembers(capabilities.aaepd, "aaepd");
  const include = readTexts(filters.include, "event_filters.include");
  const exclude = readTexts(filters.exclude, "event_filters.exclude");
  const notes: string[] = [
    ...notesOfUnknown(capabilities, filters, own),
    ...notesOfTypes([...(include ?? []), ...(exclude ?? [])]),
  ];
  return {
    maxEventsPerSecond: readInteger(capabilities.max_events_per_second, "max_events_per_second", 1, 100_000),
    preferredVerbosity: readWord(capabilities.preferred_verbosity, "preferred_verbosity", VERBOSITIES, notes),
    languages: readLanguages(capabilities.languages),
    supportsConfirmationReply: readBoolean(capabilities.supports_confirmation_reply, "supports_confirmation_reply"),
    supportsClarificationReply: readBoolean(capabilities.supports_clarification_reply, "supports_clarification_reply"),
    coalesceBoundaries: readKnown(capabilities.coalesce_boundaries, "coalesce_boundaries", BOUNDARIES, notes),
    include,
    exclude,
    supportedConformanceLevels: readKnown(
      capabilities.supported_conformance_levels,
      "supported_conformance_levels",
      LEVELS,
      notes,
    ),
    supportedExtensions: readTexts(capabilities.supported_extensions, "supported_extensions"),
    cognitiveLoad: readWord(capabilities.cognitive_load, "cognitive_load", LOADS, notes),
    paceWpm: readInteger(capabilities.pace_wpm, "pace_wpm", 50, 1000),
    acceptSignedManifestsOnly: readBoolean(capabilities.accept_signed_manifests_only, "accept_signed_manifests_only"),
    namesOwn: capabilities.aaepd !== undefined,
    paused: readBoolean(own.paused, "aaepd.paused"),
    replyStatus: readBoolean(own.reply_status, "aaepd.reply_status"),
    checkpoints: readBoolean(own.checkpoints, "aaepd.checkpoints"),
    maxChars: readInteger(own.max_chars, "aaepd.max_chars", 80, 16_384),
    notes,
  };
}

/** Returns the capabilities known here, which are all that a renegotiation needs. */
export function knownCapabilities(capabilities: Capabilities): Capabilities {
  const known = only(withoutUnknownWords(capabilities), KNOWN_NAMES);
  const { aaepd } = known;
  return isObject(aaepd) ? { ...known, aaepd: only(aaepd, OWN_MEMBERS) } : known;
}

function only(members: Capabilities, names: ReadonlySet<string>): Capabilities {
  const found: Record<string, unknown> = {};
  for (const name of names) if (members[name] !== undefined) found[name] = members[name];
  return found;
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
