// The answer to ATTUNE: the units that concern an agent, the highest score first, the newest first among equals (Akashik companion).
import type { AkashikAttunedUnit, AkashikContextBudget, AkashikMemoryUnit } from "#gen/akashik/types.js";
import type { AttuneRequest } from "../messages/requests.js";
import { UNIT_MEMBERS, type UnitFormat } from "../messages/unit-formats.js";
import type { FieldAgent, FieldClock, MemoryUnit } from "./field-types.js";
import { type Listener, listenerOf, relevance, relevanceScore } from "./relevance.js";
import type { HeldUnit } from "./units.js";

/** Units that are scored in one turn of the event loop, and the time for them, ms (R34). The words of a unit are made when it is first scored. */
const UNITS_PER_TURN = 256;
const MS_PER_TURN = 2;
/** Most UTF-16 units of text in an answer, and how many count as a token. */
const MOST_TEXT = 1024 * 1024;
const UNITS_PER_TOKEN = 4;

export interface Attuned {
  readonly record: readonly AkashikAttunedUnit[];
  readonly budget: AkashikContextBudget;
}

/** `units`: newest first. Own units, drafts of others, retracted and superseded ones are left out. */
export function attune(
  agent: FieldAgent,
  request: AttuneRequest,
  units: readonly HeldUnit[],
  clock: Pick<FieldClock, "now" | "afterTurn">,
): Promise<Attuned> {
  const listener = listenerOf({ role: request.role ?? agent.role, interests: request.interests ?? agent.interests });
  const threshold = request.relevanceThreshold ?? 0;
  // One list for each score. Each keeps the order of the units, so nothing needs to be sorted.
  const byScore = new Map<number, HeldUnit[]>();
  return new Promise((resolve) => {
    const score = (from: number): void => {
      const until = clock.now() + MS_PER_TURN;
      let next = from;
      for (; next < units.length && next < from + UNITS_PER_TURN; next += 1) {
        if (next > from && clock.now() >= until) break;
        const held = units[next];
        if (held === undefined || !isFor(held, agent)) continue;
        const value = relevanceScore(held.subject, listener);
        if (value < threshold) continue;
        const equals = byScore.get(value);
        if (equals === undefined) byScore.set(value, [held]);
        else equals.push(held);
      }
      if (next < units.length) clock.afterTurn(() => score(next));
      else void answerOf(byScore, listener, request, clock).then(resolve);
    };
    score(0);
  });
}

function isFor({ unit }: HeldUnit, agent: FieldAgent): boolean {
  const isOpen = unit.status === "active" || unit.status === "contested";
  return isOpen && unit.source.agent_id !== agent.id;
}

async function answerOf(
  byScore: ReadonlyMap<number, readonly HeldUnit[]>,
  listener: Listener,
  { maxUnits, maxTokens, format }: AttuneRequest,
  clock: Pick<FieldClock, "now" | "afterTurn">,
): Promise<Attuned> {
  const mostText = Math.min(MOST_TEXT, (maxTokens ?? Number.POSITIVE_INFINITY) * UNITS_PER_TOKEN);
  const mostUnits = maxUnits ?? Number.POSITIVE_INFINITY;
  const scores = [...byScore.keys()].sort((one, other) => other - one);
  const sorted = scores.flatMap((score) => byScore.get(score) ?? []);
  const record: AkashikAttunedUnit[] = [];
  let text = 0;
  let until = clock.now() + MS_PER_TURN;
  for (const { unit, subject } of sorted) {
    if (record.length >= mostUnits) break;
    const { score, reason } = relevance(subject, listener);
    const attuned = { memory_unit: shownUnit(unit, format), relevance_score: score, relevance_reason: reason, format };
    const length = JSON.stringify(attuned).length;
    if (text + length > mostText) break;
    text += length;
    record.push(attuned);
    if (clock.now() < until) continue;
    await new Promise<void>(clock.afterTurn);
    until = clock.now() + MS_PER_TURN;
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

function shownUnit(unit: MemoryUnit, format: UnitFormat): AkashikMemoryUnit {
  const members: Readonly<Record<string, unknown>> = { ...unit };
  return { ...Object.fromEntries(UNIT_MEMBERS[format].map((name) => [name, members[name]])), id: unit.id };
}
