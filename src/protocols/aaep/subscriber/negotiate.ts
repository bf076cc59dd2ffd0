// Negotiates a subscription's terms, at its start and later (AAEP §5.2–§5.7, R15, R21, R26, R32). No grant exceeds the request. Ids, other members of
// messages, and state are no concern of this file.
import { Fault } from "../../../base/errors.js";
import { isObject } from "../../../base/members.js";
import { BOUNDARIES, type Boundary, type CognitiveLoad, type Offer, type Terms } from "../../../engine/terms/terms.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import { isReservedPrefix, isSpokenVersion, KNOWN_VOCABULARIES } from "../validation/event-rules.js";
import type { Capabilities } from "../validation/validate-messages.js";
import {
  type HonoredCapabilities,
  honoredCapabilities,
  knownCapabilities,
  mergeCapabilities,
  type Requested,
  readCapabilities,
} from "./capabilities.js";
import { quoted } from "./notes.js";

/** The only version of the protocol that the daemon speaks (R21). */
export const AAEP_VERSION = "1.0.0";

/** The negotiated members of a `subscription.request` that has passed the schema. */
export interface NegotiableRequest {
  readonly aaep_version: string;
  readonly capabilities: Capabilities;
  readonly extensions?: unknown;
  /** Sentences about the rest of the request. */
  readonly notes?: readonly string[];
}

export interface Accepted {
  readonly terms: Terms;
  /** The complete request, from which the next renegotiation starts. */
  readonly capabilities: Capabilities;
  readonly honored: HonoredCapabilities;
  readonly version: typeof AAEP_VERSION;
  /** Sentences about differences from the request. */
  readonly notes: readonly string[];
}

const NOTES_LENGTH = 4096;

/** Longest text of one event with words beside it, in code points: to find them takes some milliseconds (R34, R37). */
const MOST_SPEAKABLE_CHARS = 2_000;

/** The terms of a peer that requests none (AAEP §5.3 defaults). */
const DEFAULT_TERMS: Terms = {
  maxEventsPerSecond: undefined,
  preferredVerbosity: "normal",
  languages: ["en-US"],
  supportsConfirmationReply: false,
  supportsClarificationReply: false,
  coalesceBoundaries: ["sentence", "completion"],
  eventFilters: { include: ["aaep:agent.*"], exclude: [] },
  supportedConformanceLevels: [1],
  supportedExtensions: [],
  cognitiveLoad: "medium",
  paceWpm: undefined,
  acceptSignedManifestsOnly: false,
  paused: false,
  maxChars: 16_384,
  replyStatus: false,
  checkpoints: false,
};

/** The default terms at the offer's rate (R22). */
export function defaultTerms(offer?: Pick<Offer, "maxEventsPerSecond">): Terms {
  return { ...DEFAULT_TERMS, maxEventsPerSecond: offer?.maxEventsPerSecond };
}

/**
 * Returns the offered values of `asked`, in the requested order. Notes an incomplete grant. Throws a Fault if nothing of it is offered: another value
 * in its place would grant more than was requested (R32).
 */
function granted<Value>(
  name: string,
  asked: readonly Value[],
  offered: readonly Value[],
  notes: string[],
): readonly Value[] {
  const left = asked.filter((value) => offered.includes(value));
  if (left.length === 0) {
    const sentence = `Nothing of what ${name} asks for is offered; ask for some of ${offered.map(String).join(", ")}.`;
    throw new Fault("capabilities_incompatible", sentence, { pointer: `/capabilities/${name}`, rule: "R32" });
  }
  if (left.length < asked.length) {
    const missing = asked.filter((value) => !offered.includes(value));
    notes.push(`${name}: ${missing.map(quoted).join(", ")} is not offered.`);
  }
  return left;
}

/** At low load, the coarsest requested boundary beside completion is used, and completion if it was requested too (R15). */
function boundariesForLoad(asked: readonly Boundary[], load: CognitiveLoad, notes: string[]): readonly Boundary[] {
  if (load !== "low") return asked;
  const coarsest = BOUNDARIES.findLast((boundary) => boundary !== "completion" && asked.includes(boundary));
  const used = asked.filter((boundary) => boundary === coarsest || boundary === "completion");
  if (used.length < asked.length) {
    notes.push(`coalesce_boundaries: at low cognitive load the coarsest one is used, ${used.join(" and ")}.`);
  }
  return used;
}

