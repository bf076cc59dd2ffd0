// What every subscription hears, whatever its terms were at each moment: §4.2.1's chains of states, R10's hints and R4's counts. Told naively from what
// was published and what arrived.
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import {
  gapOf,
  isCriticalEvent,
  isLateNotice,
  isSummary,
  isWanted,
  keyOf,
  laneOf,
  marksOf,
  type Published,
  STREAMING,
  STRENGTHS,
  textOf,
} from "./delivery-facts.js";

const IMPLIED: Readonly<Record<string, string>> = {
  "tool.invoked": "calling_tool",
  "output.streaming": "writing_output",
  "awaiting.confirmation": "awaiting_input",
  "awaiting.clarification": "awaiting_input",
  "handoff.requested": "handing_off",
};

/** The terms by which each event left. */
function termsAt({ eras }: Connection, index: number): Terms | undefined {
  return eras.findLast(({ received }) => received <= index)?.terms;
}

interface Told {
  readonly state: string;
  readonly epoch: number;
  /** Of a waiting that the daemon told in its agent's place: the state that the agent itself named last. */
  readonly own: string | undefined;
}

/** AAEP §4.2.1, R3a, R4, R6, R17: an agent's next state begins where the last one ended that was told, or with what was published since implies. */
export function chainFaults(world: World, { listener }: Connection, published: Published): readonly string[] {
  const faults: string[] = [];
  const told = new Map<string, Told>();
  const begun = new Set<string>();
  for (const { event } of listener.received) {
    const session = event.session_id;
    if (event.type === "aaep:agent.session.started") begun.add(session);
    if (isSummary(event) || gapOf(event) !== undefined || isLateNotice(event, published)) {
      // It says where the session stands, of whichever agent.
      for (const lane of told.keys()) if (lane.startsWith(`${session} `)) told.delete(lane);
      begun.delete(session);
      continue;
    }
    const entry = event.type === "aaep:agent.state.changed" ? published.entryOf(event) : undefined;
    if (entry === undefined) continue;
    const lane = laneOf(event);
    const last = told.get(lane) ?? (begun.has(session) ? { state: "idle", epoch: 0, own: undefined } : undefined);
    const from = String(event.from_state);
    const isFollowing =
      last === undefined ||
      from === last.state ||
      from === last.own ||
      // A question implies it, also one that was resolved before its turn came.
      entry.made === "resolution" ||
      world.entries.some((one) => isImplying(one, lane, last.epoch, entry.epoch) && IMPLIED[one.kind] === from);
    if (!isFollowing)
      faults.push(`${lane}: ${from} → ${String(event.to_state)} (${entry.epoch}) after ${last.state} (${last.epoch})`);
    const isWaiting = entry.made === "notice" || entry.made === "supplied";
    // One that goes on by itself while it is asking is told of the outcome as of one that waits (R6).
    const left = last?.state === "awaiting_input" ? undefined : last?.state;
    const before = entry.made === "resolution" || isWaiting ? (last?.own ?? left) : undefined;
    told.set(lane, {
      state: String(event.to_state),
      epoch: entry.epoch,
      own: isWaiting && from !== "awaiting_input" ? from : before,
    });
  }
  return faults;
}

function isImplying({ event, epoch }: JournaledEvent, lane: string, after: number, before: number): boolean {
  return epoch > after && epoch < before && laneOf(event) === lane;
}

/** R10: hints are those of the set or stronger; completion is the last event's alone; none where no hint of the set fits. */
export function hintFaults(connection: Connection): readonly string[] {
  const faults: string[] = [];
  const { received } = connection.listener;
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
      const place = received.findIndex(
        (got, later) => later > index && got.event.type === STREAMING && keyOf(got.event) === keyOf(event),
      );
      const next = termsAt(connection, place) === terms ? received[place]?.event : undefined;
      // Only what is too long is cut where no boundary is.
      if (next !== undefined && [...textOf(event), ...textOf(next)].length <= maxChars) say("no hint");
    } else if (STRENGTHS.indexOf(hint) < STRENGTHS.indexOf(weakest)) say("a hint below the set's");
  }
  return faults;
}

/** R4: an event says that it overtook others only where some of its session were owed when it left. */
export function overtakingFaults(world: World, connection: Connection, published: Published): readonly string[] {
  const faults: string[] = [];
  const { received } = connection.listener;
  const begin = world.entries[connection.joinedAt - 1]?.epoch ?? 0;
  for (const [index, { event }] of received.entries()) {
    const count = marksOf(event).overtook;
    const critical = count === undefined ? undefined : published.entryOf(event);
    if (critical === undefined) continue;
    const before = new Set(received.slice(0, index).map((got) => published.entryOf(got.event)));
    const ends = endsOf(received.slice(0, index).map((got) => got.event));
    const owed = world.entries.filter((entry) => {
      const { event: other, epoch } = entry;
      if (epoch >= critical.epoch || other.session_id !== event.session_id) return false;
      if (!connection.eras.some(({ terms }) => isWanted(terms, entry)) || before.has(entry)) return false;
      // One without text may be told by itself.
      if (entry.kind === "output.streaming")
        return textOf(other) === "" || (ends.get(keyOf(other)) ?? 0) < endOf(other);
      const isQuiet =
        entry.kind === "progress.updated" || (entry.kind === "state.changed" && entry.made !== "resolution");
      return epoch > begin && !(isQuiet && laneOf(other) === laneOf(event));
    });
    // What the daemon says to this subscription alone stands in no journal.
    const isSumWaiting = received.slice(index + 1).some((got) => {
      const isSaid = isSummary(got.event) || gapOf(got.event) !== undefined;
      return isSaid && got.event.session_id === event.session_id;
    });
    if (isSumWaiting) continue;
    if (owed.length === 0)
      faults.push(`${event.type} ${event.event_id}: overtook ${String(count)}, and nothing was owed`);
    const texts = owed.some(({ kind }) => kind === "output.streaming");
    if (!texts && Number(count) > owed.length)
      faults.push(`${event.type} ${event.event_id}: overtook ${String(count)}, and ${owed.length} were owed`);
  }
  return faults;
}

