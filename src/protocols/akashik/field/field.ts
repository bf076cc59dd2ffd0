// The Field: agents record units, contest and merge them, and are told of what concerns them. All of it is kept (Akashik companion).
import type {
  AkashikAttuneRequest,
  AkashikMergeAnswer,
  AkashikMergeRequest,
  AkashikRecordRequest,
  AkashikRegisterRequest,
  AkashikRelation,
} from "#gen/akashik/types.js";
import { bytesOf, createSharedRoom, type SharedRoom } from "../../../base/shared-room.js";
import { Turns } from "../../../engine/time/turns.js";
import { Refused } from "../messages/error-codes.js";
import { type Attuned, attune } from "./attune.js";
import { Conflicts, decide } from "./conflicts.js";
import {
  BYTES_PER_UNIT,
  type Conflict,
  type FieldAgent,
  type FieldEvent,
  type FieldServices,
  type FieldSubscription,
  type MemoryUnit,
  MOST_AGENT_BYTES,
  MOST_AGENTS,
  MOST_SUBSCRIPTIONS,
  MOST_WAITING_BYTES_IN_ALL,
  MOST_WINDOWS,
  type Push,
} from "./field-types.js";
import { changedEvent, conflictEvent, joinedEvent, recordedEvent } from "./happenings.js";
import { LamportClock } from "./lamport-clock.js";
import type { KeptWaiting } from "./mailbox.js";
import { Notifier } from "./notifier.js";
import { type AgentServices, ToldAgent } from "./told-agent.js";
import { type HeldUnit, Units, unitBytes, unitOf } from "./units.js";

/** Values of an earlier boot, in any order. */
export interface KeptField {
  readonly epoch: number;
  readonly agents: readonly FieldAgent[];
  readonly units: readonly MemoryUnit[];
  readonly conflicts: readonly Conflict[];
  readonly subscriptions: readonly FieldSubscription[];
  readonly waiting: readonly KeptWaiting[];
}

const NOTHING_KEPT: KeptField = { epoch: 0, agents: [], units: [], conflicts: [], subscriptions: [], waiting: [] };

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

const MOST_CONFLICTS_SHOWN = 1000;
/** Units that are scored for polls in one turn (R34). */
const SCORED_PER_TURN = 256;

/** An operation that cannot be done throws Refused, and has changed nothing. */
export class Field {
  private readonly services: FieldServices;
  private readonly agents = new Map<string, ToldAgent>();
  private readonly agentServices: AgentServices;
  private readonly notifier: Notifier;
  private readonly units: Units;
  private readonly known: Conflicts;
  private readonly clock: LamportClock;
  private readonly scoring: Turns;
  /** The rooms of agents and their subscriptions, and of units and their conflicts, in bytes by estimate: a number alone bounds no memory. */
  private readonly agentRoom: SharedRoom = createSharedRoom(() => MOST_AGENT_BYTES);
  private readonly unitRoom: SharedRoom;
  /** Polls are answered one after another, so that the units of one alone are held. */
  private lastPoll: Promise<unknown> = Promise.resolve();

  constructor(services: FieldServices, kept: KeptField = NOTHING_KEPT) {
    const { clock, kept: store, maxUnits } = services;
    this.services = services;
    const waiting = createSharedRoom(() => MOST_WAITING_BYTES_IN_ALL);
    const windows = createSharedRoom(() => MOST_WINDOWS);
    this.agentServices = { clock, store, waiting, windows, hearers: new Map() };
    this.notifier = new Notifier(this.agents, this.agentServices.hearers, clock);
    this.units = new Units(store, kept.units);
    this.known = new Conflicts(store, kept.conflicts);
    this.clock = new LamportClock(newestEpoch(kept), (end) => store.put("clock", "", () => end));
    this.scoring = new Turns(clock, { most: SCORED_PER_TURN });
    this.unitRoom = createSharedRoom(() => maxUnits() * BYTES_PER_UNIT);
    for (const one of [...kept.units, ...kept.conflicts]) this.unitRoom.add(bytesOf(one));
    for (const agent of kept.agents) {
      this.agentRoom.add(bytesOf(agent));
      this.agents.set(agent.id, new ToldAgent(agent, this.agentServices));
    }
    for (const one of [...kept.waiting].sort((a, b) => a.place - b.place))
      this.agents.get(one.agentId)?.mailbox.recall(one);
    for (const subscription of kept.subscriptions) {
      this.agentRoom.add(subscriptionBytes(subscription));
      this.agents.get(subscription.agentId)?.subscribe(subscription, this.notifier.newest);
    }
  }