/** The languages that are honored: those that somebody here speaks now, or the first where nobody speaks any (AAEP §11.2, R14). */
function spokenOf(languages: readonly string[], { isSpoken }: Pick<Offer, "isSpoken">): readonly string[] {
  const spoken = languages.filter(isSpoken);
  return spoken.length > 0 ? spoken : languages.slice(0, 1);
}

function grantedRate(asked: number | undefined, offered: number | undefined, notes: string[]): number | undefined {
  if (offered === undefined || (asked !== undefined && asked <= offered)) return asked;
  notes.push(`max_events_per_second: ${offered} is the most that is offered.`);
  return offered;
}

/** Throws a Fault for a request that cannot be served: "capabilities_incompatible", "signature_required". */
function grant(
  requested: Requested,
  capabilities: Capabilities,
  offer: Offer,
  firstNotes: readonly string[],
): Accepted {
  if (requested.terms.acceptSignedManifestsOnly === true && !offer.signedManifest) {
    const sentence = "There is no signed manifest here; subscribe without accept_signed_manifests_only.";
    const pointer = "/capabilities/accept_signed_manifests_only";
    throw new Fault("signature_required", sentence, { pointer, rule: "AAEP §5.3.1.12" });
  }
  const notes = [...firstNotes, ...requested.notes];
  const wanted: Terms = { ...DEFAULT_TERMS, ...requested.terms };
  if (wanted.languages.length === 0) {
    const sentence = "languages names none; name one, or leave it out.";
    throw new Fault("capabilities_incompatible", sentence, { pointer: "/capabilities/languages", rule: "R32" });
  }
  const strange = requested.terms.languages?.filter((tag) => !offer.isSpoken(tag)) ?? [];
  if (strange.length > 0)
    notes.push(
      `languages: nobody here speaks ${strange.map(quoted).join(", ")} yet; until somebody does, texts come in other languages.`,
    );
  const boundaries = granted("coalesce_boundaries", wanted.coalesceBoundaries, offer.coalesceBoundaries, notes);
  const levels = granted(
    "supported_conformance_levels",
    wanted.supportedConformanceLevels,
    offer.conformanceLevels,
    notes,
  );
  if (!wanted.supportsConfirmationReply && levels.some((level) => level >= 2)) {
    notes.push("supports_confirmation_reply: levels 2 and 3 ask for true; without it no confirmation is sent here.");
  }
  if (wanted.speakable !== undefined && (requested.terms.maxChars ?? 0) > MOST_SPEAKABLE_CHARS)
    notes.push(`aaepd.max_chars: with speakable ${MOST_SPEAKABLE_CHARS} is the most.`);
  const terms: Terms = {
    ...wanted,
    maxEventsPerSecond: grantedRate(wanted.maxEventsPerSecond, offer.maxEventsPerSecond, notes),
    coalesceBoundaries: boundariesForLoad(boundaries, wanted.cognitiveLoad, notes),
    eventFilters: { ...wanted.eventFilters, ...requested.filters },
    supportedConformanceLevels: levels,
    maxChars: wanted.speakable === undefined ? wanted.maxChars : Math.min(wanted.maxChars, MOST_SPEAKABLE_CHARS),
  };
  const honored = honoredCapabilities(terms, requested, spokenOf(wanted.languages, offer));
  return { terms, capabilities, honored, version: AAEP_VERSION, notes };
}

/** Treats other versions 1.x as 1.0.0, with a note (R21). */
function versionNotes(version: string): readonly string[] {
  if (version === AAEP_VERSION) return [];
  if (isSpokenVersion(version)) return [`aaep_version: ${AAEP_VERSION} is used for ${quoted(version)}.`];
  const sentence = `aaep_version ${quoted(version)} is not spoken here; ask for ${AAEP_VERSION}.`;
  throw new Fault("version_unsupported", sentence);
}

