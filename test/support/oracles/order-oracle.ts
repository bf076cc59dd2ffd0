// The order in which a subscription hears (R30, AAEP §4.2.1, §4.5): text before what released it, instants that do not fall, chains of states, sessions
// between their start and their end, tools and questions in pairs.
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import {
  gapOf,
  isAlwaysWanted,
  isCriticalEvent,
  isGate,
  isLateNotice,
  isSummary,
  isTerminal,
  type Judged,
  keyOf,
  laneOf,
  marksOf,
  STREAMING,
  textOf,
} from "./delivery-facts.js";

/** R30: text stands before the events that released it and after those that came before it. */
export function orderFaults({ received, published, connection }: Judged): readonly string[] {
  const faults: string[] = [];
  const completionOnly = connection.eras.some(({ terms }) =>
    terms.coalesceBoundaries.every((boundary) => boundary === "completion"),
  );
  /** Per output: the epoch of the newest character delivered; per session: of the newest ordinary event delivered. */
  const newestText = new Map<string, { session: string; agent: string; epoch: number }>();
  const newestEvent = new Map<string, number>();
  for (const { event } of received) {
    const session = event.session_id;
    if (event.type === STREAMING) {
      const position = Number(event.position);
      const length = [...textOf(event)].length;
      const characters = published.outputs.get(keyOf(event)) ?? [];
      const first = characters[position];
      const last = characters[position + length - 1];
      if (first === undefined || last === undefined || length === 0) continue;
      const agent = event.producer.agent_id;
      // An event of the same agent came between this text and now, and has already been told.
      const passed = newestEvent.get(`${session} ${agent}`) ?? Number.NEGATIVE_INFINITY;
      if (passed > first.epoch && !completionOnly)
        faults.push(`${keyOf(event)}@${position}: text of ${first.epoch} after an event of ${passed}`);
      newestText.set(keyOf(event), { session, agent, epoch: last.epoch });
      continue;
    }
    const entry = published.byId.get(event.event_id);
    if (entry === undefined || isCriticalEvent(event) || entry.kind === "progress.updated") continue;
    if (event.urgency === "background" && entry.kind === "state.changed" && !isGate(event)) continue;
    for (const [key, text] of newestText)
      if (text.session === session && text.epoch > entry.epoch)
        faults.push(`${event.type} of ${entry.epoch} after text of ${text.epoch} in ${key}`);
    const lane = `${session} ${event.producer.agent_id}`;
    // States of one agent may have waited, collapsed, while another agent's events went by.
    const all = newestEvent.get(entry.kind === "state.changed" ? lane : session) ?? Number.NEGATIVE_INFINITY;
    if (all > entry.epoch) faults.push(`${event.type} of ${entry.epoch} after one of ${all}`);
    for (const place of [lane, session])
      newestEvent.set(place, Math.max(entry.epoch, newestEvent.get(place) ?? entry.epoch));
  }
  return faults;
}

/** R30: instants do not run backwards, except where something critical went ahead or the daemon spoke for itself. */
export function timeFaults({ received }: Judged): readonly string[] {
  const faults: string[] = [];
  const last = new Map<string, string>();
  for (const { event } of received) {
    if (isCriticalEvent(event) || gapOf(event) !== undefined || isSummary(event)) continue;
    const before = last.get(event.session_id);
    if (before !== undefined && event.timestamp < before)
      faults.push(`${event.type} ${event.event_id}: ${event.timestamp} after ${before}`);
    last.set(event.session_id, event.timestamp);
  }
  return faults;
}

const IMPLIED: Readonly<Record<string, string>> = {
  "tool.invoked": "calling_tool",
  "output.streaming": "writing_output",
  "awaiting.confirmation": "awaiting_input",
  "awaiting.clarification": "awaiting_input",
  "handoff.requested": "handing_off",
};

interface Told {
  readonly state: string;
  readonly epoch: number;
  /** Of a waiting that the daemon told in its agent's place: the state that the agent itself named last. */
  readonly own: string | undefined;
}

