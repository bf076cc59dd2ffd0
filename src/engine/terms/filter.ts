// Decides which events a subscription wants, by type, urgency and maker. Pauses, budgets and order are in other rooms.
import {
  type AgentEvent,
  canonicalType,
  type DaemonMade,
  defaultUrgency,
  isCritical,
  isQuestionKind,
  type TopicKind,
} from "../event/event.js";
import { AAEPD, CORE_PREFIX, CORE_TYPE_URI } from "../event/vocabulary.js";
import { canAnswer, canAnswerEvent } from "./answering.js";
import type { EventFilters, Terms } from "./terms.js";

/** The members of an event that a filter looks at. */
export interface FilteredEvent {
  readonly kind: TopicKind;
  readonly event: AgentEvent;
  readonly made?: DaemonMade | undefined;
}

/** Whether events of a type are delivered. The result for a type is computed once. */
export type TypeFilter = (type: string) => boolean;

/** Most types remembered. Agents may invent types without end, so the memory is cleared beyond this number. */
const REMEMBERED_TYPES_COUNT = 256;

/** The names of a type. A core type has two, and a pattern may use either. */
function namesOf(type: string): readonly string[] {
  const short = canonicalType(type);
  return short.startsWith(CORE_PREFIX) ? [short, CORE_TYPE_URI + short.slice(CORE_PREFIX.length)] : [type];
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/**
 * Compiles a filter that passes types that match an `include` and no `exclude` (AAEP §5.3.1.7, R32). A pattern is a type, or the beginning of one
 * followed by `*`; a `*` elsewhere stands for itself. An empty `include` passes nothing; critical events do not use the filter.
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

/**
 * Whether these terms can answer the question that a state of the daemon's goes with. Such subscriptions get the question next; the others get the
 * notice (R6).
 */
function getsQuestion(terms: Terms, { event }: FilteredEvent): boolean {
  const asks = event.extensions?.[AAEPD]?.asks;
  return (asks === "confirmation" || asks === "clarification") && canAnswer(terms, asks, event.session_id);
}

/** Whether low cognitive load leaves out the event (R15). Streamed text is never in the background, since the person reads it. */
function isQuiet({ kind, event }: FilteredEvent): boolean {
  return kind !== "output.streaming" && (event.urgency ?? defaultUrgency(kind)) === "background";
}

/**
 * Whether a subscription wants an event. Questions go only to subscriptions that can answer (AAEP §5.3.1.4, R6). Other critical events, notices,
 * resolutions, sums and gaps pass every filter (AAEP §5.5.4, R27, R31). Low cognitive load leaves out background events (R15). Pauses are not
 * considered: events that a pause holds back are still pending.
 */
export function wants(terms: Terms, filter: TypeFilter, entry: FilteredEvent): boolean {
  if (isQuestionKind(entry.kind)) return canAnswerEvent(terms, entry);
  if (entry.made !== undefined) {
    if (entry.made === "notice") return !getsQuestion(terms, entry);
    if (entry.made === "supplied" && !getsQuestion(terms, entry)) return false;
    if (entry.made === "resolution" || entry.made === "state") return true;
  }
  if (isCritical(entry)) return true;
  if (terms.cognitiveLoad === "low" && isQuiet(entry)) return false;
  return filter(entry.event.type);
}
