// The record of one session, and its summary for readers outside. Data only: the rules that change it are in session-sequence.ts.
import type { Millis } from "../../contracts/clock.js";
import type { AgentProcess } from "../event/agent-process.js";
import { AWAITING_INPUT, type ImpliedState } from "../event/agent-states.js";
import type { AgentEvent, Producer } from "../event/event.js";
import type { Timestamp } from "../event/timestamps.js";
import type { Outcome } from "../messages/catalogues/catalogue.js";
import type { TextLengths } from "../text/chunk-text.js";

/** Remembered keys, the oldest first, each with its number. */
export type HistoryIndex<Key> = Map<Key, number>;

export type SessionPhase = "absent" | "open" | "ended";

/** The permission from a confirmation that a reply accepted: one irreversible invocation, of this tool or call if it names one (R5). */
export interface AcceptedConfirmation {
  /** The action in words; undefined for a question that is no confirmation. */
  readonly action: string | undefined;
  readonly tool: string | undefined;
  readonly toolCallId: string | undefined;
  /** The token of the question, by which a call can name its consent (R5c). Undefined for permissions of older builds. */
  readonly token?: string | undefined;
}

/** One agent within one session (R3a). */
export interface AgentRecord {
  readonly agentId: string;
  producer: Producer;
  /** The agent's last `to_state`, or the state that the daemon restored (R6). */
  state: string;
  /** The last `to_state` published for the agent, including one that the daemon supplied. */
  told: string;
  /** The agent's present state: its last `to_state`, or the state that a later event implies. */
  current: string;
  /** States implied since the agent's last state.changed; bits of `BITS`. */
  impliedStates: number;
  /** The state from which the agent entered `awaiting_input`. */
  stateBeforeAwaiting: string;
  /** The daemon restored the agent's state, and the agent has sent no state.changed since. */
  isRestored: boolean;
  openQuestionCount: number;
  /** Percent of the agent's last progress. */
  percent: number | undefined;
  /** The latest timestamp of the agent's events. */
  latest: Timestamp | undefined;
  /** `sequence_number` of the agent's last event; undefined if its events have none (R16). */
  sequenceNumber: number | undefined;
  readonly confirmations: HistoryIndex<AcceptedConfirmation>;
}

export interface OpenTool {
  readonly tool: string;
  readonly toolCallId: string | undefined;
  readonly producer: Producer;
  /** Ordinal of the event that invoked the tool. */
  readonly ordinal: number;
  /** Timestamp of that event; undefined if a daemon of an earlier version opened the tool. */
  readonly since: string | undefined;
  /** When the event was received; undefined if an earlier boot received it. */
  readonly at: Millis | undefined;
  /** The words that listeners heard, at most 80 UTF-16 units; undefined if it had no words. */
  readonly words: string | undefined;
}

/** The members of a chunk that decide whether it may be merged with another (R10). */
export type ChunkLook = Pick<AgentEvent, "producer"> & Readonly<Record<string, unknown>>;

/** One open output: the chunks of one `output_id`, or those without one. */
export interface OutputRecord extends TextLengths {
  readonly outputId: string | undefined;
  /** Ordinal of the output's first chunk. */
  readonly ordinal: number;
  /** First half of a surrogate pair that waits for its second half (R25). */
  carry: string;
  /** Of the last chunk; the daemon's closing chunk repeats these members. */
  last: ChunkLook | undefined;
  /** The language of the first chunk, which applies to later chunks that name none (R2). */
  language: string | undefined;
}

export interface OpenQuestion {
  readonly kind: "confirmation" | "clarification";
  readonly token: string;
  readonly sessionId: string;
  readonly agentId: string;
  /** The event that asks, as it was published. */
  readonly event: AgentEvent;
  /** When the question was received. Its deadline counts from this instant, by the monotonic clock alone (R3b, R40). */
  readonly at: Millis;
  readonly ordinal: number;
  /** The permission that acceptance gives, as far as `extra_context` names it (R5). */
  readonly permits: AcceptedConfirmation;
}

/** The outcome of a question. "withdrawn": its agent went on without it, or its session ended. */
export type QuestionFate = Outcome["decision"] | "withdrawn";

/** A question's token and its outcome. */
export interface QuestionOutcome {
  readonly token: string;
  readonly outcome: QuestionFate;
}

