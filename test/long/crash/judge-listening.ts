// What one listener heard over all its connections against what was published: received and declared is all that was published after the places that it
// named, and nothing came twice but what no cursor had covered (R17, R27).
import { bothOf, type Covered, coveredAtJoin, coveredBy, withoutOutputs } from "./cursor-facts.js";
import type { Counts, Fault, Return } from "./judge.js";
import { createGhostCheck } from "./judge-ghosts.js";
import { createTextCheck } from "./judge-text.js";
import {
  type Heard,
  isQuestion,
  isTerminal,
  type Joined,
  type Listening,
  type PlaceTold,
  type Recording,
  type Sent,
  type SentSession,
  STREAMING,
} from "./record.js";

const COLLAPSIBLE: ReadonlySet<string> = new Set(["aaep:agent.progress.updated", "aaep:agent.state.changed"]);

/** What came so long before its connection ended is in a cursor by then: R17 has one second. */
const LATEST_CURSOR_MS = 3000;

/** What a listener has of one session, each event once. */
interface HeardSession {
  readonly ids: Set<string>;
  readonly terminals: Set<string>;
  readonly resolved: Set<string>;
  /** So many events of it were declared lost. */
  declared: number;
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

interface Connection {
  readonly run: number;
  readonly back: Return | undefined;
  /** What its listener was told last that it has. */
  covered: Covered | undefined;
  readonly ids: Set<string>;
}

/** Of what came, when it came and when that connection ended: undefined while it lasts. */
interface Arrival {
  readonly at: number;
  readonly connection: { leftAt: number | undefined };
}

export function judgeListening(
  recording: Recording,
  listener: Listening,
  counts: Counts,
  faults: string[],
  returns: Return[],
): void {
  const sent = new Map<string, Sent>();
  const sessions = new Map<string, SentSession>();
  for (const session of recording.sessions) {
    sessions.set(session.id, session);
    for (const event of session.events) sent.set(event.id, event);
  }
  const heard = new Map<string, HeardSession>();
  const fault: Fault = (count, what) => {
    counts[count] += 1;
    faults.push(`${listener.name}: ${what}`);
  };
  const text = createTextCheck(listener, sessions, fault);
  const ghosts = createGhostCheck(listener, recording, fault);
  const arrivals = new Map<string, Arrival>();
  let connection: Connection = { run: 0, back: undefined, covered: undefined, ids: new Set() };
  let arriving: Arrival["connection"] = { leftAt: undefined };

  const join = (entry: Joined): void => {
    const { run } = connection;
    if (entry.connection > 1 && entry.named === undefined) fault("lost", "it came back and had no place to name");
    if (entry.resumed === "rolled_back") judgeRollback(entry);
    const back = entry.connection === 1 ? undefined : backOf(entry, run);
    if (back !== undefined) returns.push(back);
    counts.resumed[String(entry.resumed)] = (counts.resumed[String(entry.resumed)] ?? 0) + 1;
    connection = { run: entry.run, back, covered: coveredAtJoin(entry), ids: new Set() };
    arriving = { leftAt: undefined };
    text.joined();
    ghosts.joined(entry);
  };

  /** Whatever was acknowledged is durable, and so is what was published in the same run before it. */
  const judgeRollback = ({ named = "" }: Joined): void => {
    const { after } = coveredBy(named);
    const kept = [...sent.values()].find(
      ({ epoch, ackedInRun }) => epoch !== undefined && epoch >= after && ackedInRun <= runOfEpoch(after),
    );
    if (kept !== undefined)
      fault("rolledBack", `its place ${after} was rolled back, and ${kept.epoch} was acknowledged`);
  };

  /** The last run that acknowledged something up to an epoch. */
  const runOfEpoch = (after: number): number => {
    let run = 0;
    for (const { epoch, ackedInRun } of sent.values())
      if (epoch !== undefined && epoch <= after) run = Math.max(run, ackedInRun);
    return run;
  };

  const backOf = (entry: Joined, before: number): Return => {
    const ended = recording.ends.slice(before, entry.run);
    const cause = ended.includes("kill") ? "kill" : ended.includes("restart") ? "restart" : "break";
    return { listener: listener.name, cause, run: entry.run, resumed: entry.resumed, characters: 0, events: 0 };
  };

  const told = ({ cursor, by }: PlaceTold): void => {
    const place = coveredBy(cursor);
    const { covered } = connection;
    counts.places += 1;
    if (covered !== undefined && covered.journal === place.journal && place.after < covered.after)
      fault("fell", `its place fell from ${covered.after} to ${place.after} (${by})`);
    // Until gaps and sums have gone it is the one that was named, whatever was void of it.
    const isVoid = by === "accepted" && connection.back !== undefined && connection.back.resumed !== "all";
    connection.covered = bothOf(covered, isVoid ? withoutOutputs(place) : place);
    ghosts.told(cursor);
  };

  /** Of what is not text: nothing that a cursor covers comes after it, and of that nothing comes twice on one connection. */
  const judgePlace = (event: Heard, epoch: number | undefined, isKnown: boolean): void => {
    if (event.isSummary === true || event.gap !== undefined) return;
    if (connection.ids.has(event.id)) fault("duplicated", `${event.id} came twice on one connection`);
    connection.ids.add(event.id);
    // Questions that are open are asked anew, and told anew to those that cannot answer (R6).
    if (epoch === undefined || isQuestion(event.type) || event.isNotice === true) return;
    const { covered } = connection;
    if (covered === undefined || epoch > covered.after) return;
    const what = `${event.type} ${event.id} (${epoch})`;
    if (isKnown) fault("again", `${what} came again, which a cursor up to ${covered.after} covered`);
    else fault("ranAhead", `${what} came for the first time after a cursor up to ${covered.after}`);
  };

  const noteAgain = (event: Heard, againCount: number): void => {
    counts.repeated += 1;
    if (connection.back !== undefined) {
      connection.back.events += 1;
      connection.back.characters += againCount;
    }
    const first = arrivals.get(event.id);
    if (!listener.isExact || first === undefined || isQuestion(event.type) || event.isNotice === true) return;
    const { leftAt } = first.connection;
    if (leftAt === undefined || event.isCritical === true || leftAt - first.at < LATEST_CURSOR_MS) return;
    fault("stale", `${event.id} came again, ${Math.round(leftAt - first.at)} ms after which no cursor covered it`);
  };

  const take = (event: Heard): void => {
    const session = heard.get(event.sessionId) ?? emptySession();
    heard.set(event.sessionId, session);
    ghosts.take(event);
    if (event.gap !== undefined) {
      counts.gaps += 1;
      session.declared += event.gap;
    }
    const published = sent.get(event.id);
    if (published === undefined && !isExplained(event, sessions)) {
      fault("invented", `${event.type} ${event.id} was never published`);
      return;
    }
    if (
      published !== undefined &&
      published.text === undefined &&
      event.isDaemons !== true &&
      published.mark !== event.mark
    )
      fault("invented", `${event.id} says ${event.mark}, and ${published.mark} was published`);
    const isKnown = session.ids.has(event.id);
    const epoch = published?.epoch ?? epochOf(event);
    const isText = event.type === STREAMING;
    const { isNews, againCount } = isText
      ? text.accept(event, connection.covered, session.declared > 0)
      : { isNews: !isKnown, againCount: 0 };
    if (!isText) judgePlace(event, epoch, isKnown);
    session.ids.add(event.id);
    if (event.resolution !== undefined && event.question !== undefined) session.resolved.add(event.question);
    session.hasCritical ||= event.isCritical === true;
    session.wasEnded ||= event.isDaemons === true && event.isCritical === true && isTerminal(event.type);
    if (epoch !== undefined && event.isSummary !== true) session.lastEpoch = Math.max(session.lastEpoch, epoch);
    if (!isNews || againCount > 0) noteAgain(event, againCount);
    arrivals.set(event.id, { at: event.at, connection: arriving });
    if (!isNews) return;
    counts.delivered += 1;
    judgeOrder(event, published, session);
  };

  const judgeOrder = (event: Heard, published: Sent | undefined, session: HeardSession): void => {
    if (isTerminal(event.type)) {
      // The agent's own end, which a kill took back before it was acknowledged, may be followed by another.
      if (published === undefined || published.epoch !== undefined) session.terminals.add(event.id);
      if (session.terminals.size > 1) fault("duplicated", `${event.sessionId} ended ${session.terminals.size} times`);
    } else if (session.isOver && event.isSummary !== true && !mayComeLate(listener, event, session))
      fault("reordered", `${event.id} came after the end of ${event.sessionId}`);
    // What is critical may overtake (R4).
    const isAmbiguous = published?.epoch !== undefined && published.ackedInRun > connection.run;
    session.isOver ||= isTerminal(event.type) && event.isCritical !== true && !isAmbiguous;
    if (published?.epoch === undefined) return;
    if (isAmbiguous) {
      counts.ambiguous += 1;
      return;
    }
    const place = { epoch: published.epoch, id: event.id };
    // Of the same session: what is flushed ahead of something critical passes what others have to say (R4).
    const before = session.lastOrdered ?? { epoch: 0, id: "" };
    if (event.type === STREAMING && !listener.isExact) return;
    if (mayComeLate(listener, event, session)) return;
    if (place.epoch < before.epoch)
      fault("reordered", `${event.id} (${place.epoch}) came after ${before.id} (${before.epoch}) in ${connection.run}`);
    if (event.isCritical === true || isQuestion(event.type)) return;
    session.lastOrdered = place;
  };

  for (const entry of listener.log) {
    if (entry.kind === "joined") join(entry);
    else if (entry.kind === "place") told(entry);
    else if (entry.kind === "left") arriving.leftAt ??= entry.at;
    else take(entry);
  }
  ghosts.end();
  for (const session of recording.sessions)
    judgeOwed(session, heard.get(session.id) ?? emptySession(), text.missing(session.id), {
      listener,
      counts,
      fault,
    });
}

/** What was superseded (R4, R11) is repeated by itself where it is read anew (R17). */
function mayComeLate({ isExact }: Listening, { type }: Heard, { hasCritical }: HeardSession): boolean {
  return (!isExact || hasCritical) && COLLAPSIBLE.has(type);
}

interface Judging {
  readonly listener: Listening;
  readonly counts: Counts;
  readonly fault: Fault;
}

/** R27, R29: what was acknowledged comes, or is declared lost; and a session that its agent left is told to have ended (R8). */
function judgeOwed(
  session: SentSession,
  heard: HeardSession,
  missingText: number,
  { listener, counts, fault }: Judging,
): void {
  const missing: string[] = [];
  for (const { id, type, epoch } of session.events) {
    if (epoch === undefined || type === STREAMING) continue;
    if (isQuestion(type)) {
      if (!heard.resolved.has(id)) missing.push(`how ${id} of ${session.id} ended was never told`);
      continue;
    }
    if (heard.ids.has(id) || !listener.wants(type)) continue;
    const maySupersede = listener.isExact ? heard.hasCritical : heard.lastEpoch > epoch || heard.wasEnded;
    if (COLLAPSIBLE.has(type) && maySupersede) counts.superseded += 1;
    else missing.push(`${type} ${id} of ${session.id} (${epoch}) was acknowledged and never came`);
  }
  if (missingText > 0) missing.push(`text of ${missingText} events of ${session.id} never came`);
  const count = missing.length + Math.max(0, missingText - 1);
  if (count > heard.declared) {
    for (const what of missing) fault("lost", `${what} (${heard.declared} declared)`);
  }
  const isStarted = session.events[0]?.epoch !== undefined;
  if (session.lost !== undefined && isStarted && heard.terminals.size === 0)
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

/** Of the last of those that were merged, or of what the daemon published itself (R12). */
function epochOf({ id, isSummary, gap }: Heard): number | undefined {
  const [, digits] = DERIVED.exec(id) ?? [];
  return digits === undefined || isSummary === true || gap !== undefined ? undefined : Number.parseInt(digits, 16);
}

function emptySession(): HeardSession {
  return {
    hasCritical: false,
    wasEnded: false,
    ids: new Set(),
    terminals: new Set(),
    resolved: new Set(),
    declared: 0,
    lastEpoch: 0,
    lastOrdered: undefined,
    isOver: false,
  };
}
