// How questions end: entries of docs/reference/states.md, which `npm run generate` writes. Texts are Markdown with links relative to docs/reference.
import type { ResolvedBy } from "./question-result.js";

export interface ResolutionGuide {
  /** The cause of the end. */
  readonly cause: string;
  /** The decision or answer that the agent gets. */
  readonly result: string;
}

/** Each end of a question. */
export const RESOLUTION_GUIDE: Readonly<Record<ResolvedBy, ResolutionGuide>> = {
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
