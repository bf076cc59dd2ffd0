// Bookkeeping of the states that an agent entered without a state.changed, because its events imply them (R3a).
import { AWAITING_INPUT, type ImpliedState } from "../event/agent-states.js";
import type { AgentRecord } from "./session-record.js";

const BITS = { calling_tool: 1, writing_output: 2, [AWAITING_INPUT]: 4, handing_off: 8 } as const satisfies Readonly<
  Record<ImpliedState, number>
>;

const BIT_OF: ReadonlyMap<string, number> = new Map(Object.entries(BITS));

/** Adds one implied state. The caller has touched the record in the undo log. */
export function implyState(agent: AgentRecord, state: ImpliedState): void {
  agent.impliedStates |= BITS[state];
  agent.current = state;
}

/** Removes one implied state. The caller has touched the record in the undo log. */
export function unimplyState(agent: AgentRecord, state: ImpliedState): void {
  agent.impliedStates &= ~BITS[state];
}

/** Whether an event since the agent's last state.changed implies `state`. */
export function isImplied(agent: AgentRecord, state: string): boolean {
  return ((BIT_OF.get(state) ?? 0) & agent.impliedStates) !== 0;
}
