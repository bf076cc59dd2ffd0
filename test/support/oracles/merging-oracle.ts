// What merged of the events that are no text (R11): every state and every progress was delivered, or is explained by what was. And where nothing had to
// merge: all events, in their order.
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import {
  gapOf,
  isAlwaysWanted,
  isCriticalEvent,
  isGate,
  isLateNotice,
  isSummary,
  isWanted,
  type Judged,
  laneOf,
  marksOf,
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

function isSkipped({ skips, entries }: Judged, epoch: number): boolean {
  return skips.some((skip) => skip.output === undefined && epoch <= (entries[skip.journaled - 1]?.epoch ?? 0));
}

/** R11, R18, R27: every state and progress was delivered once, merged or superseded by what was, declared lost, or skipped. */
export function mergingFaults(judged: Judged): readonly string[] {
  const { received, published, entries, from, to, isWhole } = judged;
  const faults: string[] = [];
  const delivered = new Set<string>();
  const isGapped = received.some(({ event }) => gapOf(event) !== undefined);
  const collapsed: Collapse[] = [];
  for (const got of received) {
    const { event } = got;
    if (event.type === STREAMING || gapOf(event) !== undefined || isSummary(event)) continue;
    const entry = published.entryOf(got);
    if (isLateNotice(got, published)) continue;
    delivered.add(entry !== undefined && isCriticalEvent(event) ? entry.event.event_id : event.event_id);
    if (entry === undefined) faults.push(`${event.type} ${event.event_id}: never published`);
    else if (!published.byId.has(event.event_id))
      collapsed.push({ lane: laneOf(event), first: event.from_state, last: entry.epoch, event });
  }
  const covered = statesCovered(judged, collapsed, faults);
  if (!isWhole) return faults;
  const owed = entries
    .slice(from, to)
    .filter((entry) => entry.kind !== "output.streaming" && isAlwaysWanted(judged, entry));
  for (const { event, epoch, kind } of owed) {
    const isDue = kind === "progress.updated" || kind === "state.changed";
    if (!isDue || delivered.has(event.event_id) || covered.has(epoch) || isSkipped(judged, epoch)) continue;
    if (isGapped) continue;
    const isLater = (other: JournaledEvent): boolean =>
      other.epoch > epoch && laneOf(other.event) === laneOf(event) && delivered.has(other.event.event_id);
    const isOvertaken = owed.some((other) => isLater(other) && isCriticalEvent(other.event));
    if (kind === "progress.updated" && (isOvertaken || owed.some((other) => other.kind === kind && isLater(other))))
      continue;
    if (kind === "state.changed" && !isCriticalEvent(event) && isOvertaken) continue;
    faults.push(`${kind} ${event.event_id} (${epoch}): never delivered`);
  }
  return faults;
}

/** The epochs of states that collapsed into delivered ones or into nothing; finds fault with collapses that R11 forbids. */
function statesCovered(judged: Judged, collapsed: readonly Collapse[], faults: string[]): ReadonlySet<number> {
  const { received, published, entries, from } = judged;
  const covered = new Set<number>();
  const lanes = new Map<string, JournaledEvent[]>();
  for (const entry of entries.slice(from)) {
    if (!isState(entry) || entry.made === "notice" || entry.made === "resolution" || !isAlwaysWanted(judged, entry))
      continue;
    const lane = laneOf(entry.event);
    lanes.set(lane, [...(lanes.get(lane) ?? []), entry]);
  }
  const delivered = new Set(received.map(({ event }) => event.event_id));
  /** R4: a critical event of the agent went ahead of it. */
  const wasSuperseded = ({ epoch, event }: JournaledEvent): boolean =>
    received.some((got) => {
      const critical = isCriticalEvent(got.event) ? published.entryOf(got) : undefined;
      return critical !== undefined && critical.epoch > epoch && laneOf(got.event) === laneOf(event);
    });
  for (const { lane, first, last, event } of collapsed) {
    const states = lanes.get(lane) ?? [];
    if (isCriticalEvent(event)) {
      faults.push(`${event.event_id}: a critical state that was rewritten`);
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
      begin -= 1;
    }
    if (begin < 0)
      faults.push(`${lane}: a collapsed state from ${String(first)} to epoch ${last} that nothing explains`);
  }
  const wasSkipped = ({ epoch }: JournaledEvent): boolean => isSkipped(judged, epoch);
  for (const states of lanes.values()) {
    // What is left undelivered, and was not passed, must come back to where it began.
    const missing = states.filter(
      (state) => !covered.has(state.epoch) && !delivered.has(state.event.event_id) && !wasSuperseded(state),
    );
    for (const epoch of returning(missing, wasSkipped)) covered.add(epoch);
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
export function unmergedFaults({ received, published, entries, from, to, terms }: Judged): readonly string[] {
  const owed = entries
    .slice(from, to)
    .filter((entry) => entry.kind !== "output.streaming" && isWanted(terms, entry))
    .map(({ event }) => `${event.type} ${event.event_id}`);
  const before = entries.slice(0, from);
  for (const got of received) {
    const { event } = got;
    if (!isLateNotice(got, published)) continue;
    const asked = before.find((entry) => entry.event.event_id === marksOf(event).question);
    if (asked === undefined) return ["a notice of a question that was not asked before"];
    if (isWanted(terms, asked)) return ["a notice of a question that it can answer"];
  }
  // What is asked at once of those who come was asked before they came.
  const got = received
    .filter(
      (got) =>
        got.event.type !== STREAMING &&
        !isSummary(got.event) &&
        !isLateNotice(got, published) &&
        !isQuestionFrom(before, got.event),
    )
    .map(({ event }) => `${event.type} ${event.event_id}`);
  for (let index = 0; index < Math.max(owed.length, got.length); index += 1)
    if (owed[index] !== got[index]) return [`event ${index}: ${String(got[index])} instead of ${String(owed[index])}`];
  return [];
}

function isQuestionFrom(entries: readonly JournaledEvent[], event: AgentEvent): boolean {
  return (
    event.type.startsWith("aaep:agent.awaiting.") && entries.some((entry) => entry.event.event_id === event.event_id)
  );
}
