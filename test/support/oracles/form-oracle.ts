// The form in which each event leaves: a whole AAEP event, no longer than its terms allow, with a hint of their set, cut where text may be cut, merged of
// what agrees (R10, R26, AAEP ch. 3).
import type { AgentEvent } from "../../../src/engine/event/event.js";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import { allFaults } from "../../../src/protocols/aaep/validation/validate.js";
import {
  isCriticalEvent,
  isSummary,
  type Judged,
  keyOf,
  type Published,
  STREAMING,
  STRENGTHS,
  termsAt,
  textOf,
} from "./delivery-facts.js";

/** AAEP §3.2..§3.7: every event is valid by itself, and no two have one id. */
export function envelopeFaults({ received }: Judged): readonly string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const { event } of received) {
    for (const fault of allFaults(event)) faults.push(`${event.type} ${event.event_id}: ${fault.message}`);
    if (ids.has(event.event_id)) faults.push(`${event.type} ${event.event_id}: told twice`);
    ids.add(event.event_id);
    if (new TextEncoder().encode(JSON.stringify(event)).length > 65_536) faults.push(`${event.event_id}: over 64 KiB`);
  }
  return faults;
}

/** What left in each era kept its terms (AAEP §5.7.2, R26). */
export function eraFaults(judged: Judged): readonly string[] {
  const { connection, received, published } = judged;
  const faults: string[] = [];
  for (const [index, { event }] of received.entries()) {
    const terms = termsAt(connection, index);
    if (terms === undefined) continue;
    // The sum of a session goes with its question (R17).
    const next = received[index + 1]?.event;
    const isWithQuestion = isSummary(event) && next?.session_id === event.session_id && isCriticalEvent(next);
    if (terms.paused && !isCriticalEvent(event) && !isWithQuestion) faults.push(`${event.type}: in a pause`);
    if (event.type !== STREAMING) continue;
    faults.push(...mergedFaults(event, published, terms, terms !== connection.eras[0]?.terms));
    const length = [...textOf(event)].length;
    if (length > terms.maxChars)
      faults.push(`${keyOf(event)}: ${length} characters where ${terms.maxChars} are the most`);
  }
  return faults;
}

/** R10: hints are those of the set or stronger; completion is the last event's alone; none where no hint of the set fits. */
export function hintFaults({ connection, received, skips }: Judged): readonly string[] {
  const faults: string[] = [];
  for (const [index, { event }] of received.entries()) {
    const terms = termsAt(connection, index);
    if (event.type !== STREAMING || terms === undefined) continue;
    const { coalesceBoundaries: set, maxChars } = terms;
    const hint = event.coalesce_hint as Boundary | undefined;
    const say = (what: string) =>
      faults.push(`${keyOf(event)}@${String(event.position)}: ${what}, with ${String(hint)} for ${set.join(" ")}`);
    if (hint === "completion" && event.complete !== true) say("complete only by its hint");
    if (set.includes("none")) continue;
    if (event.complete === true) {
      if (hint !== "completion") say("no hint of completion");
      continue;
    }
    const weakest = STRENGTHS.find((one) => one !== "none" && set.includes(one)) ?? "completion";
    if (weakest === "completion") {
      if (hint !== undefined) say("a hint before completion");
    } else if (hint === undefined) {
      // It may have been cut before, by terms that are over.
      const isCutBefore = terms !== connection.eras[0]?.terms;
      if (isCutBefore || connection.named !== undefined) continue;
      const place = received.findIndex(
        (got, later) => later > index && got.event.type === STREAMING && keyOf(got.event) === keyOf(event),
      );
      const next = termsAt(connection, place) === terms ? received[place]?.event : undefined;
      // Of a text that is skipped only the empty end follows (R26).
      if (skips.length > 0 && next?.complete === true && textOf(next) === "") continue;
      // Only what is too long is cut where no boundary is.
      if (next !== undefined && [...textOf(event), ...textOf(next)].length <= maxChars) say("no hint");
    } else if (STRENGTHS.indexOf(hint) < STRENGTHS.indexOf(weakest)) say("a hint below the set's");
  }
  return faults;
}

/** R10: what was merged agreed, and goes by the first one's fields. */
function mergedFaults(event: AgentEvent, published: Published, terms: Terms, isCutBefore: boolean): readonly string[] {
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
    if (carries && !isCutBefore && (chunks.size > 1 || event.extensions === undefined))
      faults.push(`${keyOf(event)}@${position}: merged with a chunk that carries extensions`);
  }
  if (event.language !== first.language || event.producer.agent_id !== first.producer.agent_id)
    faults.push(`${keyOf(event)}@${position}: other fields than its first chunk's`);
  return faults;
}

const CLUSTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** R10: no cut inside a grapheme cluster, except where its text was not there yet when the segment ended. */
export function clusterFaults({ received, published, connection }: Judged): readonly string[] {
  if (connection.eras.some(({ terms }) => terms.coalesceBoundaries.includes("none"))) return [];
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
