// Limits of one session: how much it may keep open at a time, and how much of its past it remembers. Both cost memory, and open parts also cost work
// when the session is summarized or closed. The daemon refuses an open part beyond the limit; of the past it forgets the oldest instead.
import { Fault } from "../../base/errors.js";

const LIMITS = {
  agents: { most: 64, way: "Start another session for further agents" },
  tools: { most: 256, way: "Publish tool.completed for one first" },
  outputs: { most: 256, way: "Complete one first" },
  questions: { most: 64, way: "Wait for an outcome first" },
} as const;

/** Most tool_call_ids that a session remembers as used. The ids of open tools are known in any case. */
export const CALL_IDS_KEPT_COUNT = 16_384;

/** Most completed outputs that a session remembers. An output whose id is forgotten starts again (AAEP §4.5.4). */
export const COMPLETED_OUTPUTS_KEPT_COUNT = 16_384;

/** Most reply tokens that a session remembers as used. The tokens of open questions are known in any case (AAEP §6.2). */
export const REPLY_TOKENS_KEPT_COUNT = 16_384;

/** Most outcomes of a session's questions that an agent can ask for, and that an agent that comes back receives (R8). */
export const OUTCOMES_KEPT_COUNT = 256;

/** Most bytes of outcomes of all sessions together, by estimate. The oldest outcome is forgotten first, in whichever session it is. */
export const OUTCOMES_KEPT_BYTES = 8 * 1024 * 1024;

/** Most reply tokens of ended sessions that are remembered as used. The tokens of the session that ended first are forgotten first (AAEP §6.2). */
export const ENDED_REPLY_TOKENS_KEPT_COUNT = 65_536;

/** Most accepted, unused confirmations of one agent. An agent whose confirmation was forgotten has to ask again (R5). */
export const CONFIRMATIONS_KEPT_COUNT = 256;

/** Most events of one plan, the daemon's included. The open parts of a single session are far fewer. */
export const PLANNED_EVENTS_COUNT = 2048;

/**
 * Throws "message_too_large" if an event and its `closureCount` closing events would bring a plan of `plannedCount` events beyond 2,048. The engine
 * serves nobody else while it makes a plan.
 */
export function checkClosures(plannedCount: number, closureCount: number): void {
  if (plannedCount + closureCount + 1 <= PLANNED_EVENTS_COUNT) return;
  const sentence = `End sessions and withdraw questions in several publishes; with what it closes, this one makes more than ${PLANNED_EVENTS_COUNT} events.`;
  throw new Fault("message_too_large", sentence, { pointer: "", rule: "R3" });
}

/** Throws "rate_limit" if `openCount` has reached its limit: 64 agents, 256 tools, 256 outputs, 64 questions. */
export function checkOpenLimit(what: keyof typeof LIMITS, openCount: number, pointer: string): void {
  const { most, way } = LIMITS[what];
  if (openCount < most) return;
  const open = what === "agents" ? "" : "open ";
  throw new Fault("rate_limit", `${way}: a session has at most ${most} ${open}${what}.`, {
    pointer,
    rule: "AAEP §4.5",
  });
}
