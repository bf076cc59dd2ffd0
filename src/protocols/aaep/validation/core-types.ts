// The twelve core types: their names, their paragraphs, and for each the generated validator and the schema of its payload.
import * as schemas from "#gen/aaep/schemas.js";
import * as validators from "#gen/aaep/validators.js";
import { didYouMean } from "../../../base/nearest.js";
import type { Schema } from "../../../base/schema/schema-faults.js";
import { canonicalType } from "../../../engine/event/event.js";
import { CORE_PREFIX, CORE_TYPE_URI } from "../../../engine/event/vocabulary.js";

/** Permitted urgency of a type (R4): only critical, never critical, or any. */
type UrgencyRule = "critical" | "uncritical" | "free";

export interface CoreType {
  /** The usual spelling, `aaep:` and the local name. */
  readonly name: string;
  /** The paragraph that defines the payload. */
  readonly rule: string;
  readonly urgency: UrgencyRule;
  /** Checks the whole event against its flat schema. */
  readonly accepts: (value: unknown) => boolean;
  /** The schema without the members of the envelope, by which mistakes in the payload are explained. */
  readonly payload: Schema;
}

/** Local name, title of the schema, paragraph, and permitted urgency. */
const ROWS = [
  ["agent.session.started", "SessionStartedEvent", "AAEP §4.1.1", "free"],
  ["agent.session.completed", "SessionCompletedEvent", "AAEP §4.1.2", "free"],
  ["agent.session.errored", "SessionErroredEvent", "AAEP §4.1.3", "critical"],
  ["agent.session.cancelled", "SessionCancelledEvent", "AAEP §4.1.4", "free"],
  ["agent.state.changed", "StateChangedEvent", "AAEP §4.2.1", "free"],
  ["agent.progress.updated", "ProgressUpdatedEvent", "AAEP §4.2.2", "uncritical"],
  ["agent.tool.invoked", "ToolInvokedEvent", "AAEP §4.3.1", "free"],
  ["agent.tool.completed", "ToolCompletedEvent", "AAEP §4.3.2", "free"],
  ["agent.output.streaming", "OutputStreamingEvent", "AAEP §4.3.3", "uncritical"],
  ["agent.awaiting.confirmation", "AwaitingConfirmationEvent", "AAEP §4.4.1", "critical"],
  ["agent.awaiting.clarification", "AwaitingClarificationEvent", "AAEP §4.4.2", "critical"],
  ["agent.handoff.requested", "HandoffRequestedEvent", "AAEP §4.4.3", "critical"],
] as const;

const BY_SPELLING: ReadonlyMap<string, CoreType> = new Map(
  ROWS.flatMap(([local, title, rule, urgency]) => {
    // biome-ignore lint/performance/noDynamicNamespaceImportAccess: the bundle has all of them in any case.
    const [accepts, payload] = [validators[`is${title}`], schemas[title]];
    const type: CoreType = { name: `aaep:${local}`, rule, urgency, accepts, payload };
    return [
      [type.name, type],
      [`${CORE_TYPE_URI}${local}`, type],
    ] as const;
  }),
);

/** Returns the core type of that name, in either spelling; undefined for every other type. */
export function coreTypeOf(type: string): CoreType | undefined {
  return BY_SPELLING.get(type);
}

const NAMES: readonly string[] = ROWS.map(([local]) => `aaep:${local}`);

/** Returns "Did you mean …?" for a misspelt type in either spelling, or "" if none of the twelve is near. */
export function nearestCoreType(type: string): string {
  return didYouMean(canonicalType(type), NAMES);
}

/** Whether the name is in the protocol's own namespace, where only the twelve types exist (AAEP §3.9). */
export function isInCoreNamespace(type: string): boolean {
  return canonicalType(type).startsWith(CORE_PREFIX);
}
