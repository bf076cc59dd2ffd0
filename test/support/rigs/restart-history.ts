// A history of several runs: agents, people who answer, subscribers who come back, and kills at any moment. What the agents were told is held against
// what the disk has and what the subscribers got.
import { Fault } from "../../../src/base/errors.js";
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { diskFaults } from "../oracles/restart-verdict.js";
import { type BootFacts, type SeatChain, voidVerdict } from "../oracles/void-verdict.js";
import { lastCursor, leftWith } from "./arrivals.js";
import { type Listener, session } from "./engine-rig.js";
import { confirmation, decision } from "./question-rig.js";
import { createRuns, type Run } from "./restart-rig.js";

export type Step =
  | { readonly op: "chunk"; readonly s: number; readonly o: number; readonly text: string; readonly complete: boolean }
  | { readonly op: "tool" | "done" | "irreversible" | "end" | "complete" | "reuse"; readonly s: number }
  | { readonly op: "ask"; readonly s: number; readonly seconds: number }
  | { readonly op: "reply"; readonly accept: boolean }
  | { readonly op: "wait"; readonly ms: number }
  | { readonly op: "flush" | "fail" | "recover" }
  | { readonly op: "block"; readonly l: number; readonly on: boolean }
  | { readonly op: "rejoin"; readonly l: number; readonly lost: number }
  | {
      readonly op: "kill";
      readonly awayMs: number;
      /** Of what each listener was sent last, so much never arrived. */
      readonly lost: number;
      /** Those who stay away, until they rejoin. */
      readonly absent: readonly number[];
    };

type Fields = Record<string, unknown>;

/** What an agent may meet whose disk fails, that uses something again, or goes on after a kill. */
const REFUSALS: ReadonlySet<string> = new Set([
  "confirmation_required",
  "output_already_complete",
  "reply_token_reused",
  "session_ended",
  "session_incomplete",
  "session_not_started",
  "session_not_yours",
  "storage_unavailable",
  "tool_already_invoked",
  "tool_not_invoked",
]);

/** What an agent has said and has no receipt for. */
interface Said {
  readonly fields: Fields;
  readonly slot: Slot;
}

interface Slot {
  id: string;
  readonly calls: string[];
  /** What was used and is acknowledged: it must be refused for ever. */
  readonly used: Fields[];
}

interface Seat extends SeatChain {
  readonly terms: Partial<Terms>;
  /** The last place that it was told, as far as that arrived. */
  cursor: string | undefined;
  listener: Listener | undefined;
}

const SEATS: readonly Pick<Seat, "name" | "terms">[] = [
  { name: "plain", terms: { coalesceBoundaries: ["none"] } },
  { name: "slow", terms: { coalesceBoundaries: ["sentence", "completion"], maxEventsPerSecond: 4 } },
  {
    name: "person",
    terms: { coalesceBoundaries: ["word"], supportsConfirmationReply: true, supportsClarificationReply: true },
  },
  { name: "patient", terms: { coalesceBoundaries: ["completion"] } },
];

export const SEAT_COUNT = SEATS.length;

/**
 * Runs a history and answers what was wrong with it. Agents that insist publish what they said until they have a receipt for it. Others give up what a
 * kill took back, or say something else in its place.
 */
