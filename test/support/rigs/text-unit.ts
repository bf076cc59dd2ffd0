// Text as a view hands it to subscriptions.
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { TextUnit } from "../../../src/engine/views/unit.js";

export const BASE: AgentEvent = {
  "@context": "https://aaep-protocol.org/context/v1",
  type: "aaep:agent.output.streaming",
  event_id: "evt_1",
  session_id: "sess_1",
  timestamp: "2026-05-24T14:00:00.000Z",
  producer: { agent_id: "agent" },
};

/** A chunk of one output, with this many code points before it. */
export function textUnit(position: number, chunk: string, changes: Partial<TextUnit> = {}): TextUnit {
  return {
    kind: "text",
    session: "sess_1",
    agent: "agent",
    at: 0,
    firstEpoch: position + 1,
    epoch: position + 1,
    releasedAt: position + 1,
    output: "sess_1/out_1",
    position,
    endPosition: position + chunk.length,
    text: chunk,
    hint: "sentence",
    complete: false,
    timestamp: BASE.timestamp,
    base: BASE,
    mergeable: true,
    verbatim: undefined,
    ...changes,
  };
}
