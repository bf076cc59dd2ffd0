// A history of runs of which many make nothing durable: agents that publish and then give up what a kill took back, or say something else in its
// place, and listeners that name the last cursor that arrived (R17, R29).
import { Fault } from "../../../src/base/errors.js";
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { type BootFacts, type SeatChain, voidVerdict } from "../oracles/void-verdict.js";
import { lastCursor, leftWith } from "./arrivals.js";
import { type Listener, session } from "./engine-rig.js";
import { createRuns, type Run } from "./restart-rig.js";

export type VoidStep =
  | { readonly op: "chunk"; readonly s: number; readonly o: number; readonly text: string; readonly complete: boolean }
  | { readonly op: "tool"; readonly s: number }
  | { readonly op: "end"; readonly s: number; readonly isError: boolean }
  | { readonly op: "flush" | "fail" }
  | { readonly op: "wait"; readonly ms: number }
  /** Of what the listener was sent last, so much never arrived. */
  | { readonly op: "rejoin"; readonly l: number; readonly lost: number }
  | { readonly op: "kill"; readonly lost: number; readonly absent: readonly number[] };

interface Slot {
  id: string;
  token: string | undefined;
}

interface Seat extends SeatChain {
  readonly terms: Partial<Terms>;
  listener: Listener | undefined;
  cursor: string | undefined;
}

const TERMS: readonly Partial<Terms>[] = [
  { coalesceBoundaries: ["none"] },
  { coalesceBoundaries: ["sentence", "completion"], maxEventsPerSecond: 4 },
  { coalesceBoundaries: ["completion"] },
];

export const SEAT_COUNT = TERMS.length;
export const OUTPUT_COUNT = 2;

function openOutputs(sessionId: string, disk: readonly { readonly event: AgentEvent }[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { event } of disk) {
    const { session_id: of, output_id: output, complete } = event;
    if (of !== sessionId || typeof output !== "string") continue;
    if (complete === true) open.delete(output);
    else open.add(output);
  }
  return open;
}

/** Runs a history and answers what was wrong with it. */
export async function voidFaults(steps: readonly VoidStep[]): Promise<readonly string[]> {
  const runs = createRuns();
  const entries: JournaledEvent[] = [];
  const facts: BootFacts[] = [];
  const faults: string[] = [];
  const seats: Seat[] = TERMS.map((terms, index) => ({
    name: `seat ${index}`,
    terms,
    chain: [],
    listener: undefined,
    cursor: undefined,
  }));
  let serial = 0;
  const newSlot = (): Slot => {
    serial += 1;
    return { id: `sess_${serial}`, token: undefined };
  };
  const slots = [newSlot(), newSlot()];

  const begin = (): Run => {
    const run = runs.start(100, {
      journaled: (entry) => void entries.push(entry),
      engine: { lag: { maxMs: 1e9, maxEvents: 1e9 } },
    });
    const first = run.journal.head() + 1;
    facts.push({ first, durable: first - 1, head: first - 1 });
    return run;
  };
  let run = begin();

  const now = (): BootFacts => facts.at(-1) as BootFacts;
  const publish = (slot: Slot, fields: Readonly<Record<string, unknown>>): void => {
    serial += 1;
    const event = { ...fields, session_id: slot.id, event_id: `evt_${serial}` };
    try {
      const { resumeToken, durable } = run.agent.publish([{ fields: event }], false, slot.token);
      // A run that is killed tells nobody, and one whose disk fails tells that.
      durable?.catch(() => {});
      slot.token ??= resumeToken;
      run.clock.settle();
    } catch (caught) {
      if (!(caught instanceof Fault) || ["internal", "invalid_event"].includes(caught.code)) throw caught;
      if (caught.code === "session_ended") Object.assign(slot, newSlot());
    }
    now().head = run.journal.head();
  };
  const slotOf = (index: number): Slot => {
    const slot = slots[index % slots.length] as Slot;
    if (slot.token === undefined) publish(slot, session().started());
    return slot;
  };
  const flush = async (): Promise<void> => {
    await run.flush();
    const { durableEpoch: safe = 0, head } = run.journal.status();
    Object.assign(now(), { durable: Math.max(now().durable, safe), head });
  };

  const join = (seat: Seat): void => {
    const { cursor } = seat;
    const listener = run.listen(seat.terms, seat.name, cursor);
    seat.listener = listener;
    seat.chain.push({
      run: facts.length - 1,
      head: run.journal.head(),
      named: cursor,
      resumed: listener.subscription.resumed,
      items: [],
    });
  };
  const leave = (seat: Seat, lost: number): void => {
    const { listener } = seat;
    const connection = seat.chain.at(-1);
    if (listener === undefined || connection === undefined) return;
    connection.items.push(...leftWith(listener, lost));
    connection.until = run.journal.head();
    seat.listener = undefined;
    seat.cursor = lastCursor(connection.items) ?? seat.cursor;
  };

  const kill = (lost: number, absent: readonly number[]): void => {
    now().head = run.journal.head();
    for (const seat of seats) leave(seat, lost);
    runs.disk.setFailing(false);
    run = begin();
    for (const slot of slots) {
      if (slot.token === undefined) continue;
      try {
        run.agent.resumeSession(slot.id, slot.token);
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
        // Its start is void: the agent begins again, under the same name.
        if (caught.code === "session_ended") Object.assign(slot, newSlot());
        else slot.token = undefined;
      }
    }
    for (const [index, seat] of seats.entries()) if (!absent.includes(index)) join(seat);
  };

  const take = async (step: VoidStep): Promise<void> => {
    switch (step.op) {
      case "chunk":
        return publish(slotOf(step.s), session().chunk(step.text, step.complete, `out_${step.o}`));
      case "tool":
        return publish(slotOf(step.s), session().invoked("look", `call_${serial}`));
      case "end":
        // An end that is in order waits for its outputs and for its turn; an error does not.
        return publish(slotOf(step.s), step.isError ? session().errored() : session().completed());
      case "flush":
        return flush();
      case "fail":
        runs.disk.setFailing(true);
        return flush();
      case "wait":
        run.advance(step.ms);
        return;
      case "rejoin": {
        const seat = seats[step.l % seats.length] as Seat;
        leave(seat, step.lost);
        join(seat);
        return;
      }
      case "kill":
        kill(step.lost, step.absent);
        return;
    }
  };

  for (const seat of seats) join(seat);
  for (const step of steps) await take(step);
  runs.disk.setFailing(false);
  await flush();
  for (const seat of seats) if (seat.listener === undefined) join(seat);
  // A text that is waited for gets its end; of other sessions nobody speaks any more.
  for (const slot of slots)
    for (const output of openOutputs(slot.id, runs.disk.events())) publish(slot, session().chunk("", true, output));
  for (let turn = 0; turn < 30; turn += 1) run.advance(10_000);
  await flush();
  const isOpen = new Set(seats.flatMap(({ listener }) => (listener === undefined ? [] : [listener])));
  for (const { ended } of isOpen) if (ended.length > 0) faults.push(`a listener was ended: ${ended.join()}`);
  for (const seat of seats) leave(seat, 0);
  return [...faults, ...voidVerdict({ runs: facts, entries, disk: runs.disk.events(), seats })];
}
