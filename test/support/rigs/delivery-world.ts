// Random lives of a daemon: agents that publish legal sessions, listeners that join, block, pause, change their terms, leave and resume.
// The interpreter keeps what was published and what each connection received; what should have come is the oracle's affair.
import { Fault } from "../../../src/base/errors.js";
import { isTerminalKind, type JournaledEvent } from "../../../src/engine/event/event.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { type Operation, type Plan, VOCABULARY } from "./delivery-plans.js";
import { createEngineRig, type EngineRig, type Listener, type Place } from "./engine-rig.js";

type Fields = Readonly<Record<string, unknown>>;

/** What was true of a connection around one publish. */
interface Turn {
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
  readonly isBlocked: boolean;
  readonly isPaused: boolean;
  readonly isLimited: boolean;
}

export interface Connection {
  readonly seat: number;
  readonly listener: Listener;
  /** Events journaled before it joined. */
  readonly joinedAt: number;
  leftAt: number | undefined;
  /** The cursor of the place that it named. */
  readonly named: string | undefined;
  /** Terms in force from the moment when so many events had been received and journaled. */
  readonly eras: {
    readonly at: number;
    readonly received: number;
    readonly journaled: number;
    readonly terms: Terms;
  }[];
  readonly turns: Turn[];
  readonly skips: { readonly journaled: number; readonly received: number; readonly output: string | undefined }[];
  readonly unblocked: { readonly received: number; readonly journaled: number }[];
  everBlocked: boolean;
  isBlocked: boolean;
  /** What arrived at the peer; the rest was lost with the connection. */
  arrived: number | undefined;
}

export interface World {
  readonly plan: Plan;
  readonly rig: EngineRig;
  readonly entries: readonly JournaledEvent[];
  readonly connections: readonly Connection[];
  /** The most that any subscription held, and any view. */
  readonly peaks: { waiting: number; readAhead: number; remembered: number; keptPerView: number };
}

const CONTEXTS = ["https://aaep-protocol.org/context/v1", VOCABULARY];
const AGENTS = ["agent-a", "agent-b", "agent-c"] as const;

/** What a plan may meet that goes on where its output, session or call is over. */
const REFUSALS: ReadonlySet<string> = new Set([
  "output_already_complete",
  "session_ended",
  "session_incomplete",
  "state_mismatch",
  "tool_not_invoked",
]);

interface SessionSlot {
  id: string;
  open: boolean;
}

interface Call {
  readonly tool: string;
  readonly call: string;
  readonly agent: string;
}

function completed(session_id: string, { tool, call, agent }: Call): Fields {
  const type = "aaep:agent.tool.completed";
  return { type, session_id, producer: { agent_id: agent }, tool, tool_call_id: call, status: "success" };
}

