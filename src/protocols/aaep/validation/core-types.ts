// The twelve core types: their names, their paragraphs, and the two functions generated for each.
import {
  type Diagnosis,
  diagnoseAwaitingClarificationEvent,
  diagnoseAwaitingConfirmationEvent,
  diagnoseHandoffRequestedEvent,
  diagnoseOutputStreamingEvent,
  diagnoseProgressUpdatedEvent,
  diagnoseSessionCancelledEvent,
  diagnoseSessionCompletedEvent,
  diagnoseSessionErroredEvent,
  diagnoseSessionStartedEvent,
  diagnoseStateChangedEvent,
  diagnoseToolCompletedEvent,
  diagnoseToolInvokedEvent,
} from "#gen/aaep/diagnosis.js";
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
  /** Reports mistakes in the payload; the envelope is diagnosed separately. */
  readonly diagnosePayload: (value: unknown) => readonly Diagnosis[];
}

type Row = readonly [string, string, UrgencyRule, CoreType["accepts"], CoreType["diagnosePayload"]];

const ROWS: readonly Row[] = [
  ["agent.session.started", "AAEP §4.1.1", "free", isSessionStartedEvent, diagnoseSessionStartedEvent],
  ["agent.session.completed", "AAEP §4.1.2", "free", isSessionCompletedEvent, diagnoseSessionCompletedEvent],
  ["agent.session.errored", "AAEP §4.1.3", "critical", isSessionErroredEvent, diagnoseSessionErroredEvent],
  ["agent.session.cancelled", "AAEP §4.1.4", "free", isSessionCancelledEvent, diagnoseSessionCancelledEvent],
  ["agent.state.changed", "AAEP §4.2.1", "free", isStateChangedEvent, diagnoseStateChangedEvent],
  ["agent.progress.updated", "AAEP §4.2.2", "uncritical", isProgressUpdatedEvent, diagnoseProgressUpdatedEvent],
  ["agent.tool.invoked", "AAEP §4.3.1", "free", isToolInvokedEvent, diagnoseToolInvokedEvent],
  ["agent.tool.completed", "AAEP §4.3.2", "free", isToolCompletedEvent, diagnoseToolCompletedEvent],
  ["agent.output.streaming", "AAEP §4.3.3", "uncritical", isOutputStreamingEvent, diagnoseOutputStreamingEvent],
  [
    "agent.awaiting.confirmation",
    "AAEP §4.4.1",
    "critical",
    isAwaitingConfirmationEvent,
    diagnoseAwaitingConfirmationEvent,
  ],
  [
    "agent.awaiting.clarification",
    "AAEP §4.4.2",
    "critical",
    isAwaitingClarificationEvent,
    diagnoseAwaitingClarificationEvent,
  ],
  ["agent.handoff.requested", "AAEP §4.4.3", "critical", isHandoffRequestedEvent, diagnoseHandoffRequestedEvent],
];

/** Prefix of the core types written as full URIs. */
const TYPES_URI = "https://aaep-protocol.org/types/";

const BY_SPELLING: ReadonlyMap<string, CoreType> = new Map(
  ROWS.flatMap(([local, rule, urgency, accepts, diagnosePayload]) => {
    const type: CoreType = { name: `aaep:${local}`, rule, urgency, accepts, diagnosePayload };
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
