// What should have come, told naively from what was published. Knows nothing of views, queues or readers: characters, events and their order.
import { expect } from "vitest";
import { type AgentEvent, isTerminalKind, type JournaledEvent } from "../../src/engine/event.js";
import type { Boundary, Terms } from "../../src/engine/terms.js";
import type { Connection, World } from "./delivery-world.js";
import type { Received } from "./engine-rig.js";

export const STREAMING = "aaep:agent.output.streaming";
const STRENGTHS: readonly Boundary[] = ["none", "word", "sentence", "paragraph", "completion"];
const GATES: readonly unknown[] = ["awaiting_input", "handing_off"];

export function keyOf(event: AgentEvent): string {
  return `${event.session_id}/${String(event.output_id ?? "")}`;
}

function textOf(event: AgentEvent): string {
  return String(event.chunk);
}

function isState(entry: JournaledEvent): boolean {
  return entry.kind === "state.changed" && !isCriticalEvent(entry.event);
}

export function isCriticalEvent(event: AgentEvent): boolean {
  return event.urgency === "critical";
}

function isGate(event: AgentEvent): boolean {
  return GATES.includes(event.from_state) || GATES.includes(event.to_state);
}

/** Whether the terms let an event through: written again from §5.3.1.7, R6, R15, R31 and R32. */
export function isWanted(terms: Terms, entry: JournaledEvent): boolean {
  const { event, kind, made } = entry;
  if (kind === "awaiting.confirmation") return terms.supportsConfirmationReply;
  if (kind === "awaiting.clarification") return terms.supportsClarificationReply;
  if (made === "notice") {
    const asks = event.extensions?.aaepd?.asks;
    return asks === "confirmation" ? !terms.supportsConfirmationReply : !terms.supportsClarificationReply;
  }
  if (made === "resolution" || isCriticalEvent(event)) return true;
  if (terms.cognitiveLoad === "low" && event.urgency === "background") return false;
  const fits = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) =>
      pattern.endsWith("*") ? event.type.startsWith(pattern.slice(0, -1)) : pattern === event.type,
    );
  return fits(terms.eventFilters.include) && !fits(terms.eventFilters.exclude);
}

/** One published character (code point). */
interface Character {
  readonly text: string;
  readonly epoch: number;
  readonly entry: JournaledEvent;
}

export interface Published {
  readonly outputs: ReadonlyMap<string, readonly Character[]>;
  /** Epoch of each output's completion. */
  readonly completed: ReadonlyMap<string, number>;
  readonly byId: ReadonlyMap<string, JournaledEvent>;
  readonly text: (output: string) => string;
}

export function publishedIn(entries: readonly JournaledEvent[]): Published {
  const outputs = new Map<string, Character[]>();
  const completed = new Map<string, number>();
  const byId = new Map<string, JournaledEvent>();
  for (const entry of entries) {
    byId.set(entry.event.event_id, entry);
    if (entry.kind !== "output.streaming") continue;
    const key = keyOf(entry.event);
    const characters = outputs.get(key) ?? [];
    outputs.set(key, characters);
    for (const text of textOf(entry.event)) characters.push({ text, epoch: entry.epoch, entry });
    if (entry.event.complete === true) completed.set(key, entry.epoch);
  }
  return {
    outputs,
    completed,
    byId,
    text: (output) => (outputs.get(output) ?? []).map(({ text }) => text).join(""),
  };
}

/** The part of the daemon's marks that tests look at. */
export function marksOf(event: AgentEvent): Readonly<Record<string, unknown>> {
  return event.extensions?.aaepd ?? {};
}

export function gapOf(event: AgentEvent): { readonly events: number } | undefined {
  return marksOf(event).gap as { readonly events: number } | undefined;
}

function isSummary(event: AgentEvent): boolean {
  return marksOf(event).summary === true;
}

