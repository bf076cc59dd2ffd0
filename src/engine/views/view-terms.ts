// The terms of a view: those of its subscriptions that decide the content of a stream, and not its speed. Equal terms share a view by their key.
import type { AgentEvent } from "../event/event.js";
import { compileFilter, type FilteredEvent, wants } from "../terms/filter.js";
import { type Boundary, isAtLeast, type Terms } from "../terms/terms.js";
import type { InternedShape } from "./unit.js";

export interface ViewTerms {
  /** Equal keys mean equal streams. */
  readonly key: string;
  readonly shape: InternedShape;
  /** Whether an event is delivered at all (R6, R15, R31, R32). */
  readonly wants: (entry: FilteredEvent) => boolean;
  readonly passThrough: boolean;
  /** The weakest granted boundary beside completion; undefined if only completion releases. */
  readonly level: "word" | "sentence" | "paragraph" | undefined;
  /** Longest text of one event, in code points. */
  readonly maxChars: number;
  /** Whether the event carries extensions that this stream's subscribers support. */
  readonly carriesExtensions: (event: AgentEvent) => boolean;
}

/** Equal for subscriptions that can share a view. Rate, pace and pauses are not part of the key. */
export function viewKey(terms: Terms): string {
  return JSON.stringify([
    terms.preferredVerbosity,
    terms.languages,
    [...terms.coalesceBoundaries].sort(),
    terms.maxChars,
    terms.cognitiveLoad === "low",
    terms.supportsConfirmationReply,
    terms.supportsClarificationReply,
    terms.supportsConfirmationReply || terms.supportsClarificationReply ? terms.ownSessions?.key : undefined,
    [...terms.eventFilters.include].sort(),
    [...terms.eventFilters.exclude].sort(),
    [...terms.supportedExtensions].sort(),
    ...(terms.speakable === undefined ? [] : [terms.speakable]),
  ]);
}

export function viewTermsOf(terms: Terms, shape: InternedShape): ViewTerms {
  const boundaries = terms.coalesceBoundaries;
  const filter = compileFilter(terms.eventFilters);
  return {
    key: viewKey(terms),
    shape,
    wants: (entry) => wants(terms, filter, entry),
    passThrough: boundaries.includes("none"),
    level: (["word", "sentence", "paragraph"] as const).find((one) => boundaries.includes(one)),
    maxChars: terms.maxChars,
    carriesExtensions: (event) => carriesExtensions(event, terms.supportedExtensions),
  };
}

/** The hint that text of this strength may leave with; undefined if none of the set fits (R10, R32). */
export function grantedHint(
  { passThrough, level }: ViewTerms,
  hint: Boundary | undefined,
  complete: boolean,
): Boundary | undefined {
  if (passThrough) return hint;
  if (complete) return "completion";
  return hint !== undefined && level !== undefined && isAtLeast(hint, level) ? hint : undefined;
}

function carriesExtensions(event: AgentEvent, supported: readonly string[]): boolean {
  if (supported.length === 0 || event.extensions === undefined) return false;
  const context = event["@context"];
  return typeof context !== "string" && context.some((vocabulary) => supported.includes(vocabulary));
}
