// What those should have got who came back, and who should have been asked (R6, R17, R27, R28).
import { createHash } from "node:crypto";
import { type CursorPlace, outputDigest, readCursor } from "../../../src/engine/event/cursor.js";
import { type AgentEvent, isTerminalKind, type JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import { gapOf, isWanted, type Judged, judgedOf, keyOf, type Published, STREAMING, textOf } from "./delivery-facts.js";
import { eventFaults } from "./event-oracle.js";
import { textFaults } from "./text-oracle.js";

/** R17, R27: all that a client received over its connections, as far as it arrived, is all that it was owed; less what was declared lost. */
export function resumeFaults(world: World, published: Published): readonly string[] {
  const faults: string[] = [];
  const seats = new Map<number, Connection[]>();
  for (const connection of world.connections)
    seats.set(connection.seat, [...(seats.get(connection.seat) ?? []), connection]);
  for (const connections of seats.values()) {
    // A client that came back without a place starts anew.
    const begin = connections.findLastIndex(({ resume }) => resume === undefined);
    const chain = connections.slice(begin);
    const [first] = chain;
    const last = chain.at(-1);
    if (first === undefined || last === undefined) continue;
    for (const connection of chain) faults.push(...ownFaults(world, connection, published));
    const received = chain.flatMap(({ listener, arrived }) => listener.received.slice(0, arrived));
    const judged: Judged = {
      ...judgedOf(world, first, published),
      received,
      to: last.leftAt ?? world.entries.length,
      mayRepeat: true,
      isWhole: last.leftAt === undefined,
    };
    faults.push(...textFaults(judged));
    faults.push(...missedFaults(judged));
  }
  return faults;
}

/** Within one connection nothing comes twice, and nothing that the place covers which it named. */
function ownFaults(world: World, connection: Connection, published: Published): readonly string[] {
  const judged = { ...judgedOf(world, connection, published), isWhole: false };
  const { resume, listener } = connection;
  const epochs = listener.places.flatMap(({ cursor }) => readCursor(cursor ?? "")?.after ?? []);
  if (epochs.some((epoch, index) => epoch < (epochs[index - 1] ?? 0))) return [`a place fell: ${epochs.join(", ")}`];
  if (resume === undefined) return [...textFaults(judged), ...eventFaults(judged)];
  // One whose place has aged out begins with the text being held, as a newcomer does.
  if (listener.subscription.resumed !== "all") return textFaults(judged);
  return [...textFaults(judged), ...coveredFaults(listener.received, resume.place, published)];
}

/** R17: what a cursor names is not sent again. */
function coveredFaults(received: Judged["received"], { after, outputs }: CursorPlace, published: Published): string[] {
  const faults: string[] = [];
  for (const { event } of received) {
    const entry = published.byId.get(event.event_id);
    if (event.type !== STREAMING) {
      const isQuestion = entry?.kind === "awaiting.confirmation" || entry?.kind === "awaiting.clarification";
      if (entry !== undefined && entry.epoch <= after && !isQuestion)
        faults.push(`${event.event_id} (${entry.epoch}): sent again after ${after}`);
      continue;
    }
    const key = keyOf(event);
    const givenTo = outputs.get(outputDigest(key, { sha256Hex }))?.to;
    const position = Number(event.position);
    const first = published.outputs.get(key)?.[position];
    if (first !== undefined && textOf(event) !== "" && first.epoch <= after)
      faults.push(`${key} at ${position} (${first.epoch}): sent again after ${after}`);
    if (givenTo !== undefined && textOf(event) !== "" && (givenTo === "end" || position < givenTo))
      faults.push(`${key} at ${position}: sent again after ${givenTo}`);
  }
  return faults;
}

function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function missedFaults(judged: Judged): readonly string[] {
  if (!judged.isWhole) return [];
  const { received, entries, from, to, terms } = judged;
  const faults: string[] = [];
  const gaps = new Map<string, number>();
  for (const { event } of received) {
    const gap = gapOf(event);
    if (gap !== undefined) gaps.set(event.session_id, (gaps.get(event.session_id) ?? 0) + gap.events);
  }
  const ids = new Set(received.map(({ event }) => event.event_id));
  const missing = new Map<string, number>();
  for (const entry of entries.slice(from, to)) {
    const { event, epoch, kind } = entry;
    if (kind === "output.streaming" || !isWanted(terms, entry) || ids.has(event.event_id)) continue;
    // A question resolved meanwhile is not asked, nor told of.
    if (kind === "awaiting.confirmation" || kind === "awaiting.clarification" || entry.made === "notice") continue;
    const isQuiet = kind === "progress.updated" || (kind === "state.changed" && entry.made !== "resolution");
    // States and progress merge and are superseded; what remains of them is judged elsewhere.
    if (isQuiet) continue;
    missing.set(event.session_id, (missing.get(event.session_id) ?? 0) + 1);
    if (!gaps.has(event.session_id)) faults.push(`${kind} ${event.event_id} (${epoch}): never delivered`);
  }
  for (const [session, count] of missing) {
    const declared = gaps.get(session);
    if (declared !== undefined && declared < count) faults.push(`${session}: ${count} missing, ${declared} declared`);
  }
  return faults;
}

/** An agent's own way out of waiting cancels what it asked (AAEP §6.8, R6). */
function isWithdrawal(event: AgentEvent): boolean {
  return event.from_state === "awaiting_input" && (event.to_state === "thinking" || event.to_state === "deciding");
}

/** R6, R7, R28. */
export function audienceFaults(world: World): readonly string[] {
  const faults: string[] = [];
  const { entries, connections } = world;
  for (const [index, asked] of entries.entries()) {
    const { kind, event, epoch } = asked;
    if (kind !== "awaiting.confirmation" && kind !== "awaiting.clarification") continue;
    const isAble = (terms: Terms): boolean =>
      kind === "awaiting.confirmation" ? terms.supportsConfirmationReply : terms.supportsClarificationReply;
    const isOver = ({ event: other, kind: what, made }: JournaledEvent): boolean =>
      other.session_id === event.session_id &&
      (isTerminalKind(what) ||
        (other.producer.agent_id === event.producer.agent_id && (made === "resolution" || isWithdrawal(other))));
    // At the latest; where an agent asked several things, the first resolution may have been another's.
    const end = entries.findIndex((entry) => entry.epoch > epoch && isOver(entry));
    for (const connection of connections) {
      const { listener, eras, joinedAt, leftAt } = connection;
      const times = listener.received.flatMap((got, place) => (got.event.event_id === event.event_id ? [place] : []));
      if (times.length > 1) faults.push(`${event.event_id}: asked ${times.length} times`);
      for (const place of times) {
        const terms = eras.findLast(({ received }) => received <= place)?.terms;
        if (terms !== undefined && !isAble(terms)) faults.push(`${event.event_id}: asked of one who cannot answer`);
      }
      if (times.length > 0 || connection.everBlocked) continue;
      // Of those who took everything, whoever was able at some moment while it was open must have been asked.
      const openTo = end < 0 ? entries.length : end;
      const wasAble = eras.some(({ journaled, terms }, era) => {
        const until = eras[era + 1]?.journaled ?? leftAt ?? entries.length;
        return isAble(terms) && journaled <= index && until > index && joinedAt <= index && openTo > index;
      });
      if (wasAble) faults.push(`${event.event_id}: not asked of one who could answer`);
      const cameAble = eras.some(
        ({ journaled, terms }) => isAble(terms) && journaled > index + 1 && journaled <= openTo && end >= 0,
      );
      const stayed = leftAt === undefined || leftAt > index + 1;
      if (cameAble && stayed) faults.push(`${event.event_id}: not asked of one who came while it was open`);
    }
  }
  return faults;
}
