// Good and bad examples of every schema of Akashik, by its title.
import { type AkashikDocument, envelope, UNIT } from "./envelopes.js";

export interface Examples {
  readonly good: readonly AkashikDocument[];
  readonly bad: readonly unknown[];
}

const CONFIDENCE = { score: 0.8, reasoning: "Two reports agree.", evidence: ["Report A"], assumptions: [] };

const MEMORY_UNIT: AkashikDocument = {
  id: "mem-1",
  type: "finding",
  mode: "committed",
  content: "The market grows.",
  intent: { purpose: "Plan.", task_id: null, question: null },
  confidence: CONFIDENCE,
  relations: [{ type: "contradicts", target_id: "mem-0", description: null }],
  source: { agent_id: "researcher-01", role: "researcher", session_id: null },
  epoch: 31,
  status: "contested",
};

const CONFLICT: AkashikDocument = {
  id: "conf-1",
  type: "contradiction",
  status: "open",
  unit_a: "mem-0",
  unit_b: "mem-1",
  epoch: 31,
  resolution: null,
};

const SUBSCRIPTION: AkashikDocument = {
  id: "sub-1",
  events: ["memory.recorded"],
  min_relevance: 0.6,
  debounce_ms: 2000,
};

const NOTIFICATION: AkashikDocument = {
  subscription_id: "sub-1",
  event: "memory.recorded",
  epoch: 31,
  relevance_score: 0.8,
  summary: "researcher-01 recorded a finding: The market grows.",
  memory_unit_id: "mem-1",
  conflict_id: null,
  requires_action: false,
};

const REGISTERED: AkashikDocument = {
  status: "registered",
  agent: { id: "a", role: "strategist", interests: ["pricing"], status: "active", epoch: 3 },
  field_capabilities: {
    conformance_level: 2,
    supported_operations: ["RECORD"],
    protocol_version: "0.1.0",
    persistence: "durable",
    conflict_strategies: ["last_write_wins"],
  },
  rejection_reason: null,
};

const BUDGET: AkashikDocument = { units_returned: 1, units_available: 1, tokens_used: 12, tokens_budget: null };

const ATTUNED: AkashikDocument = {
  status: "ok",
  record: [{ memory_unit: MEMORY_UNIT, relevance_score: 0.5, relevance_reason: "It names pricing.", format: "full" }],
  conflicts: [CONFLICT],
  context_budget: BUDGET,
  epoch: 32,
};

const RESOLVED: AkashikDocument = {
  ...CONFLICT,
  status: "resolved",
  resolution: {
    strategy: "confidence_weighted",
    winner_id: "mem-1",
    synthesis: null,
    rationale: null,
    resolved_by: "strategist-01",
    epoch: 33,
  },
};

const ERROR: AkashikDocument = {
  status: "error",
  error: {
    code: "MISSING_INTENT",
    message: "A memory unit needs `intent.purpose`.",
    operation: "RECORD",
    recoverable: true,
    suggested_action: "Give it.",
  },
};

/** The document with some members replaced; undefined leaves one out. */
function but(document: AkashikDocument, changes: AkashikDocument): AkashikDocument {
  return Object.fromEntries(Object.entries({ ...document, ...changes }).filter(([, value]) => value !== undefined));
}

const subscribe = (subscription: AkashikDocument): AkashikDocument => ({ action: "subscribe", subscription });
const EVENTS = { events: ["memory.recorded"] };