  epoch(): number {
    return this.clock.now();
  }

  /** Takes the epoch of a message. */
  receive(epoch: number): void {
    if (!this.clock.receive(epoch)) throw new Refused("EPOCH_OVERFLOW");
  }

  /** Registers an agent, or takes over the id of an agent that is away. `push` undefined: an agent that only polls. */
  register(
    { id, role, interests }: Pick<AkashikRegisterRequest, "id" | "role" | "interests">,
    push: Push | undefined,
  ): FieldAgent {
    const before = this.agents.get(id);
    if (before?.isThere() === true) throw new Refused("AGENT_ID_TAKEN", `An agent "${id}" is connected.`);
    const agent: FieldAgent = { id, role, interests: interests ?? [], epoch: before?.agent.epoch ?? this.epoch() };
    const bytes = bytesOf(agent) - (before === undefined ? 0 : bytesOf(before.agent));
    this.makePlace(bytes, before);
    this.agentRoom.add(bytes);
    const told = before ?? new ToldAgent(agent, this.agentServices);
    told.become(agent);
    this.agents.set(id, told);
    this.services.kept.put("agent", id, () => agent);
    if (before === undefined) this.notifier.tell(joinedEvent(agent));
    if (push !== undefined) told.came(push);
    return agent;
  }

  /** The agent takes notifications again, after its link took none. */
  resume(agentId: string): void {
    this.agents.get(agentId)?.resume();
  }

  /** The connection of an agent is gone. Its subscriptions stay, and its notifications wait. */
  left(agentId: string): void {
    this.agents.get(agentId)?.left();
  }

  /** Returns how much of the agent is gone. Its units stay. */
  deregister(agentId: string): { readonly subscriptions: number; readonly notifications: number } {
    const agent = this.registered(agentId);
    const cleanup = { subscriptions: agent.subscriptions.size, notifications: agent.mailbox.size() };
    this.remove(agent);
    return cleanup;
  }

  has(agentId: string): boolean {
    return this.agents.has(agentId);
  }

  /** Whether the agent has a connection. */
  isThere(agentId: string): boolean {
    return this.agents.get(agentId)?.isThere() === true;
  }

  record(agentId: string, sessionId: string | null, request: AkashikRecordRequest): Recorded {
    const { agent } = this.registered(agentId);
    const { units, notifier, unitRoom } = this;
    this.assertFit(request.relations ?? []);
    const unit = unitOf(request, `mem-${this.services.newId()}`, agent, sessionId, this.epoch());
    const bytes = unitBytes(unit);
    if (units.count() >= this.services.maxUnits() || !unitRoom.isRoom(bytes)) throw new Refused("STORAGE_FULL");
    unitRoom.add(bytes);
    const held = units.add(unit);
    if (unit.mode === "draft") return { unit, conflicts: [] };
    notifier.tell(recordedEvent(held));
    const conflicts: Conflict[] = [];
    for (const { type, target_id } of distinct(unit.relations)) {
      const target = units.known(target_id);
      if (type === "supersedes") this.changeStatus(target, "superseded", agentId);
      if (type === "contradicts") conflicts.push(this.contradict(held, target, agentId));
    }
    return { unit: units.known(unit.id).unit, conflicts };
  }

