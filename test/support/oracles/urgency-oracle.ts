// What goes ahead of others (R4), and how much may leave (R9).
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Connection } from "../rigs/delivery-world.js";
import type { Received } from "../rigs/engine-rig.js";
import {
  gapOf,
  isAlwaysWanted,
  isCriticalEvent,
  isSummary,
  isWanted,
  type Judged,
  keyOf,
  marksOf,
  STREAMING,
  textOf,
} from "./delivery-facts.js";

/** R4: critical events go in the turn they were published, or first when the transport takes again; the count is what they left behind. */
export function criticalFaults({ world, connection, received, published }: Judged): readonly string[] {
  const faults: string[] = [];
  for (const turn of connection.turns) {
    const wanted = world.entries
      .slice(turn.from, turn.to)
      .filter((entry) => isCriticalEvent(entry.event) && isAlwaysWanted({ connection }, entry));
    if (wanted.length === 0 || turn.isBlocked) continue;
    const now = new Set(received.slice(turn.before, turn.after).map((got) => published.entryOf(got)));
    for (const entry of wanted)
      if (!now.has(entry)) faults.push(`${entry.event.type} ${entry.event.event_id}: not in its turn`);
    if (turn.isLimited || turn.isPaused) faults.push(...flushFaults(received.slice(turn.before, turn.after)));
  }
  for (const { received: from, journaled } of connection.unblocked) {
    const waiting = world.entries
      .slice(connection.joinedAt, journaled)
      .filter(
        ({ event }) =>
          isCriticalEvent(event) &&
          received.slice(from).some((got) => published.entryOf(got)?.event.event_id === event.event_id),
      );
    if (waiting.length === 0) continue;
    const last = received.findLastIndex((got) =>
      waiting.some((entry) => entry.event.event_id === published.entryOf(got)?.event.event_id),
    );
    faults.push(...flushFaults(received.slice(from, last + 1)));
  }
  for (const [index, critical] of received.entries()) {
    const { event } = critical;
    const entry = published.entryOf(critical);
    if (entry === undefined || !isCriticalEvent(event)) continue;
    const overtook = marksOf(event).overtook;
    const later = received.slice(index + 1).filter((got) => {
      const other = published.byId.get(got.event.event_id);
      return (
        other !== undefined &&
        other.kind !== "output.streaming" &&
        !isAskedLate(connection, other.kind) &&
        other.event.session_id === event.session_id &&
        other.epoch < entry.epoch
      );
    });
    if (later.length > 0 && overtook !== true)
      faults.push(`${event.type} ${event.event_id}: overtook ${String(overtook)}, but ${later.length} followed`);
    for (const got of later) {
      const isOld = got.event.type.endsWith("progress.updated") || got.event.type.endsWith("state.changed");
      if (isOld && !isCriticalEvent(got.event) && got.event.producer.agent_id === event.producer.agent_id)
        faults.push(`${got.event.type} ${got.event.event_id}: superseded, and delivered`);
    }
  }
  return faults;
}

/** A question is put to who can answer it only since its terms changed. */
function isAskedLate({ eras }: Connection, kind: string): boolean {
  return eras.length > 1 && kind.startsWith("awaiting.");
}

/** Before each critical event of a run of events at most four of its own session. */
function flushFaults(received: readonly Received[]): readonly string[] {
  const last = received.findLastIndex(({ event }) => isCriticalEvent(event));
  let ahead: Received[] = [];
  for (const got of received.slice(0, last + 1)) {
    if (!isCriticalEvent(got.event)) {
      ahead.push(got);
      continue;
    }
    if (ahead.length > 4 || ahead.some(({ event }) => event.session_id !== got.event.session_id))
      return [
        `${got.event.event_id}: behind ${ahead.map(({ event }) => `${event.session_id} ${event.type}`).join(", ")}`,
      ];
    ahead = [];
  }
  return [];
}

