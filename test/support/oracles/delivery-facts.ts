// What was published and what a connection received, in the words in which the oracles of delivery speak. Knows nothing of views, queues or readers.
import { expect } from "vitest";
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import type { Connection, World } from "../rigs/delivery-world.js";
import type { Received } from "../rigs/engine-rig.js";

export const STREAMING = "aaep:agent.output.streaming";

export const STRENGTHS: readonly Boundary[] = ["none", "word", "sentence", "paragraph", "completion"];

const GATES: readonly unknown[] = ["awaiting_input", "handing_off"];

export function keyOf(event: AgentEvent): string {
  return `${event.session_id}/${String(event.output_id ?? "")}`;
}

export function textOf(event: AgentEvent): string {
  return String(event.chunk);
}

export function isCriticalEvent(event: AgentEvent): boolean {
  return event.urgency === "critical";
}

/** Whether an event of this type ends a session. */
export function isTerminal(type: string): boolean {
  return /^aaep:agent\.session\.(completed|errored|cancelled)$/.test(type);
}

export function isGate(event: AgentEvent): boolean {
  return GATES.includes(event.from_state) || GATES.includes(event.to_state);
}

export function laneOf(event: AgentEvent): string {
  return `${event.session_id} ${event.producer.agent_id}`;
}

/** Whether the terms let an event through: written again from §5.3.1.7, R6, R15, R31 and R32. */
export function isWanted(terms: Terms, entry: JournaledEvent): boolean {
  const { event, kind, made } = entry;
  if (kind === "awaiting.confirmation") return terms.supportsConfirmationReply;
  if (kind === "awaiting.clarification") return terms.supportsClarificationReply;
  if (made === "notice") {
    const asks = event.extensions?.aaepd?.asks;
    return asks === "confirmation" ? !terms.supportsConfirmationReply : !terms.supportsClarificationReply;
  }
  if (made === "resolution" || isCriticalEvent(event)) return true;
  if (made === "supplied") {
    const asks = event.extensions?.aaepd?.asks;
    if (asks === "confirmation" ? !terms.supportsConfirmationReply : !terms.supportsClarificationReply) return false;
  }
  if (terms.cognitiveLoad === "low" && event.urgency === "background" && kind !== "output.streaming") return false;
  const fits = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) =>
      pattern.endsWith("*") ? event.type.startsWith(pattern.slice(0, -1)) : pattern === event.type,
    );
  return fits(terms.eventFilters.include) && !fits(terms.eventFilters.exclude);
}

/** One published character (code point). */
interface Character {
  readonly text: string;
  readonly epoch: number;
  readonly entry: JournaledEvent;
}

/** What is looked at of an event that was received. */
export type Got = Pick<Received, "event" | "delivery">;

export interface Published {
  readonly outputs: ReadonlyMap<string, readonly Character[]>;
  /** Epoch of each output's completion. */
  readonly completed: ReadonlyMap<string, number>;
  readonly byId: ReadonlyMap<string, JournaledEvent>;
  /** The published event that a delivered one is, or the last of several states that it stands for (R4, R11); undefined of text. */
  readonly entryOf: (got: Got) => JournaledEvent | undefined;
  readonly text: (output: string) => string;
}

export function publishedIn(entries: readonly JournaledEvent[]): Published {
  const outputs = new Map<string, Character[]>();
  const completed = new Map<string, number>();
  const byId = new Map<string, JournaledEvent>();
  const byEpoch = new Map<number, JournaledEvent>();
  for (const entry of entries) {
    byId.set(entry.event.event_id, entry);
    byEpoch.set(entry.epoch, entry);
    if (entry.kind !== "output.streaming") continue;
    const key = keyOf(entry.event);
    const characters = outputs.get(key) ?? [];
    outputs.set(key, characters);
    for (const text of textOf(entry.event)) characters.push({ text, epoch: entry.epoch, entry });
    if (entry.event.complete === true) completed.set(key, entry.epoch);
  }
  return {
    outputs,
    completed,
    byId,
    entryOf: ({ event, delivery }) => {
      const known = byId.get(event.event_id);
      if (known !== undefined || event.type !== "aaep:agent.state.changed") return known;
      if (gapOf(event) !== undefined || isSummary(event)) return undefined;
      const last = byEpoch.get(delivery.epoch);
      // What is said to one subscription alone stands at no event of the journal.
      if (marksOf(event).asks !== undefined && last?.made !== "notice" && last?.made !== "supplied") return undefined;
      return last?.kind === "state.changed" && last.event.session_id === event.session_id ? last : undefined;
    },
    text: (output) => (outputs.get(output) ?? []).map(({ text }) => text).join(""),
  };
}

/** The part of the daemon's marks that tests look at. */
export function marksOf(event: AgentEvent): Readonly<Record<string, unknown>> {
  return event.extensions?.aaepd ?? {};
}

export function gapOf(event: AgentEvent): { readonly events: number } | undefined {
  return marksOf(event).gap as { readonly events: number } | undefined;
}

export function isSummary(event: AgentEvent): boolean {
  return marksOf(event).summary === true;
}

/** What a newcomer that cannot answer is told of a question asked before it came (R6): said to it alone, in no journal. */
export function isLateNotice(got: Got, published: Published): boolean {
  const { event } = got;
  const entry = published.entryOf(got);
  const isItself = entry?.event.event_id === event.event_id;
  return (
    marksOf(event).asks !== undefined && !isItself && (entry === undefined || event.from_state === "awaiting_input")
  );
}

/** One connection, with what was published around it. */
export interface Judged {
  readonly world: World;
  readonly connection: Connection;
  readonly received: readonly Received[];
  readonly published: Published;
  readonly entries: readonly JournaledEvent[];
  /** Events journaled before the connection began, and when it ended. */
  readonly from: number;
  readonly to: number;
  /** At its beginning. */
  readonly terms: Terms;
  readonly skips: Connection["skips"];
  /** Whether everything owed must have come by now. */
  readonly isWhole: boolean;
}

export function judgedOf(world: World, connection: Connection, published: Published): Judged {
  const { entries } = world;
  const { listener, joinedAt, leftAt, skips, eras } = connection;
  const [{ terms }] = eras as [Connection["eras"][number]];
  const [from, to, isWhole] = [joinedAt, leftAt ?? entries.length, leftAt === undefined];
  return { world, connection, received: listener.received, published, entries, from, to, terms, skips, isWhole };
}

/** The terms by which each event left. */
export function termsAt({ eras }: Connection, index: number): Terms | undefined {
  return eras.findLast(({ received }) => received <= index)?.terms;
}

/** Whether all terms that a connection ever had let an event through. */
export function isAlwaysWanted({ connection }: Pick<Judged, "connection">, entry: JournaledEvent): boolean {
  return connection.eras.every(({ terms }) => isWanted(terms, entry));
}

/** Fails with what is wrong, a few at most. */
export function expectNoFaults(...faults: readonly string[]): void {
  expect(faults.slice(0, 6)).toEqual([]);
}
