// The Field: agents record units, contest and merge them, and are told of what concerns them. All of it is kept (Akashik companion).
import type { AkashikMergeAnswer } from "#gen/akashik/types.js";
import { bytesOf } from "../../../base/shared-room.js";
import type { Refusal } from "../messages/error-codes.js";
import type { RecordRequest, UnitRelation } from "../messages/record-request.js";
import type { AttuneRequest, MergeRequest, RegisterRequest } from "../messages/requests.js";
import { type Attuned, attune } from "./attune.js";
import { createConflicts, decide } from "./conflicts.js";
import { createFieldRooms, subscriptionBytes, unitBytes } from "./field-rooms.js";
import {
  type AgentLink,
  type Conflict,
  type EventKind,
  type FieldAgent,
  type FieldEvent,
  type FieldServices,
  type FieldSubscription,
  type MemoryUnit,
  MOST_AGENTS,
  MOST_SUBSCRIPTIONS,
  type UnitStatus,
} from "./field-types.js";
import { changedEvent, conflictEvent, joinedEvent, recordedEvent } from "./happenings.js";
import { createLamportClock } from "./lamport-clock.js";
import type { KeptWaiting } from "./mailbox.js";
import { createNotifier } from "./notifier.js";
import { makersOfPlace } from "./places.js";
import type { ToldAgent } from "./told-agent.js";
import { createUnits, type HeldUnit } from "./units.js";

/** Values of an earlier boot, in any order. */
export interface KeptField {
  readonly epoch: number;
  readonly agents: readonly FieldAgent[];
  readonly units: readonly MemoryUnit[];
  readonly conflicts: readonly Conflict[];
  readonly subscriptions: readonly FieldSubscription[];
  readonly waiting: readonly KeptWaiting[];
}

const NOTHING_KEPT: KeptField = {
  epoch: 0,
  agents: [],
  units: [],
  conflicts: [],
  subscriptions: [],
  waiting: [],
};

export type Outcome<Value> = { readonly kind: "done"; readonly value: Value } | Refused;

