// `aaepd tail --only`: which events are shown, by their kind and by their agent.
import type { Envelope } from "#gen/aaep/types.js";
import { nearestName } from "../../base/nearest.js";
import { isCritical } from "../../client/event-types.js";
import { EVENT_WORDS, eventText } from "../terminal/event-text.js";

const CRITICAL = "critical";
const WORDS = [...EVENT_WORDS, CRITICAL];

/**
 * A name is a word with which lines begin, such as "text" or "critical"; a type with a colon and perhaps a final "*"; or the name or id of an agent.
 * Upper and lower case are the same. "confirm" and "question" also admit the notice that a listener gets in place of a question that it cannot answer
 * (R6). An event is shown if it fits one of the kinds, and one of the agents. Without names of a sort, all of that sort fit. A name in lower case
 * that is nearly a word counts as this word, and its agent is shown besides: nothing is hidden by a slip of the hand.
 */
export function createOnlyFilter(names: readonly string[] = []) {
  const words: string[] = [];
  const types = names.filter((name) => name.includes(":"));
  const wanted = new Set<string>();
  const shownBesides = new Set<string>();
  const warnings: string[] = [];
  for (const name of names.filter((one) => !types.includes(one))) {
    const lower = name.toLowerCase();
    const near = WORDS.includes(lower) ? lower : nearestName(lower, WORDS);
    if (near === lower) words.push(lower);
    else if (near === undefined || name !== lower) {
      wanted.add(lower);
      if (near !== undefined)
        warnings.push(`${JSON.stringify(name)} counts as the name of an agent. Did you mean ${near}?`);
    } else {
      words.push(near);
      shownBesides.add(lower);
      warnings.push(`${JSON.stringify(name)} is taken for ${near}, and for the name of an agent.`);
    }
  }

  const isOfKind = (event: Envelope): boolean =>
    (words.length === 0 && types.length === 0) ||
    words.includes(eventText(event, { read: () => "" }).what) ||
    isNoticeOf(event, words) ||
    (words.includes(CRITICAL) && isCritical(event)) ||
    types.some((type) => fits(event.type, type));

  return {
    admits: (event: Envelope): boolean =>
      ((wanted.size === 0 || isOf(event, wanted)) && isOfKind(event)) || isOf(event, shownBesides),
    /** Doubts about the names, one sentence each. */
    warnings,
  };
}

function isOf({ producer }: Envelope, agents: ReadonlySet<string>): boolean {
  return [producer?.agent_name, producer?.agent_id].some(
    (name) => name !== undefined && agents.has(name.toLowerCase()),
  );
}

/** Whether the event stands for a question of a kind that is wanted. */
function isNoticeOf({ extensions }: Envelope, words: readonly string[]): boolean {
  const asks = extensions?.aaepd?.asks;
  return (
    (asks === "confirmation" && words.includes("confirm")) || (asks === "clarification" && words.includes("question"))
  );
}

function fits(type: string, pattern: string): boolean {
  return pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
