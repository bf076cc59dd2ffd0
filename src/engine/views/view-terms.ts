// Derives a view's terms from those of a subscription. Equal terms share a view by their key.
import type { AgentEvent } from "../event/event.js";
import { compileFilter, wants } from "../terms/filter.js";
import type { Terms } from "../terms/terms.js";
import type { InternedShape } from "./shared-rendering.js";
import type { ViewTerms } from "./view-spec.js";

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
  ]);
}

export function createViewTerms(terms: Terms, shape: InternedShape): ViewTerms {
  const boundaries = terms.coalesceBoundaries;
  const filter = compileFilter(terms.eventFilters);
  const level = (["word", "sentence", "paragraph"] as const).find((one) => boundaries.includes(one));
  return {
    key: viewKey(terms),
    shape,
    wants: (rendering) => wants(terms, filter, rendering.entry),
    passThrough: boundaries.includes("none"),
    level,
    maxChars: terms.maxChars,
    carriesExtensions: (event) => carriesExtensions(event, terms.supportedExtensions),
  };
}

function carriesExtensions(event: AgentEvent, supported: readonly string[]): boolean {
  if (supported.length === 0 || event.extensions === undefined) return false;
  const context = event["@context"];
  return typeof context !== "string" && context.some((vocabulary) => supported.includes(vocabulary));
}
