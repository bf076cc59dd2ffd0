// What a subscription hears (R10, R17, R27): what a listener that drops repeats (R12) has heard, and what was declared lost, is what was published after
// the place that was named, up to the last place that was told, and at the end all of it. Nothing comes that a place covers, nothing twice on one
// connection, and the text of an output in its order.
import { type CursorFacts, cursorFacts } from "./cursor-reading.js";
import { STREAMING } from "./delivery-facts.js";
import { createHeardBefore } from "./heard-before.js";
import {
  type ClientConnection,
  type ClientEvent,
  type ConnectionStart,
  isQuestion,
  outputKey,
  type PublishedEvent,
  type PublishedRecord,
} from "./place-facts.js";

/**
 * "lost": never came, and was not declared. "again": came before, and a place covered it. "ranAhead": came for the first time after a place had
 * covered it. "fell": a place below one before. "duplicated": twice on one connection. "reordered": text that does not go on where the output stood.
 * "invented": other than what was published. "summed": a sum although the place was good.
 */
type PlaceFault = "lost" | "again" | "ranAhead" | "fell" | "duplicated" | "reordered" | "invented" | "summed";

export interface PlaceOracleSpec {
  readonly published: PublishedRecord;
  /** Whether something is missing, by the client's terms, of an event that has come or not. Asked at the end. */
  readonly isMissing: (event: PublishedEvent, hasCome: boolean) => boolean;
  readonly fault: (kind: PlaceFault, what: string) => void;
}

interface News {
  /** Something of it never came before, on any connection. */
  readonly isNews: boolean;
  /** Of text: characters that had come before. */
  readonly againCount: number;
}

/** Judges one client. */
export interface PlaceOracle {
  readonly joined: (start: ConnectionStart) => void;
  readonly told: (cursor: string) => void;
  readonly take: (event: ClientEvent) => News;
  /** `isWhole`: whatever was published must have come by now; else what the last place says. */
  readonly end: (isWhole: boolean) => void;
}

interface TextCome {
  readonly characters: Map<number, string>;
  /** The lowest position that came. */
  first: number;
  /** Where it stands. */
  end: number;
  isComplete: boolean;
}

interface Connection extends ConnectionStart {
  /** The place from which it goes on; undefined of a newcomer. */
  readonly had: CursorFacts | undefined;
  readonly ids: Set<string>;
  readonly texts: Map<string, TextCome>;
  /** Events that were declared lost. */
  declared: number;
  /** Nothing up to here may come any more. */
  covered: CursorFacts | undefined;
  /** Events that have come. */
  receivedCount: number;
  told: CursorFacts | undefined;
}

