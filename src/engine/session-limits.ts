// How much one session may keep open at a time: each costs memory, and work whenever the session is summed up or closed.
import { Fault } from "../base/errors.js";

const LIMITS = {
  agents: { most: 64, way: "Start another session for further agents" },
  tools: { most: 256, way: "Publish tool.completed for one first" },
  outputs: { most: 256, way: "Complete one first" },
  questions: { most: 64, way: "Wait for an outcome first" },
} as const;

/** Most tool_call_ids of which a session remembers that they were used; those of open tools are known in any case. */
export const CALL_IDS_KEPT_COUNT = 16_384;

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
