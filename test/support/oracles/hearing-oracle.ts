// What every subscription of a random life hears, held against all that was promised to it.
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import { arrivedAt } from "../rigs/arrivals.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import { audienceFaults } from "./audience-oracle.js";
import { isWanted, type Judged, judgedOf, type Published, publishedIn } from "./delivery-facts.js";
import { clusterFaults, envelopeFaults, eraFaults, hintFaults } from "./form-oracle.js";
import { mergingFaults } from "./merging-oracle.js";
import { chainFaults, orderFaults, sequenceFaults, timeFaults } from "./order-oracle.js";
import { type PublishedEvent, type PublishedRecord, publishedEvent, publishedRecord } from "./place-facts.js";
import { placeFaults } from "./place-oracle.js";
import { releaseFaults } from "./release-oracle.js";
import { criticalFaults, overtakingFaults, rateFaults } from "./urgency-oracle.js";

type Judge = (judged: Judged) => readonly string[];

/** Of every connection. */
const ALWAYS: readonly Judge[] = [envelopeFaults, eraFaults, hintFaults, clusterFaults, rateFaults];

/** Of those that name no place and skip nothing: what they hear begins with what they were told of where all stands. */
const FROM_THE_BEGINNING: readonly Judge[] = [
  orderFaults,
  timeFaults,
  chainFaults,
  sequenceFaults,
  overtakingFaults,
  criticalFaults,
  releaseFaults,
];

export function hearingFaults(world: World): readonly string[] {
  const published = publishedIn(world.entries);
  const faults = [...audienceFaults(world), ...countFaults(world), ...lossFaults(world, published)];
  for (const connection of world.connections) {
    const judged = judgedOf(world, connection, published);
    const judges = [...ALWAYS];
    const isNewcomer = connection.named === undefined;
    if (isNewcomer) judges.push(mergingFaults);
    if (isNewcomer && connection.skips.length === 0) judges.push(...FROM_THE_BEGINNING);
    faults.push(...judges.flatMap((judge) => judge(judged)));
  }
  return faults;
}

/** What the report counts of a subscription is what it was sent. */
function countFaults({ rig, connections }: World): readonly string[] {
  return rig.engine.report().subscriptions.flatMap(({ subscriptionId, counts: { delivered, overtook, gaps } }) => {
    const { received } =
      connections.find(({ listener }) => listener.subscription.id === subscriptionId)?.listener ?? {};
    const marks = received?.map(({ event }) => event.extensions?.aaepd ?? {}) ?? [];
    const sent = [marks.length, ...["overtook", "gap"].map((mark) => marks.filter((one) => mark in one).length)];
    return String([delivered, overtook, gaps]) === String(sent)
      ? []
      : [`${subscriptionId}: ${sent} were sent, and ${[delivered, overtook, gaps]} are counted`];
  });
}

/** Only whether everybody has heard everything, once. */
export function lossFaults(world: World, published: Published = publishedIn(world.entries)): readonly string[] {
  const record = publishedRecord(world.entries.map(({ epoch, event }) => publishedEvent(epoch, event)));
  const seats = new Set(world.connections.map(({ seat }) => seat));
  return [...seats].flatMap((seat) => seatFaults(world, seat, published, record));
}

/** R10, R17, R27: what came to a listener over all its connections, and what was declared lost, is what it was owed. */
function seatFaults(
  { plan, entries, connections }: World,
  seat: number,
  published: Published,
  record: PublishedRecord,
): readonly string[] {
  const chain = connections.filter((connection) => connection.seat === seat);
  const eras = chain.flatMap((connection) => connection.eras);
  const skips = chain.flatMap((connection) => connection.skips);
  const isOwed = (entry: JournaledEvent | undefined): boolean =>
    entry !== undefined && isAlwaysOwed(entry) && eras.every(({ terms }) => isWanted(terms, entry));
  const isSkipped = ({ epoch = 0, sessionId, text }: PublishedEvent): boolean =>
    skips.some(({ output, journaled }) =>
      output === undefined ? epoch <= (entries[journaled - 1]?.epoch ?? 0) : output === `${sessionId}/${text?.output}`,
    );
  const isMissing = (event: PublishedEvent, hasCome: boolean): boolean =>
    !hasCome && isOwed(published.byId.get(event.id)) && !isSkipped(event);
  const heard = chain.map((connection) => ({
    named: connection.named,
    resumed: connection.listener.subscription.resumed,
    head: entries[connection.joinedAt - 1]?.epoch ?? 0,
    items: arrivedAt(connection.listener, connection.arrived),
    skips: connection.skips,
    isJournalWhole: entries.length <= plan.journalCount,
  }));
  return placeFaults(record, heard, isMissing, isStaying(chain));
}

function isStaying(chain: readonly Connection[]): boolean {
  return chain.at(-1)?.leftAt === undefined;
}

/** A question that was resolved meanwhile is not asked, nor told of. States and progress merge, and are judged where they do (R11). */
function isAlwaysOwed({ kind, made }: JournaledEvent): boolean {
  if (kind === "awaiting.confirmation" || kind === "awaiting.clarification" || made === "notice") return false;
  return kind !== "progress.updated" && (kind !== "state.changed" || made === "resolution");
}