export function createPlaceOracle({ published, isMissing, fault }: PlaceOracleSpec): PlaceOracle {
  let connection = beginConnection({ named: undefined, resumed: undefined, head: 0 });
  const connections = [connection];
  const before = createHeardBefore();

  const isCovered = ({ epoch = Infinity }: { readonly epoch?: number | undefined }): boolean =>
    connection.covered !== undefined && epoch <= connection.covered.after;
  const coverFault = (isKnown: boolean, what: string): void => {
    const cursor = `a cursor up to ${connection.covered?.after}`;
    if (isKnown) fault("again", `${what} came again, which ${cursor} covered`);
    else fault("ranAhead", `${what} came for the first time after ${cursor} had covered it`);
  };

  const takeText = (event: ClientEvent): News => {
    const { id, sessionId, output = "", chunk = "", position = 0, completes = false } = event;
    const key = outputKey(sessionId, output);
    const known = published.outputs.get(key);
    const characters = [...chunk];
    const end = position + characters.length;
    // By character, all that was published there and reads the same.
    const sources = characters.map(
      (text, index) => known?.characters[position + index]?.filter((one) => one.text === text) ?? [],
    );
    const ends = known?.ends.filter(({ at }) => at === end) ?? [];
    const goesOn = known?.characters[end]?.some(({ isKept }) => isKept) === true;
    const isCutShort = completes && ends.length === 0 && goesOn;
    if (known === undefined || isCutShort || sources.some(({ length }) => length === 0)) {
      fault("invented", `${id} has other text at ${position} of ${key} than was published: ${JSON.stringify(chunk)}`);
      return { isNews: true, againCount: 0 };
    }
    const come = connection.texts.get(key) ?? {
      characters: new Map(),
      first: position,
      end: position,
      isComplete: false,
    };
    connection.texts.set(key, come);
    if (come.isComplete && (completes || chunk !== "")) fault("duplicated", `${key} went on after its end (${id})`);
    if (characters.some((_, index) => come.characters.has(position + index)))
      fault("duplicated", `${key} came twice from ${position} on one connection (${id})`);
    const isExcused = hasSkipped(connection, key) || connection.declared > 0;
    if (position !== come.end && !isExcused)
      fault("reordered", `${key} goes on at ${position} after ${come.end} (${id})`);
    const wasComplete = before.knowsEnd(key);
    const isKnown = (index: number): boolean => before.knowsCharacter(key, position + index, characters[index] ?? "");
    const at = sources.findIndex((those) => those.every(isCovered));
    if (at >= 0) coverFault(isKnown(at), `${key} at ${position + at} (${sources[at]?.[0]?.epoch}, ${id})`);
    else if (completes && ends.length > 0 && ends.every(isCovered))
      coverFault(wasComplete, `the end of ${key} (${ends[0]?.epoch}, ${id})`);
    const againCount = characters.filter((_, index) => isKnown(index)).length;
    const isNews = againCount < characters.length || (completes && !wasComplete);
    for (const [index, text] of characters.entries()) come.characters.set(position + index, text);
    come.first = Math.min(come.first, position);
    come.end = end;
    come.isComplete ||= completes;
    before.hear(event);
    return { isNews, againCount };
  };

  const takeEvent = (event: ClientEvent): News => {
    const { id, type, sessionId, gap = 0 } = event;
    const isKnown = before.knowsEvent(event);
    before.hear(event);
    connection.declared += gap;
    if (event.isSummary === true && connection.resumed === "all" && !maySum(connection))
      fault("summed", `${sessionId} was summed up although the place was good (${id})`);
    if (event.isSummary === true || event.gap !== undefined) return { isNews: !isKnown, againCount: 0 };
    if (connection.ids.has(id)) fault("duplicated", `${id} came twice on one connection`);
    connection.ids.add(id);
    const epoch = published.epochs.get(id);
    // Questions that are open are asked anew, and told anew to clients that cannot answer (R6).
    if (isCovered({ epoch }) && !isQuestion(type) && event.isNotice !== true)
      coverFault(isKnown, `${type} ${id} (${epoch})`);
    return { isNews: !isKnown, againCount: 0 };
  };

  /** Whether nothing is missing of an event that is owed on a connection. */
  const hasCome = (one: Connection, event: PublishedEvent): boolean => {
    const { id, sessionId, text, epoch = Infinity, isVoid } = event;
    const { had, head, until = Infinity } = one;
    const isAfter = epoch > (had?.after ?? head);
    if (epoch > until || (isVoid === true && epoch <= head)) return true;
    if (text === undefined) return !isAfter || one.ids.has(id);
    const come = one.texts.get(outputKey(sessionId, text.output));
    // Text that was held for a newcomer has no hole.
    const begin = isAfter ? 0 : (come?.first ?? Infinity);
    for (const [index, character] of [...text.chunk].entries()) {
      const at = text.from + index;
      if (at >= begin && come?.characters.get(at) !== character) return false;
    }
    return !text.completes || !isAfter || come?.isComplete === true;
  };

  return {
    joined: (start) => {
      connection = beginConnection(start);
      connections.push(connection);
    },
    told: (cursor) => {
      const place = cursorFacts(cursor);
      const { covered, named } = connection;
      if (covered?.journal === place.journal && place.after < covered.after)
        fault("fell", `its place fell from ${covered.after} to ${place.after}`);
      // Until gaps and sums have gone it is the one that was named, whatever was void of it.
      if (cursor === named) return;
      if (covered?.journal !== place.journal || place.after > covered.after) connection.covered = place;
      connection.told = place;
    },
    take: (event) => {
      const news = event.type === STREAMING ? takeText(event) : takeEvent(event);
      connection.receivedCount += 1;
      return news;
    },
    end: (isWhole) => {
      const reported = new Set<string>();
      for (const one of connections) {
        const to = isWhole && one === connections.at(-1) ? EVERYTHING : one.told;
        if (to === undefined) continue;
        const missing = published.events.filter(
          (event) => mayBeOwed(one, to, event) && isMissing(event, hasCome(one, event)),
        );
        for (const { id, type, epoch, sessionId } of missing) {
          if (missing.length <= one.declared || reported.has(id)) continue;
          reported.add(id);
          fault(
            "lost",
            `${type} ${id} of ${sessionId} (${epoch}) never came after ${one.named} (${one.declared} declared)`,
          );
        }
      }
    },
  };
}

