// The agent states that the engine names, and the states that events imply (AAEP §4.2.1, R3a).
import type { TopicKind } from "./event.js";

/** The recommended states of AAEP §4.2.1, in the order of a task; an agent may use others. */
export const STANDARD_STATES = [
  "idle",
  "thinking",
  "calling_tool",
  "writing_output",
  "awaiting_input",
  "deciding",
  "handing_off",
] as const;
export type StandardState = (typeof STANDARD_STATES)[number];

/** The state in which an agent waits for a person (AAEP §4.2.1). */
export const AWAITING_INPUT = "awaiting_input";

/** A state that an event can imply. */
export type ImpliedState = "calling_tool" | "writing_output" | typeof AWAITING_INPUT | "handing_off";

/** The state that an event of a kind implies; undefined if it implies none. */
export function stateImpliedBy(kind: TopicKind): ImpliedState | undefined {
  switch (kind) {
    case "tool.invoked":
      return "calling_tool";
    case "output.streaming":
      return "writing_output";
    case "awaiting.confirmation":
    case "awaiting.clarification":
      return AWAITING_INPUT;
    case "handoff.requested":
      return "handing_off";
    default:
      return undefined;
  }
}