export interface Judged {
  /** What one client has: of one connection, or of several of which each resumed the one before. */
  readonly received: readonly Received[];
  readonly published: Published;
  readonly entries: readonly JournaledEvent[];
  /** Events journaled before the first connection began, and when the last ended. */
  readonly from: number;
  readonly to: number;
  readonly terms: Terms;
  readonly skips: Connection["skips"];
  /** Repeats are possible: the client knows what it has (R17). */
  readonly mayRepeat: boolean;
  /** Whether everything owed must have come by now. */
  readonly isWhole: boolean;
  /** What is not owed although it was published meanwhile: of sessions that the client did not name when it came back (R17). */
  readonly isExcused?: (entry: JournaledEvent) => boolean;
}

export function judgedOf(world: World, connection: Connection, published = publishedIn(world.entries)): Judged {
  const [era] = connection.eras;
  if (era === undefined) throw new Error("A connection has terms.");
  return {
    received: connection.listener.received,
    published,
    entries: world.entries,
    from: connection.joinedAt,
    to: connection.leftAt ?? world.entries.length,
    terms: era.terms,
    skips: connection.skips,
    mayRepeat: false,
    isWhole: connection.leftAt === undefined,
  };
}

/** R10: the chunks of every output, joined by position, are the text that was published. */
export function textFaults(judged: Judged): readonly string[] {
  const { received, published, entries, from, terms, skips, mayRepeat, isWhole } = judged;
  const faults: string[] = [];
  const gapped = new Set(
    received.filter(({ event }) => gapOf(event) !== undefined).map(({ event }) => event.session_id),
  );
  const ends = new Map<string, number>();
  const starts = new Map<string, number>();
  const seen = new Map<string, Set<number>>();
  const completions = new Map<string, number>();
  const joinEpoch = entries[from - 1]?.epoch ?? Number.NEGATIVE_INFINITY;
  for (const [index, { event }] of received.entries()) {
    if (event.type !== STREAMING) continue;
    const key = keyOf(event);
    const position = Number(event.position);
    const characters = published.outputs.get(key) ?? [];
    const text = [...textOf(event)];
    const expected = characters.slice(position, position + text.length).map((character) => character.text);
    if (text.join("") !== expected.join(""))
      faults.push(`${key}@${position}: other text than published: ${text.join("")}`);
    const end = ends.get(key);
    const set = seen.get(key) ?? new Set<number>();
    seen.set(key, set);
    for (let offset = position; offset < position + text.length; offset += 1) {
      if (set.has(offset) && !mayRepeat) faults.push(`${key}@${offset}: delivered twice`);
      set.add(offset);
    }
    const skipped = skips.some((skip) => skip.received <= index && (skip.output === undefined || skip.output === key));
    if (end !== undefined && end !== position && !mayRepeat && !gapped.has(event.session_id) && !skipped)
      faults.push(`${key}@${position}: follows ${end}`);
    if (!starts.has(key)) starts.set(key, position);
    if (completions.has(key) && !mayRepeat) faults.push(`${key}: a chunk after completion`);
    if (event.complete === true) completions.set(key, (completions.get(key) ?? 0) + 1);
    ends.set(key, position + text.length);
  }
  for (const [key, count] of completions) if (count > 1 && !mayRepeat) faults.push(`${key}: completed ${count} times`);
  if (!isWhole) return faults;
  for (const [key, characters] of published.outputs) {
    const [session = ""] = key.split("/");
    const end = published.completed.get(key);
    const isOwed = (epoch: number) => epoch > joinEpoch;
    const wasSkipped = (epoch: number) =>
      skips.some((skip) =>
        skip.output === undefined ? epoch <= (entries[skip.journaled - 1]?.epoch ?? 0) : skip.output === key,
      );
    const set = seen.get(key);
    const start = starts.get(key) ?? Number.POSITIVE_INFINITY;
    for (const [offset, { epoch, entry }] of characters.entries()) {
      if (
        set?.has(offset) ||
        gapped.has(session) ||
        wasSkipped(epoch) ||
        !isWanted(terms, entry) ||
        judged.isExcused?.(entry)
      )
        continue;
      // What was published before it began may be missing at the beginning only.
      if (!isOwed(epoch) && offset < start) continue;
      faults.push(`${key}@${offset}: never delivered`);
      break;
    }
    if (end === undefined || !isOwed(end) || gapped.has(session)) continue;
    const closing = entries.find(({ epoch }) => epoch === end);
    if (closing !== undefined && (!isWanted(terms, closing) || judged.isExcused?.(closing))) continue;
    if (completions.has(key)) continue;
    if (!skips.some((skip) => skip.output === undefined && end <= (entries[skip.journaled - 1]?.epoch ?? 0)))
      faults.push(`${key}: never completed`);
  }
  return faults;
}

