// The answer to ATTUNE: the units that concern an agent, the highest score first, the newest first among equals (Akashik companion).
import type {
  AkashikAttunedUnit,
  AkashikAttuneRequest,
  AkashikContextBudget,
  AkashikMemoryUnit,
} from "#gen/akashik/types.js";
import type { Turns } from "../../../engine/time/turns.js";
import type { FieldAgent, MemoryUnit } from "./field-types.js";
import { listenerOf, relevance, relevanceScore } from "./relevance.js";
import type { HeldUnit } from "./units.js";

/** Most UTF-16 units of text in an answer, and how many count as a token. */
const MOST_TEXT = 1024 * 1024;
const UNITS_PER_TOKEN = 4;

/** How much of a memory unit an answer has. */
type UnitFormat = AkashikAttunedUnit["format"];

/** The members that a unit has in each format. */
const UNIT_MEMBERS: Readonly<Record<UnitFormat, readonly (keyof AkashikMemoryUnit & string)[]>> = {
  full: ["id", "type", "mode", "content", "intent", "confidence", "relations", "source", "epoch", "status"],
  summary: ["id", "type", "content", "source", "epoch", "status"],
  ids_only: ["id"],
};

export interface Attuned {
  readonly record: readonly AkashikAttunedUnit[];
  readonly budget: AkashikContextBudget;
}

/**
 * `units`: newest first. Each is a piece of work of `turns` (R34): its words are made when it is first scored. Own units, drafts of
 * others, retracted and superseded ones are left out.
 */
export async function attune(
  agent: FieldAgent,
  { scope, format: asked }: AkashikAttuneRequest,
  units: readonly HeldUnit[],
  turns: Turns,
): Promise<Attuned> {
  // Protobuf has no absent list, so an empty one says nothing.
  const interests = scope?.interests?.length ? scope.interests : agent.interests;
  const listener = listenerOf({ role: scope?.role ?? agent.role, interests });
  const threshold = scope?.relevance_threshold ?? 0;
  const format = asked ?? "full";
  const maxTokens = scope?.max_tokens ?? null;
  const mostText = Math.min(MOST_TEXT, (maxTokens ?? Number.POSITIVE_INFINITY) * UNITS_PER_TOKEN);
  const mostUnits = scope?.max_units ?? Number.POSITIVE_INFINITY;
  const room = async (): Promise<void> => {
    if (!turns.enter()) await new Promise<void>((resolve) => void turns.wait(resolve));
  };

  // One list for each score. Each keeps the order of the units, so nothing needs to be sorted.
  const byScore = new Map<number, HeldUnit[]>();
  for (const held of units) {
    await room();
    if (!isFor(held, agent)) continue;
    const score = relevanceScore(held.subject, listener);
    if (score < threshold) continue;
    const equals = byScore.get(score);
    if (equals === undefined) byScore.set(score, [held]);
    else equals.push(held);
  }
  const scores = [...byScore.keys()].sort((one, other) => other - one);
  const sorted = scores.flatMap((score) => byScore.get(score) ?? []);
  const record: AkashikAttunedUnit[] = [];
  let text = 0;
  for (const { unit, subject } of sorted) {
    if (record.length >= mostUnits) break;
    await room();
    const { score, reason } = relevance(subject, listener);
    const attuned = { memory_unit: shownUnit(unit, format), relevance_score: score, relevance_reason: reason, format };
    const length = JSON.stringify(attuned).length;
    if (text + length > mostText) break;
    text += length;
    record.push(attuned);
  }
  return {
    record,
    budget: {
      units_returned: record.length,
      units_available: sorted.length,
      tokens_used: Math.ceil(text / UNITS_PER_TOKEN),
      tokens_budget: maxTokens,
    },
  };
}

function isFor({ unit }: HeldUnit, agent: FieldAgent): boolean {
  const isOpen = unit.status === "active" || unit.status === "contested";
  return isOpen && unit.source.agent_id !== agent.id;
}

function shownUnit(unit: MemoryUnit, format: UnitFormat): AkashikMemoryUnit {
  const members: Readonly<Record<string, unknown>> = { ...unit };
  return { ...Object.fromEntries(UNIT_MEMBERS[format].map((name) => [name, members[name]])), id: unit.id };
}
