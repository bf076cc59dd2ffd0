// The schemas of chapter 4, as sentences about the first place that does not fit.
import * as schemas from "#gen/aaep/schemas.js";
import { firstSentence } from "../../base/schema/fault-words.js";
import type { Schema } from "../../base/schema/schema-faults.js";

const BY_KIND: ReadonlyMap<string, Schema> = new Map(
  Object.entries({
    "session.started": schemas.SessionStartedEvent,
    "session.completed": schemas.SessionCompletedEvent,
    "session.errored": schemas.SessionErroredEvent,
    "session.cancelled": schemas.SessionCancelledEvent,
    "state.changed": schemas.StateChangedEvent,
    "progress.updated": schemas.ProgressUpdatedEvent,
    "tool.invoked": schemas.ToolInvokedEvent,
    "tool.completed": schemas.ToolCompletedEvent,
    "output.streaming": schemas.OutputStreamingEvent,
    "awaiting.confirmation": schemas.AwaitingConfirmationEvent,
    "awaiting.clarification": schemas.AwaitingClarificationEvent,
    "handoff.requested": schemas.HandoffRequestedEvent,
  }),
);

/** The twelve core types, without their prefix. */
export const CORE_KINDS: ReadonlySet<string> = new Set(BY_KIND.keys());

/** A sentence about the first member of an event that its schema forbids; undefined: the event fits, or the kind has no schema. */
export function schemaFault(kind: string, event: unknown): string | undefined {
  const schema = BY_KIND.get(kind);
  return schema === undefined ? undefined : firstSentence(schema, event, `agent.${kind}`);
}
