// When text leaves a subscription that nothing holds up (R10, R30): in the turn in which its agent's hint, its completion or another event of its agent
// ended it, and not before something shows that it has ended.
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import { isGate, isWanted, type Judged, keyOf, laneOf, STREAMING, STRENGTHS, textOf } from "./delivery-facts.js";

export function releaseFaults({ world, connection, received }: Judged): readonly string[] {
  const faults: string[] = [];
  // Where the journal has let go of something, what is left may be read back, and takes its time.
  const isShort = world.entries.length > world.plan.journalCount;
  if (world.plan.turns !== undefined || connection.everBlocked || isShort) return faults;
  for (const turn of connection.turns) {
    const terms = connection.eras.findLast(({ journaled }) => journaled <= turn.from)?.terms;
    if (terms === undefined || terms.paceWpm !== undefined || turn.isLimited || turn.isPaused) continue;
    const given = new Map<string, number>();
    for (const { event } of received.slice(0, turn.after))
      if (event.type === STREAMING) given.set(keyOf(event), Number(event.position) + [...textOf(event)].length);
    const isGiven = ({ event }: JournaledEvent): boolean =>
      (given.get(keyOf(event)) ?? 0) >= Number(event.position) + [...textOf(event)].length;
    const said = world.entries.slice(turn.from, turn.to).filter((entry) => isWanted(terms, entry));
    for (const entry of said) {
      for (const text of releasedBy(entry, world.entries.slice(connection.joinedAt), terms))
        if (!isGiven(text)) faults.push(`${keyOf(text.event)}: ${text.epoch} was held although ${entry.epoch} ends it`);
      if (said.length === 1 && mayGoOn(entry, terms) && isGiven(entry))
        faults.push(`${keyOf(entry.event)}: ${entry.epoch} was given before anything showed that it ends`);
    }
  }
  return faults;
}

/** The chunks that have to leave when an event is published. */
function releasedBy(entry: JournaledEvent, all: readonly JournaledEvent[], terms: Terms): readonly JournaledEvent[] {
  const { event, kind, epoch, made } = entry;
  if (kind === "output.streaming") return textOf(event) !== "" && isEnded(entry, terms) ? [entry] : [];
  const isQuiet = kind === "progress.updated" || (event.urgency === "background" && !isGate(event));
  if (isQuiet || made !== undefined || isCompletionAlone(terms)) return [];
  return all.filter(
    (one) =>
      one.kind === "output.streaming" &&
      textOf(one.event) !== "" &&
      one.epoch < epoch &&
      laneOf(one.event) === laneOf(event) &&
      isWanted(terms, one),
  );
}

function isEnded({ event }: JournaledEvent, { coalesceBoundaries: set }: Terms): boolean {
  const hint = event.coalesce_hint as Boundary | undefined;
  if (event.complete === true || set.includes("none")) return true;
  const weakest = STRENGTHS.find((one) => set.includes(one));
  return hint !== undefined && hint !== "completion" && STRENGTHS.indexOf(hint) >= STRENGTHS.indexOf(weakest ?? hint);
}

/** Its last word may go on in the next chunk, and nothing else ends it. */
function mayGoOn(entry: JournaledEvent, terms: Terms): boolean {
  const { event, kind } = entry;
  if (kind !== "output.streaming" || terms.maxChars < 16_384 || terms.supportedExtensions.length > 0) return false;
  return !isEnded(entry, terms) && /[a-z]$/.test(textOf(event));
}

function isCompletionAlone({ coalesceBoundaries: set }: Terms): boolean {
  return set.every((boundary) => boundary === "completion");
}