export async function restartFaults(steps: readonly Step[], agents: "insist" | "give up"): Promise<readonly string[]> {
  const doInsist = agents === "insist";
  const faults: string[] = [];
  const runs = createRuns();
  const given: JournaledEvent[] = [];
  const journaled = (entry: JournaledEvent): void => void given.push(entry);
  const boots: BootFacts[] = [];
  const start = (awayMs?: number): Run => {
    const before = given.length;
    const started = runs.start(awayMs, { journaled, engine: { lag: { maxMs: 1e9, maxEvents: 1e9 } } });
    const head = started.journal.head();
    // It may have said something already, of what the run before had decided.
    const first = given[before]?.epoch ?? head + 1;
    boots.push({ first, durable: first - 1, head });
    return started;
  };
  let run = start();
  /** What the run has given out and written. */
  const noteBoot = (): void => {
    const { durableEpoch = 0, head } = run.journal.status();
    const boot = boots.at(-1);
    if (boot !== undefined) Object.assign(boot, { durable: Math.max(boot.durable, durableEpoch), head });
  };
  let serial = 0;
  const acknowledged = new Map<string, { readonly epoch: number; readonly event: Fields }>();
  let said: Said[] = [];
  const slots: Slot[] = [0, 1].map((index) => newSlot(index, ++serial));
  const seats: Seat[] = SEATS.map((seat) => ({
    ...seat,
    cursor: undefined,
    listener: undefined,
    chain: [],
  }));
  const heard = new Map<string, string>();
  // Of the sessions whose start was acknowledged.
  const tokens = new Map<string, string>();

  const entries = (): readonly AgentEvent[] => {
    const read = run.journal.read(run.journal.oldest() - 1, Number.MAX_SAFE_INTEGER);
    return "events" in read ? read.events.map(({ event }) => event) : [];
  };

  const acknowledge = (one: Said, epoch: number, resumeToken: string | undefined): void => {
    said = said.filter((other) => other !== one);
    const { fields, slot } = one;
    const known = acknowledged.get(String(fields.event_id));
    if (known !== undefined && known.epoch !== epoch) faults.push(`${fields.event_id} has two places`);
    acknowledged.set(String(fields.event_id), { epoch, event: fields });
    if (resumeToken !== undefined) tokens.set(String(fields.session_id), resumeToken);
    if (slot.id !== fields.session_id) return;
    if (fields.reply_token !== undefined || fields.tool_call_id !== undefined || fields.complete === true)
      if (String(fields.type) !== "aaep:agent.tool.completed") slot.used.push(fields);
  };

  /** Publishes, and keeps in mind what is not acknowledged. Answers the code of a refusal. */
  const publish = (fields: Fields, slot: Slot, again?: Said): string | undefined => {
    const one = again ?? { fields: { ...fields, event_id: `evt_a${++serial}` }, slot };
    const by = run;
    try {
      const receipt = by.agent.publish([{ fields: one.fields }], false, tokens.get(String(one.fields.session_id)));
      by.clock.settle();
      const [place] = receipt.events;
      if (again === undefined && doInsist) said.push(one);
      const done = () => acknowledge(one, place?.epoch ?? 0, receipt.resumeToken);
      // A receipt of a run that was killed arrives nowhere.
      if (receipt.durable === undefined || !doInsist) done();
      if (receipt.durable !== undefined && doInsist)
        receipt.durable.then(
          () => by === run && done(),
          (): void => undefined,
        );
      return undefined;
    } catch (caught) {
      if (!(caught instanceof Fault) || !REFUSALS.has(caught.code)) throw caught;
      return caught.code;
    }
  };

  const startOf = (slot: Slot): Fields => session(slot.id).started();

  /** Says again what has no receipt, in order; what is refused for another reason than the disk is given up. */
  const sayAgain = (): void => {
    for (const one of [...said]) {
      const refused = publish(one.fields, one.slot, one);
      if (refused === "storage_unavailable") return;
      if (refused !== undefined) said = said.filter((other) => other !== one);
    }
  };

  const ready = (index: number): Slot | undefined => {
    const slot = slots[index % slots.length];
    if (slot === undefined) return undefined;
    const hasBegun = tokens.has(slot.id) || said.some(({ fields }) => fields.session_id === slot.id);
    if (!hasBegun && publish(startOf(slot), slot) !== undefined) return undefined;
    return slot;
  };

  /** In a session that is over, nothing more is said. */
  const say = (slot: Slot, fields: Fields): string | undefined => {
    const refused = publish({ ...fields, session_id: slot.id }, slot);
    if (refused === "session_ended" || refused === "session_not_yours" || refused === "session_not_started")
      Object.assign(slot, newSlot(slots.indexOf(slot), ++serial));
    return refused;
  };

  const join = (seat: Seat): void => {
    const { cursor: named } = seat;
    const listener = run.listen(seat.terms, seat.name, named);
    const { resumed } = listener.subscription;
    seat.listener = listener;
    seat.chain.push({ run: boots.length - 1, named, resumed, head: run.journal.head(), items: [] });
  };

  /** It does not know of the last events that it was sent on this connection, nor of places that it was told behind them. */
  const leave = (seat: Seat, lost: number): void => {
    const { listener } = seat;
    const connection = seat.chain.at(-1);
    if (listener === undefined || connection === undefined) return;
    connection.items.push(...leftWith(listener, lost));
    connection.until = run.journal.head();
    seat.listener = undefined;
    seat.cursor = lastCursor(connection.items) ?? seat.cursor;
  };

  const noteOutcomes = (): void => {
    for (const { question, result } of run.agent.outcomes) {
      const outcome = `${result.resolvedBy} ${result.decision}`;
      const before = heard.get(question.token);
      if (before !== undefined && before !== outcome)
        faults.push(`${question.token} ended as ${before} and ${outcome}`);
      heard.set(question.token, outcome);
    }
  };

  const begin = (absent: readonly number[]): void => {
    for (const id of new Set([
      ...slots.map((slot) => slot.id),
      ...said.map(({ fields }) => String(fields.session_id)),
    ])) {
      const token = tokens.get(id);
      if (token === undefined) continue;
      try {
        run.agent.resumeSession(id, token);
      } catch (caught) {
        if (!(caught instanceof Fault)) throw caught;
        if (caught.code !== "session_ended" && doInsist) faults.push(`${id}: ${caught}`);
        // Its start is void: its agent begins again, under the same name.
        tokens.delete(id);
        if (caught.code !== "session_ended") continue;
        const index = slots.findIndex((slot) => slot.id === id);
        Object.assign(slots[index] ?? {}, newSlot(index, ++serial));
      }
    }
    // Some come back before what they had is said again, and some after that.
    for (const [index, seat] of seats.entries()) if (!absent.includes(index)) join(seat);
    sayAgain();
  };

  const reuse = (slot: Slot): void => {
    const again = slot.used.at(serial % Math.max(1, slot.used.length));
    if (again === undefined || !tokens.has(slot.id)) return;
    const { event_id: _, position: __, ...fields } = again;
    const words = fields.action === undefined ? {} : { action: `Other ${serial}.` };
    const refused = publish({ ...fields, ...words }, slot);
    if (refused === undefined) faults.push(`used again: ${JSON.stringify(fields)}`);
  };

  const permitted = (id: string): number => {
    let count = 0;
    for (const event of entries()) {
      if (event.session_id !== id) continue;
      const { decision: decided, decided_by: by } = event.extensions?.aaepd ?? {};
      if (decided === "accepted" && by === "reply") count += 1;
      if (event.irreversible === true) count -= 1;
    }
    return count;
  };

  const take = async (step: Step): Promise<void> => {
    switch (step.op) {
      case "chunk": {
        const slot = ready(step.s);
        const output = `out_${step.o}`;
        if (slot !== undefined) say(slot, { ...session().chunk(step.text, step.complete, `${output}`) });
        return;
      }
      case "tool": {
        const slot = ready(step.s);
        const call = `call_${++serial}`;
        if (slot !== undefined && say(slot, session().invoked("look", call)) === undefined) slot.calls.push(call);
        return;
      }
      case "done": {
        const slot = ready(step.s);
        const call = slot?.calls.shift();
        if (slot !== undefined && call !== undefined) say(slot, session().toolDone("look", call));
        return;
      }
      case "irreversible": {
        const slot = ready(step.s);
        if (slot === undefined) return;
        const isPermitted = permitted(slot.id) > 0;
        const call = `call_${++serial}`;
        const refused = say(slot, { ...session().invoked("look", call), irreversible: true });
        if (refused === undefined) slot.calls.push(call);
        const isExpected = isPermitted ? refused !== "confirmation_required" : refused !== undefined;
        if (!isExpected) faults.push(`an irreversible action, ${isPermitted ? "" : "not "}permitted: ${refused}`);
        return;
      }
      case "reuse": {
        const slot = slots[step.s % slots.length];
        if (slot !== undefined) reuse(slot);
        return;
      }
      case "ask": {
        const slot = ready(step.s);
        const token = `rpl_${++serial}`;
        if (slot !== undefined) say(slot, confirmation(token, { timeout_seconds: step.seconds }));
        return;
      }
      case "end":
      case "complete": {
        const slot = ready(step.s);
        const end = step.op === "end" ? session().errored() : session().completed();
        if (slot === undefined || say(slot, end) !== undefined) return;
        Object.assign(slot, newSlot(slots.indexOf(slot), ++serial));
        return;
      }
      case "reply": {
        const person = seats[2]?.listener?.subscription;
        const [question] = person?.listener.openQuestions().events ?? [];
        if (question === undefined) return;
        const token = String(question.reply_token);
        person?.listener.reply(decision(run, token, step.accept ? "accept" : "reject"), {});
        run.clock.settle();
        return;
      }
      case "wait":
        run.advance(step.ms);
        return;
      case "flush":
        await run.flush();
        return;
      case "fail":
        runs.disk.setFailing(true);
        await run.flush();
        return;
      case "recover":
        runs.disk.setFailing(false);
        await run.flush();
        sayAgain();
        return;
      case "block":
        seats[step.l % seats.length]?.listener?.block(step.on);
        return;
      case "rejoin": {
        const seat = seats[step.l % seats.length];
        if (seat === undefined) return;
        leave(seat, step.lost);
        join(seat);
        return;
      }
      case "kill": {
        noteOutcomes();
        noteBoot();
        for (const seat of seats) leave(seat, step.lost);
        runs.disk.setFailing(false);
        run = start(step.awayMs);
        begin(step.absent);
        return;
      }
    }
  };

  for (const seat of seats) join(seat);
  for (const step of steps) await take(step);
  await take({ op: "recover" });
  for (const seat of seats) {
    if (seat.listener === undefined) join(seat);
    seat.listener?.block(false);
  }
  await run.flush();
  sayAgain();
  await run.flush();
  // A text that is waited for gets its end. Of sessions that were given up nobody speaks any more.
  for (const slot of slots)
    for (const output of openOutputs(slot.id, runs.disk.events())) say(slot, session().chunk("", true, output));
  for (let minute = 0; minute < 20; minute += 1) run.advance(60_000);
  await run.flush();
  run.advance(60_000);
  noteOutcomes();
  noteBoot();
  for (const { name, listener } of seats)
    if ((listener?.ended.length ?? 0) > 0) faults.push(`${name} was ended: ${listener?.ended.join()}`);
  for (const seat of seats) leave(seat, 0);
  const disk = runs.disk.events();
  const ofDisk = doInsist ? diskFaults(disk, acknowledged) : [];
  return [...faults, ...ofDisk, ...voidVerdict({ runs: boots, entries: given, disk, seats })];
}

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

function newSlot(index: number, serial: number): Slot {
  return { id: `sess_${index}x${serial}`, calls: [], used: [] };
}
