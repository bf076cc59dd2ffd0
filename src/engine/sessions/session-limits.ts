// How much one session may keep open at a time, and how much is remembered of what is over: each costs memory, and what is open costs work
// whenever the session is summed up or closed. What is over is never refused for its number; the oldest of it is forgotten.
import { Fault } from "../../base/errors.js";

const LIMITS = {
  agents: { most: 64, way: "Start another session for further agents" },
  tools: { most: 256, way: "Publish tool.completed for one first" },
  outputs: { most: 256, way: "Complete one first" },
  questions: { most: 64, way: "Wait for an outcome first" },
} as const;

/** Most tool_call_ids of which a session remembers that they were used; those of open tools are known in any case. */
export const CALL_IDS_KEPT_COUNT = 16_384;

/** Most completed outputs of which a session remembers that they are complete. An output with a forgotten id begins anew (AAEP §4.5.4). */
export const COMPLETED_OUTPUTS_KEPT_COUNT = 16_384;

/** Most reply tokens that a session remembers as used; those of open questions are known in any case (AAEP §6.2). */
export const REPLY_TOKENS_KEPT_COUNT = 16_384;

/** Most outcomes of a session's questions that are told to an agent that comes back, and that can be asked for (R8). */
export const OUTCOMES_KEPT_COUNT = 256;

/** Most bytes of outcomes kept of all sessions together, by estimate; the oldest goes first, whichever session's it is. */
export const OUTCOMES_KEPT_BYTES = 8 * 1024 * 1024;

/** Most reply tokens of ended sessions that are remembered as used; those of the session that ended first are forgotten first (AAEP §6.2). */
export const ENDED_REPLY_TOKENS_KEPT_COUNT = 65_536;

/** Most accepted confirmations of one agent that no irreversible invocation has used up. Who needs one that is forgotten asks again (R5). */
export const CONFIRMATIONS_KEPT_COUNT = 256;

/** Most events that one plan makes, those of the daemon's included; what one session leaves open is far fewer. */
export const PLANNED_EVENTS_COUNT = 2048;

/**
 * Throws "message_too_large" where an event would bring a plan of `plannedCount` events beyond 2,048, by itself and the `closureCount` that close
 * what it ends: all of a plan is made while nobody else is served.
 */
export function checkClosures(plannedCount: number, closureCount: number): void {
  if (plannedCount + closureCount + 1 <= PLANNED_EVENTS_COUNT) return;
  const sentence = `End sessions and withdraw questions in several publishes; with what it closes, this one makes more than ${PLANNED_EVENTS_COUNT} events.`;
  throw new Fault("message_too_large", sentence, { pointer: "", rule: "R3" });
}

/** Throws "rate_limit" where `openCount` is already the most there may be: 64 agents, 256 tools, 256 outputs, 64 questions. */
export function checkOpenLimit(what: keyof typeof LIMITS, openCount: number, pointer: string): void {
  const { most, way } = LIMITS[what];
  if (openCount < most) return;
  const open = what === "agents" ? "" : "open ";
  throw new Fault("rate_limit", `${way}: a session has at most ${most} ${open}${what}.`, {
    pointer,
    rule: "AAEP §4.5",
  });
}