export class SessionRecord {
  readonly sessionId: string;
  phase: SessionPhase = "absent";
  /** The agent that started the session. */
  starter: Producer = { agent_id: "" };
  /** The language of the texts of `session.started` (R2). */
  language: string | undefined;
  /** The agent that published last. */
  lastAgentId = "";
  agents = new Map<string, AgentRecord>();
  /** Open outputs by id, in the order of their first chunks; the unnamed output has the id "". */
  outputs = new Map<string, OutputRecord>();
  /** Open tools in the order in which they were invoked, each by its call's id; a tool without one by its ordinal. */
  tools = new Map<string | number, OpenTool>();
  /** Open questions by their tokens, in the order in which they were asked. */
  questions = new Map<string, OpenQuestion>();
  /** Tokens of open questions by agent and words: an agent may not ask the same twice at a time (AAEP §6.1). */
  asking = new Map<string, string>();
  /** Ids of the newest completed outputs. */
  readonly completedOutputs: HistoryIndex<string> = new Map();
  /** Ids of the newest invocations. */
  readonly usedCallIds: HistoryIndex<string> = new Map();
  /** Tokens of the newest questions, and of all open ones. */
  readonly replyTokens: HistoryIndex<string> = new Map();
  /** Outcomes of the newest questions. */
  readonly outcomes: HistoryIndex<QuestionOutcome> = new Map();
  /** Number of the newest fact; each fact has its own number. */
  historyCount = 0;
  /** Number of published events, the daemon's included. */
  ordinal = 0;
  latestMicros = Number.NEGATIVE_INFINITY;
  /** The latest timestamp of any agent's event, as it was written. */
  latestText = "";
  /** The connection that owns the session; undefined while its agent is away (R8). */
  owner: object | undefined;
  /** The processes of the agents that published in the session, or took it over (R5d). */
  processes: readonly AgentProcess[] = [];
  /** The session comes from the previous boot, and its agent has not come back yet (R8b). */
  isLeftOver = false;
  /** Hash of the resume token (R8). */
  tokenHash = "";
  /** The token itself, for the connection that repeats the session's start. Undefined if its agent chose it, or an earlier boot made it. */
  resumeToken: string | undefined;
  /** The present owner took the session over, and publishes in it as its starter (R2). */
  isResumed = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /**
   * The fields as they are now, to be assigned if a change is taken back. Work in proportion to what is open. The facts about the past are shared:
   * `Change.remember` and `Change.forget` take their own changes back.
   */
  backup(): Partial<SessionRecord> {
    return {
      ...this,
      agents: copies(this.agents),
      outputs: copies(this.outputs),
      tools: new Map(this.tools),
      questions: new Map(this.questions),
      asking: new Map(this.asking),
    };
  }

  /** Number of open questions, tools and outputs, which end with the session. */
  openParts(): number {
    return this.questions.size + this.tools.size + this.outputs.size;
  }

  summary(): SessionSummary {
    const speaker = this.agents.get(this.lastAgentId);
    return {
      sessionId: this.sessionId,
      producer: this.starter,
      state: speaker?.current ?? "idle",
      stateBeforeQuestion:
        (speaker?.current === AWAITING_INPUT ? speaker.stateBeforeAwaiting : speaker?.current) ?? "idle",
      percent: speaker?.percent,
      agents: Array.from(this.agents.values(), ({ producer, current, percent }) => {
        return { producer, state: current, percent };
      }),
      openTools: [...this.tools.values()],
      openOutputs: Array.from(this.outputs.values(), ({ outputId, codePoints }) => {
        return { outputId, position: codePoints };
      }),
      openQuestions: [...this.questions.values()],
      outcomes: Array.from(this.outcomes, ([outcome, number]) => ({ ...outcome, number })),
      eventCount: this.ordinal,
      timestamp: this.latestText,
      isAgentConnected: this.owner !== undefined,
    };
  }
}

function copies<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  return new Map(Array.from(map, ([key, value]) => [key, { ...value }]));
}

const BITS = { calling_tool: 1, writing_output: 2, [AWAITING_INPUT]: 4, handing_off: 8 } as const satisfies Readonly<
  Record<ImpliedState, number>
>;
const BIT_OF: ReadonlyMap<string, number> = new Map(Object.entries(BITS));

/** An event implies that its agent is in a state, without a state.changed (R3a). */
export function implyState(agent: AgentRecord, state: ImpliedState): void {
  agent.impliedStates |= BITS[state];
  agent.current = state;
}

/** The daemon has ended a state that an event implied. */
export function unimplyState(agent: AgentRecord, state: ImpliedState): void {
  agent.impliedStates &= ~BITS[state];
}

/** Whether an event since the agent's last state.changed implies `state`. */
export function isImplied(agent: AgentRecord, state: string): boolean {
  return ((BIT_OF.get(state) ?? 0) & agent.impliedStates) !== 0;
}

export function createAgentRecord(producer: Producer): AgentRecord {
  return {
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
    sequenceNumber: undefined,
    confirmations: new Map(),
  };
}

export function createOutputRecord(outputId: string | undefined, ordinal: number): OutputRecord {
  return {
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

interface AgentSummary {
  readonly producer: Producer;
  /** The agent's present state, implied states included. */
  readonly state: string;
  readonly percent: number | undefined;
}

interface OutputSummary {
  /** Undefined for the session's unnamed output. */
  readonly outputId: string | undefined;
  /** Code points published so far (R13). */
  readonly position: number;
}

/** A session's state as resuming agents and late subscribers receive it (R8, R17). */
export interface SessionSummary {
  readonly sessionId: string;
  /** The agent that started it. */
  readonly producer: Producer;
  /** The state of the agent that published last. */
  readonly state: string;
  /** The same, before that agent began to ask. */
  readonly stateBeforeQuestion: string;
  /** Percent of the last progress of the agent that published last. */
  readonly percent: number | undefined;
  readonly agents: readonly AgentSummary[];
  readonly openTools: readonly OpenTool[];
  readonly openOutputs: readonly OutputSummary[];
  readonly openQuestions: readonly OpenQuestion[];
  /** The oldest first. `number`: of the fact, larger for each later one. */
  readonly outcomes: readonly (QuestionOutcome & { readonly number: number })[];
  /** Events published so far. */
  readonly eventCount: number;
  /** Timestamp of the latest event. */
  readonly timestamp: string;
  readonly isAgentConnected: boolean;
}

/** How much of the past the open sessions remember. session-limits.ts has the limits. */
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
