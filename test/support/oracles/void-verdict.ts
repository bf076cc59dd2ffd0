// Listeners have, after runs that made nothing durable, or not all: all that the journal holds, nothing twice that a place covered, and nothing left
// of what is void (R17, R29).
import { type AgentEvent, isTerminalKind, type JournaledEvent, topicKind } from "../../../src/engine/event/event.js";
import { cursorFacts } from "./cursor-reading.js";
import { type ClientChain, journaledPlaceFaults } from "./journaled-places.js";
import type { ClientConnection, ClientEvent } from "./place-facts.js";

export interface BootFacts {
  readonly first: number;
  /** The last epoch that was durable; the number below `first` where none was. */
  durable: number;
  /** The last epoch that was given out. */
  head: number;
}

interface SeatConnection extends ClientConnection {
  readonly run: number;
}

export interface SeatChain extends ClientChain {
  readonly chain: SeatConnection[];
}

export interface VoidHistory {
  readonly runs: readonly BootFacts[];
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
      ...journaledPlaceFaults(history.entries, history.disk, seat),
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
  const place = cursorFacts(named);
  const isVoid = (epoch: number): boolean => {
    const of = runs.findLast(({ first }) => first - 1 <= epoch);
    return of !== undefined && of !== runs[run] && epoch > of.durable;
  };
  // The beginning of a run of which nothing was ever kept is no place that anybody knows.
  const isBegin = runs.some(({ first, durable }) => place.after === first - 1 && durable < first);
  const met = isVoid(place.after) ? ["gap"] : isBegin ? ["all", "gap"] : ["all"];
  return met.includes(String(resumed))
    ? []
    : [`${name}: ${named} was met as ${resumed} and not as ${met.join(" or ")}`];
}

/** The facts that a client was told of a session. */
interface Word {
  readonly sessionId: string;
  readonly says: "on" | "sum" | "end";
  readonly epoch: number;
}

type Said = Pick<ClientEvent, "type" | "sessionId" | "isSummary">;

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
  const wordOf = ({ sessionId, type, isSummary }: Said, epoch: number): Word => ({
    sessionId,
    says: isTerminalKind(topicKind(type)) ? "end" : isSummary === true ? "sum" : "on",
    epoch,
  });
  const open = openBy(
    disk.map(({ event: { type, session_id: sessionId }, epoch }) => wordOf({ type, sessionId }, epoch)),
  );
  const epochs = new Map(entries.map(({ event, epoch }) => [event.event_id, epoch]));
  /** A sum, or what was merged, says no more of where it stands than that its session had begun. */
  const startOf = (sessionId: string, run: number): number =>
    entries.findLast(
      ({ event, kind, epoch }) =>
        kind === "session.started" && event.session_id === sessionId && epoch <= (runs[run]?.head ?? 0),
    )?.epoch ?? 0;
  const placed = new Map<string, readonly Word[]>();
  let words: Word[] = [];
  for (const { named, resumed, items, run } of chain) {
    words = resumed === "all" ? [...(placed.get(named ?? "") ?? [])] : [];
    for (const item of items) {
      if (item.kind === "event") {
        // A loss by itself says nothing of the session that it names (R27).
        if (item.gap === undefined || item.isSummary === true)
          words.push(wordOf(item, epochs.get(item.id) ?? startOf(item.sessionId, run)));
      } else if (!placed.has(item.cursor)) {
        const { after } = cursorFacts(item.cursor);
        placed.set(
          item.cursor,
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
