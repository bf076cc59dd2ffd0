// What text a subscription should have got, told naively from what was published (R10, R26, R30).
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import type { Connection } from "../rigs/delivery-world.js";
import {
  gapOf,
  isCriticalEvent,
  isGate,
  isSummary,
  isWanted,
  type Judged,
  keyOf,
  type Published,
  STREAMING,
  STRENGTHS,
  textOf,
} from "./delivery-facts.js";

/** R10: the chunks of every output, joined by position, are the text that was published. */
export function textFaults(judged: Judged): readonly string[] {
  const { received, published, entries, from, terms, skips, isWhole } = judged;
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
      if (set.has(offset)) faults.push(`${key}@${offset}: delivered twice`);
      set.add(offset);
    }
    const skipped = skips.some((skip) => skip.received <= index && (skip.output === undefined || skip.output === key));
    if (end !== undefined && end !== position && !gapped.has(event.session_id) && !skipped)
      faults.push(`${key}@${position}: follows ${end}`);
    if (!starts.has(key)) starts.set(key, position);
    if (completions.has(key)) faults.push(`${key}: a chunk after completion`);
    if (event.complete === true) completions.set(key, (completions.get(key) ?? 0) + 1);
    ends.set(key, position + text.length);
  }
  for (const [key, count] of completions) if (count > 1) faults.push(`${key}: completed ${count} times`);
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
      if (set?.has(offset) || gapped.has(session) || wasSkipped(epoch) || !isWanted(terms, entry)) continue;
      // What was published before it began may be missing at the beginning only.
      if (!isOwed(epoch) && offset < start) continue;
      faults.push(`${key}@${offset}: never delivered`);
      break;
    }
    if (end === undefined || !isOwed(end) || gapped.has(session)) continue;
    const closing = entries.find(({ epoch }) => epoch === end);
    if (closing !== undefined && !isWanted(terms, closing)) continue;
    if (completions.has(key)) continue;
    if (!skips.some((skip) => skip.output === undefined && end <= (entries[skip.journaled - 1]?.epoch ?? 0)))
      faults.push(`${key}: never completed`);
  }
  return faults;
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
  for (const [index, { event }] of received.entries()) {
    if (event.type === STREAMING) faults.push(...mergingFaults(event, published, terms));
    if (new TextEncoder().encode(JSON.stringify(event)).length > 65_536) faults.push(`${event.event_id}: over 64 KiB`);
    if (event.type !== STREAMING) continue;
    const length = [...textOf(event)].length;
    if (length > terms.maxChars) faults.push(`${event.event_id}: ${length} characters`);
    if (boundaries.includes("none")) continue;
    const next = received
      .slice(index + 1)
      .find((got) => got.event.type === STREAMING && keyOf(got.event) === keyOf(event))?.event;
    const isCutBySize =
      next !== undefined &&
      next.position === Number(event.position) + length &&
      length + [...textOf(next)].length > terms.maxChars;
    if (!isHintFit(event, weakest, isCutBySize))
      faults.push(`${keyOf(event)}@${String(event.position)}: hint ${String(event.coalesce_hint)} for ${weakest}`);
  }
  return faults;
}

/** R10: completion is the last event's; what ends a segment has the set's smallest boundary at least, or none where no hint of the set fits. */
function isHintFit({ complete, coalesce_hint: hint }: AgentEvent, weakest: Boundary, isCutBySize: boolean): boolean {
  if (complete === true) return hint === "completion";
  if (weakest === "completion") return hint === undefined;
  if (hint === undefined) return isCutBySize;
  return hint !== "completion" && STRENGTHS.indexOf(hint as Boundary) >= STRENGTHS.indexOf(weakest);
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
    const vocabularies = chunk["@context"];
    const carries = terms.supportedExtensions.some((one) => vocabularies.includes(one));
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
