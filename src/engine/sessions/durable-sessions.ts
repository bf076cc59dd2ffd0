// Sessions in the durable state, which the next boot reads (R8, R29). A session has two values: what is open in it, which is written with each group
// of events that changes it, and its past, which is written when that changes. Every answer that an agent got about a session is therefore still true
// after a restart: nothing counts twice, and no permission is lost (R3, R5).
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import {
  type EntryRecord,
  entryFrom,
  entryRecord,
  type Instant,
  pastInstant,
  readDurable,
} from "../journal/durable-entry.js";
import type { EndedSession } from "./ended-sessions.js";
import {
  type AgentRecord,
  createAgentRecord,
  createOutputRecord,
  type OpenTool,
  type OutputRecord,
  type SessionPast,
  SessionRecord,
} from "./session-record.js";

type Scalar =
  | "sessionId"
  | "starter"
  | "language"
  | "lastAgentId"
  | "ordinal"
  | "latestMicros"
  | "latestText"
  | "tokenHash"
  | "processes";

interface SessionCore extends Pick<SessionRecord, Scalar> {
  readonly agents: readonly AgentRecord[];
  readonly outputs: readonly OutputRecord[];
  readonly tools: readonly OpenTool[];
}

interface EndedCore {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tokenHash: string;
  readonly terminal: EntryRecord;
}

export class DurableSessions {
  private readonly state: DurableState;
  /** Sessions that are written with the next group. */
  private readonly pending = new Set<SessionRecord>();
  private readonly pastPut = new WeakMap<SessionRecord, SessionPast>();

  constructor(state: DurableState) {
    this.state = state;
  }

  /** Writes an open session that a change touched. Call it in the turn of the append. */
  changed(session: SessionRecord): void {
    if (!this.state.isDurable || session.phase !== "open") return;
    const { sessionId, past } = session;
    if (!this.pending.has(session)) {
      this.pending.add(session);
      this.state.put(["session", sessionId], () => {
        this.pending.delete(session);
        return coreOf(session);
      });
    }
    if (this.pastPut.get(session) === past) return;
    this.pastPut.set(session, past);
    // The value repeats the session id, because parts of a key may have been shortened.
    this.state.put(["past", sessionId], () => [sessionId, past]);
  }

  /** Replaces the values of an open session by that of its end. */
  ended(session: SessionRecord, over: EndedSession, present: Instant): void {
    if (!this.state.isDurable) return;
    const { sessionId, terminal, tokenHash, endedAt } = over;
    this.pending.delete(session);
    this.state.put(["session", sessionId], () => undefined);
    this.state.put(["past", sessionId], () => undefined);
    const at = present.wallTime - (present.now - endedAt);
    this.state.put(
      ["ended", sessionId],
      () => ({ at, tokenHash, terminal: entryRecord(terminal) }) satisfies EndedCore,
    );
  }

  /** Removes the value of an ended session. */
  forgotten(sessionId: string): void {
    this.state.put(["ended", sessionId], () => undefined);
  }

  /** Reads the open sessions that the previous boot left, without owner, in the order of their latest events. */
  open(log: Pick<Log, "error">): readonly SessionRecord[] {
    const open = new Map<string, SessionRecord>();
    readDurable(this.state, ["session"], log, (value) => {
      const session = sessionFrom(value as SessionCore);
      open.set(session.sessionId, session);
    });
    readDurable(this.state, ["past"], log, (value) => {
      const [sessionId, past] = value as readonly [string, SessionPast];
      const session = open.get(sessionId);
      if (session === undefined) this.state.put(["past", sessionId], () => undefined);
      else session.past = past;
    });
    return [...open.values()].sort((a, b) => a.latestMicros - b.latestMicros);
  }

  /** Reads the sessions that had ended, in the order in which they ended. */
  over(log: Pick<Log, "error">, present: Instant): readonly EndedSession[] {
    const ended: EndedSession[] = [];
    readDurable(this.state, ["ended"], log, (value) => {
      const { at, tokenHash, terminal: record } = value as EndedCore;
      const endedAt = pastInstant(at, present);
      const terminal = entryFrom(record, endedAt);
      ended.push({ sessionId: terminal.event.session_id, terminal, endedAt, owner: undefined, tokenHash });
    });
    return ended.sort((a, b) => a.terminal.epoch - b.terminal.epoch);
  }
}

function coreOf(session: SessionRecord): SessionCore {
  const { sessionId, starter, language, lastAgentId, ordinal, latestMicros, latestText, tokenHash, processes } =
    session;
  return {
    sessionId,
    starter,
    language,
    lastAgentId,
    ordinal,
    latestMicros,
    latestText,
    tokenHash,
    processes,
    agents: [...session.agents.values()],
    outputs: [...session.outputs.values()],
    tools: [...session.tools.values()],
  };
}

/** JSON leaves out members that are undefined, so each record begins as a new one. */
function sessionFrom({ agents, outputs, tools, ...scalars }: SessionCore): SessionRecord {
  const kept = { ...scalars, phase: "open", isLeftOver: true } as const;
  const session = Object.assign(new SessionRecord(scalars.sessionId), kept);
  for (const agent of agents) session.agents.set(agent.agentId, { ...createAgentRecord(agent.producer), ...agent });
  for (const output of outputs)
    session.outputs.set(output.outputId ?? "", { ...createOutputRecord(output.outputId, output.ordinal), ...output });
  // Its instant is of another boot's clock.
  for (const tool of tools) session.tools.set(tool.toolCallId ?? tool.ordinal, { ...tool, at: undefined });
  return session;
}
