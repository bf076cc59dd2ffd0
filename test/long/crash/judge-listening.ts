// The judge of one listener over all its connections. Places are the affair of the place oracle (R17, R27); this file judges what else was promised:
// order, ends, that nobody's words come, and how soon a cursor covers what came.
import { cursorFacts } from "../../support/oracles/cursor-reading.js";
import { STREAMING } from "../../support/oracles/delivery-facts.js";
import { isQuestion, type PublishedEvent, publishedRecord } from "../../support/oracles/place-facts.js";
import { createPlaceOracle } from "../../support/oracles/place-oracle.js";
import type { Counts, Fault, Return } from "./judge.js";
import { createGhostCheck } from "./judge-ghosts.js";
import {
  type Heard,
  isTerminal,
  type Joined,
  type Listening,
  type PlaceTold,
  type Recording,
  type Sent,
  type SentSession,
} from "./record.js";

/** Each boot begins 2^32 epochs above the last durable one (R29). */
const BOOT_DISTANCE = 2 ** 31;
const COLLAPSIBLE: ReadonlySet<string> = new Set(["aaep:agent.progress.updated", "aaep:agent.state.changed"]);

/** What came so long before its connection ended is in a cursor by then: R17 has one second. */
const LATEST_CURSOR_MS = 3000;

/** What a listener has of one session, each event once. */
interface HeardSession {
  readonly terminals: Set<string>;
  readonly resolved: Set<string>;
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
  readonly resumed: string | undefined;
  readonly back: Return | undefined;
  hasGap: boolean;
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
  const superseded = new Set<string>();
  const isMissing = (event: PublishedEvent, hasCome: boolean): boolean => {
    const { id, type, sessionId, epoch = 0 } = event;
    const session = heard.get(sessionId) ?? emptySession();
    // Of a question its end is owed.
    if (isQuestion(type)) return !session.resolved.has(id);
    if (hasCome || !listener.wants(type)) return false;
    const maySupersede = listener.isExact ? session.hasCritical : session.lastEpoch > epoch || session.wasEnded;
    if (!COLLAPSIBLE.has(type) || !maySupersede) return true;
    superseded.add(id);
    return false;
  };
  const places = createPlaceOracle({ published: publishedRecord([...sent.values()]), isMissing, fault });
  const ghosts = createGhostCheck(listener, recording, fault);
  const arrivals = new Map<string, Arrival>();
  let connection: Connection = { run: 0, resumed: undefined, back: undefined, hasGap: false };
  let arriving: Arrival["connection"] = { leftAt: undefined };

  const join = (entry: Joined): void => {
    const { run } = connection;
    if (entry.connection > 1 && entry.named === undefined) fault("lost", "it came back and had no place to name");
    if (entry.resumed === "gap") judgeGap(entry);
    const back = entry.connection === 1 ? undefined : backOf(entry, run);
    if (back !== undefined) returns.push(back);
    counts.resumed[String(entry.resumed)] = (counts.resumed[String(entry.resumed)] ?? 0) + 1;
    connection = { run: entry.run, resumed: entry.resumed, back, hasGap: false };
    arriving = { leftAt: undefined };
    // All listeners are there before anything is published.
    places.joined({ ...entry, head: 0 });
    ghosts.joined(entry);
  };

  /** The journal lets go of nothing but what a kill takes. An acknowledged event is durable, and so is every event that the same boot put before it. */
  const judgeGap = ({ named = "" }: Joined): void => {
    const { after } = cursorFacts(named);
    const durable = [...sent.values()].find(
      ({ epoch }) => epoch !== undefined && epoch >= after && epoch - after < BOOT_DISTANCE,
    );
    if (durable !== undefined)
      fault("misjudged", `its place ${after} was met with a gap, and ${durable.epoch} was acknowledged`);
  };

  /** What a kill took back is declared lost, once, which excuses nothing that was acknowledged (R17, R27). */
  const withoutGap = ({ gap, ...event }: Heard): Heard => {
    if (gap === undefined) return event;
    if (connection.resumed !== "gap" || connection.hasGap) counts.gaps += 1;
    connection.hasGap = true;
    return event;
  };

  const backOf = (entry: Joined, before: number): Return => {
    const ended = recording.ends.slice(before, entry.run);
    const cause = ended.includes("kill") ? "kill" : ended.includes("restart") ? "restart" : "break";
    return { listener: listener.name, cause, run: entry.run, resumed: entry.resumed, characters: 0, events: 0 };
  };

  const told = (place: PlaceTold): void => {
    counts.places += 1;
    places.told(place.cursor);
    ghosts.told(place);
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
    if (event.type === STREAMING && !listener.wants(STREAMING))
      fault("invented", `${event.id} is text, which was not asked for`);
    const { isNews, againCount } = places.take(withoutGap(event));
    if (event.resolution !== undefined && event.question !== undefined) session.resolved.add(event.question);
    session.hasCritical ||= event.isCritical === true;
    session.wasEnded ||= event.isDaemons === true && event.isCritical === true && isTerminal(event.type);
    session.lastEpoch = Math.max(session.lastEpoch, published?.epoch ?? 0);
    if (!isNews || againCount > 0) noteAgain(event, againCount);
    // A question that is asked anew is no repeat, and stands where it comes.
    const isAskedAnew = isQuestion(event.type) && arrivals.has(event.id);
    arrivals.set(event.id, { at: event.at, connection: arriving });
    if (!isNews || isAskedAnew) return;
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
  places.end(true);
  counts.superseded += superseded.size;
  for (const { id, lost, events } of recording.sessions) {
    const isTold = heard.get(id)?.terminals.size ?? 0;
    if (lost !== undefined && events[0]?.epoch !== undefined && isTold === 0)
      fault("lost", `the end of ${id}, which its agent left (${lost}), was never told`);
  }
}

/** What was superseded (R4, R11) is repeated by itself where it is read anew (R17). */
function mayComeLate({ isExact }: Listening, { type }: Heard, { hasCritical }: HeardSession): boolean {
  return (!isExact || hasCritical) && COLLAPSIBLE.has(type);
}

/** What the daemon may say that no agent published: its own words, and what it merged. */
function isExplained(event: Heard, sessions: ReadonlyMap<string, SentSession>): boolean {
  if (!sessions.has(event.sessionId)) return false;
  if (event.isDaemons === true || event.type === STREAMING) return true;
  return event.type === "aaep:agent.state.changed" && isMergedId(event.id);
}

/** R12. */
function isMergedId(id: string): boolean {
  return /^evt_[0-9a-f]{40}$/.test(id);
}

function emptySession(): HeardSession {
  return {
    hasCritical: false,
    wasEnded: false,
    terminals: new Set(),
    resolved: new Set(),
    lastEpoch: 0,
    lastOrdered: undefined,
    isOver: false,
  };
}