  /** A poll whose turn comes when `isGone` is refused, because nobody reads its answer. */
  async attune(agentId: string, request: AkashikAttuneRequest, isGone = () => false): Promise<Attuned> {
    const { agent } = this.registered(agentId);
    const poll = this.lastPoll.then(() => {
      if (isGone()) throw new Refused("AGENT_NOT_REGISTERED");
      return attune(agent, request, this.units.since(request.since_epoch ?? 0), this.scoring);
    });
    this.lastPoll = poll.catch(() => {});
    return poll;
  }

  /** At most 1,000 conflicts: first the unresolved ones, the newest first, then the others, the last resolved first. */
  conflicts(): readonly Conflict[] {
    return this.known.newest(MOST_CONFLICTS_SHOWN);
  }

  merge(agentId: string, request: AkashikMergeRequest): Merged {
    this.registered(agentId);
    const { known, notifier, units, unitRoom } = this;
    const conflict = known.get(request.conflict_id);
    if (conflict === undefined) throw new Refused("CONFLICT_NOT_FOUND");
    const pair = [units.known(conflict.unit_a), units.known(conflict.unit_b)] as const;
    const [first, second] = pair;
    const winnerId = decide(conflict, [first.unit, second.unit], request);
    const epoch = this.epoch();
    if (winnerId === null) {
      if (conflict.status === "escalated") return { conflict, sideEffects: [] };
      const escalated: Conflict = { ...conflict, status: "escalated" };
      known.put(escalated);
      notifier.tell(conflictEvent("conflict.detected", escalated, pair, agentId, epoch));
      return { conflict: escalated, sideEffects: [] };
    }
    const { strategy } = request;
    const { synthesis = null, rationale = null } = request.resolution ?? {};
    const bytes = bytesOf([synthesis, rationale]);
    if (!unitRoom.isRoom(bytes)) throw new Refused("STORAGE_FULL");
    unitRoom.add(bytes);
    const resolution = { strategy, winner_id: winnerId, synthesis, rationale, resolved_by: agentId, epoch };
    const resolved: Conflict = { ...conflict, status: "resolved", resolution };
    known.put(resolved);
    notifier.tell(conflictEvent("conflict.resolved", resolved, pair, agentId, epoch));
    const [winner, loser] = first.unit.id === winnerId ? pair : [second, first];
    if (winner.unit.status === "contested" && !known.isContested(winnerId)) units.setStatus(winnerId, "active");
    this.changeStatus(loser, "superseded", agentId);
    const sideEffects = [winner, loser].flatMap(({ unit: { id, status: before } }) => {
      const { status } = units.known(id).unit;
      return status === before ? [] : [{ memory_unit_id: id, status }];
    });
    return { conflict: resolved, sideEffects };
  }

  subscribe(
    agentId: string,
    { events, minRelevance, debounceMs }: Omit<FieldSubscription, "id" | "agentId">,
  ): FieldSubscription {
    const agent = this.registered(agentId);
    if (agent.subscriptions.size >= MOST_SUBSCRIPTIONS)
      throw new Refused("STORAGE_FULL", `The agent has ${MOST_SUBSCRIPTIONS} subscriptions. Unsubscribe one first.`);
    const id = `sub-${this.services.newId()}`;
    const subscription: FieldSubscription = { id, agentId, events, minRelevance, debounceMs };
    const bytes = subscriptionBytes(subscription);
    if (!this.agentRoom.isRoom(bytes)) throw new Refused("STORAGE_FULL");
    this.agentRoom.add(bytes);
    agent.subscribe(subscription, this.notifier.newest);
    this.services.kept.put("subscription", id, () => subscription);
    return subscription;
  }

  /** False: the agent has no such subscription. */
  unsubscribe(agentId: string, subscriptionId: string): boolean {
    const agent = this.agents.get(agentId);
    const subscription = agent?.subscriptions.get(subscriptionId);
    if (agent === undefined || subscription === undefined) return false;
    agent.unsubscribe(subscriptionId);
    this.agentRoom.add(-subscriptionBytes(subscription));
    this.services.kept.remove("subscription", subscriptionId);
    return true;
  }

  list(agentId: string): readonly FieldSubscription[] {
    return [...this.registered(agentId).subscriptions.values()];
  }

