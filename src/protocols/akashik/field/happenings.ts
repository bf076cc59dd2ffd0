// The events that operations bring, with their summaries.
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Conflict, EventKind, FieldAgent, FieldEvent, MemoryUnit } from "./field-types.js";
import type { HeldUnit } from "./units.js";
import { subjectOf, wordsOf } from "./words.js";

/** Most UTF-16 units of a content in a summary. */
const LONGEST_CONTENT = 200;
/** Units on which somebody has to act. */
const CALLS_TO_ACT = new Set(["question", "human_directive"]);

export function recordedEvent({ unit, subject }: HeldUnit): FieldEvent {
  const { id, epoch, type } = unit;
  const { agent_id: causedBy } = unit.source;
  const summary = `${causedBy} recorded: ${shortened(unit)}`;
  const requiresAction = CALLS_TO_ACT.has(type);
  return {
    kind: "memory.recorded",
    entity: `unit ${id}`,
    epoch,
    causedBy,
    subject,
    summary,
    unitId: id,
    requiresAction,
  };
}

/** `kind`: the change of the unit's status. */
export function changedEvent(
  kind: "memory.superseded" | "memory.contested",
  { unit, subject }: HeldUnit,
  causedBy: string,
  epoch: number,
): FieldEvent {
  const { id } = unit;
  const summary = `${causedBy} ${kind === "memory.contested" ? "contests" : "supersedes"}: ${shortened(unit)}`;
  const changed = subjectOf(kind, () => subject.words);
  return { kind, entity: `unit ${id}`, epoch, causedBy, subject: changed, summary, unitId: id };
}

/** "conflict.detected": the conflict is new, or a person has to decide it. */
export function conflictEvent(
  kind: "conflict.detected" | "conflict.resolved",
  conflict: Conflict,
  [first, second]: readonly [HeldUnit, HeldUnit],
  causedBy: string,
  epoch: number,
): FieldEvent {
  const { id } = conflict;
  return {
    kind,
    entity: `conflict ${id}`,
    epoch,
    causedBy,
    subject: subjectOf(kind, () => new Set([...first.subject.words, ...second.subject.words])),
    summary: `${conflictSentence(kind, conflict)}: ${shortened(first.unit)} / ${shortened(second.unit)}`,
    conflictId: id,
    requiresAction: kind === "conflict.detected",
  };
}

export function joinedEvent({ id, role, interests, epoch }: FieldAgent): FieldEvent {
  const kind = "agent.joined";
  const summary = `${id} has joined as ${shortenedText(role, LONGEST_CONTENT)}.`;
  const subject = subjectOf(kind, () => wordsOf(role, ...interests));
  return { kind, entity: `agent ${id}`, epoch, causedBy: id, subject, summary };
}

function conflictSentence(kind: EventKind, { status }: Conflict): string {
  if (kind === "conflict.resolved") return "A conflict is resolved";
  return status === "escalated" ? "A person has to decide a conflict" : "Two units contradict each other";
}

function shortened({ content }: MemoryUnit): string {
  return shortenedText(content, LONGEST_CONTENT);
}
