// The meaning of a session's phases: entries of docs/reference/states.md, which `npm run generate` writes.
import type { SessionPhase } from "./session-record.js";

/** Each phase in a sentence. The events of each are in the table of session-sequence.ts. */
export const PHASE_GUIDE: Readonly<Record<SessionPhase, string>> = {
  absent: "No session with this id has started, or the daemon has forgotten it.",
  open: "The session has started and has not ended.",
  ended:
    "The session has ended. The daemon remembers the end for a day, and with a journal on disk for its retention longer.",
};
