// Sessions with a clock that stands still, ids that count, and agents that publish in one line.
import { createHash } from "node:crypto";
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Change, PublishContext, SessionsOptions } from "../../../src/engine/sessions/change.js";
import { sentHash } from "../../../src/engine/sessions/published-event.js";
import { SESSION_COUNTS, type SessionCounts } from "../../../src/engine/sessions/session-limits.js";
import { Sessions } from "../../../src/engine/sessions/sessions.js";

export type Fields = Record<string, unknown>;

/** 2026-05-24T14:22:11.000Z */
export const WALL_TIME = 1_779_632_531_000;

export const SESSION = "sess_1";

/** The events of one session by their short names, with what their schemas require. */
export function eventOf(kind: string, fields: Fields = {}): Fields {
  const required: Readonly<Record<string, Fields>> = {
    "session.started": { summary_normal: "Begins." },
    "session.completed": { summary_normal: "Done." },
    "session.errored": { error_category: "unknown", summary_normal: "Failed." },
    "session.cancelled": { cancelled_by: "user", summary_normal: "Stopped." },
    "state.changed": { from_state: "idle", to_state: "thinking" },
    "progress.updated": { progress: { percent: 10 } },
    "tool.invoked": { tool: "search", summary_normal: "Searches." },
    "tool.completed": { tool: "search", status: "success" },
    "output.streaming": { chunk: "text", complete: false },
    "awaiting.confirmation": {
      action: "Send it.",
      consequence: "It is sent.",
      reply_token: "rpl_1",
      timeout_seconds: 60,
      default_decision: "reject",
    },
    "awaiting.clarification": { question: "Which?", reply_token: "rpl_1", timeout_seconds: 60 },
    "handoff.requested": { reason: "Too hard.", target_kind: "human" },
  };
  const type = kind.includes(":") ? kind : `aaep:agent.${kind}`;
  return { type, session_id: SESSION, ...required[kind], ...fields };
}

/** A token's hash can be read; a text has one of its own. */
export const hashOf = (text: string): string =>
  text.startsWith("{") ? createHash("sha256").update(text).digest("hex") : `hash of ${text}`;

interface StageOptions extends Partial<SessionsOptions> {
  /** Counts in place of those of `SESSION_COUNTS`. */
  readonly counts?: Partial<SessionCounts>;
  /** The tokens of all questions that were asked. */
  readonly asked?: Set<string>;
}

export function createStage({ counts, asked = new Set(), ...options }: StageOptions = {}) {
  const sessions = new Sessions({
    limits: { clockSkewMs: 60_000, sessionCounts: { ...SESSION_COUNTS, ...counts } },
    validate: () => undefined,
    hashToken: hashOf,
    isTokenUsed: (token) => asked.has(token),
    defaultLanguage: "en-US",
    summary: (text) => ({
      summary_normal:
        text.kind === "tool_abandoned" ? `Gave up ${text.tool}.` : "because" in text ? text.because : text.kind,
    }),
    ...options,
  });
  let serial = 0;
  const ids = {
    hex: (bytes: number) => {
      serial += 1;
      return serial.toString(16).padStart(bytes * 2, "0");
    },
  };
  const stage = {
    sessions,
    connection: { name: "first" } as object,
    wallTime: WALL_TIME,
    now: 1000,
    log: [] as AgentEvent[],
    published: new Map<string, JournaledEvent>(),
    context: (changes: Partial<PublishContext> = {}): PublishContext => ({
      agent: { agent_id: "planner" },
      agentLanguage: undefined,
      producerId: undefined,
      connection: stage.connection,
      now: stage.now,
      wallTime: stage.wallTime,
      ids,
      isArray: false,
      known: (eventId) => stage.published.get(eventId),
      ...changes,
    }),
    /** Publishes events and files what they changed. */
    publishAll: (inputs: readonly Fields[], changes: Partial<PublishContext> = {}): Change =>
      stage.filed(
        sessions.publish(
          inputs.map((fields) => ({ fields, source: JSON.stringify(fields) })),
          stage.context({ isArray: inputs.length !== 1, ...changes }),
        ),
      ),
    /** Files a change, and answers it. */
    filed: (change: Change): Change => {
      const { events } = change;
      for (const { token } of change.asked ?? []) asked.add(token);
      sessions.journaled(
        change,
        events.map((event, index) => ({ ...event, epoch: stage.log.length + index + 1 })),
      );
      stage.log.push(...events.map(({ event }) => event));
      return change;
    },
    publish: (kind: string, fields: Fields = {}, changes: Partial<PublishContext> = {}): Change => {
      const sent = eventOf(kind, fields);
      const change = stage.publishAll([sent], changes);
      for (const answer of change.answers) {
        const made = answer.kind === "accepted" ? change.events[answer.index] : undefined;
        if (made !== undefined)
          stage.published.set(made.event.event_id, { ...made, sent: sentHash(JSON.stringify(sent), hashOf), epoch: 0 });
      }
      return change;
    },
    /** The last event that went out. */
    last: (): AgentEvent => {
      const event = stage.log.at(-1);
      if (event === undefined) throw new Error("nothing went out");
      return event;
    },
    start: () => stage.publish("session.started"),
  };
  return stage;
}

export type Stage = ReturnType<typeof createStage>;