/**
 * Answers a `subscription.request` that has passed the schema (AAEP §5.2–§5.5). Throws the Fault that rejects it: "version_unsupported",
 * "capabilities_incompatible" or "signature_required". Its sentence names the capability, so that it has no pointer.
 */
export function negotiate(request: NegotiableRequest, offer: Offer): Accepted {
  const notes = versionNotes(request.aaep_version);
  try {
    const requested = readCapabilities(request.capabilities);
    assertOwnPrefixes(request.capabilities, requested, request.extensions);
    return grant(requested, knownCapabilities(request.capabilities), offer, [...notes, ...(request.notes ?? [])]);
  } catch (caught) {
    throw caught instanceof Fault ? caught.with({ pointer: "" }) : caught;
  }
}

/** `…/<prefix>/context/<version>` is the usual form of published vocabularies; other URIs show no prefix. */
const PUBLISHED = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\/(?:[^/]+\/)*([^/]+)\/context(?:\/[^/]+)?$/i;

/** Removes the final slashes and number signs, which do not distinguish vocabularies. */
function sameVocabulary(uri: string): string {
  let end = uri.length;
  while (end > 0 && (uri[end - 1] === "#" || uri[end - 1] === "/")) end -= 1;
  return uri.slice(0, end);
}

/** Every extension of a subscription has a prefix of its own, and no reserved one (AAEP ch. 7). `extensions`: the member of a request. */
function assertOwnPrefixes(capabilities: Capabilities, requested: Requested, extensions: unknown): void {
  const conflict = prefixConflict(capabilities, requested.terms.supportedExtensions ?? [], extensions);
  if (conflict === undefined) return;
  throw new Fault("capabilities_incompatible", conflict, { pointer: "/capabilities", rule: "AAEP §7" });
}

/** Returns a sentence about a reserved prefix, or one that two vocabularies claim. */
function prefixConflict(
  capabilities: Capabilities,
  vocabularies: readonly string[],
  extensions: unknown,
): string | undefined {
  const owned = vocabularies.map(sameVocabulary).map((uri) => [PUBLISHED.exec(uri)?.[1], uri] as const);
  const prefixes = [
    ...Object.keys(capabilities),
    ...Object.keys(isObject(extensions) ? extensions : {}),
    ...owned.flatMap(([prefix]) => prefix ?? []),
  ];
  const reserved = prefixes.find(isReservedPrefix);
  if (reserved !== undefined)
    return `The extension prefix ${quoted(reserved)} is reserved; give the extension another one.`;
  const owners = new Map(KNOWN_VOCABULARIES);
  for (const [prefix, uri] of owned) {
    if (prefix === undefined) continue;
    if ((owners.get(prefix) ?? uri) !== uri)
      return `Two extensions have the prefix ${quoted(prefix)}; name only one of their vocabularies in supported_extensions.`;
    owners.set(prefix, uri);
  }
  return undefined;
}

/**
 * Answers a `subscription.renegotiate` (AAEP §5.7, R32): merges the earlier and the new request, and grants the result, never beyond the merged
 * request. `current.capabilities` are those of the last `Accepted`; `{}` for a peer with the defaults. Throws a Fault ("capabilities_incompatible",
 * "signature_required") for a change that cannot be served: the old terms stay, because what the daemon offers does not change while it runs.
 */
export function renegotiate(
  current: { readonly capabilities: Capabilities },
  capabilities: Capabilities,
  offer: Offer,
): Accepted {
  const merged = mergeCapabilities(current.capabilities, capabilities);
  const requested = readCapabilities(merged);
  assertOwnPrefixes(capabilities, requested, undefined);
  // Omissions from the earlier lists were noted when those were sent.
  return grant({ ...requested, notes: readCapabilities(capabilities).notes }, merged, offer, []);
}

/** Joins the notes as `negotiation_notes`, at most 4096 characters; undefined if there are none. */
export function negotiationNotes(notes: readonly string[]): string | undefined {
  return notes.length === 0 ? undefined : shortenedText(notes.join(" "), NOTES_LENGTH);
}
