// Sessions in the durable state, which the next boot reads (R8, R29). The core of a session is written once for each group of events. Facts about its
// past are written one by one. Every answer that an agent got about a session is therefore still true after a restart: nothing counts twice, and no
// permission is lost (R3, R5).
import type { DurableState, StateKey } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { AgentProcess } from "../event/agent-process.js";
import type { Producer } from "../event/event.js";
import {
  type EntryRecord,
  entryFrom,
  entryRecord,
  type Instant,
  pastInstant,
  readDurable,
} from "../journal/durable-entry.js";
import type { HashToken, HistoryChange, HistoryKind } from "./change.js";
import type { EndedRecord, OwnedSession } from "./ended-sessions.js";
import { askingKey } from "./session-questions.js";
import {
  type AcceptedConfirmation,
  type AgentRecord,
  createAgentRecord,
  createOutputRecord,
  type OpenQuestion,
  type OpenTool,
  type OutputRecord,
  type QuestionOutcome,
  SessionRecord,
} from "./session-record.js";

export interface DurableSessions {
  /** Writes the records and facts that a publish changed. Called once for each, in the turn of its append. */
  readonly committed: (touched: readonly SessionRecord[], history: readonly HistoryChange[]) => void;
  /** Replaces the record of an open session by that of its end. */
  readonly ended: (session: OwnedSession, present: Instant) => void;
  /** Removes the reply tokens of an ended session. */
  readonly tokensForgotten: (sessionId: string) => void;
  /** Removes the record of an ended session with its reply tokens. */
  readonly forgotten: (sessionId: string) => void;
  /**
   * Reads the sessions that the previous boot left. Open sessions have no owner and come in the order of their latest events. Ended sessions come in
   * the order in which they ended.
   */
  readonly restored: (questions: readonly OpenQuestion[], present: Instant) => RestoredSessions;
}

interface RestoredSessions {
  readonly open: readonly SessionRecord[];
  readonly ended: readonly EndedRecord[];
}

/** Facts that nobody reads once the session has ended. Its reply tokens are still read. */
const OVER_WITH_IT: readonly HistoryKind[] = ["call", "outcome", "output", "permit"];

export function createDurableSessions(
  durableState: DurableState,
  log: Pick<Log, "error">,
  hashToken: HashToken,
): DurableSessions {
  // Sessions whose core will be written with the next group. The value is computed when the group is written.
  const pendingWrites = new Map<string, SessionRecord>();

  const putCore = (session: SessionRecord): void => {
    const { sessionId } = session;
    if (pendingWrites.get(sessionId) === session) return;
    pendingWrites.set(sessionId, session);
    durableState.put(["session", sessionId], () => {
      if (pendingWrites.get(sessionId) === session) pendingWrites.delete(sessionId);
      return coreOf(session);
    });
  };

  return {
    committed: (touched, history) => {
      if (!durableState.isDurable) return;
      for (const session of touched) if (session.phase === "open") putCore(session);
      for (const { sessionId, name, number, value } of history) {
        // The record repeats the session id, because parts of a key may have been shortened.
        durableState.put(["fact", sessionId, name, number], () =>
          value === undefined ? undefined : [sessionId, value],
        );
      }
    },
    ended: (session, present) => {
      if (!durableState.isDurable) return;
      const { sessionId, terminal, tokenHash, endedAt } = session;
      pendingWrites.delete(sessionId);
      durableState.put(["session", sessionId], () => undefined);
      for (const name of OVER_WITH_IT) durableState.removeAll(["fact", sessionId, name]);
      const at = present.wallTime - (present.now - endedAt);
      durableState.put(
        ["ended", sessionId],
        () => ({ at, tokenHash, terminal: entryRecord(terminal) }) satisfies EndedCore,
      );
    },
    tokensForgotten: (sessionId) => durableState.removeAll(["fact", sessionId, "token"]),
    forgotten: (sessionId) => {
      durableState.put(["ended", sessionId], () => undefined);
      durableState.removeAll(["fact", sessionId]);
    },
    restored: (questions, present) => {
      const open = new Map<string, SessionRecord>();
      const ended = new Map<string, EndedRecord & { readonly replyTokens: string[] }>();
      readDurable(durableState, ["session"], log, (value) => {
        const session = sessionFrom(value as SessionCore, hashToken);
        open.set(session.sessionId, session);
      });
      readDurable(durableState, ["ended"], log, (value) => {
        const core = value as EndedCore;
        const endedAt = pastInstant(core.at, present);
        const terminal = entryFrom(core.terminal, endedAt);
        const { session_id: sessionId } = terminal.event;
        ended.set(sessionId, {
          sessionId,
          terminal,
          endedAt,
          owner: undefined,
          tokenHash: hashIn(core, hashToken),
          replyTokens: [],
        });
      });
      // Facts of sessions that are not open: the previous boot had no time to remove them.
      const left = new Map<string, StateKey>();
      readDurable(durableState, ["fact"], log, (record, [, , name, number]) => {
        const [sessionId, value] = record as readonly [string, unknown];
        const session = open.get(sessionId);
        const over = name === "token" ? ended.get(sessionId) : undefined;
        if (session !== undefined) takeRemembered(session, String(name), Number(number), value);
        else if (over !== undefined) over.replyTokens.push(String(value));
        else left.set(`${sessionId} ${name}`, ["fact", sessionId, String(name)]);
      });
      for (const prefix of left.values()) durableState.removeAll(prefix);
      for (const question of questions) {
        const session = open.get(question.sessionId);
        session?.questions.set(question.token, question);
        session?.asking.set(askingKey(question.agentId, question.event), question.token);
        const agent = session?.agents.get(question.agentId);
        if (agent !== undefined) agent.openQuestionCount += 1;
      }
      return {
        open: [...open.values()].sort((a, b) => a.latestMicros - b.latestMicros),
        ended: [...ended.values()].sort((a, b) => epochOf(a) - epochOf(b)),
      };
    },
  };
}

