// The sessions of all agents: plans of what is published, owners, and the records of sessions that ended. A plan is made whole or not at all, and
// changes nothing until it is committed (R3). session-sequence.ts decides about the order of events. Journals, subscriptions and timers are in other
// rooms.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import type { DurableState } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import { type AgentProcess, withProcess } from "../event/agent-process.js";
import { isTerminalKind, type JournaledEvent } from "../event/event.js";
import { withToolCallId } from "../event/foreign-calls.js";
import type { Instant } from "../journal/durable-entry.js";
import { NO_DURABLE_STATE } from "../journal/no-durable-state.js";
import { createDurableSessions } from "./durable-sessions.js";
import { createEndedSessions, type EndedSession } from "./ended-sessions.js";
import { createEventIntake, type ValidateEvent } from "./event-intake.js";
import { answerDuplicate, type Seen } from "./idempotent-publish.js";
import { type TakenToken, takeOwnToken } from "./own-token.js";
import { faultAt } from "./publish-fault.js";
import {
  createDraft,
  type Draft,
  emitMade,
  type HashToken,
  type MadeSummary,
  type Moment,
  type SessionLimits,
  stampNow,
} from "./rule-context.js";
import type { PublishedEvent } from "./same-publish.js";
import { assertClaim, factsIn } from "./session-claims.js";
import type { HistoryChange } from "./session-history.js";
import { checkOpenLimit, SESSION_COUNTS } from "./session-limits.js";
import { createSessionOwners } from "./session-owners.js";
import type { PublishAnswer, PublishContext, SessionPlan } from "./session-plan.js";
import { accept, openQuestion, type Resolution, resolveQuestion } from "./session-questions.js";
import {
  type AcceptedConfirmation,
  createAgentRecord,
  createSessionRecord,
  type OpenQuestion,
  type Remembered,
  rememberedOf,
  type SessionRecord,
  type SessionSummary,
  summarize,
} from "./session-record.js";
import { abandonSession } from "./session-rules.js";
import { applyEvent } from "./session-sequence.js";
import { createUndoLog } from "./undo-log.js";

export interface SessionsOptions {
  /** Read for each plan. */
  readonly limits: SessionLimits;
  readonly validate: ValidateEvent;
  /** The language of texts for which neither event nor agent names one (R2). */
  readonly defaultLanguage: string;
  /** SHA-256 in hexadecimal digits. Of a session's token, only the hash is stored and compared (R8). It makes the ids of foreign calls too (R5c). */
  readonly hashToken: HashToken;
  /** Texts of daemon-made events. */
  readonly summary: MadeSummary;
  /** Called with each ended session that is forgotten. */
  readonly forgotten?: (sessionId: string) => void;
  /** Called before an open session may change in a way that its summary shows, even if it then does not. */
  readonly changing?: (sessionId: string, summary: () => SessionSummary) => void;
  /** The state that the previous boot left, and the place for this boot's. Default: nothing is stored. */
  readonly durableState?: DurableState;
  /** Whether a connection has answered a question of a session (R5). Default: none has. */
  readonly hasAnswered?: Draft["hasAnswered"];
  readonly log?: Pick<Log, "error">;
}