/** What a reader of the journal takes of steps at once is 32; a word may be one, and so may an event. */
const READ_AT_ONCE = 32;

/**
 * R4: the count is how many events of its session, published before it, follow: where terms stay, turns and queue have room for everything, little was
 * published before, and no sum is said in between. A text that goes on behind the critical event is one of them or none; other agents' states and
 * progress may merge until they leave.
 */
export function countFaults(world: World, connection: Connection, published: Published): readonly string[] {
  const faults: string[] = [];
  const { turns, queueLimitCount } = world.plan;
  if (turns !== undefined || queueLimitCount < READ_AT_ONCE || connection.leftAt !== undefined) return faults;
  const { received } = connection.listener;
  for (const [index, { event }] of received.entries()) {
    const critical = isCriticalEvent(event) ? published.entryOf(event) : undefined;
    const isOver = connection.eras.some((era) => era.received > index);
    const later = received.slice(index + 1).filter((got) => got.event.session_id === event.session_id);
    if (critical === undefined || isOver || later.some((got) => isSummary(got.event))) continue;
    const earlier = world.entries.filter(({ epoch }) => epoch < critical.epoch);
    if (earlier.reduce((sum, entry) => sum + stepsOf(entry), 0) > READ_AT_ONCE) continue;
    const isWaiting = termsAt(connection, index)?.coalesceBoundaries.every((one) => one === "completion") === true;
    let whole = 0;
    let begun = 0;
    for (const got of later) {
      if (isCriticalEvent(got.event)) continue;
      // Where completion alone releases, nothing of an output is held that could follow before that.
      const closed = isWaiting && got.event.type === STREAMING ? published.completed.get(keyOf(got.event)) : undefined;
      const [first, last] = closed === undefined ? epochsOf(got.event, published) : [closed, closed];
      // Another agent's text is cut at its last word only.
      const mayGoOn = got.event.type === STREAMING && laneOf(got.event) !== laneOf(event) && closed === undefined;
      if (last < critical.epoch && !mayGoOn) whole += 1;
      else if (first < critical.epoch) begun += 1;
    }
    const before = new Set(received.slice(0, index).map((got) => published.entryOf(got.event)));
    const merging = earlier.filter((entry, place) => {
      const isQuiet = entry.kind === "progress.updated" || entry.kind === "state.changed";
      const isOwed = place >= connection.joinedAt && !isCriticalEvent(entry.event) && !before.has(entry);
      const isOthers = laneOf(entry.event) !== laneOf(event) && entry.event.session_id === event.session_id;
      return isQuiet && isOwed && isOthers;
    }).length;
    const count = Number(marksOf(event).overtook ?? 0);
    const most = whole + begun + merging;
    if (count < whole || count > most)
      faults.push(
        `${event.type} ${event.event_id} (${critical.epoch}): overtook ${count}; ${whole} to ${most} followed`,
      );
  }
  return faults;
}

function stepsOf({ kind, event }: JournaledEvent): number {
  return 1 + (kind === "output.streaming" ? textOf(event).split(/\b/u).length : 0);
}

/** Of the first and of the last that an event was made of. */
function epochsOf(event: AgentEvent, published: Published): readonly [number, number] {
  if (event.type !== STREAMING) {
    const epoch = published.entryOf(event)?.epoch ?? Number.POSITIVE_INFINITY;
    return [epoch, epoch];
  }
  const position = Number(event.position);
  const characters = (published.outputs.get(keyOf(event)) ?? []).slice(position, position + [...textOf(event)].length);
  const epochs = characters.map(({ epoch }) => epoch);
  // R12: of one without text the id says where it stood, unless it left as it was.
  if (epochs.length === 0)
    epochs.push(published.byId.get(event.event_id)?.epoch ?? Number.parseInt(event.event_id.slice(4, 20), 16));
  if (event.complete === true) epochs.push(published.completed.get(keyOf(event)) ?? Number.POSITIVE_INFINITY);
  return [Math.min(...epochs), Math.max(...epochs)];
}

/** Where each output's text ends that was given; one more where it is complete. */
function endsOf(events: readonly AgentEvent[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const event of events) if (event.type === STREAMING) ends.set(keyOf(event), endOf(event));
  return ends;
}

function endOf(event: AgentEvent): number {
  return Number(event.position) + [...textOf(event)].length + (event.complete === true ? 1 : 0);
}
