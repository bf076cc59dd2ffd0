// Finds every violation in a recording: of each event by itself, and of the order of events. No I/O; a dry run of the daemon's own checks.
import { Fault, faultFrom } from "../../base/errors.js";
import type { IdSource } from "../../base/ids.js";
import type { Members } from "../../base/members.js";
import { sha256Hex } from "../../daemon/platform/ids.js";
import { isMergedId } from "../../engine/event/derived-id.js";
import { type JournaledEvent, topicKind } from "../../engine/event/event.js";
import { completeEvent } from "../../engine/sessions/event-intake.js";
import { sentHash } from "../../engine/sessions/published-event.js";
import { Sessions } from "../../engine/sessions/sessions.js";
import { allFaults } from "../../protocols/aaep/validation/validate.js";
import { createAgentsParts, isDaemonMade } from "./recording.js";

export interface CheckOptions {
  /** Whether members that an agent may omit (R2) count as filled in. */
  readonly completes: boolean;
}

/** Replaces the instant of a daemon's event whose agent has named none yet. */
const BEFORE_ALL = "1970-01-01T00:00:00Z";

/**
 * Whether the instant is the daemon's: the daemon made the event, or merged it and gave it the place of the event that released it (R12, R30, R31).
 */
function hasDaemonsTime(fields: Members): boolean {
  const { event_id: id } = fields;
  return isDaemonMade(fields) || (typeof id === "string" && isMergedId(id));
}

/** Ids for members that the dry run fills in; they are never shown. */
function countingIds(): IdSource {
  let count = 0;
  return {
    hex: (bytes) => {
      count += 1;
      return count.toString(16).padStart(bytes * 2, "0");
    },
  };
}

export function createRecordingChecker({ completes }: CheckOptions) {
  const ids = countingIds();
  const connection = {};
  const known = new Map<string, JournaledEvent>();
  const tokens = new Set<string>();
  const facts = { agent: { agent_id: "agent" }, agentLanguage: undefined, producerId: undefined, ids };
  // The last instant that each agent of a session named itself.
  const named = new Map<string, string>();
  const agentsPart = createAgentsParts();
  let wallTime = 0;
  // Mistakes are tolerated where possible, so that each is reported once and not at every later event.
  const sessions = new Sessions({
    limits: { clockSkewMs: Number.POSITIVE_INFINITY },
    isRecording: true,
    validate: () => {},
    defaultLanguage: "und",
    summary: () => ({ summary_normal: "-" }),
    hashToken: sha256Hex,
    isTokenUsed: (token) => tokens.has(token),
  });

  function orderFaults(fields: Members): readonly Fault[] {
    const context = { ...facts, now: 0, wallTime, connection, isArray: false };
    const isKnown = (eventId: string) => known.get(eventId);
    try {
      const change = sessions.publish([{ fields }], { ...context, known: isKnown });
      sessions.journaled(change, []);
      const faults = (change.warnings ?? []).map(
        ({ code, sentence, pointer, rule, eventId }) => new Fault(code, sentence, { pointer, rule, eventId }),
      );
      // Answers are not events: a question in a recording counts as answered with yes (R5).
      for (const { kind, token, sessionId, agentId, permits } of change.asked ?? []) {
        tokens.add(token);
        if (kind === "confirmation") sessions.confirmationAccepted(sessionId, agentId, permits, context);
      }
      for (const made of change.events) {
        const { event_id: eventId } = made.event;
        if (eventId === fields.event_id)
          known.set(eventId, { ...made, sent: sentHash(JSON.stringify(fields), sha256Hex), epoch: 0 });
      }
      return faults;
    } catch (caught) {
      return [faultFrom(caught)];
    }
  }

  /**
   * Returns the event with the timestamp used for the check of the order. The daemon's own instants come from its clock, and may be later than those
   * of events under way at that time, so they are not compared with any (R3b).
   */
  function inAgentsTime(fields: Members): Members {
    const { session_id: session, producer, event_id: id, timestamp } = fields;
    const agent = (producer as { readonly agent_id?: unknown } | null | undefined)?.agent_id;
    const key = JSON.stringify([session, agent]);
    if (typeof timestamp !== "string") return fields;
    if (!hasDaemonsTime(fields)) {
      named.set(key, timestamp);
      return fields;
    }
    const first = typeof id === "string" ? known.get(id)?.event.timestamp : undefined;
    return { ...fields, timestamp: first ?? named.get(key) ?? BEFORE_ALL };
  }

  /** Completes the event as R2 does, as far as possible without the session; the dry run counts positions itself. */
  function completed(fields: Members): Members {
    if (!completes) return fields;
    const kind = topicKind(fields.type);
    return completeEvent(fields, kind, undefined, { ...facts, wallTime });
  }

  return {
    /** Returns the faults of an event at its place in the recording; empty if there are none. */
    check: (fields: Members): readonly Fault[] => {
      const faults = allFaults(completed(fields));
      const at =
        typeof fields.timestamp === "string" && !hasDaemonsTime(fields) ? Date.parse(fields.timestamp) : Number.NaN;
      if (!Number.isNaN(at)) wallTime = at;
      // Events that publishing leaves out have no part in the order either.
      const published = agentsPart(inAgentsTime(fields));
      const outOfOrder = published === undefined ? [] : orderFaults(published);
      // An invalid event still takes part in the order, but only its own faults are reported.
      return faults.length > 0 ? faults : outOfOrder;
    },
    /** Sessions that have begun and not ended. */
    openSessionIds: () => sessions.openIds(),
  };
}
