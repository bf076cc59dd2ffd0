// The form in which subscriptions of one shape get an event: one summary, one language, and the fields that name both (R14). The words beside its
// texts come later (views/shape-words.ts).
import { setMember } from "../../base/members.js";
import type { AgentEvent, Verbosity } from "../event/event.js";
import { hasVariants, NEAREST_SUMMARIES, requiresNormalSummary, SUMMARY_FIELDS } from "./readable-fields.js";
import { shapeVariants } from "./shape-languages.js";
import type { SpeakableChoices, Terms } from "./terms.js";

/** The terms that decide the form of an event. */
export interface Shape {
  readonly verbosity: Verbosity;
  /** RFC 5646 tags in order of preference. */
  readonly languages: readonly string[];
  readonly speakable?: SpeakableChoices | undefined;
}

export function shapeOf({ preferredVerbosity, languages, speakable }: Terms): Shape {
  return { verbosity: preferredVerbosity, languages, speakable };
}

/** The key of a shape: equal for terms of equal shape, so that an event is shaped and encoded once for all of them. */
export function shapeKey(terms: Terms): string {
  const { preferredVerbosity, languages, speakable } = terms;
  const words = speakable === undefined ? "" : `|${speakable.code},${speakable.links},${speakable.emoji}`;
  return `${preferredVerbosity}|${languages.join(",").toLowerCase()}${words}`;
}

/** Whether `key` is a summary that the chosen one replaces. */
function isSuperfluous(key: string, chosen: string, normalStays: boolean): boolean {
  return SUMMARY_FIELDS.has(key) && key !== chosen && !(normalStays && key === "summary_normal");
}

function hasSummary({ summary_terse: terse, summary_normal: normal, summary_detailed: detailed }: AgentEvent): boolean {
  return terse !== undefined || normal !== undefined || detailed !== undefined;
}

function shapeSummaries(event: AgentEvent, verbosity: Verbosity): AgentEvent {
  if (!hasSummary(event)) return event;
  const chosen = NEAREST_SUMMARIES[verbosity].find(({ field }) => event[field] !== undefined);
  if (chosen === undefined) return event;
  const normalStays = requiresNormalSummary(event.type);
  const saysLevel = chosen.level === (event.verbosity ?? "normal");
  if (saysLevel) {
    const superfluous = NEAREST_SUMMARIES[verbosity].some(
      ({ field }) => event[field] !== undefined && isSuperfluous(field, chosen.field, normalStays),
    );
    if (!superfluous) return event;
  }
  const shaped: Record<string, unknown> = {};
  for (const key of Object.keys(event)) {
    if (!isSuperfluous(key, chosen.field, normalStays)) setMember(shaped, key, event[key]);
  }
  if (!saysLevel) shaped.verbosity = chosen.level;
  return shaped as AgentEvent;
}

/**
 * Shapes an event (R14). Returns the same object if nothing has to change, so that the agent's text can be sent byte-identical (R2). An event without
 * verbosity is "normal". An event that names no language was journaled before language hints were filled in (R2), and is in `defaultLanguage`.
 */
export function applyShape(event: AgentEvent, shape: Shape, defaultLanguage: string): AgentEvent {
  return hasVariants(event) ? shapeVariants(event, shape, defaultLanguage) : shapeSummaries(event, shape.verbosity);
}
