// What is remembered of one session, and how it looks from outside. Data only: every rule that changes it is in session-sequence.ts.
import type { Millis } from "../../contracts/clock.js";
import type { AgentEvent, Producer } from "../event/event.js";
import type { Timestamp } from "../event/timestamps.js";
import type { Outcome } from "../messages/catalogues/catalogue.js";
import type { TextLengths } from "../text/chunk-text.js";
import type { PublishedEvent } from "./same-publish.js";
import type { Undoable } from "./undo-log.js";

/** What is remembered under one name, the oldest first, with the number of each. */
export type HistoryIndex<Key> = Map<Key, number>;

export type SessionPhase = "absent" | "open" | "ended";

/** What a confirmation accepted by a reply permits: one irreversible invocation, of this tool or call where it named one (R5). */
export interface AcceptedConfirmation {
  /** What was asked, in words; undefined for a question that is no confirmation. */
  readonly action: string | undefined;
  readonly tool: string | undefined;
  readonly toolCallId: string | undefined;
}

/** One agent within one session (R3a). */
export interface AgentRecord extends Undoable {
  readonly agentId: string;
  producer: Producer;
  /** Its last `to_state`, or the state the daemon restored (R6). */
  state: string;
  /** The last `to_state` that went out for it, also one the daemon supplied. */
  told: string;
  /** Where it stands now: its last `to_state`, or what a later event implies. */
  current: string;
  /** States implied since its last state.changed; bits of session-sequence.ts. */
  impliedStates: number;
  /** What `awaiting_input` was entered from. */
  stateBeforeAwaiting: string;
  /** The daemon restored its state and it has sent no state.changed since. */
  isRestored: boolean;
  openQuestionCount: number;
  /** Percent of its last progress. */
  percent: number | undefined;
  /** The latest instant it named. */
  latest: Timestamp | undefined;
  readonly confirmations: HistoryIndex<AcceptedConfirmation>;
}

export interface OpenTool {
  readonly tool: string;
  readonly toolCallId: string | undefined;
  readonly producer: Producer;
  /** Of the event that invoked it. */
  readonly ordinal: number;
}

/** What of a chunk decides whether it may be merged with another (R10). */
export type ChunkLook = Pick<AgentEvent, "producer"> & Readonly<Record<string, unknown>>;

/** One logical output that is open: the chunks of one `output_id`, or those without. */
export interface OutputRecord extends Undoable, TextLengths {
  readonly outputId: string | undefined;
  /** Of its first chunk. */
  readonly ordinal: number;
  /** First half of a character, waiting for its second (R25). */
  carry: string;
  /** Of the last chunk: what closes the output must look alike. */
  last: ChunkLook | undefined;
  /** The language of its first chunk, which later chunks that name none are in (R2). Undefined before that. */
  language: string | undefined;
}

export interface OpenQuestion {
  readonly kind: "confirmation" | "clarification";
  readonly token: string;
  readonly sessionId: string;
  readonly agentId: string;
  /** The event that asks, as it went out. */
  readonly event: AgentEvent;
  /** When it was received; its deadline counts from here (R3b). */
  readonly at: Millis;
  /** The same instant, in milliseconds since 1970: replies say theirs by the clock on the wall. */
  readonly receivedAt: number;
  readonly ordinal: number;
  /** What it confirms, where its `extra_context` says so (R5). */
  readonly permits: AcceptedConfirmation;
}

/** What became of a question. "withdrawn": its agent went on without it, or its session ended. */
export type QuestionFate = Outcome["decision"] | "withdrawn";

/** How a question ended. */
export interface QuestionOutcome {
  readonly token: string;
  readonly outcome: QuestionFate;
}

/** An event that was in order and did not go out, with its number among the session's facts. */
export interface SuppressedEvent {
  readonly published: PublishedEvent;
  readonly number: number;
}

export interface SessionRecord extends Undoable {
  readonly sessionId: string;
  phase: SessionPhase;
  /** The agent that started it. */
  starter: Producer;
  /** The language of its start's texts (R2). */
  language: string | undefined;
  /** The agent that spoke last. */
  lastAgentId: string;
  readonly agents: Map<string, AgentRecord>;
  /** Those that are open. */
  readonly outputs: Map<string, OutputRecord>;
  /** The keys of the newest that are complete. */
  readonly completedOutputs: HistoryIndex<string>;
  readonly toolsByCallId: Map<string, OpenTool>;
  /** Those without a call's id, by name and by ordinal. */
  readonly toolsByName: Map<string, Map<number, OpenTool>>;
  openToolCount: number;
  /** Of the newest invocations. */
  readonly usedCallIds: HistoryIndex<string>;
  readonly questions: Map<string, OpenQuestion>;
  /** What is being asked, by agent and words, with its token: the same is not asked twice at a time (AAEP §6.1). */
  readonly asking: Map<string, string>;
  /** Of the newest questions. */
  readonly replyTokens: HistoryIndex<string>;
  /** The newest. */
  readonly outcomes: HistoryIndex<QuestionOutcome>;
  /** The newest events that were in order and did not go out, by their ids (R3, R3a). */
  readonly suppressed: Map<string, SuppressedEvent>;
  /** Of facts so far: each has a number of its own. */
  historyCount: number;
  /** Events that went out, the daemon's included. */
  ordinal: number;
  /** The next `sequence_number`; undefined where the session has none (R16). */
  nextSequenceNumber: number | undefined;
  latestMicros: number;
  /** The latest timestamp of any agent, as it was written. */
  latestText: string;
  /** The connection it belongs to; undefined while its agent is away (R8). */
  owner: object | undefined;
  /** Taken over from the run before, and its agent has not come back yet (R8b). */
  isLeftOver: boolean;
  /** Of its token (R8). */
  tokenHash: string;
  /** The token itself, where the daemon made it in this run, for the connection that repeats its start; undefined where its agent chose it. */
  resumeToken: string | undefined;
  /** Whoever has it now took it over, and speaks in it as its starter (R2). */
  isResumed: boolean;
}

