// The events that operations bring, with their summaries.
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Conflict, EventKind, FieldAgent, FieldEvent, MemoryUnit, Subject } from "./field-types.js";
import type { HeldUnit } from "./units.js";
import { wordsOf } from "./words.js";

/** Most UTF-16 units of a content in a summary. */
const LONGEST_CONTENT = 200;
/** Units on which somebody has to act. */
const CALLS_TO_ACT = new Set(["question", "human_directive"]);

export function recordedEvent({ unit, subject }: HeldUnit): FieldEvent {
  return {
    ...unitEvent("memory.recorded", unit, unit.source.agent_id, unit.epoch),
    subject,
    summary: `${unit.source.agent_id} recorded: ${shortened(unit)}`,
    requiresAction: CALLS_TO_ACT.has(unit.type),
  };
}

/** `kind`: the change of the unit's status. */
export function changedEvent(
  kind: "memory.superseded" | "memory.contested",
  { unit, subject }: HeldUnit,
  causedBy: string,
  epoch: number,
): FieldEvent {
  return {
    ...unitEvent(kind, unit, causedBy, epoch),
    subject: { kind, words: subject.words },
    summary: `${causedBy} ${kind === "memory.contested" ? "contests" : "supersedes"}: ${shortened(unit)}`,
    requiresAction: false,
  };
}

/** "conflict.detected": the conflict is new, or a person has to decide it. */
export function conflictEvent(
  kind: "conflict.detected" | "conflict.resolved",
  conflict: Conflict,
  units: readonly [HeldUnit, HeldUnit],
  causedBy: string,
  epoch: number,
): FieldEvent {
  const [first, second] = units;
  return {
    kind,
    entity: `conflict ${conflict.id}`,
    epoch,
    causedBy,
    onlyFor: undefined,
    subject: { kind, words: new Set([...first.subject.words, ...second.subject.words]) },
    summary: `${conflictSentence(kind, conflict)}: ${shortened(first.unit)} / ${shortened(second.unit)}`,
    unitId: null,
    conflictId: conflict.id,
    requiresAction: kind === "conflict.detected",
  };
}

export function joinedEvent({ id, role, interests, epoch }: FieldAgent): FieldEvent {
  const kind = "agent.joined";
  const subject: Subject = { kind, words: wordsOf(role, ...interests) };
  return {
    kind,
    entity: `agent ${id}`,
    epoch,
    causedBy: id,
    onlyFor: undefined,
    subject,
    summary: `${id} has joined as ${shortenedText(role, LONGEST_CONTENT)}.`,
    unitId: null,
    conflictId: null,
    requiresAction: false,
  };
}

function conflictSentence(kind: EventKind, { status }: Conflict): string {
  if (kind === "conflict.resolved") return "A conflict is resolved";
  return status === "escalated" ? "A person has to decide a conflict" : "Two units contradict each other";
}

function unitEvent(kind: EventKind, { id }: MemoryUnit, causedBy: string, epoch: number) {
  return { kind, entity: `unit ${id}`, epoch, causedBy, onlyFor: undefined, unitId: id, conflictId: null };
}

function shortened({ content }: MemoryUnit): string {
  return shortenedText(content, LONGEST_CONTENT);
}