export interface Sessions {
  /**
   * Completes (R2), validates and orders (R3) events, all or none. Throws the first Fault; its pointer starts at the event, or, for arrays, at the
   * array. After a throw the sessions are unchanged.
   */
  readonly plan: (inputs: readonly PublishedEvent[], context: PublishContext) => SessionPlan;
  /** Resolves an open question: reports its outcome and restores its agent's state (R6). Throws `not_found`. */
  readonly resolve: (sessionId: string, token: string, resolution: Resolution, moment: Moment) => SessionPlan;
  /** Adds a daemon-made reminder of an open question, as progress of its agent (AAEP §6.4.3). Throws `not_found`. */
  readonly remind: (
    sessionId: string,
    token: string,
    fields: Readonly<Record<string, unknown>>,
    moment: Moment,
  ) => SessionPlan;
  /** Remembers a confirmation accepted by a reply, as `resolve` does by itself (R5). Throws `not_found`. */
  readonly confirmationAccepted: (sessionId: string, agentId: string, permits: AcceptedConfirmation) => void;
  /** Takes the open sessions from a connection that has ended, and returns their ids. Their grace begins (R8). */
  readonly connectionEnded: (connection: object) => readonly string[];
  /** Hands a session to another connection (R8). Throws `session_not_started`, `session_ended`, `session_not_yours`. */
  readonly resume: (
    sessionId: string,
    resumeToken: string,
    connection: object,
    processes?: readonly AgentProcess[],
  ) => SessionSummary;
  /** The processes of the agents of an open session (R5d). */
  readonly processesOf: (sessionId: string) => readonly AgentProcess[];
  /** The connection that owns a session, or owned it when it ended; undefined while its agent is away (R8). */
  readonly ownerOf: (sessionId: string) => object | undefined;
  /** Whether the connection owns the session, open or ended, or shows its token. False for an unknown session. */
  readonly belongsTo: (sessionId: string | undefined, connection: object, resumeToken: string | undefined) => boolean;
  /** The connection that owns the open session with this token (R8). */
  readonly holderOf: (resumeToken: string) => object | undefined;
  /** Whether the connection owns an open session. */
  readonly isHolder: (connection: object) => boolean;
  /** Ends a session whose agent did not come back, or because the daemon stops (R8, R8a). Throws `not_found`. */
  readonly abandon: (sessionId: string, moment: Moment, isStopping?: boolean) => SessionPlan;
  /** Summary of an open session; undefined if it is not open. */
  readonly summary: (sessionId: string) => SessionSummary | undefined;
  /** Whether the output is open: more of its text may come. */
  readonly isOutputOpen: (sessionId: string, outputId: string) => boolean;
  /** The latest timestamp of an open session; undefined if it is not open. */
  readonly timestamp: (sessionId: string) => string | undefined;
  /** Number of open questions, tools and outputs of an open session, which would end with it. Undefined if it is not open. */
  readonly openParts: (sessionId: string) => number | undefined;
  /** The ids of the open sessions, the oldest first. */
  readonly openIds: () => readonly string[];
  /** How much of the past the open sessions remember. */
  readonly remembered: () => Remembered;
  /** Whether a session with this id is open, or has ended and is not forgotten. An uncommitted plan counts. */
  readonly isKnown: (sessionId: string) => boolean;
  /** The record of a session that ended (R17). */
  readonly ended: (sessionId: string) => EndedSession | undefined;
  /** Sessions that ended at or after `from` and are not forgotten, the oldest first. */
  readonly endedSince: (from: Millis) => Iterable<EndedSession>;
  /** Forgets sessions that ended before `before`, with their terminal events and reply tokens. */
  readonly forgetEnded: (before: Millis) => void;
  /**
   * Takes over the sessions of the previous boot; call it before any plan. Open sessions come without owner. Returns those of `questions` that belong
   * to an open session.
   */
  readonly restore: <Kept extends { readonly question: OpenQuestion }>(
    questions: readonly Kept[],
    present: Instant,
  ) => readonly Kept[];
}