/** Runs a plan to its end: at last every peer takes again, all sessions end, and time passes until nothing moves. */
export function live(plan: Plan): World {
  const entries: JournaledEvent[] = [];
  const connections: Connection[] = [];
  const seats: (Connection | undefined)[] = [];
  const peaks = { waiting: 0, readAhead: 0, remembered: 0, keptPerView: 0 };
  const states = new Map<string, string>();
  const outputs = new Map<string, Map<string, Fields>>();
  const tools = new Map<string, Call[]>();
  const slots: SessionSlot[] = [0, 1].map((index) => ({ id: `sess_${index}x0`, open: false }));
  const openIds = new Set<string>();
  let counter = 0;
  let batch: Fields[] | undefined;

  const rig = createEngineRig({
    engine: {
      viewWindowCount: plan.viewWindowCount,
      queueLimitCount: plan.queueLimitCount,
      ...(plan.turns === undefined ? {} : { turnRoomMs: 0 }),
      lag: { maxMs: 1e9, maxEvents: 1e9 },
    },
    journal: { maxEvents: plan.journalCount },
    ...(plan.turns === "late" ? { turnsBetween: 2 } : {}),
    journaled: (entry) => {
      entries.push(entry);
      const { event, kind } = entry;
      const { session_id: session } = event;
      if (kind === "session.started") openIds.add(session);
      if (isTerminalKind(kind)) {
        openIds.delete(session);
        for (const slot of slots) if (slot.id === session) slot.open = false;
      }
      if (kind === "state.changed" && entry.made !== "notice")
        states.set(`${session}/${event.producer.agent_id}`, String(event.to_state));
      if (kind === "output.streaming") {
        const open = outputs.get(session) ?? new Map<string, Fields>();
        outputs.set(session, open);
        if (event.complete === true) open.delete(String(event.output_id ?? ""));
        else open.set(String(event.output_id ?? ""), event);
      }
    },
  });

  const send = (...fields: Fields[]): void => {
    const befores = connections.map(({ listener }) => listener.received.length);
    const from = entries.length;
    try {
      rig.publish(...fields);
    } catch (caught) {
      if (!(caught instanceof Fault) || !REFUSALS.has(caught.code)) throw caught;
    }
    for (const [index, connection] of connections.entries()) {
      if (connection.leftAt !== undefined) continue;
      connection.turns.push({
        from,
        to: entries.length,
        before: befores[index] ?? 0,
        after: connection.listener.received.length,
        isBlocked: connection.isBlocked,
        isPaused: connection.listener.subscription.terms.paused,
        isLimited: connection.listener.subscription.terms.maxEventsPerSecond !== undefined,
      });
      const status = connection.listener.subscription.status();
      peaks.waiting = Math.max(peaks.waiting, status.waitingCount);
      peaks.readAhead = Math.max(peaks.readAhead, status.readAheadCount);
      peaks.remembered = Math.max(peaks.remembered, status.rememberedCount);
    }
    noteKept();
  };
  const noteKept = (): void => {
    const { keptUnitCount, viewCount } = rig.engine.status();
    peaks.keptPerView = Math.max(peaks.keptPerView, keptUnitCount / Math.max(1, viewCount));
  };
  const publish = (fields: Fields): void => {
    if (batch !== undefined) batch.push(fields);
    else send(fields);
  };

  const agentCount = plan.agentCount ?? 2;
  const agentOf = (a: number): string => AGENTS[a % agentCount] ?? "";
  const producer = (a: number): Fields => ({ producer: { agent_id: agentOf(a) } });
  const slotOf = (s: number, a: number): SessionSlot => {
    const slot = slots[s % slots.length] ?? { id: "sess_0x0", open: false };
    if (!slot.open) {
      counter += 1;
      slot.id = `sess_${s % slots.length}x${counter}`;
      slot.open = true;
      publish({
        type: "aaep:agent.session.started",
        session_id: slot.id,
        summary_normal: "Begins.",
        ...producer(a),
      });
    }
    return slot;
  };

  /** An agent of the plan publishes in a session, which begins where there is none. */
  const say = (kind: string, { s, a }: { readonly s: number; readonly a: number }, fields: Fields): void => {
    const { id } = slotOf(s, a);
    const type = kind.includes(":") ? kind : `aaep:agent.${kind}`;
    publish({ type, session_id: id, ...producer(a), ...fields });
  };

  const join = (seat: number, terms: Partial<Terms>, named: Place | undefined): void => {
    const joinedAt = entries.length;
    const listener = rig.listen(terms, `at-${seat}`, named?.cursor);
    const connection: Connection = {
      seat,
      listener,
      joinedAt,
      leftAt: undefined,
      named: named?.cursor,
      eras: [{ at: rig.clock.now(), received: 0, journaled: joinedAt, terms: listener.subscription.terms }],
      turns: [],
      skips: [],
      unblocked: [],
      everBlocked: false,
      isBlocked: false,
      arrived: undefined,
    };
    connections.push(connection);
    seats[seat] = connection;
  };

  /** The connection on a seat, unless it has left. */
  const seated = (l: number): Connection | undefined => {
    const connection = seats[l % plan.seats.length];
    return connection?.leftAt === undefined ? connection : undefined;
  };

  const retune = (connection: Connection, terms: Partial<Terms>): void => {
    const { subscription } = connection.listener;
    connection.eras.push({
      at: rig.clock.now(),
      received: connection.listener.received.length,
      journaled: entries.length,
      terms: { ...subscription.terms, ...terms },
    });
    subscription.retune({ ...subscription.terms, ...terms });
    rig.advance(0);
  };

  const block = (connection: Connection, on: boolean): void => {
    if (on) connection.everBlocked = true;
    if (!on && connection.isBlocked)
      connection.unblocked.push({ received: connection.listener.received.length, journaled: entries.length });
    connection.isBlocked = on;
    connection.listener.block(on);
  };

  const leave = (connection: Connection): void => {
    connection.leftAt = entries.length;
    connection.listener.subscription.close();
    rig.advance(0);
  };

  const run = (operation: Operation): void => {
    switch (operation.op) {
      case "chunk": {
        const { a, o, text, complete, hint, language, extended, urgency } = operation;
        say("output.streaming", operation, {
          // An output belongs to one agent, as agents have it.
          output_id: `out_${a % agentCount}x${o % 2}x${Math.floor(o / 2)}`,
          chunk: text,
          complete: complete === true,
          ...(hint === undefined ? {} : { coalesce_hint: hint }),
          ...(language === undefined ? {} : { language }),
          ...(urgency === undefined ? {} : { urgency }),
          ...(extended === true ? { "@context": CONTEXTS, extensions: { example: { mark: true } } } : {}),
        });
        return;
      }
      case "progress":
        say("progress.updated", operation, { progress: { percent: operation.percent } });
        return;
      case "state": {
        const slot = slotOf(operation.s, operation.a);
        say("state.changed", operation, {
          from_state: states.get(`${slot.id}/${agentOf(operation.a)}`) ?? "idle",
          to_state: operation.to,
          ...(operation.background ? { urgency: "background" } : {}),
        });
        return;
      }
      case "tool": {
        const slot = slotOf(operation.s, operation.a);
        counter += 1;
        const call = { tool: "fetch", call: `call_${counter}`, agent: agentOf(operation.a) };
        tools.set(slot.id, [...(tools.get(slot.id) ?? []), call]);
        say("tool.invoked", operation, { tool: call.tool, tool_call_id: call.call, summary_normal: "Fetches." });
        return;
      }
      case "returned": {
        const slot = slots[operation.s % slots.length];
        const call = slot === undefined ? undefined : tools.get(slot.id)?.shift();
        if (slot === undefined || call === undefined) return;
        publish(completed(slot.id, call));
        return;
      }
      case "ask":
        slotOf(operation.s, operation.a);
        counter += 1;
        say(`awaiting.${operation.clarify ? "clarification" : "confirmation"}`, operation, {
          reply_token: `rpl_${counter}`,
          timeout_seconds: operation.seconds,
          ...(operation.clarify
            ? { question: `Which one, at ${counter}?` }
            : { action: `Delete ${counter}.`, consequence: "It is gone.", default_decision: "reject" }),
        });
        return;
      case "reply": {
        const connection = seated(operation.l);
        if (connection === undefined) return;
        const [question] = connection.listener.subscription.listener.openQuestions().events;
        if (question === undefined) return;
        const token = String(question.reply_token);
        const { timestamp } = question;
        const said = { token, timestamp, decidedBy: undefined };
        connection.listener.subscription.listener.reply(
          question.action === undefined
            ? { ...said, kind: "clarification", response: "that one", confidence: undefined }
            : {
                ...said,
                kind: "confirmation",
                decision: operation.accept ? "accept" : "reject",
                rationale: undefined,
                modifiedAction: undefined,
              },
          {},
        );
        rig.advance(0);
        return;
      }
      case "extra":
        say("example:note.taken", operation, {
          "@context": CONTEXTS,
          ...(operation.critical ? { urgency: "critical" } : {}),
        });
        return;
      case "end": {
        const slot = slots[operation.s % slots.length];
        if (slot === undefined || !slot.open) return;
        publish({
          type: `aaep:agent.session.${operation.how}`,
          session_id: slot.id,
          ...producer(0),
          summary_normal: "Ends.",
          ...(operation.how === "errored" ? { error_category: "unknown" } : {}),
          ...(operation.how === "cancelled" ? { cancelled_by: "user" } : {}),
        });
        // In a batch, what follows belongs to the next session; whether this one really ended is seen when the batch went out.
        if (batch !== undefined) slot.open = false;
        return;
      }
      case "wait":
        rig.advance(operation.ms);
        return;
      case "batch": {
        batch = [];
        const before = slots.map(({ id }) => id);
        for (const item of operation.items) run(item);
        const fields = batch;
        batch = undefined;
        if (fields.length === 0) return;
        send(...fields);
        // All or nothing: what was refused neither started nor ended anything.
        for (const [index, slot] of slots.entries()) {
          if (!openIds.has(slot.id) && openIds.has(before[index] ?? "")) slot.id = before[index] ?? slot.id;
          slot.open = openIds.has(slot.id);
        }
        return;
      }
      case "block": {
        const connection = seated(operation.l);
        if (connection !== undefined) block(connection, operation.on);
        return;
      }
      case "few": {
        const connection = seated(operation.l);
        if (connection === undefined) return;
        // From now on nobody knows when it takes.
        connection.everBlocked = true;
        connection.isBlocked = true;
        connection.listener.takeRuns(operation.runs);
        return;
      }
      case "retune": {
        const connection = seated(operation.l);
        if (connection !== undefined) retune(connection, operation.terms);
        return;
      }
      case "skip": {
        const connection = seated(operation.l);
        const slot = slots[operation.s % slots.length];
        if (connection === undefined || slot === undefined) return;
        const output = `out_${operation.o % 2}x${Math.floor(operation.o / 2) % 2}x0`;
        connection.skips.push({
          journaled: entries.length,
          received: connection.listener.received.length,
          output: `${slot.id}/${output}`,
        });
        connection.listener.subscription.skip(slot.id, output);
        rig.advance(0);
        return;
      }
      case "skipAll": {
        const connection = seated(operation.l);
        if (connection === undefined) return;
        connection.skips.push({
          journaled: entries.length,
          received: connection.listener.received.length,
          output: undefined,
        });
        connection.listener.subscription.skip(undefined, undefined);
        rig.advance(0);
        return;
      }
      case "leave": {
        const connection = seated(operation.l);
        if (connection !== undefined) leave(connection);
        return;
      }
      case "join": {
        const seat = operation.l % plan.seats.length;
        const before = seats[seat];
        if (before !== undefined && before.leftAt === undefined) leave(before);
        const { received } = before?.listener ?? { received: [] };
        const arrived = Math.max(0, received.length - operation.lost);
        if (before !== undefined) before.arrived = arrived;
        const told = (before?.listener.places ?? []).filter(
          (place) => place.cursor !== undefined && place.received <= arrived,
        );
        const named = operation.resume === "none" ? undefined : told.at(-1 - operation.resume.before);
        join(seat, operation.terms, named);
        return;
      }
    }
  };

  for (const [index, terms] of plan.seats.entries()) join(index, terms, undefined);
  for (const operation of plan.operations) run(operation);

  for (const connection of connections) {
    if (connection.leftAt !== undefined) continue;
    if (connection.isBlocked) block(connection, false);
    if (connection.listener.subscription.terms.paused) retune(connection, { paused: false });
  }
  for (const id of [...openIds]) {
    for (const chunk of outputs.get(id)?.values() ?? []) {
      const { output_id, producer: by } = chunk;
      send({
        type: "aaep:agent.output.streaming",
        session_id: id,
        output_id,
        producer: by,
        chunk: "",
        complete: true,
      });
    }
    for (const call of tools.get(id) ?? []) send(completed(id, call));
    send({ type: "aaep:agent.session.completed", session_id: id, ...producer(0), summary_normal: "Done." });
  }
  for (let idle = 0; idle < 2; ) {
    const before = connections.reduce((sum, { listener }) => sum + listener.received.length, 0);
    rig.advance(60_000);
    idle = before === connections.reduce((sum, { listener }) => sum + listener.received.length, 0) ? idle + 1 : 0;
  }
  return { plan, rig, entries, connections, peaks };
}
