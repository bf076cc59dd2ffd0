// The record of one session, and its summary for readers outside. Data only: the rules that change it are in session-sequence.ts.
import type { Millis } from "../../contracts/clock.js";
import type { AgentProcess } from "../event/agent-process.js";
import { AWAITING_INPUT, type ImpliedState } from "../event/agent-states.js";
import type { AgentEvent, Producer } from "../event/event.js";
import type { Timestamp } from "../event/timestamps.js";
import type { Outcome } from "../messages/messages.js";
import type { TextLengths } from "../text/chunk-text.js";

export type SessionPhase = "absent" | "open" | "ended";

/** The permission from a confirmation that a reply accepted: one irreversible invocation, of this tool or call if it names one (R5). */
export interface AcceptedConfirmation {
  /** The action in words; undefined for a question that is no confirmation. */
  readonly action: string | undefined;
  readonly tool: string | undefined;
  readonly toolCallId: string | undefined;
  /** The token of the question, by which a call can name its consent (R5c). */
  readonly token?: string | undefined;
  /** The question said that the action can be undone: it permits no irreversible call. */
  readonly isReversible?: boolean;
}

/** A permission that an agent has not used yet. */
export interface Permit extends AcceptedConfirmation {
  readonly agentId: string;
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
  /** States implied since the agent's last state.changed. */
  impliedStates: readonly string[];
  /** The state from which the agent entered `awaiting_input`. */
  stateBeforeAwaiting: string;
  /** The daemon restored the agent's state, and the agent has sent no state.changed since. */
  isRestored: boolean;
  /** Percent of the agent's last progress. */
  percent: number | undefined;
  /** The latest timestamp of the agent's events. */
  latest: Timestamp | undefined;
  /** `sequence_number` of the agent's last event; undefined if its events have none (R16). */
  sequenceNumber: number | undefined;
}

export interface OpenTool {
  readonly tool: string;
  readonly toolCallId: string | undefined;
  readonly producer: Producer;
  /** Ordinal of the event that invoked the tool. */
  readonly ordinal: number;
  /** Timestamp of that event. */
  readonly since: string;
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

/** A part of the past in `SessionPast`, with the newest of its facts last. */
export type Newest<Fact> = readonly Fact[];

/** The past of a session, up to the limits of `SessionCounts`. The lists are replaced and never changed, so a backup shares them. */
export interface SessionPast {
  /** Ids of completed outputs. */
  readonly outputs: Newest<string>;
  /** Ids of invocations. */
  readonly calls: Newest<string>;
  readonly permits: Newest<Permit>;
  /** `number` is larger for each later outcome. */
  readonly outcomes: Newest<QuestionOutcome & { readonly number: number }>;
}

const NO_PAST: SessionPast = { outputs: [], calls: [], permits: [], outcomes: [] };

/** `facts` with one more; beyond `most`, the oldest is forgotten. */
export function withNewest<Fact>(facts: Newest<Fact>, fact: Fact, most: number): Newest<Fact> {
  return [...facts.slice(Math.max(0, facts.length + 1 - most)), fact];
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
  past: SessionPast = NO_PAST;
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

  /** The fields as they are now, to be assigned if a change is taken back. Work in proportion to what is open. */
  backup(): Partial<SessionRecord> {
    return {
      ...this,
      agents: copies(this.agents),
      outputs: copies(this.outputs),
      tools: new Map(this.tools),
      questions: new Map(this.questions),
    };
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
      outcomes: this.past.outcomes,
      eventCount: this.ordinal,
      timestamp: this.latestText,
      isAgentConnected: this.owner !== undefined,
    };
  }
}

function copies<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  return new Map(Array.from(map, ([key, value]) => [key, { ...value }]));
}

/** An event implies that its agent is in a state, without a state.changed (R3a). */
export function implyState(agent: AgentRecord, state: ImpliedState): void {
  if (!agent.impliedStates.includes(state)) agent.impliedStates = [...agent.impliedStates, state];
  agent.current = state;
}

export function createAgentRecord(producer: Producer): AgentRecord {
  return {
    agentId: producer.agent_id,
    producer,
    state: "idle",
    told: "idle",
    current: "idle",
    impliedStates: [],
    stateBeforeAwaiting: "idle",
    isRestored: false,
    percent: undefined,
    latest: undefined,
    sequenceNumber: undefined,
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
  /** Its agents, each with its present state, implied states included. */
  readonly agents: readonly {
    readonly producer: Producer;
    readonly state: string;
    readonly percent: number | undefined;
  }[];
  readonly openTools: readonly OpenTool[];
  /** Without an id: the session's unnamed output. `position`: code points published so far (R13). */
  readonly openOutputs: readonly { readonly outputId: string | undefined; readonly position: number }[];
  readonly openQuestions: readonly OpenQuestion[];
  readonly outcomes: SessionPast["outcomes"];
  /** Events published so far. */
  readonly eventCount: number;
  /** Timestamp of the latest event. */
  readonly timestamp: string;
  readonly isAgentConnected: boolean;
}
