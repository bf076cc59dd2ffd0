// Clients over runs of which kills took something back, of a journal that let go of nothing else, held against the oracle of places (R17, R29).
import type { AgentEvent } from "../../../src/engine/event/event.js";
import {
  type Arrived,
  type ClientConnection,
  type PublishedEvent,
  publishedEvent,
  publishedRecord,
} from "./place-facts.js";
import { placeFaults } from "./place-oracle.js";

type Entries = readonly { readonly epoch: number; readonly event: AgentEvent }[];

export interface ClientChain {
  readonly name: string;
  readonly chain: readonly ClientConnection[];
}

/** `entries`: all that was ever given an epoch. */
export function journaledPlaceFaults(entries: Entries, disk: Entries, { name, chain }: ClientChain): readonly string[] {
  const kept = new Set(disk.map(({ epoch }) => epoch));
  const published = entries.map(({ epoch, event }) => publishedEvent(epoch, event, !kept.has(epoch)));
  /** What a kill took back is declared lost (R27), which excuses nothing that the journal holds. */
  const mayDeclare = ({ resumed }: ClientConnection): boolean => resumed === "gap";
  const judged = chain.map((one) => (mayDeclare(one) ? { ...one, items: one.items.map(undeclared) } : one));
  const faults = [...placeFaults(publishedRecord(published), judged, isMissing, true)];
  if (judged.some(({ items }) => items.some((item) => item.kind === "event" && item.gap !== undefined)))
    faults.push("a gap where nothing was lost");
  return faults.map((fault) => `${name}: ${fault}`);
}

function undeclared(item: Arrived): Arrived {
  if (item.kind === "place") return item;
  const { gap: _gap, ...rest } = item;
  return rest;
}

/** Questions, and the states around them, may be over by then; states and progress are superseded. */
function isMissing({ type }: PublishedEvent, hasCome: boolean): boolean {
  return !hasCome && !/\.awaiting\.|\.state\.changed$|\.progress\./.test(type);
}