function epochOf({ terminal }: EndedRecord): number {
  return "epoch" in terminal ? terminal.epoch : 0;
}

interface EndedCore extends DurableToken {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly terminal: EntryRecord;
}

/** Records of older builds have the token itself in place of its hash. */
interface DurableToken {
  readonly tokenHash?: string;
  readonly resumeToken?: string | undefined;
}

function hashIn({ tokenHash, resumeToken = "" }: DurableToken, hashToken: HashToken): string {
  return tokenHash ?? hashToken(resumeToken);
}

type AgentCore = Omit<AgentRecord, "confirmations">;

interface SessionCore extends DurableToken {
  readonly sessionId: string;
  readonly starter: Producer;
  /** Missing in records of older builds. */
  readonly language?: string | undefined;
  readonly lastAgentId: string;
  readonly agents: readonly AgentCore[];
  /** Of the whole session, in records of older builds. */
  readonly nextSequenceNumber?: number | undefined;
  readonly outputs: readonly OutputRecord[];
  readonly tools: readonly OpenTool[];
  readonly ordinal: number;
  readonly historyCount: number;
  readonly latestMicros: number;
  readonly latestText: string;
  /** Missing in records of older builds. */
  readonly processes?: readonly AgentProcess[];
}

function coreOf(session: SessionRecord): SessionCore {
  const { sessionId, starter, language, lastAgentId, ordinal, historyCount } = session;
  const { latestMicros, latestText, tokenHash, processes } = session;
  return {
    sessionId,
    starter,
    language,
    lastAgentId,
    agents: [...session.agents.values()].map(({ confirmations: _, ...agent }) => agent),
    outputs: [...session.outputs.values()],
    tools: [...session.tools.values()],
    ordinal,
    historyCount,
    latestMicros,
    latestText,
    tokenHash,
    processes,
  };
}

function sessionFrom(core: SessionCore, hashToken: HashToken): SessionRecord {
  const { agents, outputs, tools, nextSequenceNumber, ...scalars } = core;
  const tokenHash = hashIn(core, hashToken);
  const kept = { ...scalars, tokenHash, phase: "open", isLeftOver: true } as const;
  const session = Object.assign(new SessionRecord(core.sessionId), kept);
  for (const agent of agents)
    session.agents.set(agent.agentId, {
      ...createAgentRecord(agent.producer),
      ...agent,
      sequenceNumber: agent.sequenceNumber ?? (nextSequenceNumber === undefined ? undefined : nextSequenceNumber - 1),
      confirmations: new Map(),
      openQuestionCount: 0,
    });
  for (const output of outputs)
    session.outputs.set(output.outputId ?? "", { ...createOutputRecord(output.outputId, output.ordinal), ...output });
  // Its instant is of another boot's clock.
  for (const tool of tools) session.tools.set(tool.toolCallId ?? tool.ordinal, { ...tool, at: undefined });
  return session;
}

function takeRemembered(session: SessionRecord, name: string, number: number, value: unknown): void {
  session.historyCount = Math.max(session.historyCount, number);
  switch (name as HistoryKind) {
    case "call":
      session.usedCallIds.set(String(value), number);
      return;
    case "outcome":
      session.outcomes.set(value as QuestionOutcome, number);
      return;
    case "output":
      session.completedOutputs.set(String(value), number);
      return;
    case "permit": {
      const { agentId, action, tool, toolCallId, token } = value as AcceptedConfirmation & { readonly agentId: string };
      session.agents.get(agentId)?.confirmations.set({ action, tool, toolCallId, token }, number);
      return;
    }
    case "token":
      session.replyTokens.set(String(value), number);
      return;
  }
}
