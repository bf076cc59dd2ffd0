// Which events are said, and how. docs/listening.md has the same table.
import type { Envelope } from "#gen/aaep/types.js";
import { endsSession } from "../terminal/event-text.js";

export const MODES = ["done", "sentence", "questions"] as const;
export type Mode = (typeof MODES)[number];

export type Kind = "question" | "outcome" | "error" | "tool" | "state" | "text" | "progress" | "start" | "end";

/**
 * `now`: said over text, and again until it was said whole. `aloud`: in its turn. `silence`: if nothing else is to be said, else dropped. `never`:
 * not said, and known to the keys.
 */
export type How = "now" | "aloud" | "silence" | "never";

export const NARRATION: Readonly<Record<Mode, Readonly<Record<Kind, How>>>> = {
  done: {
    question: "now",
    outcome: "aloud",
    error: "now",
    tool: "never",
    state: "never",
    text: "never",
    progress: "silence",
    start: "silence",
    end: "aloud",
  },
  sentence: {
    question: "now",
    outcome: "aloud",
    error: "now",
    tool: "aloud",
    state: "aloud",
    text: "aloud",
    progress: "silence",
    start: "aloud",
    end: "aloud",
  },
  questions: {
    question: "now",
    outcome: "aloud",
    error: "now",
    tool: "never",
    state: "never",
    text: "never",
    progress: "never",
    start: "never",
    end: "never",
  },
};

/** The kind of an event with the short spelling of its type. An extension's event counts as a state. */
export function kindOf(event: Envelope): Kind {
  if (event.extensions?.aaepd?.decision !== undefined) return "outcome";
  const topic = event.type.replace("aaep:agent.", "");
  if (topic.startsWith("awaiting.") || topic === "handoff.requested") return "question";
  if (topic === "session.errored") return "error";
  if (topic === "session.started") return "start";
  if (endsSession(event)) return "end";
  if (topic.startsWith("tool.")) return "tool";
  if (topic === "output.streaming") return "text";
  return topic === "progress.updated" ? "progress" : "state";
}