  tell(event: Told): void {
    this.notifier.tell({ ...event, epoch: this.clock.tick() });
  }

  /** As `Notifier.settled`. */
  settled(): Promise<void> | undefined {
    return this.notifier.settled();
  }

  counts() {
    const all = [...this.agents.values()];
    return {
      units: this.units.count(),
      conflicts: this.known.count(),
      agents: all.length,
      subscriptions: all.reduce((sum, { subscriptions }) => sum + subscriptions.size, 0),
      waiting: all.reduce((sum, agent) => sum + agent.mailbox.size(), 0),
    };
  }

  private registered(agentId: string): ToldAgent {
    const agent = this.agents.get(agentId);
    if (agent === undefined) throw new Refused("AGENT_NOT_REGISTERED");
    return agent;
  }

  /** Forgets those that registered longest ago of all that are away and have no subscription, until there is room: they lose nothing. */
  private makePlace(bytes: number, before: ToldAgent | undefined): void {
    const isRoom = (): boolean =>
      (before !== undefined || this.agents.size < MOST_AGENTS) && this.agentRoom.isRoom(bytes);
    for (const one of this.agents.values()) {
      if (isRoom()) return;
      if (one !== before && !one.isThere() && one.subscriptions.size === 0) this.remove(one);
    }
    if (!isRoom())
      throw new Refused("STORAGE_FULL", "The Field has as many agents with connections or subscriptions as it takes.");
  }

  private remove(agent: ToldAgent): void {
    const { id } = agent.agent;
    for (const one of agent.subscriptions.keys()) this.unsubscribe(id, one);
    agent.left();
    this.agentRoom.add(-bytesOf(agent.agent));
    this.agents.delete(id);
    this.services.kept.remove("agent", id);
  }

  /** A change that is told. Another status becomes the same only once. */
  private changeStatus({ unit: { id } }: HeldUnit, status: "contested" | "superseded", by: string): void {
    if (this.units.known(id).unit.status === status) return;
    this.notifier.tell(changedEvent(`memory.${status}`, this.units.setStatus(id, status), by, this.epoch()));
  }

  private contradict(held: HeldUnit, target: HeldUnit, agentId: string): Conflict {
    const conflict: Conflict = {
      id: `conf-${this.services.newId()}`,
      type: "contradiction",
      status: "open",
      unit_a: held.unit.id,
      unit_b: target.unit.id,
      epoch: held.unit.epoch,
      resolution: null,
    };
    this.known.put(conflict);
    for (const { unit } of [held, target]) {
      const now = this.units.known(unit.id);
      if (now.unit.status === "active") this.changeStatus(now, "contested", agentId);
    }
    this.notifier.tell(conflictEvent("conflict.detected", conflict, [held, target], agentId, held.unit.epoch));
    return conflict;
  }

  private assertFit(relations: readonly AkashikRelation[]): void {
    for (const { type, target_id } of relations) {
      const target = this.units.get(target_id);
      if (target === undefined || target.unit.mode === "draft")
        throw new Refused("UNIT_NOT_FOUND", `The Field has no committed memory unit ${target_id}.`);
      if (type === "supersedes" && target.unit.status === "superseded")
        throw new Refused("INVALID_TRANSITION", `The memory unit ${target_id} is superseded already.`);
    }
  }
}

/** The relations that change their targets, each once. */
function distinct(relations: readonly AkashikRelation[]): readonly AkashikRelation[] {
  return [...new Map(relations.map((relation) => [`${relation.type} ${relation.target_id}`, relation])).values()];
}

function subscriptionBytes({ id, agentId, events }: FieldSubscription): number {
  return bytesOf([id, agentId, events]);
}

/** The clock goes on behind everything that it dated, whatever of it was kept. */
function newestEpoch({ epoch, units, conflicts, agents, waiting }: KeptField): number {
  let newest = epoch;
  for (const one of [...units, ...conflicts, ...agents, ...waiting.map(({ notification }) => notification)])
    newest = Math.max(newest, one.epoch);
  return newest;
}