/** R11, R18, R27: every other event was delivered once, merged or superseded by what was, declared lost, or skipped. */
export function eventFaults(judged: Judged): readonly string[] {
  const { received, published, entries, from, to, terms, skips, mayRepeat, isWhole } = judged;
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const gapped = new Set(
    received.filter(({ event }) => gapOf(event) !== undefined).map(({ event }) => event.session_id),
  );
  /** Of one agent: the epochs that its collapsed states stand for. */
  const collapsed: { lane: string; first: unknown; last: number; event: AgentEvent }[] = [];
  for (const { event } of received) {
    if (event.type === STREAMING || gapOf(event) !== undefined || isSummary(event)) continue;
    counts.set(event.event_id, (counts.get(event.event_id) ?? 0) + 1);
    if (published.byId.has(event.event_id)) continue;
    const last = Number.parseInt(event.event_id.slice(4, 20), 16);
    if (event.type === "aaep:agent.state.changed" && entries.some(({ epoch }) => epoch === last))
      collapsed.push({ lane: laneOf(event), first: event.from_state, last, event });
    else faults.push(`${event.type} ${event.event_id}: never published`);
  }
  if (!mayRepeat) for (const [id, count] of counts) if (count > 1) faults.push(`${id}: ${count} times`);
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

function laneOf(event: AgentEvent): string {
  return `${event.session_id} ${event.producer.agent_id}`;
}

/** The epochs of states that collapsed into delivered ones or into nothing; finds fault with collapses that R11 forbids. */
function statesCovered(
  { received, entries, from, terms, skips }: Judged,
  collapsed: readonly { lane: string; first: unknown; last: number }[],
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
  for (const { lane, first, last } of collapsed) {
    const states = lanes.get(lane) ?? [];
    const end = states.findIndex(({ epoch }) => epoch === last);
    let begin = end;
    while (begin >= 0) {
      const state = states[begin];
      if (state === undefined) break;
      if (delivered.has(state.event.event_id)) {
        faults.push(`${lane}: a collapse up to ${last} across ${state.epoch}, which was delivered`);
        break;
      }
      if (isGate(state.event)) {
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
  for (const states of lanes.values()) {
    // What is left undelivered must come back to where it began.
    let begin: JournaledEvent | undefined;
    let run: number[] = [];
    const missing = states.filter(({ epoch, event }) => !covered.has(epoch) && !delivered.has(event.event_id));
    for (const state of missing) {
      const wasSkipped = skips.some(
        (skip) => skip.output === undefined && state.epoch <= (entries[skip.journaled - 1]?.epoch ?? 0),
      );
      if (wasSkipped || isGate(state.event)) {
        begin = undefined;
        run = [];
        continue;
      }
      begin ??= state;
      run.push(state.epoch);
      if (state.event.to_state !== begin.event.from_state) continue;
      for (const epoch of run) covered.add(epoch);
      begin = undefined;
      run = [];
    }
  }
  return covered;
}

/** R30: text stands before the events that released it and after those that came before it. */
export function orderFaults({ received, published, entries, terms }: Judged): readonly string[] {
  const faults: string[] = [];
  const completionOnly = terms.coalesceBoundaries.every((boundary) => boundary === "completion");
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
  void entries;
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

/** R10, AAEP §3.7: lengths; R10: hints. */
export function chunkFaults({ received, published, terms }: Judged): readonly string[] {
  const faults: string[] = [];
  const boundaries = terms.coalesceBoundaries;
  const weakest = STRENGTHS.find((boundary) => boundary !== "none" && boundaries.includes(boundary)) ?? "completion";
  for (const { event } of received) {
    if (event.type === STREAMING) faults.push(...mergingFaults(event, published, terms));
    if (new TextEncoder().encode(JSON.stringify(event)).length > 65_536) faults.push(`${event.event_id}: over 64 KiB`);
    if (event.type !== STREAMING) continue;
    const length = [...textOf(event)].length;
    if (length > terms.maxChars) faults.push(`${event.event_id}: ${length} characters`);
    if (published.byId.has(event.event_id) || boundaries.includes("none") || weakest === "completion") continue;
    const hint = STRENGTHS.indexOf(event.coalesce_hint as Boundary);
    if (event.complete === true ? event.coalesce_hint !== "completion" : hint < STRENGTHS.indexOf(weakest))
      faults.push(`${keyOf(event)}@${String(event.position)}: hint ${String(event.coalesce_hint)} for ${weakest}`);
  }
  return faults;
}

/** R10: what was merged agreed, and goes by the first one's fields. */
function mergingFaults(event: AgentEvent, published: Published, terms: Terms): readonly string[] {
  const position = Number(event.position);
  const characters = (published.outputs.get(keyOf(event)) ?? []).slice(position, position + [...textOf(event)].length);
  const chunks = new Set(characters.map(({ entry }) => entry.event));
  const [first] = chunks;
  if (first === undefined) return [];
  const faults: string[] = [];
  for (const chunk of chunks) {
    if (chunk.language !== first.language) faults.push(`${keyOf(event)}@${position}: merged across languages`);
    const carries = chunk.extensions !== undefined && terms.supportedExtensions.length > 0;
    if (carries && (chunks.size > 1 || event.extensions === undefined))
      faults.push(`${keyOf(event)}@${position}: merged with a chunk that carries extensions`);
  }
  if (event.language !== first.language || event.producer.agent_id !== first.producer.agent_id)
    faults.push(`${keyOf(event)}@${position}: other fields than its first chunk's`);
  return faults;
}

const CLUSTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** R10: no cut inside a grapheme cluster, except where its text was not there yet when the segment ended. */
export function clusterFaults({ received, published, terms }: Judged): readonly string[] {
  if (terms.coalesceBoundaries.includes("none")) return [];
  const faults: string[] = [];
  for (const { event } of received) {
    if (event.type !== STREAMING || event.complete === true || textOf(event) === "") continue;
    const key = keyOf(event);
    const characters = published.outputs.get(key) ?? [];
    const end = Number(event.position) + [...textOf(event)].length;
    const [inside, next] = [characters[end - 1], characters[end]];
    // At a chunk's end the rest may have come later.
    if (inside === undefined || next === undefined || inside.entry !== next.entry) continue;
    const text = published.text(key);
    const offset = characters.slice(0, end).reduce((sum, character) => sum + character.text.length, 0);
    if (CLUSTERS.segment(text).containing(offset)?.index !== offset) faults.push(`${key}@${end}: cut inside a cluster`);
  }
  return faults;
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
    const now = new Set(received.slice(turn.before, turn.after).map(({ event }) => event.event_id));
    for (const { event } of wanted)
      if (!now.has(event.event_id)) faults.push(`${event.type} ${event.event_id}: not in its turn`);
    if (turn.isLimited || turn.isPaused) faults.push(...flushFaults(received.slice(turn.before, turn.after)));
  }
  for (const { received: from, journaled } of connection.unblocked) {
    const waiting = world.entries
      .slice(connection.joinedAt, journaled)
      .filter(
        ({ event }) =>
          isCriticalEvent(event) && received.slice(from).some((got) => got.event.event_id === event.event_id),
      );
    if (waiting.length === 0) continue;
    const last = received.findLastIndex(({ event }) =>
      waiting.some((entry) => entry.event.event_id === event.event_id),
    );
    faults.push(...flushFaults(received.slice(from, last + 1)));
  }
  for (const [index, { event }] of received.entries()) {
    const entry = published.byId.get(event.event_id);
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

/** Fails with what is wrong, a few at most. */
export function expectNoFaults(...faults: readonly string[]): void {
  expect(faults.slice(0, 6)).toEqual([]);
}

/** What left in each era kept its terms (AAEP §5.7.2, R26). */
export function eraFaults({ listener, eras }: Connection): readonly string[] {
  const faults: string[] = [];
  for (const [index, { event }] of listener.received.entries()) {
    const terms = eras.findLast(({ received }) => received <= index)?.terms;
    if (terms === undefined) continue;
    if (terms.paused && !isCriticalEvent(event)) faults.push(`${event.type}: in a pause`);
    if (event.type !== STREAMING) continue;
    const length = [...textOf(event)].length;
    if (length > terms.maxChars)
      faults.push(`${keyOf(event)}: ${length} characters where ${terms.maxChars} are the most`);
  }
  return faults;
}

/** Without pressure there is nothing to merge but text: every other event in its order, once. */
export function exactFaults({ received, entries, from, to, terms }: Judged): readonly string[] {
  const owed = entries
    .slice(from, to)
    .filter((entry) => entry.kind !== "output.streaming" && isWanted(terms, entry))
    .map(({ event }) => `${event.type} ${event.event_id}`);
  for (const { event } of received)
    if (isSummary(event) && !isWanted(terms, summaryEntry(event))) return ["a summary that the filters keep back"];
  // What is asked at once of those who come was asked before they came.
  const got = received
    .filter(
      ({ event }) => event.type !== STREAMING && !isSummary(event) && !isQuestionFrom(entries.slice(0, from), event),
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

/** R17, R27: all that a client received over its connections, as far as it arrived, is all that it was owed; less what was declared lost. */
export function resumeFaults(world: World, published: Published): readonly string[] {
  const faults: string[] = [];
  const seats = new Map<number, Connection[]>();
  for (const connection of world.connections)
    seats.set(connection.seat, [...(seats.get(connection.seat) ?? []), connection]);
  for (const connections of seats.values()) {
    // A client that came back without an id starts anew.
    const begin = connections.findLastIndex(({ resume }) => resume === undefined);
    const chain = connections.slice(begin);
    const [first] = chain;
    const last = chain.at(-1);
    if (first === undefined || last === undefined) continue;
    for (const connection of chain) faults.push(...ownFaults(world, connection, published));
    const received = chain.flatMap(({ listener, arrived }) => listener.received.slice(0, arrived));
    const judged: Judged = {
      ...judgedOf(world, first, published),
      isExcused: (entry) => chain.some((connection) => isNotNamed(world, connection, entry)),
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

/** Within one connection nothing comes twice but what its id may have repeated. */
function ownFaults(world: World, connection: Connection, published: Published): readonly string[] {
  const judged = { ...judgedOf(world, connection, published), isWhole: false };
  return connection.resume === undefined ? [...textFaults(judged), ...eventFaults(judged)] : textFaults(judged);
}

function isNotNamed(world: World, { resume, joinedAt }: Connection, { event, epoch }: JournaledEvent): boolean {
  if (resume?.kind === "event") {
    // Of a session that ended meanwhile nothing is told where the id has aged out: when it ended, seen from there, is not known.
    const window = world.entries.slice(Math.max(0, joinedAt - world.plan.journalCount), joinedAt);
    const isKnown = window.some((entry) => entry.event.event_id === resume.eventId);
    const wasOver = world.entries
      .slice(0, joinedAt)
      .some((entry) => entry.event.session_id === event.session_id && isTerminalKind(entry.kind));
    return wasOver && !isKnown && world.entries.some((entry) => entry.event.event_id === resume.eventId);
  }
  if (resume?.kind !== "sessions" || resume.eventIds.has(event.session_id)) return false;
  return epoch <= (world.entries[joinedAt - 1]?.epoch ?? 0);
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
    if (judged.isExcused?.(entry)) continue;
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
