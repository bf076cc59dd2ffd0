// Listeners have, after runs that made nothing durable, or not all: all that the journal holds, nothing twice that a place covered, and nothing left
// of what is void (R17, R29).
import { createHash } from "node:crypto";
import { outputDigest, readCursor } from "../../../src/engine/event/cursor.js";
import { type AgentEvent, isTerminalKind, type JournaledEvent, topicKind } from "../../../src/engine/event/event.js";
import { keyOf, STREAMING, textOf } from "./delivery-facts.js";

export interface RunFacts {
  readonly first: number;
  /** The last epoch that was durable; the number below `first` where none was. */
  durable: number;
  /** The last epoch that was given out. */
  head: number;
}

/** An event or a place, in the order in which they arrived. */
export type Arrived =
  | { readonly event: AgentEvent; readonly cursor?: never }
  | { readonly cursor: string; readonly event?: never };

export interface SeatConnection {
  readonly run: number;
  /** The journal's when it came. */
  readonly head: number;
  readonly named: string | undefined;
  readonly resumed: string | undefined;
  readonly items: Arrived[];
}

export interface SeatChain {
  readonly name: string;
  /** Each piece of text as it comes. */
  readonly isExact: boolean;
  readonly chain: SeatConnection[];
}

export interface VoidHistory {
  readonly runs: readonly RunFacts[];
  /** All that was ever given an epoch. */
  readonly entries: readonly JournaledEvent[];
  readonly disk: readonly { readonly epoch: number; readonly event: AgentEvent }[];
  readonly seats: readonly SeatChain[];
}

export function voidVerdict(history: VoidHistory): readonly string[] {
  return [
    ...epochFaults(history),
    ...history.seats.flatMap((seat) => [
      ...seat.chain.flatMap((connection) => metFaults(history, seat, connection)),
      ...seatFaults(history, seat),
      ...ghostFaults(history, seat),
    ]),
  ];
}

/** R29: no epoch is given out twice, and each run's are above all that were given out before it, void ones as well. */
function epochFaults({ runs, entries }: VoidHistory): readonly string[] {
  const faults: string[] = [];
  let last = 0;
  for (const { epoch, event } of entries) {
    if (epoch <= last) faults.push(`${event.event_id} was given ${epoch} after ${last}`);
    last = epoch;
  }
  for (const [index, { first }] of runs.entries())
    if (first <= (runs[index - 1]?.head ?? 0)) faults.push(`run ${index} begins at ${first}, which was given out`);
  return faults;
}

/** R17: how the place was met. */
function metFaults(
  { runs }: VoidHistory,
  { name }: SeatChain,
  { named, resumed, run }: SeatConnection,
): readonly string[] {
  if (named === undefined) return resumed === undefined ? [] : [`${name}: a newcomer was met as ${resumed}`];
  const place = readCursor(named);
  if (place === undefined) return [`${name}: ${named} is no cursor`];
  const isVoid = (epoch: number): boolean => {
    const of = runs.findLast(({ first }) => first - 1 <= epoch);
    return of !== undefined && of !== runs[run] && epoch > of.durable;
  };
  const isRolledBack = isVoid(place.after) || [...place.outputs.values()].some(({ epoch }) => isVoid(epoch));
  // The beginning of a run of which nothing was ever kept is no place that anybody knows.
  const isBegin = runs.some(({ first, durable }) => place.after === first - 1 && durable < first);
  const met = isRolledBack ? ["rolled_back"] : isBegin ? ["all", "rolled_back"] : ["all"];
  return met.includes(String(resumed))
    ? []
    : [`${name}: ${named} was met as ${resumed} and not as ${met.join(" or ")}`];
}

interface Character {
  readonly text: string;
  readonly epoch: number;
}

function outputsOn(disk: VoidHistory["disk"]): ReadonlyMap<string, readonly Character[]> {
  const outputs = new Map<string, Character[]>();
  for (const { epoch, event } of disk) {
    if (event.type !== STREAMING) continue;
    const characters = outputs.get(keyOf(event)) ?? [];
    outputs.set(keyOf(event), characters);
    for (const text of textOf(event)) characters.push({ text, epoch });
  }
  return outputs;
}

function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const isSum = ({ extensions }: AgentEvent): boolean => extensions?.aaepd?.summary === true;