export const EXAMPLES: Readonly<Record<string, Examples>> = {
  AkashikRequest: {
    good: [envelope("DETECT", {}), envelope("HANDOFF", { x: 1 }, { agent_id: null, session_id: "s", epoch: -1, x: 1 })],
    bad: [
      envelope("DETECT", {}, { protocol: "AKASHIK" }),
      envelope("DETECT", {}, { id: null }),
      envelope("", {}),
      envelope("DETECT", {}, { epoch: null }),
      but(envelope("DETECT", {}), { version: undefined }),
      [],
    ],
  },
  AkashikAnswer: {
    good: [envelope("DETECT", { status: "ok" }), envelope("DETECT", {}, { id: null, operation: null, agent_id: null })],
    bad: [envelope("DETECT", {}, { epoch: 1.5 }), but(envelope("DETECT", {}), { session_id: undefined })],
  },
  AkashikRegisterRequest: {
    good: [
      { id: "a", role: "r" },
      { id: "a", role: "r", interests: ["x"], required_operations: null },
    ],
    bad: [{ id: "a" }, { role: "r" }, { id: "", role: "r" }, { id: "a", role: "r", interests: [""] }],
  },
  AkashikRegisterAnswer: {
    good: [REGISTERED, { ...REGISTERED, status: "rejected", agent: null, rejection_reason: "Not offered: REPLAY." }],
    bad: [
      but(REGISTERED, { agent: undefined }),
      { ...REGISTERED, status: "ok" },
      { ...REGISTERED, agent: { id: "a" } },
    ],
  },
  AkashikDeregisterRequest: { good: [{}, { agent_id: null }, { agent_id: "a" }], bad: [{ agent_id: 1 }] },
  AkashikDeregisterAnswer: {
    good: [{ status: "ok", cleanup: { subscriptions: 2, notifications: 0 } }],
    bad: [{ status: "ok" }, { status: "ok", cleanup: { subscriptions: -1, notifications: 0 } }],
  },
  AkashikRecordRequest: {
    good: [
      UNIT,
      { type: "question", content: "c", intent: { purpose: "p" }, mode: null, confidence: null, relations: null },
    ],
    bad: [
      { ...UNIT, confidence: { score: 1.5 } },
      { ...UNIT, relations: [{ type: "supports" }] },
    ],
  },
  AkashikRecordAnswer: {
    good: [
      {
        status: "recorded",
        memory_unit_id: "mem-1",
        epoch: 31,
        conflicts_detected: [CONFLICT],
        rejection_reason: null,
      },
    ],
    bad: [{ status: "recorded", memory_unit_id: "mem-1", epoch: 31, conflicts_detected: null, rejection_reason: null }],
  },
  AkashikAttuneRequest: {
    good: [
      {},
      { scope: { role: "r", max_units: 0, relevance_threshold: 1 }, format: "summary", since_epoch: 0 },
      { scope: null, context_hint: null, format: null, since_epoch: null },
    ],
    bad: [{ scope: { max_units: 1.5 } }, { since_epoch: "5" }],
  },
  AkashikAttuneAnswer: {
    good: [
      ATTUNED,
      { ...ATTUNED, record: [], conflicts: [], context_budget: { ...BUDGET, tokens_budget: 100 } },
      {
        ...ATTUNED,
        record: [{ memory_unit: { id: "m" }, relevance_score: 0, relevance_reason: "", format: "ids_only" }],
      },
    ],
    bad: [but(ATTUNED, { context_budget: undefined }), { ...ATTUNED, record: [{ memory_unit: MEMORY_UNIT }] }],
  },
  AkashikDetectRequest: { good: [{}, { mode: "list" }, { mode: null }], bad: [{ mode: "scan" }] },
  AkashikDetectAnswer: {
    good: [{ status: "ok", conflicts: [CONFLICT, RESOLVED] }],
    bad: [{ status: "ok" }, { status: "ok", conflicts: [but(CONFLICT, { unit_b: undefined })] }],
  },
  AkashikMergeRequest: {
    good: [
      { conflict_id: "c", strategy: "last_write_wins" },
      {
        conflict_id: "c",
        strategy: "human_escalation",
        resolution: { winner_id: "m", synthesis: null, rationale: "r" },
      },
    ],
    bad: [{ conflict_id: "c" }, { strategy: "last_write_wins" }, { conflict_id: "c", strategy: "vote" }],
  },
  AkashikMergeAnswer: {
    good: [
      { status: "resolved", conflict: RESOLVED, side_effects: [{ memory_unit_id: "mem-0", status: "superseded" }] },
      { status: "escalated", conflict: { ...CONFLICT, status: "escalated" }, side_effects: [] },
    ],
    bad: [{ status: "resolved", conflict: null, side_effects: [] }],
  },
  AkashikSubscribeRequest: {
    good: [
      subscribe(EVENTS),
      subscribe({ id: null, ...EVENTS, min_relevance: 0.6, debounce_ms: 2000 }),
      subscribe({ ...EVENTS, min_relevance: null, debounce_ms: null }),
    ],
    bad: [subscribe({}), { ...subscribe(EVENTS), action: "list" }],
  },
  AkashikUnsubscribeRequest: {
    good: [{ action: "unsubscribe", subscription: { id: "sub-1" } }],
    bad: [{ action: "unsubscribe", subscription: { id: null } }, { action: "unsubscribe" }],
  },
  AkashikListRequest: {
    good: [{ action: "list" }, { action: "list", subscription: {} }],
    bad: [{}, { action: "all" }],
  },
  AkashikSubscribeAnswer: {
    good: [
      { status: "ok", subscription_id: "sub-xyz789" },
      { status: "not_found", subscription_id: "sub-1" },
    ],
    bad: [{ status: "ok" }, { status: "done", subscription_id: "sub-1" }],
  },
  AkashikListAnswer: {
    good: [
      { status: "ok", subscriptions: [SUBSCRIPTION, { ...SUBSCRIPTION, min_relevance: null, debounce_ms: null }] },
    ],
    bad: [
      { status: "ok", subscriptions: null },
      { status: "ok", subscriptions: [but(SUBSCRIPTION, { id: undefined })] },
    ],
  },
  AkashikNotification: {
    good: [NOTIFICATION, { ...NOTIFICATION, memory_unit_id: null, conflict_id: "conf-1", requires_action: true }],
    bad: [
      // Members that may be null are there.
      but(NOTIFICATION, { memory_unit_id: undefined }),
      but(NOTIFICATION, { conflict_id: undefined }),
      { ...NOTIFICATION, event: "memory.lost" },
      { ...NOTIFICATION, relevance_score: 1.01 },
      { ...NOTIFICATION, requires_action: "no" },
    ],
  },
  AkashikError: {
    good: [ERROR],
    bad: [
      { ...ERROR, status: "ok" },
      {
        status: "error",
        error: { code: "OOPS", message: "", operation: null, recoverable: true, suggested_action: "" },
      },
      { status: "error", error: { code: "INVALID_TYPE", message: "" } },
    ],
  },
};
