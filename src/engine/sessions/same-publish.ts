// Compares an event with an earlier publish of the same id (R3).
import type { AgentEvent, JournaledEvent, LocalizationHints } from "../event/event.js";
import { hintsIn } from "../terms/shape-languages.js";

/** An event that was accepted before. */
export interface KnownPublish {
  /** The event as it was published to subscribers. */
  readonly event: AgentEvent;
  /** The event as its agent sent it, if that is still known. */
  readonly published?: PublishedEvent | undefined;
}

/** An event as its agent sent it. */
export interface PublishedEvent {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The JSON text of exactly these fields, if there is one. */
  readonly source?: string | undefined;
  /** The publisher does not use `fields` again, so the daemon may fill them in without a copy. Default false. */
  readonly isHandedOver?: boolean;
}

const DEPTH_LIMIT = 64;
/** Members that the daemon fills in (R2). A repeat may lack them. */
const FILLED: ReadonlySet<string> = new Set([
  "@context",
  "timestamp",
  "producer",
  "urgency",
  "position",
  "localization_hints",
]);
/** Members that the daemon rewrites or removes (R3a, R13, R16, R25). A repeat may differ in them. */
const REWRITTEN: ReadonlySet<string> = new Set(["sequence_number", "position", "from_state", "chunk"]);

/** Deep equality of JSON values. Returns false below a depth of 64. */
function isDeepEqual(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || depth > DEPTH_LIMIT) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && isDeepEqual(left[name], right[name], depth + 1));
}

/** Recovers the agent's publish from a journaled event. */
export function knownFrom({ event, source, published }: JournaledEvent): KnownPublish {
  if (published === undefined) return { event, published: { fields: event, source } };
  const fields = JSON.parse(published) as PublishedEvent["fields"];
  return { event, published: { fields, source: published } };
}

/** Whether a publish equals an earlier one. A language that the daemon filled in since does not count (R2). */
export function isSameContent(input: PublishedEvent, earlier: PublishedEvent): boolean {
  if (input.source !== undefined && input.source === earlier.source) return true;
  return isDeepEqual(input.fields, earlier.fields) || isSameButForLanguage(input.fields, earlier.fields);
}

function isSameButForLanguage(sent: PublishedEvent["fields"], earlier: PublishedEvent["fields"]): boolean {
  const { localization_hints: hints, ...rest } = earlier;
  if (hints === undefined || sent.localization_hints !== undefined || !isDeepEqual(sent, rest)) return false;
  const { primary_language: language } = hints as LocalizationHints;
  return isDeepEqual(hints, hintsIn(language, undefined));
}

/**
 * Whether `input` is the publish that `known` came from. After a restart only the published event may be left; the members that the daemon fills in
 * or rewrites are then not compared.
 */
export function isSamePublish(input: PublishedEvent, known: KnownPublish): boolean {
  const { published, event } = known;
  if (published !== undefined) return isSameContent(input, published);
  const sent = input.fields;
  return (
    Object.keys(sent).every((name) => REWRITTEN.has(name) || isDeepEqual(sent[name], event[name])) &&
    Object.keys(event).every((name) => sent[name] !== undefined || FILLED.has(name))
  );
}
