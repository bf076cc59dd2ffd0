// What one listener heard against what was published.
import type { Counts } from "./judge.js";
import { createTextCheck } from "./judge-text.js";
import {
  type Heard,
  isQuestion,
  isTerminal,
  type Listening,
  type Recording,
  type Sent,
  type SentSession,
  STREAMING,
} from "./record.js";

const COLLAPSIBLE: ReadonlySet<string> = new Set(["aaep:agent.progress.updated", "aaep:agent.state.changed"]);

/** What a listener has of one session, each event once. */
interface HeardSession {
  readonly ids: Set<string>;
  readonly terminals: Set<string>;
  readonly resolved: Set<string>;
  /** It was not named when its listener came back, so that its first word was heard before its beginning or without it (R17). */
  readonly isLate: boolean;
  /** Of what was published and came in its place, the first. */
  firstEpoch: number;
  /** Something critical may have overtaken what it supersedes (R4). */
  hasCritical: boolean;
  /** The daemon ended it for its agent, which overtakes and supersedes as anything critical does (R4, R8). */
  wasEnded: boolean;
  lastEpoch: number;
  /** Where order is judged. */
  lastOrdered: { readonly epoch: number; readonly id: string } | undefined;
  /** An end that nothing may follow has come. */
  isOver: boolean;
}

export function judgeListening(recording: Recording, listener: Listening, counts: Counts, faults: string[]): void {
  const sent = new Map<string, Sent>();
  const sessions = new Map<string, SentSession>();
  for (const session of recording.sessions) {
    sessions.set(session.id, session);
    for (const event of session.events) sent.set(event.id, event);
  }
  const heard = new Map<string, HeardSession>();
  const fault = (count: "lost" | "reordered" | "duplicated" | "invented" | "gaps", what: string): void => {
    counts[count] += 1;
    faults.push(`${listener.name}: ${what}`);
  };
  const text = createTextCheck(listener, sessions, fault);

  for (const event of listener.heard) {
    const session = heard.get(event.sessionId) ?? emptySession(isLate(listener, event, sessions));
    heard.set(event.sessionId, session);
    if (event.isGap === true) fault("gaps", `a gap was declared in ${event.sessionId} (${event.id})`);
    const published = sent.get(event.id);
    if (published === undefined && !isExplained(event, sessions)) {
      fault("invented", `${event.type} ${event.id} was never published`);
      continue;
    }
    if (
      published !== undefined &&
      published.text === undefined &&
      event.isDaemons !== true &&
      published.mark !== event.mark
    )
      fault("invented", `${event.id} says ${event.mark}, and ${published.mark} was published`);
    const isNews = event.type === STREAMING ? text.accept(event, session.isLate) : !session.ids.has(event.id);
    session.ids.add(event.id);
    if (event.resolution !== undefined && event.question !== undefined) session.resolved.add(event.question);
    const epoch = published?.epoch ?? epochOf(event);
    session.hasCritical ||= event.isCritical === true;
    session.wasEnded ||= event.isDaemons === true && event.isCritical === true && isTerminal(event.type);
    if (epoch !== undefined && event.isSummary !== true) {
      if (event.isCritical !== true && session.firstEpoch === Number.POSITIVE_INFINITY) session.firstEpoch = epoch;
      session.lastEpoch = Math.max(session.lastEpoch, epoch);
    }
    if (!isNews) {
      counts.repeated += 1;
      continue;
    }
    counts.delivered += 1;
    if (isTerminal(event.type)) {
      // The agent's own end, which a kill took back before it was acknowledged, may be followed by another.
      if (published === undefined || published.epoch !== undefined) session.terminals.add(event.id);
      if (session.terminals.size > 1) fault("duplicated", `${event.sessionId} ended ${session.terminals.size} times`);
    } else if (session.isOver && event.isSummary !== true && !session.isLate && !mayComeLate(listener, event, session))
      fault("reordered", `${event.id} came after the end of ${event.sessionId}`);
    // What is critical may overtake (R4).
    const isAmbiguous = published?.epoch !== undefined && published.ackedInRun > event.run;
    session.isOver ||= isTerminal(event.type) && event.isCritical !== true && !isAmbiguous;
    if (published?.epoch === undefined) continue;
    if (isAmbiguous) {
      counts.ambiguous += 1;
      continue;
    }
    const place = { epoch: published.epoch, id: event.id };
    // Of the same session: what is flushed ahead of something critical passes what others have to say (R4).
    const before = session.lastOrdered ?? { epoch: 0, id: "" };
    if (event.type === STREAMING && !listener.isExact) continue;
    if (mayComeLate(listener, event, session)) continue;
    if (session.isLate && place.epoch < before.epoch) {
      counts.toldAfterAll += 1;
      continue;
    }
    if (place.epoch < before.epoch)
      fault("reordered", `${event.id} (${place.epoch}, run ${event.run}) came after ${before.id} (${before.epoch})`);
    if (event.isCritical === true || isQuestion(event.type)) continue;
    session.lastOrdered = place;
  }
  for (const session of recording.sessions)
    judgeOwed(session, heard.get(session.id) ?? emptySession(listener.resumesBy === "session"), {
      listener,
      counts,
      fault,
    });
  text.end((id) => excuseOf(listener, sessions.get(id), heard.get(id)));
}