/** Makes the sessions of one daemon, none at first. */
export function createSessions(options: SessionsOptions): Sessions {
  const { limits, summary, hashToken } = options;
  const counts = limits.sessionCounts ?? SESSION_COUNTS;
  const take = createEventIntake(options);
  const durableSessions = createDurableSessions(
    options.durableState ?? NO_DURABLE_STATE,
    options.log ?? { error: () => undefined },
    hashToken,
  );
  const open = new Map<string, SessionRecord>();
  const owners = createSessionOwners();
  const replyTokens = new Map<string, string>();
  const ended = createEndedSessions({
    forgotten: ({ sessionId }) => {
      durableSessions.forgotten(sessionId);
      options.forgotten?.(sessionId);
    },
    tokensForgotten: (tokens, sessionId) => {
      for (const token of tokens) replyTokens.delete(token);
      durableSessions.tokensForgotten(sessionId);
    },
  });
  const undo = createUndoLog();
  let pending: Draft | undefined;

  const settle = (): void => {
    if (pending === undefined) return;
    pending = undefined;
    undo.revert();
  };

  const begin = (moment: Moment, connection: object | undefined, resumeToken: string | undefined): Draft => {
    settle();
    const shownHash = resumeToken === undefined ? undefined : hashToken(resumeToken);
    const draft = createDraft({
      sequencing: limits.sequencing,
      clockSkewMs: limits.clockSkewMs,
      counts,
      summary,
      undo,
      replyTokens,
      moment,
      connection,
      hasAnswered: options.hasAnswered ?? (() => false),
      shownHash,
      hashToken,
    });
    pending = draft;
    return draft;
  };

  const close = (session: SessionRecord, draft: Draft, journaled: readonly JournaledEvent[]): void => {
    const { sessionId } = session;
    open.delete(sessionId);
    owners.remove(session);
    const index = draft.events.findLastIndex(
      ({ kind, event }) => isTerminalKind(kind) && event.session_id === sessionId,
    );
    const terminal = journaled[index] ?? draft.events[index];
    if (terminal === undefined) return;
    const { owner, tokenHash } = session;
    const over = { sessionId, terminal, endedAt: draft.moment.now, owner, tokenHash };
    durableSessions.ended(over, draft.moment);
    ended.add({ ...over, replyTokens: [...session.replyTokens.keys()] });
  };

  const planFrom = (draft: Draft, answers: readonly PublishAnswer[]): SessionPlan => ({
    events: draft.events,
    answers,
    asked: draft.asked,
    withdrawn: draft.withdrawn,
    adopted: draft.adopted.length === 0 ? NONE : draft.adopted.map(({ sessionId }) => sessionId),
    ended: draft.ended.length === 0 ? NONE : draft.ended.map(({ sessionId }) => sessionId),
    warnings: draft.warnings,
    commit: (journaled = []) => {
      if (pending !== draft) {
        throw new Fault("internal", "Commit a plan before the next is made.", { origin: "local" });
      }
      pending = undefined;
      durableSessions.committed(undo.touched(), draft.history);
      undo.keep();
      for (const session of draft.started) owners.add(session);
      for (const session of draft.adopted) owners.add(session);
      for (const session of draft.ended) close(session, draft, journaled);
    },
    discard: () => {
      if (pending === draft) settle();
    },
  });

  const changing = (session: SessionRecord): void => options.changing?.(session.sessionId, () => summarize(session));

  const find = (sessionId: string): SessionRecord => {
    const session = open.get(sessionId);
    if (session !== undefined) return session;
    const other = createSessionRecord(sessionId);
    if (ended.has(sessionId)) other.phase = "ended";
    return other;
  };

  const planOne = (
    draft: Draft,
    { input, token: ownToken }: TakenToken,
    sent: PublishedEvent,
    context: PublishContext,
  ): PublishAnswer => {
    const { session_id: id } = input.fields;
    const known = typeof id === "string" ? open.get(id) : undefined;
    const taken = take(input, known, factsIn(known, context));
    const { event, kind, timestamp } = taken;
    const session = find(event.session_id);
    if (session.phase === "open") changing(session);
    let agent = session.agents.get(event.producer.agent_id);
    if (agent === undefined) {
      checkOpenLimit(counts, "agents", session.agents.size, "/producer/agent_id");
      agent = createAgentRecord(event.producer);
      undo.put(session.agents, agent.agentId, agent);
    }
    const isStamped = input.fields.timestamp !== undefined;
    const ruled = { draft, session, agent, kind, taken, event, timestamp, isStamped, ownToken, isSuppressed: false };
    const wasAbsent = session.phase === "absent";
    applyEvent(ruled, input, sent);
    for (const one of context.processes ?? NONE) session.processes = withProcess(session.processes, one);
    const { event_id: eventId } = event;
    if (ruled.isSuppressed) return { kind: "suppressed", eventId };
    const index = draft.events.length - 1;
    if (!wasAbsent) return { kind: "accepted", eventId, index };
    undo.put(open, session.sessionId, session);
    return { kind: "accepted", eventId, index, resumeToken: ownToken ?? session.resumeToken ?? "" };
  };

  const settled = (sessionId: string): SessionRecord | undefined => {
    settle();
    return open.get(sessionId);
  };

  const known = (sessionId: string): SessionRecord => {
    const session = settled(sessionId);
    if (session === undefined) throw new Fault("not_found", "Name an open session.", { rule: "R8" });
    changing(session);
    return session;
  };

  return {
    plan: (inputs, context) => {
      const draft = begin(context, context.connection, context.resumeToken);
      const answers: PublishAnswer[] = [];
      const seen: Seen = inputs.length > 1 ? new Map() : undefined;
      for (const sent of inputs) {
        try {
          const fields = withToolCallId(sent.fields, hashToken);
          const taken = takeOwnToken(fields === sent.fields ? sent : { fields });
          const again = answerDuplicate(draft, open, sent, context, seen, taken.token);
          answers.push(again ?? planOne(draft, taken, sent, context));
          const eventId = sent.fields.event_id;
          if (again === undefined && typeof eventId === "string") seen?.set(eventId, sent);
        } catch (caught) {
          settle();
          throw faultAt(caught, sent, context.isArray ? `/${answers.length}` : "");
        }
      }
      return planFrom(draft, answers);
    },
    resolve: (sessionId, token, resolution, moment) => {
      const session = known(sessionId);
      const question = openQuestion(session, token);
      const draft = begin(moment, undefined, undefined);
      resolveQuestion(draft, session, question, resolution);
      return planFrom(draft, []);
    },
    remind: (sessionId, token, fields, moment) => {
      const session = known(sessionId);
      const { event } = openQuestion(session, token);
      const draft = begin(moment, undefined, undefined);
      const stamp = stampNow(draft, session);
      const marks = { question: event.event_id };
      emitMade(draft, session, "reminder", "progress.updated", event.producer, stamp, fields, marks);
      return planFrom(draft, []);
    },
    confirmationAccepted: (sessionId, agentId, permits) => {
      const session = known(sessionId);
      const agent = session.agents.get(agentId);
      if (agent === undefined) throw new Fault("not_found", "Name an agent of the session.", { rule: "R5" });
      const history: HistoryChange[] = [];
      accept({ undo, counts, history }, session, agent, permits);
      durableSessions.committed(undo.touched(), history);
      undo.keep();
    },
    connectionEnded: (connection) => {
      settle();
      return owners.release(connection).map(({ sessionId }) => sessionId);
    },
    resume: (sessionId, resumeToken, connection, processes = NONE) => {
      settle();
      const session = find(sessionId);
      assertClaim(session, hashToken(resumeToken));
      owners.remove(session);
      session.isResumed ||= session.owner !== connection;
      session.owner = connection;
      // Numbers of processes mean nothing after a restart of the machine.
      if (session.isLeftOver && processes.length > 0) session.processes = NONE;
      for (const one of processes) session.processes = withProcess(session.processes, one);
      owners.add(session);
      return summarize(session);
    },
    processesOf: (sessionId) => open.get(sessionId)?.processes ?? NONE,
    ownerOf: (sessionId) => open.get(sessionId)?.owner ?? ended.recordOf(sessionId)?.owner,
    belongsTo: (sessionId = "", connection, resumeToken) => {
      const session = open.get(sessionId) ?? ended.recordOf(sessionId);
      if (session === undefined) return false;
      return (
        session.owner === connection || (resumeToken !== undefined && session.tokenHash === hashToken(resumeToken))
      );
    },
    holderOf: (resumeToken) => owners.holderOf(hashToken(resumeToken)),
    isHolder: owners.isHolder,
    abandon: (sessionId, moment, isStopping = false) => {
      const session = known(sessionId);
      const draft = begin(moment, undefined, undefined);
      abandonSession(draft, session, isStopping);
      return planFrom(draft, []);
    },
    summary: (sessionId) => {
      const session = settled(sessionId);
      return session && summarize(session);
    },
    isOutputOpen: (sessionId, outputId) => settled(sessionId)?.outputs.has(outputId) === true,
    timestamp: (sessionId) => settled(sessionId)?.latestText,
    openParts: (sessionId) => {
      const session = settled(sessionId);
      return session && session.questions.size + session.openToolCount + session.outputs.size;
    },
    openIds: () => {
      settle();
      return [...open.keys()];
    },
    remembered: () => rememberedOf(open.values()),
    isKnown: (sessionId) => open.has(sessionId) || ended.has(sessionId),
    ended: ended.find,
    endedSince: ended.since,
    forgetEnded: ended.forget,
    restore: (questions, present) => {
      const restored = durableSessions.restored(
        questions.map(({ question }) => question),
        present,
      );
      for (const session of restored.open) {
        open.set(session.sessionId, session);
        for (const token of session.replyTokens.keys()) replyTokens.set(token, session.sessionId);
      }
      for (const record of restored.ended) {
        for (const token of record.replyTokens) replyTokens.set(token, record.sessionId);
        ended.add(record);
      }
      return questions.filter(({ question: { sessionId, token } }) => open.get(sessionId)?.questions.has(token));
    },
  };
}

const NONE: readonly never[] = [];