export function createSessionRecord(sessionId: string): SessionRecord {
  return {
    generation: 0,
    sessionId,
    phase: "absent",
    starter: { agent_id: "" },
    language: undefined,
    lastAgentId: "",
    agents: new Map(),
    outputs: new Map(),
    completedOutputs: new Map(),
    toolsByCallId: new Map(),
    toolsByName: new Map(),
    openToolCount: 0,
    usedCallIds: new Map(),
    questions: new Map(),
    asking: new Map(),
    replyTokens: new Map(),
    outcomes: new Map(),
    suppressed: new Map(),
    historyCount: 0,
    ordinal: 0,
    nextSequenceNumber: undefined,
    latestMicros: Number.NEGATIVE_INFINITY,
    latestText: "",
    owner: undefined,
    isLeftOver: false,
    tokenHash: "",
    resumeToken: undefined,
    isResumed: false,
  };
}

export function createAgentRecord(producer: Producer): AgentRecord {
  return {
    generation: 0,
    agentId: producer.agent_id,
    producer,
    state: "idle",
    told: "idle",
    current: "idle",
    impliedStates: 0,
    stateBeforeAwaiting: "idle",
    isRestored: false,
    openQuestionCount: 0,
    percent: undefined,
    latest: undefined,
    confirmations: new Map(),
  };
}

export function createOutputRecord(outputId: string | undefined, ordinal: number): OutputRecord {
  return {
    generation: 0,
    outputId,
    ordinal,
    codePoints: 0,
    utf16Units: 0,
    utf8Bytes: 0,
    carry: "",
    last: undefined,
    language: undefined,
  };
}

/** The session's open tools, in the order in which they were invoked. */
export function openTools(session: SessionRecord): readonly OpenTool[] {
  if (session.openToolCount === 0) return [];
  return [
    ...session.toolsByCallId.values(),
    ...[...session.toolsByName.values()].flatMap((tools) => [...tools.values()]),
  ].sort((a, b) => a.ordinal - b.ordinal);
}

/** The session's open outputs, in the order of their first chunks. */
export function openOutputs(session: SessionRecord): readonly OutputRecord[] {
  if (session.outputs.size === 0) return [];
  return [...session.outputs.values()].sort((a, b) => a.ordinal - b.ordinal);
}

/** The session's open questions, in the order in which they were asked. */
export function openQuestions(session: SessionRecord): readonly OpenQuestion[] {
  return [...session.questions.values()].sort((a, b) => a.ordinal - b.ordinal);
}

export interface AgentSummary {
  readonly producer: Producer;
  /** Where it stands, implied states included. */
  readonly state: string;
  readonly percent: number | undefined;
}

export interface OutputSummary {
  /** Undefined: the session's unnamed output. */
  readonly outputId: string | undefined;
  /** Code points that went out (R13). */
  readonly position: number;
}

/** A session as resuming agents and late subscribers are told of it (R8, R17). */
export interface SessionSummary {
  readonly sessionId: string;
  /** The agent that started it. */
  readonly producer: Producer;
  /** The state of the agent that spoke last. */
  readonly state: string;
  /** Percent of the last progress of the agent that spoke last. */
  readonly percent: number | undefined;
  readonly agents: readonly AgentSummary[];
  readonly openTools: readonly OpenTool[];
  readonly openOutputs: readonly OutputSummary[];
  readonly openQuestions: readonly OpenQuestion[];
  readonly outcomes: readonly QuestionOutcome[];
  /** Events that went out so far. */
  readonly eventCount: number;
  /** Of the latest event. */
  readonly timestamp: string;
  readonly isAgentConnected: boolean;
}

export function summarize(session: SessionRecord): SessionSummary {
  const speaker = session.agents.get(session.lastAgentId);
  return {
    sessionId: session.sessionId,
    producer: session.starter,
    state: speaker?.current ?? "idle",
    percent: speaker?.percent,
    agents: [...session.agents.values()].map(({ producer, current, percent }) => ({
      producer,
      state: current,
      percent,
    })),
    openTools: openTools(session),
    openOutputs: openOutputs(session).map(({ outputId, codePoints }) => ({ outputId, position: codePoints })),
    openQuestions: openQuestions(session),
    outcomes: [...session.outcomes.keys()],
    eventCount: session.ordinal,
    timestamp: session.latestText,
    isAgentConnected: session.owner !== undefined,
  };
}

/** How much sessions remember of what is over; the limits of each are in session-limits.ts. */
export interface Remembered {
  /** Outputs known to be complete: at most 16,384 a session. */
  readonly completedOutputCount: number;
  /** Outcomes of questions, for agents that come back: at most 256 a session (R8). */
  readonly outcomeCount: number;
}

export function rememberedOf(sessions: Iterable<SessionRecord>): Remembered {
  let [completedOutputCount, outcomeCount] = [0, 0];
  for (const { completedOutputs, outcomes } of sessions) {
    completedOutputCount += completedOutputs.size;
    outcomeCount += outcomes.size;
  }
  return { completedOutputCount, outcomeCount };
}
