// The recommended states of agents, the phases of sessions and the ends of questions. Texts are Markdown with links relative to docs/reference.

/** The situation of an agent in each state, as a sentence. */
export const STATE_GUIDE = {
  idle: "The agent does nothing in this session. Every agent begins in this state.",
  thinking: "The agent works out its next step.",
  calling_tool: "The agent waits for a tool.",
  writing_output: "The agent writes text for the person.",
  awaiting_input: "The agent waits for a person.",
  deciding: "The agent chooses between several ways.",
  handing_off: "The agent hands the session over to a person or to another agent.",
};

/** Each phase in a sentence. The events of each are in the table of session-sequence.ts. */
export const PHASE_GUIDE = {
  absent: "No session with this id has started, or the daemon has forgotten it.",
  open: "The session has started and has not ended.",
  ended:
    "The session has ended. The daemon remembers the end for a day, and with a journal on disk for its retention longer.",
};

/** Each end of a question: its cause, and the decision or answer that the agent gets. */
export const RESOLUTION_GUIDE = {
  reply: {
    cause: "A subscription that was asked answered first and in time.",
    result: "The person's decision or answer. Only this end permits an irreversible call.",
  },
  timeout: { cause: "Nobody answered within `timeout_seconds`.", result: "The default." },
  no_subscriber: {
    cause:
      "No subscription that can answer was there for [`confirmation_grace_seconds`](../configuration.md#confirmation_grace_seconds).",
    result: "The default.",
  },
  subscription_ended: {
    cause:
      "The last subscription that could answer was away for [`reconnect_grace_seconds`](../configuration.md#reconnect_grace_seconds).",
    result: "The default.",
  },
  host: {
    cause:
      "The person answered in [a dialog of the agent's own](../confirmations.md#a-dialog-of-the-agents-own), and the agent reported it.",
    result: "The decision of that dialog.",
  },
  cancelled: {
    cause:
      "The agent took the question back, its session ended, the agent did not come back in time, or the question is left to [the window of its host](../confirmations.md#a-dialog-of-the-agents-own).",
    result: "None.",
  },
};