/** R4: an event says that it overtook others only where some of its session were owed when it left. */
export function overtakingFaults({ world, connection, received, published }: Judged): readonly string[] {
  const faults: string[] = [];
  const begin = world.entries[connection.joinedAt - 1]?.epoch ?? 0;
  // Who reads back does not know of which session the events are that it has not read.
  if (world.plan.viewWindowCount < 64) return [];
  for (const [index, got] of received.entries()) {
    const { event } = got;
    const count = marksOf(event).overtook;
    const critical = count === undefined ? undefined : published.entryOf(got);
    if (critical === undefined) continue;
    const before = new Set(received.slice(0, index).map((one) => published.entryOf(one)));
    const ends = endsOf(received.slice(0, index).map((one) => one.event));
    const owed = world.entries.filter((entry) => {
      const { event: other, epoch } = entry;
      if (epoch >= critical.epoch || other.session_id !== event.session_id) return false;
      if (!connection.eras.some(({ terms }) => isWanted(terms, entry)) || before.has(entry)) return false;
      // One without text may be told by itself.
      if (entry.kind === "output.streaming")
        return textOf(other) === "" || (ends.get(keyOf(other)) ?? 0) < endOf(other);
      return epoch > begin;
    });
    // What the daemon says to this subscription alone stands in no journal.
    const isSum = (one: Received): boolean =>
      (isSummary(one.event) || gapOf(one.event) !== undefined) && one.event.session_id === event.session_id;
    // Who left may not have waited for it.
    const stood = world.entries.slice(0, connection.joinedAt).some((one) => one.event.session_id === event.session_id);
    const isSumDue = connection.leftAt !== undefined && stood && !received.slice(0, index).some(isSum);
    if (isSumDue || received.slice(index + 1).some(isSum)) continue;
    if (owed.length === 0)
      faults.push(`${event.type} ${event.event_id}: overtook ${String(count)}, and nothing was owed`);
  }
  return faults;
}

/** Where each output's text ends that was given; one more where it is complete. */
function endsOf(events: readonly AgentEvent[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const event of events) if (event.type === STREAMING) ends.set(keyOf(event), endOf(event));
  return ends;
}

function endOf(event: AgentEvent): number {
  return Number(event.position) + [...textOf(event)].length + (event.complete === true ? 1 : 0);
}

/** R9: in any window at most rate × time + burst, what R4 flushed aside. */
export function rateFaults(judged: Judged, burst = 1): readonly string[] {
  const { connection, received } = judged;
  const paid: { at: number }[] = [];
  for (const [index, { event, at }] of received.entries()) {
    if (isCriticalEvent(event)) continue;
    let ahead = index + 1;
    while (ahead < received.length && ahead <= index + 4) {
      const next = received[ahead];
      if (next === undefined || next.at !== at || next.event.session_id !== event.session_id) break;
      if (isCriticalEvent(next.event)) break;
      ahead += 1;
    }
    const next = received[ahead];
    const flushed =
      next !== undefined &&
      next.at === at &&
      isCriticalEvent(next.event) &&
      next.event.session_id === event.session_id &&
      ahead <= index + 4;
    if (!flushed) paid.push({ at });
  }
  const { eras } = connection;
  const tokens = (from: number, to: number): number => {
    let sum = 0;
    for (const [index, { at, terms }] of eras.entries()) {
      const end = eras[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      const overlap = Math.min(to, end) - Math.max(from, index === 0 ? Number.NEGATIVE_INFINITY : at);
      if (terms.maxEventsPerSecond === undefined) {
        if (overlap >= 0) return Number.POSITIVE_INFINITY;
      } else if (overlap > 0) sum += (overlap * terms.maxEventsPerSecond) / 1000;
    }
    return sum;
  };
  for (let first = 0; first < paid.length; first += 1) {
    const start = paid[first];
    for (let last = first; last < paid.length; last += 1) {
      const end = paid[last];
      if (start === undefined || end === undefined) continue;
      if (last - first + 1 > tokens(start.at, end.at) + burst + 1e-6)
        return [`${last - first + 1} events from ${start.at} to ${end.at} ms`];
    }
  }
  return [];
}
