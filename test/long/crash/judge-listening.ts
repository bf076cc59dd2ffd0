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
  /** The lowest epoch of what was published and came. */
  firstEpoch: number;
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
  let lastOrdered = { epoch: 0, id: "" };

  for (const event of listener.heard) {
    const session = heard.get(event.sessionId) ?? emptySession();
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
    const isNews = event.type === STREAMING ? text.accept(event) : !session.ids.has(event.id);
    session.ids.add(event.id);
    if (event.resolution !== undefined && event.question !== undefined) session.resolved.add(event.question);
    const epoch = published?.epoch ?? epochOf(event);
    if (epoch !== undefined && event.isSummary !== true) {
      session.firstEpoch = Math.min(session.firstEpoch, epoch);
      session.lastEpoch = Math.max(session.lastEpoch, epoch);
    }
    if (!isNews) {
      counts.repeated += 1;
      continue;
    }
    counts.delivered += 1;
    if (isTerminal(event.type)) {
      session.terminals.add(event.id);
      if (session.terminals.size > 1) fault("duplicated", `${event.sessionId} ended ${session.terminals.size} times`);
    } else if (session.isOver && event.isSummary !== true)
      fault("reordered", `${event.id} came after the end of ${event.sessionId}`);
    // What is critical may overtake (R4).
    session.isOver ||= isTerminal(event.type) && event.isCritical !== true;
    if (published?.epoch === undefined) continue;
    if (published.ackedInRun > event.run) {
      counts.ambiguous += 1;
      continue;
    }
    const place = { epoch: published.epoch, id: event.id };
    const before = listener.isExact ? lastOrdered : (session.lastOrdered ?? { epoch: 0, id: "" });
    if (event.type === STREAMING && !listener.isExact) continue;
    if (place.epoch < before.epoch)
      fault("reordered", `${event.id} (${place.epoch}, run ${event.run}) came after ${before.id} (${before.epoch})`);
    if (event.isCritical === true || isQuestion(event.type)) continue;
    session.lastOrdered = place;
    lastOrdered = place;
  }
  for (const session of recording.sessions)
    judgeOwed(session, heard.get(session.id) ?? emptySession(), { listener, counts, fault });
  text.end((id) => excuseOf(listener, sessions.get(id), heard.get(id)));
}

interface Judging {
  readonly listener: Listening;
  readonly counts: Counts;
  readonly fault: (count: "lost", what: string) => void;
}

/** The epoch up to which nothing of a session is owed. */
function excuseOf({ resumesBy }: Listening, session: SentSession | undefined, heard: HeardSession | undefined): number {
  const [first] = session?.events ?? [];
  if (resumesBy === "event" || session === undefined || first === undefined) return 0;
  if (heard === undefined || !Number.isFinite(heard.firstEpoch)) return Number.POSITIVE_INFINITY;
  return heard.ids.has(first.id) ? 0 : heard.firstEpoch;
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
    if (!listener.isExact && COLLAPSIBLE.has(type) && heard.lastEpoch > epoch) counts.superseded += 1;
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

function emptySession(): HeardSession {
  return {
    ids: new Set(),
    terminals: new Set(),
    resolved: new Set(),
    firstEpoch: Number.POSITIVE_INFINITY,
    lastEpoch: 0,
    lastOrdered: undefined,
    isOver: false,
  };
}
