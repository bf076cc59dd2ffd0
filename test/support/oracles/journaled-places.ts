// Clients over runs of which kills took something back, of a journal that let go of nothing else, held against the oracle of places (R17, R29).
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { type ClientConnection, type PublishedEvent, publishedEvent, publishedRecord } from "./place-facts.js";
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
  const faults = [...placeFaults(publishedRecord(published), chain, isMissing, true)];
  if (chain.some(({ items }) => items.some((item) => item.kind === "event" && item.gap !== undefined)))
    faults.push("a gap where nothing was lost");
  return faults.map((fault) => `${name}: ${fault}`);
}

/** Questions, and the states around them, may be over by then; states and progress are superseded. */
function isMissing({ type }: PublishedEvent, hasCome: boolean): boolean {
  return !hasCome && !/\.awaiting\.|\.state\.changed$|\.progress\./.test(type);
}
