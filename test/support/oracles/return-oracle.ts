// Clients of a random life that come back, held against the oracle of places (R17, R27).
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { arrivedAt } from "../rigs/arrivals.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import { isWanted, judgedOf, type Published } from "./delivery-facts.js";
import { eventFaults } from "./event-oracle.js";
import { type PublishedEvent, publishedEvent, publishedRecord } from "./place-facts.js";
import { placeFaults } from "./place-oracle.js";

/** R17, R27: all that arrived at a client is all that it was owed after the places that it named, less what was declared lost. */
export function resumeFaults(world: World, published: Published): readonly string[] {
  const { entries } = world;
  const record = publishedRecord(entries.map(({ epoch, event }) => publishedEvent(epoch, event)));
  const faults: string[] = [];
  for (const seat of new Set(world.connections.map((connection) => connection.seat))) {
    const chain = world.connections.filter((connection) => connection.seat === seat);
    const connections = chain.map(({ listener, named, joinedAt, arrived }) => ({
      named,
      resumed: listener.subscription.resumed,
      head: entries[joinedAt - 1]?.epoch ?? 0,
      items: arrivedAt(listener, arrived),
    }));
    const terms = termsOf(chain);
    const isMissing = ({ id }: PublishedEvent, hasCome: boolean): boolean =>
      !hasCome && isOwed(terms, published.byId.get(id));
    faults.push(...placeFaults(record, connections, isMissing, chain.at(-1)?.leftAt === undefined));
    for (const connection of chain)
      if (connection.named === undefined)
        faults.push(...eventFaults({ ...judgedOf(world, connection, published), isWhole: false }));
  }
  return faults;
}

/** On all connections the same. */
function termsOf([first]: readonly Connection[]): Terms | undefined {
  return first?.eras[0]?.terms;
}

function isOwed(terms: Terms | undefined, entry: JournaledEvent | undefined): boolean {
  if (terms === undefined || entry === undefined || !isWanted(terms, entry)) return false;
  const { kind, made } = entry;
  // A question resolved meanwhile is not asked, nor told of.
  if (kind === "awaiting.confirmation" || kind === "awaiting.clarification" || made === "notice") return false;
  // States and progress merge and are superseded; what remains of them is judged elsewhere.
  return kind !== "progress.updated" && (kind !== "state.changed" || made === "resolution");
}
