// `aaepd tail --only`: which events are shown, by their kind and by their agent.
import type { Envelope } from "#gen/aaep/types.js";
import { didYouMean } from "../../base/nearest.js";
import { EVENT_WORDS, eventText, isCritical } from "../terminal/event-text.js";

export interface OnlyFilter {
  readonly admits: (event: Envelope) => boolean;
  /** Doubts about the names, one sentence each. */
  readonly warnings: readonly string[];
}

const CRITICAL = "critical";
const WORDS = [...EVENT_WORDS, CRITICAL];

/**
 * A name is a word with which lines begin, such as "text" or "critical"; a type with a colon and perhaps a final "*"; or the name or id of an agent,
 * in any case. "confirm" and "question" also admit the notice that a listener gets in place of a question that it cannot answer (R6). An event is
 * shown if it fits one of the kinds, and one of the agents. Without names of a sort, all of that sort fit.
 */
export function createOnlyFilter(names: readonly string[] = []): OnlyFilter {
  const words = names.filter((name) => WORDS.includes(name));
  const types = names.filter((name) => name.includes(":"));
  const agents = names.filter((name) => !words.includes(name) && !types.includes(name));
  const wanted = new Set(agents.map((name) => name.toLowerCase()));

  const isOfKind = (event: Envelope): boolean =>
    (words.length === 0 && types.length === 0) ||
    words.includes(eventText(event).what) ||
    isNoticeOf(event, words) ||
    (words.includes(CRITICAL) && isCritical(event)) ||
    types.some((type) => fits(event.type, type));

  const isOfAgent = ({ producer }: Envelope): boolean =>
    wanted.size === 0 ||
    [producer?.agent_name, producer?.agent_id].some((name) => name !== undefined && wanted.has(name.toLowerCase()));

  return {
    admits: (event) => isOfAgent(event) && isOfKind(event),
    warnings: agents.flatMap((name) => {
      const near = didYouMean(name, WORDS);
      return near === "" ? [] : [`${JSON.stringify(name)} counts as the name of an agent. ${near}`];
    }),
  };
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