/** What was superseded (R4, R11) is repeated by itself where it is read anew (R17). */
function mayComeLate({ isExact }: Listening, { type }: Heard, { hasCritical }: HeardSession): boolean {
  return (!isExact || hasCritical) && COLLAPSIBLE.has(type);
}

function isLate({ resumesBy }: Listening, event: Heard, sessions: ReadonlyMap<string, SentSession>): boolean {
  return resumesBy === "session" && sessions.get(event.sessionId)?.events[0]?.id !== event.id;
}

interface Judging {
  readonly listener: Listening;
  readonly counts: Counts;
  readonly fault: (count: "lost", what: string) => void;
}

/** The epoch up to which nothing of a session is owed. */
function excuseOf({ resumesBy }: Listening, session: SentSession | undefined, heard: HeardSession | undefined): number {
  if (resumesBy === "event" || session === undefined) return 0;
  if (heard === undefined) return Number.POSITIVE_INFINITY;
  return heard.isLate ? heard.firstEpoch : 0;
}

/** R29: what was acknowledged comes, and a session that its agent left is told to have ended (R8). */
function judgeOwed(session: SentSession, heard: HeardSession, { listener, counts, fault }: Judging): void {
  const excused = excuseOf(listener, session, heard);
  if (excused > 0) counts.unnamed += 1;
  for (const { id, type, epoch } of session.events) {
    if (epoch === undefined || epoch <= excused || type === STREAMING) continue;
    if (isQuestion(type)) {
      if (!heard.resolved.has(id)) fault("lost", `how ${id} of ${session.id} ended was never told`);
      continue;
    }
    if (heard.ids.has(id) || !listener.wants(type)) continue;
    const maySupersede = listener.isExact ? heard.hasCritical : heard.lastEpoch > epoch || heard.wasEnded;
    if (COLLAPSIBLE.has(type) && maySupersede) counts.superseded += 1;
    else fault("lost", `${type} ${id} of ${session.id} (${epoch}) was acknowledged and never came`);
  }
  const isStarted = session.events[0]?.epoch !== undefined;
  const isUnnamed = excused === Number.POSITIVE_INFINITY;
  if (session.lost !== undefined && isStarted && !isUnnamed && heard.terminals.size === 0)
    fault("lost", `the end of ${session.id}, which its agent left (${session.lost}), was never told`);
}

/** What the daemon may say that no agent published: its own words, and what it merged. */
function isExplained(event: Heard, sessions: ReadonlyMap<string, SentSession>): boolean {
  if (!sessions.has(event.sessionId)) return false;
  if (event.isDaemons === true || event.type === STREAMING) return true;
  if (event.type !== "aaep:agent.state.changed") return false;
  const epoch = epochOf(event);
  return sessions.get(event.sessionId)?.events.some((one) => one.epoch === epoch && one.type === event.type) === true;
}

const DERIVED = /^evt_([0-9a-f]{16})[0-9a-f]{48}$/;

/** Of the last of those that were merged (R12). */
function epochOf({ id, isSummary }: Heard): number | undefined {
  const [, digits] = DERIVED.exec(id) ?? [];
  return digits === undefined || isSummary === true ? undefined : Number.parseInt(digits, 16);
}

function emptySession(isLate: boolean): HeardSession {
  return {
    isLate,
    hasCritical: false,
    wasEnded: false,
    ids: new Set(),
    terminals: new Set(),
    resolved: new Set(),
    firstEpoch: Number.POSITIVE_INFINITY,
    lastEpoch: 0,
    lastOrdered: undefined,
    isOver: false,
  };
}
