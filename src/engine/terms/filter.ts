// Which events a subscription wants, by type, urgency and who made them. What must not live here: pauses, budgets, order.
import { canonicalType, defaultUrgency, isCritical, isQuestionKind, type NewEvent } from "../event/event.js";
import { AAEPD, CORE_PREFIX, CORE_TYPE_URI } from "../event/vocabulary.js";
import { canAnswer, canAnswerEvent } from "./answering.js";
import type { EventFilters, Terms } from "./terms.js";

/** Whether events of a type are delivered. Answers from memory after the first event of a type. */
export type TypeFilter = (type: string) => boolean;

/** Agents may invent types without end; past this many the memory starts anew. */
const REMEMBERED_TYPES_COUNT = 256;

/** A core type goes by two names, and a pattern may be written for either. */
function namesOf(type: string): readonly string[] {
  const short = canonicalType(type);
  return short.startsWith(CORE_PREFIX) ? [short, CORE_TYPE_URI + short.slice(CORE_PREFIX.length)] : [type];
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/**
 * Delivered is what matches an `include` and no `exclude` (AAEP §5.3.1.7, R32). A pattern is a type, or the beginning of one followed by `*`;
 * a `*` elsewhere stands for itself. An empty `include` lets nothing through: critical events do not come this way.
 */
export function compileFilter(filters: EventFilters): TypeFilter {
  const { include, exclude } = filters;
  const decided = new Map<string, boolean>();
  return (type) => {
    const known = decided.get(type);
    if (known !== undefined) return known;
    const names = namesOf(type);
    const matchesAny = (patterns: readonly string[]) =>
      patterns.some((pattern) => names.some((name) => matches(pattern, name)));
    const delivered = matchesAny(include) && !matchesAny(exclude);
    if (decided.size >= REMEMBERED_TYPES_COUNT) decided.clear();
    decided.set(type, delivered);
    return delivered;
  };
}

/** Whether the question that one of the daemon's states goes with can be answered: such get it next, and the others the notice (R6). */
function getsQuestion(terms: Terms, { event }: NewEvent): boolean {
  const asks = event.extensions?.[AAEPD]?.asks;
  return (asks === "confirmation" || asks === "clarification") && canAnswer(terms, asks, event.session_id);
}

/** What low cognitive load keeps away (R15): the text that somebody reads is never in the background. */
function isQuiet({ kind, event }: NewEvent): boolean {
  return kind !== "output.streaming" && (event.urgency ?? defaultUrgency(kind)) === "background";
}

/**
 * Whether an event is for this subscription at all. Questions go only to those that can answer (AAEP §5.3.1.4, R6); other critical events, notices,
 * resolutions and gaps pass every filter (AAEP §5.5.4, R31); low cognitive load keeps background events away (R15).
 * A pause is no business of this function: what it holds back is still owed.
 */
export function wants(terms: Terms, filter: TypeFilter, entry: NewEvent): boolean {
  if (isQuestionKind(entry.kind)) return canAnswerEvent(terms, entry);
  if (entry.made !== undefined) {
    if (entry.made === "notice") return !getsQuestion(terms, entry);
    if (entry.made === "supplied" && !getsQuestion(terms, entry)) return false;
    if (entry.made === "resolution" || entry.event.extensions?.[AAEPD]?.gap !== undefined) return true;
  }
  if (isCritical(entry)) return true;
  if (terms.cognitiveLoad === "low" && isQuiet(entry)) return false;
  return filter(entry.event.type);
}
