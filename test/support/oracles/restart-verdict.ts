// What the disk and the subscribers have after a history of several runs, held against what was acknowledged (R3, R17, R29).
import type { AgentEvent } from "../../../src/engine/event/event.js";

/** What is judged of a subscriber. */
export interface SeatFacts {
  readonly name: string;
  /** What has arrived, over all its connections. */
  readonly got: readonly AgentEvent[];
  /** The epoch up to which nothing is owed: it came without a place. */
  readonly notOwedTo: number;
  /** Events that came twice though a place covered them. */
  readonly repeated: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;
type OnDisk = readonly { readonly epoch: number; readonly event: AgentEvent }[];
type Acknowledged = ReadonlyMap<string, { readonly epoch: number; readonly event: Fields }>;

/** What the disk has: all that was acknowledged, at its place and once; one outcome a question; no action without a permission. */
export function diskFaults(disk: OnDisk, acknowledged: Acknowledged): readonly string[] {
  const faults: string[] = [];
  const byId = new Map<string, number>();
  const resolved = new Set<string>();
  const permits = new Map<string, number>();
  let last = 0;
  for (const { epoch, event } of disk) {
    if (epoch <= last) faults.push(`${event.event_id} stands at ${epoch} after ${last}`);
    last = epoch;
    if (byId.has(event.event_id)) faults.push(`${event.event_id} stands twice`);
    byId.set(event.event_id, epoch);
    const { question, decision: decided, decided_by: by } = event.extensions?.aaepd ?? {};
    if (decided !== undefined && resolved.has(String(question))) faults.push(`${question} has two outcomes`);
    if (decided !== undefined) resolved.add(String(question));
    const permit = decided === "accepted" && by === "reply" ? 1 : event.irreversible === true ? -1 : 0;
    const left = (permits.get(event.session_id) ?? 0) + permit;
    if (left < 0) faults.push(`${event.event_id} was not permitted`);
    permits.set(event.session_id, left);
  }
  for (const [id, { epoch }] of acknowledged)
    if (byId.get(id) !== epoch) faults.push(`${id} was acknowledged at ${epoch} and stands at ${byId.get(id)}`);
  return faults;
}

/** What a subscriber has, once what came twice is taken out: everything that was acknowledged. */
export function seatFaults(seat: SeatFacts, disk: OnDisk, acknowledged: Acknowledged): readonly string[] {
  const faults = seat.repeated.map((repeat) => `${seat.name}: ${repeat}`);
  const ids = new Set(seat.got.map(({ event_id }) => event_id));
  // All that was ever given at a place: what had no receipt when a run was killed may be followed by something else.
  const texts = new Map<string, Map<number, Set<string>>>();
  const placesOf = ({ session_id, output_id }: AgentEvent) => {
    const key = `${session_id}/${output_id}`;
    const places = texts.get(key) ?? new Map<number, Set<string>>();
    texts.set(key, places);
    return places;
  };
  for (const event of seat.got) {
    if (event.extensions?.aaepd?.gap !== undefined) faults.push(`${seat.name}: a gap where nothing was lost`);
    if (typeof event.chunk !== "string") continue;
    const places = placesOf(event);
    for (const [index, character] of [...event.chunk].entries()) {
      const at = Number(event.position) + index;
      places.set(at, (places.get(at) ?? new Set()).add(character));
    }
  }
  for (const { epoch, event } of disk) {
    if (!acknowledged.has(event.event_id)) continue;
    if (epoch <= seat.notOwedTo) continue;
    if (typeof event.chunk === "string") {
      const places = placesOf(event);
      const isThere = [...event.chunk].every(
        (character, index) => places.get(Number(event.position) + index)?.has(character) === true,
      );
      if (!isThere) faults.push(`${seat.name}: text of ${event.event_id} at ${epoch} is missing`);
    } else if (!/awaiting|state/.test(event.type) && !ids.has(event.event_id))
      faults.push(`${seat.name}: ${event.event_id} (${event.type}) at ${epoch} is missing`);
  }
  return faults;
}