/** R27: what one connection was declared lost can have been lost. `published`: all that the journal ever had. */
function gapFaults(one: ClientConnection, { events }: PublishedRecord): readonly string[] {
  const { had } = beginConnection(one);
  const gaps = one.items.filter((item) => item.kind === "event" && item.gap !== undefined) as readonly ClientEvent[];
  const faults: string[] = [];
  const fault = (what: string): void => void faults.push(`misdeclared: ${what}`);
  if (gaps.length > 0 && one.isJournalWhole === true && one.resumed !== "gap" && one.resumed !== "unknown")
    fault(`${gaps[0]?.id} declares a loss where the journal has everything`);
  for (const { id, gap } of gaps) if (gap === 0) fault(`${id} does not say how many were lost`);
  // Of a newcomer the text that was held when it came may be lost too.
  const after = had?.after ?? 0;
  const possible = events.filter(({ epoch = Infinity }) => epoch > after);
  for (const { gap = 0, id } of gaps) {
    if (gap === Infinity && one.resumed === "unknown") continue;
    if (gap > possible.length) fault(`${id} declares up to ${gap} lost, of ${possible.length} after ${one.named}`);
  }
  return faults;
}

/** The faults of one client, each with its kind. */
export function placeFaults(
  published: PublishedRecord,
  connections: readonly ClientConnection[],
  isMissing: PlaceOracleSpec["isMissing"],
  isWhole: boolean,
): readonly string[] {
  const faults: string[] = [];
  const fault = (kind: PlaceFault, what: string): void => void faults.push(`${kind}: ${what}`);
  const oracle = createPlaceOracle({ published, isMissing, fault });
  for (const connection of connections) {
    oracle.joined(connection);
    for (const item of connection.items) {
      if (item.kind === "place") oracle.told(item.cursor);
      else oracle.take(item);
    }
  }
  oracle.end(isWhole);
  return [...faults, ...connections.flatMap((one) => gapFaults(one, published))];
}

/** Whether a text, or everything, was skipped by now. */
function hasSkipped({ skips = [], receivedCount }: Connection, key: string | undefined): boolean {
  return skips.some(({ output, received }) => received <= receivedCount && (output === undefined || output === key));
}

/** Who skips everything goes on as a newcomer (R26), and where something aged out unread all is summed up again (R27). */
function maySum(connection: Connection): boolean {
  return hasSkipped(connection, undefined) || connection.declared > 0;
}

function mayBeOwed({ had }: Connection, to: CursorFacts, { epoch = Infinity }: PublishedEvent): boolean {
  return epoch > (had?.after ?? Number.NEGATIVE_INFINITY) && epoch <= to.after;
}

/** The place where nothing is missing. */
const EVERYTHING: CursorFacts = { journal: "", after: Infinity };

function beginConnection(start: ConnectionStart): Connection {
  const { named, resumed } = start;
  const place = named === undefined ? undefined : cursorFacts(named);
  // Of a journal that is gone nothing counts.
  const had = place && resumed === "unknown" ? { ...place, after: 0 } : place;
  // After a gap a text may come from where it is held, as newcomers get it.
  const covered = resumed === "gap" || resumed === "unknown" ? undefined : had;
  const came = { receivedCount: 0, told: undefined, ids: new Set<string>() };
  return { ...start, ...came, had, covered, texts: new Map(), declared: 0 };
}