/** All of the journal has come, and nothing that a place covered has come again. */
function seatFaults({ entries, disk }: VoidHistory, { name, chain }: SeatChain): readonly string[] {
  const faults: string[] = [];
  const outputs = outputsOn(disk);
  const epochs = new Map(entries.map(({ event, epoch }) => [event.event_id, epoch]));
  const ids = new Set<string>();
  // The text that was given last at each place.
  const texts = new Map<string, Map<number, string>>();
  let notOwedTo = 0;
  for (const { named, resumed, items, head } of chain) {
    const place = named === undefined ? undefined : readCursor(named);
    if (place === undefined) notOwedTo = head;
    for (const { event } of items) {
      if (event === undefined) continue;
      if (event.extensions?.aaepd?.gap !== undefined) faults.push(`${name}: a gap where nothing was lost`);
      if (isSum(event) && resumed === "all") faults.push(`${name}: a sum after a place that was good`);
      ids.add(event.event_id);
      const epoch = epochs.get(event.event_id);
      if (event.type !== STREAMING) {
        if (place !== undefined && epoch !== undefined && epoch <= place.after)
          faults.push(`${name}: ${event.event_id} at ${epoch} came again after ${place.after}`);
        continue;
      }
      const key = keyOf(event);
      const given = texts.get(key) ?? new Map<number, string>();
      texts.set(key, given);
      const to = resumed === "all" ? place?.outputs.get(outputDigest(key, { sha256Hex }))?.to : undefined;
      for (const [offset, text] of [...textOf(event)].entries()) {
        const at = Number(event.position) + offset;
        given.set(at, text);
        const kept = outputs.get(key)?.[at];
        if (kept !== undefined && place !== undefined && kept.epoch <= place.after)
          faults.push(`${name}: ${key} at ${at} (${kept.epoch}) came again after ${place.after}`);
        if (to !== undefined && (to === "end" || at < to))
          faults.push(`${name}: ${key} at ${at} came again, before ${to}`);
      }
    }
  }
  for (const { epoch, event } of disk) {
    if (epoch <= notOwedTo || event.type === STREAMING || event.type === "aaep:agent.state.changed") continue;
    if (!ids.has(event.event_id)) faults.push(`${name}: ${event.event_id} (${event.type}) at ${epoch} is missing`);
  }
  for (const [key, characters] of outputs) {
    for (const [at, { text, epoch }] of characters.entries()) {
      if (epoch <= notOwedTo || texts.get(key)?.get(at) === text) continue;
      faults.push(`${name}: ${key} has ${JSON.stringify(texts.get(key)?.get(at))} at ${at}, and ${text} stands there`);
      break;
    }
  }
  return faults;
}

/** The facts that a client was told of a session. */
interface Word {
  readonly sessionId: string;
  readonly says: "on" | "sum" | "end";
  readonly epoch: number;
}

/** Text that is held back may come after an end that overtook it (R4). */
function openBy(words: readonly Word[]): Set<string> {
  const open = new Set<string>();
  const ended = new Set<string>();
  for (const { sessionId, says } of words) {
    if (says === "end") {
      ended.add(sessionId);
      open.delete(sessionId);
    } else if (says === "sum" || !ended.has(sessionId)) open.add(sessionId);
  }
  return open;
}

/**
 * R17: nobody believes what is not so. A client that comes back is where its place was: what it was told behind that, or ahead of it, comes again
 * if it is so. After a place that was not good, sessions of which nobody speaks are over.
 */
function ghostFaults({ disk, entries, runs }: VoidHistory, { name, chain }: SeatChain): readonly string[] {
  const wordOf = (event: AgentEvent, epoch: number): Word => ({
    sessionId: event.session_id,
    says: isTerminalKind(topicKind(event.type)) ? "end" : isSum(event) ? "sum" : "on",
    epoch,
  });
  const open = openBy(disk.map(({ event, epoch }) => wordOf(event, epoch)));
  const epochs = new Map(entries.map(({ event, epoch }) => [event.event_id, epoch]));
  // Of what was merged the last (R12).
  const epochOf = (id: string): number =>
    epochs.get(id) ?? Number.parseInt(/^evt_([0-9a-f]{16})[0-9a-f]{48}$/.exec(id)?.[1] ?? "0", 16);
  /** A sum says no more of where it stands than that its session had begun. */
  const startOf = (sessionId: string, run: number): number =>
    entries.findLast(
      ({ event, kind, epoch }) =>
        kind === "session.started" && event.session_id === sessionId && epoch <= (runs[run]?.head ?? 0),
    )?.epoch ?? 0;
  const placed = new Map<string, readonly Word[]>();
  let words: Word[] = [];
  for (const { named, resumed, items, run } of chain) {
    words = resumed === "all" ? [...(placed.get(named ?? "") ?? [])] : [];
    for (const { event, cursor } of items) {
      if (event !== undefined)
        words.push(wordOf(event, isSum(event) ? startOf(event.session_id, run) : epochOf(event.event_id)));
      else if (!placed.has(cursor)) {
        const after = readCursor(cursor)?.after ?? 0;
        placed.set(
          cursor,
          words.filter(({ epoch }) => epoch <= after),
        );
      }
    }
  }
  const faults: string[] = [];
  const believed = openBy(words);
  for (const one of believed) if (!open.has(one)) faults.push(`${name}: ${one} is believed open, and is not`);
  for (const one of open) if (!believed.has(one)) faults.push(`${name}: ${one} is open, and is not believed to be`);
  return faults;
}
