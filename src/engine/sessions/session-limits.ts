// Limits of one session: how much it may keep open at a time, and how much of its past it remembers. Both cost memory, and open parts also cost work
// when the session is summarized or closed. The daemon refuses an open part beyond the limit; of the past it forgets the oldest instead.
import { Fault } from "../../base/errors.js";
import { questionKind, topicKind } from "../event/event.js";
import type { PublishedEvent } from "./published-event.js";

/** Counts at which a session refuses or forgets. `SESSION_COUNTS` has the defaults. */
export interface SessionCounts {
  /** Agents of a session. */
  readonly agents: number;
  /** Open tools. */
  readonly tools: number;
  /** Open outputs. */
  readonly outputs: number;
  /** Open questions. */
  readonly questions: number;
  /** Open questions of all sessions together: the end of the last subscription that can answer resolves all of them (R34). */
  readonly allQuestions: number;
  /** Most events of one plan, the daemon's included. By default, a full array that ends one full session fits. */
  readonly plannedEvents: number;
  /** tool_call_ids remembered as used. The ids of open tools are known in any case. */
  readonly callIds: number;
  /** Completed outputs remembered. An output whose id is forgotten starts again (AAEP §4.5.4). */
  readonly completedOutputs: number;
  /** Outcomes of questions that an agent can ask for, and that an agent that comes back receives (R8). Their tokens are not used again. */
  readonly outcomes: number;
  /** Accepted, unused confirmations of its agents. An agent whose confirmation was forgotten has to ask again (R5). */
  readonly confirmations: number;
}

export const SESSION_COUNTS: SessionCounts = {
  agents: 64,
  tools: 128,
  outputs: 64,
  questions: 64,
  allQuestions: 256,
  plannedEvents: 512,
  callIds: 256,
  completedOutputs: 256,
  outcomes: 256,
  confirmations: 256,
};

const WAYS = {
  agents: "Start another session for further agents",
  tools: "Publish tool.completed for one first",
  outputs: "Complete one first",
  questions: "Wait for an outcome first",
} as const;

/** Most bytes of outcomes of all sessions together, by estimate. The oldest outcome is forgotten first, in whichever session it is. */
export const OUTCOMES_KEPT_BYTES = 8 * 1024 * 1024;

/** Limits of one publish and of one publisher, so that no work has to be left half done (R34). `PUBLISH_LIMITS` has the defaults. */
export interface PublishLimits {
  readonly events: number;
  /** UTF-16 units of the text of all chunks; not below the longest chunk. */
  readonly characters: number;
  readonly questions: number;
  /** Open sessions of one connection. */
  readonly openSessions: number;
}

export const PUBLISH_LIMITS: PublishLimits = { events: 256, characters: 65_536, questions: 16, openSessions: 1024 };

export interface SessionLimits {
  /**
   * Largest permitted difference between an agent's timestamp and the daemon's clock, in ms (R3b, `clock_skew_seconds`). Beyond it:
   * `timestamp_skewed`.
   */
  readonly clockSkewMs: number;
  /** Default `SESSION_COUNTS`. */
  readonly sessionCounts?: SessionCounts;
  /** Default `PUBLISH_LIMITS`. */
  readonly publishLimits?: PublishLimits;
}

/** Throws "message_too_large" for an array beyond the limits. A single event is within them (R34). */
export function checkPublish(inputs: readonly PublishedEvent[], limits: PublishLimits): void {
  if (inputs.length <= 1) return;
  let [characters, questions] = [0, 0];
  for (const { fields } of inputs) {
    if (typeof fields.chunk === "string") characters += fields.chunk.length;
    if (questionKind(topicKind(fields.type)) !== undefined) questions += 1;
  }
  for (const [what, count, most] of [
    ["events", inputs.length, limits.events],
    ["characters of text", characters, limits.characters],
    ["questions", questions, limits.questions],
  ] as const) {
    if (count <= most) continue;
    const sentence = `Publish at most ${most} ${what} at a time; these are ${count}.`;
    throw new Fault("message_too_large", sentence, { pointer: "", rule: "R34" });
  }
}

/** Throws "rate_limit" if a connection with `openCount` open sessions may not begin another one (R34). */
export function checkOpenSessions({ openSessions }: PublishLimits, openCount: number): void {
  if (openCount < openSessions) return;
  const sentence = `End a session first: one agent has at most ${openSessions} open sessions.`;
  throw new Fault("rate_limit", sentence, { pointer: "/session_id", rule: "R34" });
}

/**
 * Throws "message_too_large" if an event and its `closureCount` closing events would bring a plan of `plannedCount` events beyond `plannedEvents`.
 * The engine serves nobody else while it makes a plan.
 */
export function checkClosures({ plannedEvents }: SessionCounts, plannedCount: number, closureCount: number): void {
  if (plannedCount + closureCount + 1 <= plannedEvents) return;
  const sentence = `End sessions and withdraw questions in several publishes; with what it closes, this one makes more than ${plannedEvents} events.`;
  throw new Fault("message_too_large", sentence, { pointer: "", rule: "R3" });
}

/** Throws "rate_limit" if `openCount` has reached its limit. */
export function checkOpenLimit(
  counts: SessionCounts,
  what: keyof typeof WAYS,
  openCount: number,
  pointer: string,
): void {
  if (openCount < counts[what]) return;
  const open = what === "agents" ? "" : "open ";
  throw new Fault("rate_limit", `${WAYS[what]}: a session has at most ${counts[what]} ${open}${what}.`, {
    pointer,
    rule: "AAEP §4.5",
  });
}

/** Throws "rate_limit" if the questions that are open in all sessions and those that are asked are more than `allQuestions` (R34). */
export function checkQuestionRoom({ allQuestions }: SessionCounts, openCount: number, askedCount: number): void {
  if (openCount + askedCount <= allQuestions) return;
  const sentence = `Wait for an outcome first: all sessions together may have ${allQuestions} open questions.`;
  throw new Fault("rate_limit", sentence, { pointer: "", rule: "R34" });
}