/** AAEP §4.2.1, R3a, R4, R6, R17: an agent's next state begins where the last one ended that was told, or with what was published since implies. */
export function chainFaults({ world, connection, received, published }: Judged): readonly string[] {
  const faults: string[] = [];
  const told = new Map<string, Told>();
  const begun = new Set<string>();
  // Sessions of which a critical event went before others.
  const passed = new Set<string>();
  for (const got of received) {
    const { event } = got;
    const session = event.session_id;
    const isStart = event.type === "aaep:agent.session.started";
    if (isStart && !passed.has(session)) begun.add(session);
    if (isSummary(event) || gapOf(event) !== undefined || isLateNotice(got, published)) {
      // It says where the session stands, of whichever agent.
      for (const lane of told.keys())
        if (gapOf(event) !== undefined || lane.startsWith(`${session} `)) told.delete(lane);
      if (gapOf(event) === undefined) begun.delete(session);
      else begun.clear();
      continue;
    }
    const lane = laneOf(event);
    if (marksOf(event).overtook !== undefined) {
      told.delete(lane);
      begun.delete(session);
      passed.add(session);
      continue;
    }
    const entry = event.type === "aaep:agent.state.changed" ? published.entryOf(got) : undefined;
    if (entry === undefined) continue;
    const last = told.get(lane) ?? (begun.has(session) ? { state: "idle", epoch: 0, own: undefined } : undefined);
    const from = String(event.from_state);
    const isFollowing =
      last === undefined ||
      from === last.state ||
      from === last.own ||
      // A question implies it, also one that was resolved before its turn came.
      entry.made === "resolution" ||
      world.entries.some((one) => {
        const isKeptBack = one.kind === "state.changed" && !isAlwaysWanted({ connection }, one);
        const state = isKeptBack ? one.event.to_state : IMPLIED[one.kind];
        return state === from && isBetween(one, lane, last.epoch, entry.epoch);
      });
    if (!isFollowing)
      faults.push(`${lane}: ${from} → ${String(event.to_state)} (${entry.epoch}) after ${last.state} (${last.epoch})`);
    const isWaiting = entry.made === "notice" || entry.made === "supplied";
    // One that goes on by itself while it is asking is told of the outcome as of one that waits (R6).
    const left = last?.state === "awaiting_input" ? undefined : last?.state;
    const before = entry.made === "resolution" || isWaiting ? (last?.own ?? left) : undefined;
    told.set(lane, {
      state: String(event.to_state),
      epoch: entry.epoch,
      own: isWaiting && from !== "awaiting_input" ? from : before,
    });
  }
  return faults;
}

function isBetween({ event, epoch }: JournaledEvent, lane: string, after: number, before: number): boolean {
  return epoch > after && epoch < before && laneOf(event) === lane;
}

/** AAEP §4.5.1..§4.5.3, R4, R6. What a critical event overtook follows it, and nothing else is out of order. */
export function sequenceFaults({ world, connection, received, published }: Judged): readonly string[] {
  const faults: string[] = [];
  const owed = world.entries.slice(connection.joinedAt).filter((entry) => isAlwaysWanted({ connection }, entry));
  const starts = new Set(owed.filter(({ kind }) => kind === "session.started").map(({ event }) => event.session_id));
  const calls = new Set(owed.filter(({ kind }) => kind === "tool.invoked").map(({ event }) => event.tool_call_id));
  const begun = new Set<string>();
  const over = new Map<string, { readonly epoch: number; readonly isCritical: boolean }>();
  let isGapped = false;
  const invoked = new Set<unknown>();
  const resolved = new Set<unknown>();
  for (const got of received) {
    const { event } = got;
    const { session_id: session, type } = event;
    const say = (what: string) => faults.push(`${type} ${event.event_id} of ${session}: ${what}`);
    if (isSummary(event) || gapOf(event) !== undefined || isLateNotice(got, published)) {
      if (over.get(session)?.isCritical === false) say("said of a session that is over");
      // Its start, or that of a tool, may be what is lost.
      isGapped ||= gapOf(event) !== undefined;
      continue;
    }
    const entry = published.entryOf(got);
    const isStart = type === "aaep:agent.session.started";
    if (isStart && begun.has(session)) say("a second start");
    if (isStart) begun.add(session);
    if (!isCriticalEvent(event) && starts.has(session) && !begun.has(session) && !isGapped) say("before the start");
    const end = over.get(session);
    // What an end that is critical overtook follows it.
    const isOvertaken = end?.isCritical === true && (entry === undefined || entry.epoch < end.epoch);
    if (end !== undefined && !isOvertaken) say("after the end");
    if (type === STREAMING || entry === undefined) continue;
    if (isTerminal(type)) over.set(session, { epoch: entry.epoch, isCritical: isCriticalEvent(event) });
    if (type === "aaep:agent.tool.invoked") invoked.add(event.tool_call_id);
    const { tool_call_id: call } = event;
    const isDue = calls.has(call) && !isGapped;
    if (type === "aaep:agent.tool.completed" && isDue && !invoked.has(call)) say("not invoked before");
    if (marksOf(event).decision === undefined) continue;
    const { question } = marksOf(event);
    if (resolved.has(question)) say("resolved twice");
    resolved.add(question);
  }
  if (connection.leftAt !== undefined || isGapped) return faults;
  for (const { event } of owed) {
    if (isTerminal(event.type) && !over.has(event.session_id)) faults.push(`${event.session_id}: no end`);
  }
  return faults;
}
