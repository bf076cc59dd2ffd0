// States that an agent enters without saying so, because its events imply them (R3a).
import type { TopicKind } from "./event.js";
import { type AgentRecord, AWAITING_INPUT } from "./session-record.js";

/** What an event of a kind implies without the agent saying so; undefined where that is nothing. */
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

const BITS = { calling_tool: 1, writing_output: 2, [AWAITING_INPUT]: 4, handing_off: 8 } as const;

export type ImpliedState = keyof typeof BITS;

const BIT_OF: ReadonlyMap<string, number> = new Map(Object.entries(BITS));

/** The record must have been touched by the undo log. */
export function implyState(agent: AgentRecord, state: ImpliedState): void {
  agent.impliedStates |= BITS[state];
  agent.current = state;
}

/** Takes one implied state back. The record must have been touched by the undo log. */
export function unimplyState(agent: AgentRecord, state: ImpliedState): void {
  agent.impliedStates &= ~BITS[state];
}

/** Whether an event since the agent's last state.changed implies the state. */
export function isImplied(agent: AgentRecord, state: string): boolean {
  return ((BIT_OF.get(state) ?? 0) & agent.impliedStates) !== 0;
}
