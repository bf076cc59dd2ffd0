// The schemas of chapter 4, as sentences about the first place that does not fit.
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

const BY_KIND: ReadonlyMap<string, (event: unknown) => readonly Diagnosis[]> = new Map(
  Object.entries({
    "session.started": diagnoseSessionStartedEvent,
    "session.completed": diagnoseSessionCompletedEvent,
    "session.errored": diagnoseSessionErroredEvent,
    "session.cancelled": diagnoseSessionCancelledEvent,
    "state.changed": diagnoseStateChangedEvent,
    "progress.updated": diagnoseProgressUpdatedEvent,
    "tool.invoked": diagnoseToolInvokedEvent,
    "tool.completed": diagnoseToolCompletedEvent,
    "output.streaming": diagnoseOutputStreamingEvent,
    "awaiting.confirmation": diagnoseAwaitingConfirmationEvent,
    "awaiting.clarification": diagnoseAwaitingClarificationEvent,
    "handoff.requested": diagnoseHandoffRequestedEvent,
  }),
);

/** The twelve core types, without their prefix. */
export const CORE_KINDS: ReadonlySet<string> = new Set(BY_KIND.keys());

/** A sentence about the first member of an event that its schema forbids; undefined: the event fits, or the kind has no schema. */
export function schemaFault(kind: string, event: unknown): string | undefined {
  return firstFault(BY_KIND.get(kind)?.(event) ?? []);
}

export function firstFault([first]: readonly Diagnosis[]): string | undefined {
  if (first === undefined) return undefined;
  const { instancePath, keyword, params } = first;
  return `At "${instancePath}" the schema's rule "${keyword}" is broken: ${JSON.stringify(params)}.`;
}
