// Which other events a subscription should have got, when, and how many of them (R4, R9, R11, R18, R32).
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import type { Received } from "../rigs/engine-rig.js";
import {
  GATES,
  gapOf,
  isCriticalEvent,
  isGate,
  isLateNotice,
  isSummary,
  isWanted,
  type Judged,
  laneOf,
  marksOf,
  type Published,
  STREAMING,
} from "./delivery-facts.js";

function isState(entry: JournaledEvent): boolean {
  return entry.kind === "state.changed" && !isCriticalEvent(entry.event);
}

/** A delivered state that stands for several. */
interface Collapse {
  readonly lane: string;
  readonly first: unknown;
  readonly last: number;
  readonly event: AgentEvent;
}

/** R11, R18, R27: every other event was delivered once, merged or superseded by what was, declared lost, or skipped. */
export function eventFaults(judged: Judged): readonly string[] {
  const { received, published, entries, from, to, terms, skips, isWhole } = judged;
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const gapped = new Set(
    received.filter(({ event }) => gapOf(event) !== undefined).map(({ event }) => event.session_id),
  );
  /** Of one agent: the epochs that its collapsed states stand for. */
  const collapsed: Collapse[] = [];
  for (const { event } of received) {
    if (event.type === STREAMING || gapOf(event) !== undefined || isSummary(event)) continue;
    const entry = published.entryOf(event);
    if (entry === undefined && isLateNotice(event, published)) continue;
    const id = entry !== undefined && isCriticalEvent(event) ? entry.event.event_id : event.event_id;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    if (entry === undefined) faults.push(`${event.type} ${event.event_id}: never published`);
    else if (!published.byId.has(event.event_id))
      collapsed.push({ lane: laneOf(event), first: event.from_state, last: entry.epoch, event });
  }
  for (const [id, count] of counts) if (count > 1) faults.push(`${id}: ${count} times`);
  const covered = statesCovered(judged, collapsed, faults);
  if (!isWhole) return faults;
  const owed = entries.slice(from, to).filter((entry) => entry.kind !== "output.streaming" && isWanted(terms, entry));
  for (const entry of owed) {
    const { event, epoch, kind } = entry;
    if (counts.has(event.event_id) || gapped.has(event.session_id) || covered.has(epoch)) continue;
    const skipped = skips.some(
      (skip) => skip.output === undefined && epoch <= (entries[skip.journaled - 1]?.epoch ?? 0),
    );
    if (skipped) continue;
    const isLater = (other: JournaledEvent): boolean =>
      other.epoch > epoch && laneOf(other.event) === laneOf(event) && counts.has(other.event.event_id);
    const isOvertaken = owed.some((other) => isLater(other) && isCriticalEvent(other.event));
    if (kind === "progress.updated" && (isOvertaken || owed.some((other) => other.kind === kind && isLater(other))))
      continue;
    if (kind === "state.changed" && !isCriticalEvent(event) && isOvertaken) continue;
    faults.push(`${kind} ${event.event_id} (${epoch}): never delivered`);
  }
  return faults;
}

/** The epochs of states that collapsed into delivered ones or into nothing; finds fault with collapses that R11 forbids. */
function statesCovered(
  { received, published, entries, from, terms, skips }: Judged,
  collapsed: readonly Collapse[],
  faults: string[],
): ReadonlySet<number> {
  const covered = new Set<number>();
  const lanes = new Map<string, JournaledEvent[]>();
  for (const entry of entries.slice(from)) {
    if (!isState(entry) || entry.made === "notice" || entry.made === "resolution" || !isWanted(terms, entry)) continue;
    const lane = laneOf(entry.event);
    lanes.set(lane, [...(lanes.get(lane) ?? []), entry]);
  }
  const delivered = new Set(received.map(({ event }) => event.event_id));
  /** R4: a critical event of the agent went ahead of it. */
  const wasSuperseded = ({ epoch, event }: JournaledEvent): boolean =>
    received.some(({ event: other }) => {
      const critical = isCriticalEvent(other) ? published.entryOf(other) : undefined;
      return critical !== undefined && critical.epoch > epoch && laneOf(other) === laneOf(event);
    });
  /** R4: states that a critical one superseded, and began where they did. */
  const begunEarlier = new Set<number>();
  for (const { lane, first, last, event } of collapsed) {
    const states = lanes.get(lane) ?? [];
    if (isCriticalEvent(event)) {
      for (const state of states.filter(({ epoch }) => epoch < last).reverse()) {
        if (delivered.has(state.event.event_id)) break;
        begunEarlier.add(state.epoch);
        if (state.event.from_state === first) break;
      }
      continue;
    }
    const end = states.findIndex(({ epoch }) => epoch === last);
    let begin = end;
    while (begin >= 0) {
      const state = states[begin];
      if (state === undefined) break;
      if (delivered.has(state.event.event_id)) {
        faults.push(`${lane}: a collapse up to ${last} across ${state.epoch}, which was delivered`);
        break;
      }
      const isAcross =
        begin < end || states.slice(0, end).some((one) => !delivered.has(one.event.event_id) && !wasSuperseded(one));
      if (isGate(state.event) && isAcross && !wasSuperseded(state)) {
        faults.push(
          `${lane}: a collapse into or across ${String(state.event.from_state)} → ${String(state.event.to_state)}`,
        );
        break;
      }
      covered.add(state.epoch);
      if (begin < end && state.event.from_state === first) break;
      // What the critical event implies that superseded the states before (R3a, R4).
      if (GATES.includes(first) && begin < end && wasSuperseded(state)) break;
      begin -= 1;
    }
    if (begin < 0)
      faults.push(`${lane}: a collapsed state from ${String(first)} to epoch ${last} that nothing explains`);
  }
  const wasSkipped = ({ epoch }: JournaledEvent): boolean =>
    skips.some((skip) => skip.output === undefined && epoch <= (entries[skip.journaled - 1]?.epoch ?? 0));
  for (const states of lanes.values()) {
    // What is left undelivered must come back to where it began. Its agent's next state may begin where one began that a critical event superseded (R4).
    const missing = states.filter(({ epoch, event }) => !covered.has(epoch) && !delivered.has(event.event_id));
    const others = missing.filter(({ epoch }) => !begunEarlier.has(epoch));
    const found = [missing, others].flatMap((some) => returning(some, wasSkipped));
    for (const epoch of found) covered.add(epoch);
  }
  return covered;
}

