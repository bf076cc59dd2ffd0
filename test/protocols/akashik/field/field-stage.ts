// A Field over a virtual clock, whose agents and whose memory the test holds in its hands.

import {
  createField,
  type Field,
  type KeptField,
  type Outcome,
} from "../../../../src/protocols/akashik/field/field.js";
import type { FieldKept, KeptKind, Notification } from "../../../../src/protocols/akashik/field/field-types.js";
import type { RecordRequest } from "../../../../src/protocols/akashik/messages/record-request.js";
import type { AttuneRequest, MergeRequest } from "../../../../src/protocols/akashik/messages/requests.js";
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
    limits: { maxUnits: () => maxUnits },
  };
  let field: Field = createField(services);
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
        const link = {
          push: (notification: Notification) => {
            if (isFull) return false;
            received.push(notification);
            return true;
          },
        };
        doneOf(field.register({ id, role: newRole, interests: newInterests }, link));
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
    /** A kill: everything that is not kept is gone, and every agent is away. */
    restart: () => {
      for (const one of agents) one.leave();
      const kept = memory.read();
      field = createField(services, kept);
    },
    record: (by: string, content: string, more: Partial<RecordRequest> = {}) => {
      const outcome = doneOf(field.record(by, null, recordOf(content, more)));
      return outcome;
    },
  };
}

export function recordOf(content: string, more: Partial<RecordRequest> = {}): RecordRequest {
  return {
    operation: "RECORD",
    mode: "committed",
    type: "finding",
    content,
    purpose: "To test.",
    taskId: null,
    question: null,
    score: 0.5,
    reasoning: "It was seen.",
    evidence: [],
    assumptions: [],
    relations: [],
    ...more,
  };
}

export const relation = (type: "supersedes" | "contradicts" | "supports", targetId: string) => ({
  type,
  targetId,
  description: null,
});

export function attuneOf(more: Partial<AttuneRequest> = {}): AttuneRequest {
  return {
    operation: "ATTUNE",
    role: null,
    interests: null,
    maxUnits: null,
    relevanceThreshold: null,
    maxTokens: null,
    contextHint: null,
    format: "full",
    sinceEpoch: null,
    ...more,
  };
}

export function mergeOf(conflictId: string, more: Partial<MergeRequest> = {}): MergeRequest {
  return {
    operation: "MERGE",
    conflictId,
    strategy: "last_write_wins",
    winnerId: null,
    synthesis: null,
    rationale: null,
    ...more,
  };
}

/** The value of an operation that must have been done. */
export function doneOf<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "refused") throw new Error(`refused: ${outcome.refusal.code} ${outcome.refusal.message ?? ""}`);
  return outcome.value;
}

export function codeOf(outcome: Outcome<unknown>): string | undefined {
  return outcome.kind === "refused" ? outcome.refusal.code : undefined;
}
