// The twelve core types: their names, their paragraphs, and for each the generated validator and the schema of its payload.
import * as schemas from "#gen/aaep/schemas.js";
import {
  isAwaitingClarificationEvent,
  isAwaitingConfirmationEvent,
  isHandoffRequestedEvent,
  isOutputStreamingEvent,
  isProgressUpdatedEvent,
  isSessionCancelledEvent,
  isSessionCompletedEvent,
  isSessionErroredEvent,
  isSessionStartedEvent,
  isStateChangedEvent,
  isToolCompletedEvent,
  isToolInvokedEvent,
} from "#gen/aaep/validators.js";
import { didYouMean } from "../../../base/nearest.js";
import type { Schema } from "../../../base/schema/schema-faults.js";

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

type Row = readonly [string, string, UrgencyRule, CoreType["accepts"], CoreType["payload"]];

const ROWS: readonly Row[] = [
  ["agent.session.started", "AAEP §4.1.1", "free", isSessionStartedEvent, schemas.SessionStartedEvent],
  ["agent.session.completed", "AAEP §4.1.2", "free", isSessionCompletedEvent, schemas.SessionCompletedEvent],
  ["agent.session.errored", "AAEP §4.1.3", "critical", isSessionErroredEvent, schemas.SessionErroredEvent],
  ["agent.session.cancelled", "AAEP §4.1.4", "free", isSessionCancelledEvent, schemas.SessionCancelledEvent],
  ["agent.state.changed", "AAEP §4.2.1", "free", isStateChangedEvent, schemas.StateChangedEvent],
  ["agent.progress.updated", "AAEP §4.2.2", "uncritical", isProgressUpdatedEvent, schemas.ProgressUpdatedEvent],
  ["agent.tool.invoked", "AAEP §4.3.1", "free", isToolInvokedEvent, schemas.ToolInvokedEvent],
  ["agent.tool.completed", "AAEP §4.3.2", "free", isToolCompletedEvent, schemas.ToolCompletedEvent],
  ["agent.output.streaming", "AAEP §4.3.3", "uncritical", isOutputStreamingEvent, schemas.OutputStreamingEvent],
  [
    "agent.awaiting.confirmation",
    "AAEP §4.4.1",
    "critical",
    isAwaitingConfirmationEvent,
    schemas.AwaitingConfirmationEvent,
  ],
  [
    "agent.awaiting.clarification",
    "AAEP §4.4.2",
    "critical",
    isAwaitingClarificationEvent,
    schemas.AwaitingClarificationEvent,
  ],
  ["agent.handoff.requested", "AAEP §4.4.3", "critical", isHandoffRequestedEvent, schemas.HandoffRequestedEvent],
];

/** Prefix of the core types written as full URIs. */
const TYPES_URI = "https://aaep-protocol.org/types/";

const BY_SPELLING: ReadonlyMap<string, CoreType> = new Map(
  ROWS.flatMap(([local, rule, urgency, accepts, payload]) => {
    const type: CoreType = { name: `aaep:${local}`, rule, urgency, accepts, payload };
    return [
      [type.name, type],
      [`${TYPES_URI}${local}`, type],
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
  return didYouMean(type.startsWith(TYPES_URI) ? `aaep:${type.slice(TYPES_URI.length)}` : type, NAMES);
}

/** Whether the name is in the protocol's own namespace, where only the twelve types exist (AAEP §3.9). */
export function isInCoreNamespace(type: string): boolean {
  return type.startsWith("aaep:") || type.startsWith(TYPES_URI);
}
