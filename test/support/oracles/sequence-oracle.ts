// AAEP ch. 3 and §4.5 as one subscription sees them: each event whole and told once, sessions between their start and their end, tools and questions
// in pairs. Told naively from what was published and what arrived.
import { allFaults } from "../../../src/protocols/aaep/validation/validate.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import {
  gapOf,
  isCriticalEvent,
  isLateNotice,
  isSummary,
  marksOf,
  type Published,
  STREAMING,
} from "./delivery-facts.js";

const TERMINAL = /^aaep:agent\.session\.(completed|errored|cancelled)$/;

/** AAEP §3.2..§3.7: every event is valid by itself, and no two have one id. */
export function envelopeFaults({ listener }: Connection): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const { event } of listener.received) {
    for (const fault of allFaults(event)) faults.push(`${event.type} ${event.event_id}: ${fault.message}`);
    if (ids.has(event.event_id)) faults.push(`${event.type} ${event.event_id}: told twice`);
    ids.add(event.event_id);
  }
  return faults;
}

/** AAEP §4.5.1..§4.5.3, R4, R6. What a critical event overtook follows it, and nothing else is out of order. */
export function sequenceFaults(world: World, connection: Connection, published: Published): readonly string[] {
  const faults: string[] = [];
  const joined = world.entries[connection.joinedAt - 1]?.epoch ?? Number.NEGATIVE_INFINITY;
  const startOf = new Map<string, number>();
  const invokedAt = new Map<unknown, number>();
  for (const { kind, event, epoch } of world.entries) {
    if (kind === "session.started") startOf.set(event.session_id, epoch);
    if (kind === "tool.invoked") invokedAt.set(event.tool_call_id, epoch);
  }
  const isHeard = (epoch: number | undefined): boolean => epoch !== undefined && epoch > joined;
  const begun = new Set<string>();
  const over = new Map<string, { readonly epoch: number; readonly isCritical: boolean }>();
  const invoked = new Set<unknown>();
  const resolved = new Set<unknown>();
  for (const { event } of connection.listener.received) {
    const { session_id: session, type } = event;
    const say = (what: string) => faults.push(`${type} ${event.event_id} of ${session}: ${what}`);
    if (isSummary(event) || gapOf(event) !== undefined || isLateNotice(event, published)) {
      if (over.get(session)?.isCritical === false) say("said of a session that is over");
      continue;
    }
    const entry = published.entryOf(event);
    const isStart = type === "aaep:agent.session.started";
    if (isStart && begun.has(session)) say("a second start");
    if (isStart) begun.add(session);
    if (!isCriticalEvent(event) && isHeard(startOf.get(session)) && !begun.has(session)) say("before the start");
    const end = over.get(session);
    // What an end that is critical overtook follows it.
    const isOvertaken = end?.isCritical === true && (entry === undefined || entry.epoch < end.epoch);
    if (end !== undefined && !isOvertaken) say("after the end");
    if (type === STREAMING || entry === undefined) continue;
    if (TERMINAL.test(type)) over.set(session, { epoch: entry.epoch, isCritical: isCriticalEvent(event) });
    if (type === "aaep:agent.tool.invoked") invoked.add(event.tool_call_id);
    const { tool_call_id: call } = event;
    if (type === "aaep:agent.tool.completed" && isHeard(invokedAt.get(call)) && !invoked.has(call))
      say("not invoked before");
    if (marksOf(event).decision === undefined) continue;
    const { question } = marksOf(event);
    if (resolved.has(question)) say("resolved twice");
    resolved.add(question);
  }
  if (connection.leftAt !== undefined) return faults;
  for (const { kind, event, epoch } of world.entries) {
    if (isHeard(epoch) && /^session\.(completed|errored|cancelled)$/.test(kind) && !over.has(event.session_id))
      faults.push(`${event.session_id}: no end`);
  }
  return faults;
}
