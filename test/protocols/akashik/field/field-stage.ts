// A Field over a virtual clock, whose agents and whose memory the test holds in its hands.

import type { AkashikMergeRequest, AkashikRecordRequest } from "#gen/akashik/types.js";
import { Field, type KeptField } from "../../../../src/protocols/akashik/field/field.js";
import type { FieldKept, KeptKind, Notification } from "../../../../src/protocols/akashik/field/field-types.js";
import { Refused } from "../../../../src/protocols/akashik/messages/error-codes.js";
import { createVirtualClock } from "../../../support/rigs/virtual-clock.js";

export interface FieldStageOptions {
  readonly maxUnits?: number;
}

export interface StagedAgent {
  readonly id: string;
  readonly received: Notification[];
  /** Takes everything that was received since the last call. */
  readonly take: () => readonly Notification[];
  readonly register: (role?: string, interests?: readonly string[]) => void;
  readonly leave: () => void;
  /** While true, notifications are not taken. */
  readonly setFull: (isFull: boolean) => void;
}

/** The kept values as they stand, of which `restart` makes another Field. */
function createMemory() {
  const values = new Map<string, () => unknown>();
  let writes = 0;
  const key = (kind: KeptKind, name: string): string => `${kind} ${name}`;
  const kept: FieldKept = {
    put: (kind, name, value) => {
      writes += 1;
      values.set(key(kind, name), value);
    },
    remove: (kind, name) => {
      writes += 1;
      values.delete(key(kind, name));
    },
  };
  const all = (kind: KeptKind): never[] =>
    [...values].filter(([name]) => name.startsWith(`${kind} `)).map(([, value]) => structuredClone(value()) as never);
  const read = (): KeptField => ({
    epoch: (all("clock") as number[])[0] ?? 0,
    agents: all("agent"),
    units: all("unit"),
    conflicts: all("conflict"),
    subscriptions: all("subscription"),
    waiting: all("waiting"),
  });
  return { kept, read, size: () => values.size, writes: () => writes };
}

export function createFieldStage({ maxUnits = 10_000 }: FieldStageOptions = {}) {
  const clock = createVirtualClock();
  const memory = createMemory();
  let ids = 0;
  const services = {
    clock,
    kept: memory.kept,
    newId: () => {
      ids += 1;
      return String(ids);
    },
    maxUnits: () => maxUnits,
  };
  let field = new Field(services);
  const agents: StagedAgent[] = [];

  const agent = (id: string, role = "worker", interests: readonly string[] = []): StagedAgent => {
    const received: Notification[] = [];
    let taken = 0;
    let isFull = false;
    const one: StagedAgent = {
      id,
      received,
      take: () => {
        clock.settle();
        const fresh = received.slice(taken);
        taken = received.length;
        return fresh;
      },
      register: (newRole = role, newInterests = interests) => {
        const push = (notification: Notification): boolean => {
          if (!isFull) received.push(notification);
          return !isFull;
        };
        field.register({ id, role: newRole, interests: newInterests }, push);
      },
      leave: () => field.left(id),
      setFull: (full) => {
        isFull = full;
      },
    };
    one.register();
    agents.push(one);
    return one;
  };

  return {
    clock,
    memory,
    agent,
    field: () => field,
    /** How many notifications each of these agents has received. */
    received: (...ids: readonly string[]) => ids.map((id) => agents.find((one) => one.id === id)?.received.length),
    /** A kill: everything that is not kept is gone, and every agent is away. */
    restart: () => {
      for (const one of agents) one.leave();
      const kept = memory.read();
      field = new Field(services, kept);
    },
    record: (by: string, content: string, more: Partial<AkashikRecordRequest> = {}) =>
      field.record(by, null, recordOf(content, more)),
  };
}

export function recordOf(content: string, more: Partial<AkashikRecordRequest> = {}): AkashikRecordRequest {
  const confidence = { score: 0.5, reasoning: "It was seen." };
  return { mode: "committed", type: "finding", content, intent: { purpose: "To test." }, confidence, ...more };
}

export const relation = (type: "supersedes" | "contradicts" | "supports", target_id: string) => ({ type, target_id });

export function mergeOf(conflict_id: string, more: Partial<AkashikMergeRequest> = {}): AkashikMergeRequest {
  return { conflict_id, strategy: "last_write_wins", ...more };
}

/** The code with which an operation is refused; undefined if it is done. */
export function codeOf(operation: () => unknown): string | undefined {
  try {
    operation();
    return undefined;
  } catch (caught) {
    if (caught instanceof Refused) return caught.code;
    throw caught;
  }
}
