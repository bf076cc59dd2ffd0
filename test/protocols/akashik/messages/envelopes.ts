// Messages of agents, as tests write them, and the payloads of wrong form.

export type AkashikDocument = Readonly<Record<string, unknown>>;

/** The page's own example, literally. */
export const PAGE_REQUEST = `{
  "protocol": "akashik",
  "version": "0.1.0",
  "id": "msg-030",
  "operation": "SUBSCRIBE",
  "agent_id": "strategist-01",
  "session_id": null,
  "epoch": 30,
  "payload": {
    "action": "subscribe",
    "subscription": {
      "events": ["conflict.detected", "memory.recorded"],
      "min_relevance": 0.6,
      "debounce_ms": 2000
    }
  }
}`;

/** A message of an agent. */
export function envelope(operation: string, payload: AkashikDocument, more: AkashikDocument = {}): AkashikDocument {
  return {
    protocol: "akashik",
    version: "0.1.0",
    id: "msg-001",
    operation,
    agent_id: "strategist-01",
    session_id: null,
    epoch: 0,
    payload,
    ...more,
  };
}

/** The payload of a RECORD that has everything. */
export const UNIT: AkashikDocument = {
  mode: "committed",
  type: "finding",
  content: "The European market grows by a fifth each year.",
  intent: { purpose: "Decide where to open the next office.", task_id: "task-1", question: "Where?" },
  confidence: {
    score: 0.8,
    reasoning: "Two independent reports agree.",
    evidence: ["Report A", "Report B"],
    assumptions: ["No recession"],
  },
  relations: [{ type: "supports", target_id: "mem-1", description: "Same trend." }],
};