/** The epochs of states, of one agent, that came back to where they began. */
function returning(
  states: readonly JournaledEvent[],
  wasSkipped: (state: JournaledEvent) => boolean,
): readonly number[] {
  const found: number[] = [];
  let begin: JournaledEvent | undefined;
  let run: number[] = [];
  for (const state of states) {
    const isOut = wasSkipped(state) || isGate(state.event);
    if (!isOut) {
      begin ??= state;
      run.push(state.epoch);
      if (state.event.to_state !== begin.event.from_state) continue;
      found.push(...run);
    }
    begin = undefined;
    run = [];
  }
  return found;
}

/** Without pressure there is nothing to merge but text: every other event in its order, once. */
export function exactFaults({ received, published, entries, from, to, terms }: Judged): readonly string[] {
  const owed = entries
    .slice(from, to)
    .filter((entry) => entry.kind !== "output.streaming" && isWanted(terms, entry))
    .map(({ event }) => `${event.type} ${event.event_id}`);
  for (const { event } of received)
    if (isSummary(event) && !isWanted(terms, summaryEntry(event))) return ["a summary that the filters keep back"];
  const before = entries.slice(0, from);
  for (const { event } of received) {
    if (!isLateNotice(event, published)) continue;
    const asked = before.find((entry) => entry.event.event_id === marksOf(event).question);
    if (asked === undefined) return ["a notice of a question that was not asked before"];
    if (isWanted(terms, asked)) return ["a notice of a question that it can answer"];
  }
  // What is asked at once of those who come was asked before they came.
  const got = received
    .filter(
      ({ event }) =>
        event.type !== STREAMING &&
        !isSummary(event) &&
        !isLateNotice(event, published) &&
        !isQuestionFrom(before, event),
    )
    .map(({ event }) => `${event.type} ${event.event_id}`);
  for (let index = 0; index < Math.max(owed.length, got.length); index += 1)
    if (owed[index] !== got[index]) return [`event ${index}: ${String(got[index])} instead of ${String(owed[index])}`];
  return [];
}

function summaryEntry(event: AgentEvent): JournaledEvent {
  return { event, kind: "state.changed", source: undefined, at: 0, ordinal: 0, made: "state", epoch: 0 };
}

function isQuestionFrom(entries: readonly JournaledEvent[], event: AgentEvent): boolean {
  return (
    event.type.startsWith("aaep:agent.awaiting.") && entries.some((entry) => entry.event.event_id === event.event_id)
  );
}

/** R9: in any window at most rate × time + burst, what R4 flushed aside. */
export function rateFaults(connection: Connection, burst = 1): readonly string[] {
  const { received } = connection.listener;
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

/** R4: critical events go in the turn they were published, or first when the transport takes again; the count is what they left behind. */
export function criticalFaults(world: World, connection: Connection, published: Published): readonly string[] {
  const faults: string[] = [];
  const { received } = connection.listener;
  const [era] = connection.eras;
  if (era === undefined) return ["no terms"];
  for (const turn of connection.turns) {
    const wanted = world.entries
      .slice(turn.from, turn.to)
      .filter((entry) => isCriticalEvent(entry.event) && isWanted(era.terms, entry));
    if (wanted.length === 0 || turn.isBlocked) continue;
    const now = new Set(received.slice(turn.before, turn.after).map(({ event }) => published.entryOf(event)));
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
          received.slice(from).some((got) => published.entryOf(got.event)?.event.event_id === event.event_id),
      );
    if (waiting.length === 0) continue;
    const last = received.findLastIndex(({ event }) =>
      waiting.some((entry) => entry.event.event_id === published.entryOf(event)?.event.event_id),
    );
    faults.push(...flushFaults(received.slice(from, last + 1)));
  }
  for (const [index, { event }] of received.entries()) {
    const entry = published.entryOf(event);
    if (entry === undefined || !isCriticalEvent(event)) continue;
    const overtook = marksOf(event).overtook;
    const later = received.slice(index + 1).filter((got) => {
      const other = published.byId.get(got.event.event_id);
      return (
        other !== undefined &&
        other.kind !== "output.streaming" &&
        other.event.session_id === event.session_id &&
        other.epoch < entry.epoch
      );
    });
    if (later.length > Number(overtook ?? 0))
      faults.push(`${event.type} ${event.event_id}: overtook ${String(overtook)}, but ${later.length} followed`);
    for (const got of later) {
      const isOld = got.event.type.endsWith("progress.updated") || got.event.type.endsWith("state.changed");
      if (isOld && !isCriticalEvent(got.event) && got.event.producer.agent_id === event.producer.agent_id)
        faults.push(`${got.event.type} ${got.event.event_id}: superseded, and delivered`);
    }
  }
  return faults;
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