interface Refused {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

export interface Recorded {
  readonly unit: MemoryUnit;
  readonly conflicts: readonly Conflict[];
}

export interface Merged {
  readonly conflict: Conflict;
  readonly sideEffects: AkashikMergeAnswer["side_effects"];
}

/** An event from outside the Field, which gives it its epoch. */
export type Told = Omit<FieldEvent, "epoch">;

export interface Field {
  readonly epoch: () => number;
  /** Takes the epoch of a message. Undefined: taken. */
  readonly receive: (epoch: number) => Refused | undefined;
  /** Registers an agent, or takes over the id of an agent that is away. `link` undefined: an agent that only polls. */
  readonly register: (
    request: Pick<RegisterRequest, "id" | "role" | "interests">,
    link?: AgentLink,
  ) => Outcome<FieldAgent>;
  /** The agent takes notifications again, after its link took none. */
  readonly resume: (agentId: string) => void;
  /** The connection of an agent is gone. Its subscriptions stay, and its notifications wait. */
  readonly left: (agentId: string) => void;
  /** Undefined: there is no such agent. */
  readonly deregister: (
    agentId: string,
  ) => { readonly subscriptions: number; readonly notifications: number } | undefined;
  readonly has: (agentId: string) => boolean;
  /** Whether the agent has a connection. */
  readonly isThere: (agentId: string) => boolean;
  readonly record: (agentId: string, sessionId: string | null, request: RecordRequest) => Outcome<Recorded>;
  /** Polls are answered one after another. One whose turn comes when `isGone` is refused, because nobody reads its answer. */
  readonly attune: (agentId: string, request: AttuneRequest, isGone?: () => boolean) => Promise<Outcome<Attuned>>;
  /** At most 1,000 conflicts: first the unresolved ones, then the resolved ones, each the newest first. */
  readonly conflicts: () => readonly Conflict[];
  readonly merge: (agentId: string, request: MergeRequest) => Outcome<Merged>;
  readonly subscribe: (
    agentId: string,
    terms: Pick<FieldSubscription, "minRelevance" | "debounceMs"> & { readonly events: readonly EventKind[] },
  ) => Outcome<FieldSubscription>;
  /** False: the agent has no such subscription. */
  readonly unsubscribe: (agentId: string, subscriptionId: string) => boolean;
  readonly list: (agentId: string) => readonly FieldSubscription[];
  readonly tell: (event: Told) => void;
  /** As `Notifier.settled`. */
  readonly settled: () => Promise<void> | undefined;
  readonly counts: () => {
    readonly units: number;
    readonly conflicts: number;
    readonly agents: number;
    readonly subscriptions: number;
    readonly waiting: number;
  };
}

const MOST_CONFLICTS_SHOWN = 1000;
const NOT_REGISTERED = refused("AGENT_NOT_REGISTERED");

export function createField(services: FieldServices, kept: KeptField = NOTHING_KEPT): Field {
  const { kept: store, newId, limits } = services;
  const agents = new Map<string, ToldAgent>();
  const notifier = createNotifier(services);
  const rooms = createFieldRooms(limits, kept);
  const units = createUnits(store, kept.units);
  const conflicts = createConflicts(store, kept.conflicts);
  const clock = createLamportClock(newestEpoch(kept), (end) => store.put("clock", "", () => end));

  const waiting = grouped(kept.waiting);
  const subscribed = grouped(kept.subscriptions);
  for (const agent of kept.agents) {
    const added = notifier.add(agent, waiting.get(agent.id));
    agents.set(agent.id, added);
    for (const subscription of subscribed.get(agent.id) ?? []) notifier.subscribe(added, subscription);
  }

  /** Polls would otherwise take a share of each turn each (R34). */
  let lastPoll: Promise<unknown> = Promise.resolve();

  const removeAgent = (agent: ToldAgent): void => {
    for (const [id, subscription] of agent.subscriptions) {
      store.remove("subscription", id);
      rooms.agents.add(-subscriptionBytes(subscription));
    }
    notifier.remove(agent);
    const { id } = agent.agent();
    rooms.agents.add(-bytesOf(agent.agent()));
    agents.delete(id);
    store.remove("agent", id);
  };

  const changeStatus = (
    { unit }: HeldUnit,
    status: UnitStatus,
    kind: Parameters<typeof changedEvent>[0] | undefined,
    by: string,
  ): void => {
    if (unit.status === status) return;
    const changed = units.setStatus(unit.id, status);
    if (kind !== undefined) notifier.tell(changedEvent(kind, changed, by, clock.now()));
  };

  const contradict = (held: HeldUnit, target: HeldUnit, agentId: string): Conflict => {
    const conflict: Conflict = {
      id: `conf-${newId()}`,
      type: "contradiction",
      status: "open",
      unit_a: held.unit.id,
      unit_b: target.unit.id,
      epoch: held.unit.epoch,
      resolution: null,
    };
    conflicts.put(conflict);
    for (const one of [current(held), current(target)])
      if (one.unit.status === "active") changeStatus(one, "contested", "memory.contested", agentId);
    notifier.tell(conflictEvent("conflict.detected", conflict, [held, target], agentId, held.unit.epoch));
    return conflict;
  };

  const current = ({ unit }: HeldUnit): HeldUnit => units.get(unit.id) ?? unreachable();

  /** Undefined: the relations fit. */
  const relationsFault = (relations: readonly UnitRelation[]): Refused | undefined => {
    for (const { type, targetId } of relations) {
      const target = units.get(targetId);
      if (target === undefined || target.unit.mode === "draft")
        return refused("UNIT_NOT_FOUND", `The Field has no committed memory unit ${targetId}.`);
      if (type === "supersedes" && target.unit.status === "superseded")
        return refused("INVALID_TRANSITION", `The memory unit ${targetId} is superseded already.`);
    }
    return undefined;
  };

  return {
    epoch: clock.now,
    receive: (epoch) => (clock.receive(epoch) ? undefined : refused("EPOCH_OVERFLOW")),
    register: ({ id, role, interests }, link) => {
      const known = agents.get(id);
      if (known?.isThere() === true) return refused("AGENT_ID_TAKEN", `An agent "${id}" is connected.`);
      const agent: FieldAgent = { id, role, interests, epoch: known?.agent().epoch ?? clock.now() };
      const bytes = bytesOf(agent) - (known === undefined ? 0 : bytesOf(known.agent()));
      const isRoom = (count: number, freed: number): boolean =>
        (known !== undefined || agents.size - count < MOST_AGENTS) && rooms.agents.isRoom(bytes - freed);
      const leaving = makersOfPlace(agents.values(), isRoom, known);
      if (leaving === undefined)
        return refused("STORAGE_FULL", "The Field has as many agents with connections or subscriptions as it takes.");
      for (const one of leaving) removeAgent(one);
      rooms.agents.add(bytes);
      const added = known ?? notifier.add(agent);
      if (known !== undefined) notifier.renew(known, agent);
      agents.set(id, added);
      store.put("agent", id, () => agent);
      if (known === undefined) notifier.tell(joinedEvent(agent));
      if (link !== undefined) added.came(link);
      return done(agent);
    },
    resume: (agentId) => agents.get(agentId)?.resume(),
    left: (agentId) => agents.get(agentId)?.left(),
    deregister: (agentId) => {
      const agent = agents.get(agentId);
      if (agent === undefined) return undefined;
      const cleanup = { subscriptions: agent.subscriptions.size, notifications: agent.waitingCount() };
      removeAgent(agent);
      return cleanup;
    },
    has: (agentId) => agents.has(agentId),
    isThere: (agentId) => agents.get(agentId)?.isThere() === true,
    record: (agentId, sessionId, request) => {
      const agent = agents.get(agentId)?.agent();
      if (agent === undefined) return NOT_REGISTERED;
      const fault = relationsFault(request.relations);
      if (fault !== undefined) return fault;
      const unit = unitOf(request, `mem-${newId()}`, agent, sessionId, clock.now());
      const bytes = unitBytes(unit);
      if (units.count() >= limits.maxUnits() || !rooms.units.isRoom(bytes)) return refused("STORAGE_FULL");
      rooms.units.add(bytes);
      const held = units.add(unit);
      if (held.unit.mode === "draft") return done({ unit: held.unit, conflicts: [] });
      notifier.tell(recordedEvent(held));
      const found: Conflict[] = [];
      for (const [type, targetId] of distinct(request.relations)) {
        const target = units.get(targetId);
        if (target === undefined) continue;
        if (type === "supersedes") changeStatus(target, "superseded", "memory.superseded", agentId);
        if (type === "contradicts") found.push(contradict(held, target, agentId));
      }
      return done({ unit: current(held).unit, conflicts: found });
    },
    attune: async (agentId, request, isGone = () => false) => {
      const agent = agents.get(agentId)?.agent();
      if (agent === undefined) return NOT_REGISTERED;
      const poll = lastPoll.then(async () => {
        if (isGone()) return NOT_REGISTERED;
        return done(await attune(agent, request, units.since(request.sinceEpoch ?? 0), services.clock));
      });
      lastPoll = poll.catch(() => {});
      return poll;
    },
    conflicts: () => conflicts.newest(MOST_CONFLICTS_SHOWN),
    merge: (agentId, request) => {
      if (!agents.has(agentId)) return NOT_REGISTERED;
      const conflict = conflicts.get(request.conflictId);
      if (conflict === undefined) return refused("CONFLICT_NOT_FOUND");
      const [first, second] = [
        units.get(conflict.unit_a) ?? unreachable(),
        units.get(conflict.unit_b) ?? unreachable(),
      ];
      const decision = decide(conflict, [first.unit, second.unit], request);
      if (decision.kind === "refused") return refused("INVALID_TRANSITION", decision.sentence);
      const epoch = clock.now();
      if (decision.kind === "escalated") {
        if (conflict.status === "escalated") return done({ conflict, sideEffects: [] });
        const escalated: Conflict = { ...conflict, status: "escalated" };
        conflicts.put(escalated);
        notifier.tell(conflictEvent("conflict.detected", escalated, [first, second], agentId, epoch));
        return done({ conflict: escalated, sideEffects: [] });
      }
      const { winnerId } = decision;
      const { strategy, synthesis, rationale } = request;
      const bytes = bytesOf([synthesis, rationale]);
      if (!rooms.units.isRoom(bytes)) return refused("STORAGE_FULL");
      rooms.units.add(bytes);
      const resolution = { strategy, winner_id: winnerId, synthesis, rationale, resolved_by: agentId, epoch };
      const resolved: Conflict = { ...conflict, status: "resolved", resolution };
      conflicts.put(resolved);
      notifier.tell(conflictEvent("conflict.resolved", resolved, [first, second], agentId, epoch));
      const [winner, loser] = first.unit.id === winnerId ? [first, second] : [second, first];
      if (winner.unit.status === "contested" && !conflicts.isContested(winnerId))
        changeStatus(winner, "active", undefined, agentId);
      changeStatus(loser, "superseded", "memory.superseded", agentId);
      return done({
        conflict: resolved,
        sideEffects: changesBetween([winner, loser], [current(winner), current(loser)]),
      });
    },
    subscribe: (agentId, { events, minRelevance, debounceMs }) => {
      const agent = agents.get(agentId);
      if (agent === undefined) return NOT_REGISTERED;
      if (agent.subscriptions.size >= MOST_SUBSCRIPTIONS)
        return refused("STORAGE_FULL", `The agent has ${MOST_SUBSCRIPTIONS} subscriptions. Unsubscribe one first.`);
      const subscription: FieldSubscription = { id: `sub-${newId()}`, agentId, events, minRelevance, debounceMs };
      const bytes = subscriptionBytes(subscription);
      if (!rooms.agents.isRoom(bytes)) return refused("STORAGE_FULL");
      rooms.agents.add(bytes);
      notifier.subscribe(agent, subscription);
      store.put("subscription", subscription.id, () => subscription);
      return done(subscription);
    },
    unsubscribe: (agentId, subscriptionId) => {
      const agent = agents.get(agentId);
      const subscription = agent?.subscriptions.get(subscriptionId);
      if (agent === undefined || subscription === undefined) return false;
      notifier.unsubscribe(agent, subscriptionId);
      rooms.agents.add(-subscriptionBytes(subscription));
      store.remove("subscription", subscriptionId);
      return true;
    },
    list: (agentId) => [...(agents.get(agentId)?.subscriptions.values() ?? [])],
    tell: (event) => notifier.tell({ ...event, epoch: clock.tick() }),
    settled: notifier.settled,
    counts: () => {
      const all = [...agents.values()];
      return {
        units: units.count(),
        conflicts: conflicts.count(),
        agents: all.length,
        subscriptions: all.reduce((sum, { subscriptions }) => sum + subscriptions.size, 0),
        waiting: all.reduce((sum, { waitingCount }) => sum + waitingCount(), 0),
      };
    },
  };
}

function done<Value>(value: Value): Outcome<Value> {
  return { kind: "done", value };
}

function refused(code: Refusal["code"], message?: string): Refused {
  return { kind: "refused", refusal: { code, message } };
}

function unreachable(): never {
  throw new Error("A unit that the Field refers to is not there.");
}

/** The relations that change their targets, each once. */
function distinct(relations: readonly UnitRelation[]): readonly (readonly [type: string, targetId: string])[] {
  const seen = new Map(relations.map(({ type, targetId }) => [`${type} ${targetId}`, [type, targetId] as const]));
  return [...seen.values()];
}

function unitOf(
  request: RecordRequest,
  id: string,
  agent: FieldAgent,
  sessionId: string | null,
  epoch: number,
): MemoryUnit {
  const { mode, type, content, purpose, taskId, question, score, reasoning, evidence, assumptions } = request;
  return {
    id,
    type,
    mode,
    content,
    intent: { purpose, task_id: taskId, question },
    confidence: { score, reasoning, evidence, assumptions },
    relations: request.relations.map((relation) => ({
      type: relation.type,
      target_id: relation.targetId,
      description: relation.description,
    })),
    source: { agent_id: agent.id, role: agent.role, session_id: sessionId },
    epoch,
    status: mode === "draft" ? "draft" : "active",
  };
}

/** The units whose status changed. */
function changesBetween(before: readonly HeldUnit[], after: readonly HeldUnit[]): Merged["sideEffects"] {
  return after
    .filter(({ unit }, index) => unit.status !== before[index]?.unit.status)
    .map(({ unit }) => ({ memory_unit_id: unit.id, status: unit.status }));
}

function grouped<Value extends { readonly agentId: string }>(values: readonly Value[]): ReadonlyMap<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(value.agentId);
    if (group === undefined) groups.set(value.agentId, [value]);
    else group.push(value);
  }
  return groups;
}

/** The clock goes on behind everything that it dated, whatever of it was kept. */
function newestEpoch({ epoch, units, conflicts, agents, waiting }: KeptField): number {
  let newest = epoch;
  for (const one of [...units, ...conflicts, ...agents, ...waiting.map(({ notification }) => notification)])
    newest = Math.max(newest, one.epoch);
  return newest;
}
