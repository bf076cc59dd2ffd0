// The meaning of the recommended states: entries of docs/reference/states.md, which `npm run generate` writes.
import type { StandardState } from "./agent-states.js";

/** The situation of an agent in each state, as a sentence. */
export const STATE_GUIDE: Readonly<Record<StandardState, string>> = {
  idle: "The agent does nothing in this session. Every agent begins in this state.",
  thinking: "The agent works out its next step.",
  calling_tool: "The agent waits for a tool.",
  writing_output: "The agent writes text for the person.",
  awaiting_input: "The agent waits for a person.",
  deciding: "The agent chooses between several ways.",
  handing_off: "The agent hands the session over to a person or to another agent.",
};
