// The present activity of a session, in words: "runs npm test for 40 seconds".
import type { StatusSession, StatusTool } from "../../daemon/status/daemon-status.js";
import type { StandardState } from "../../engine/event/agent-states.js";
import { counted, span } from "../terminal/amounts.js";

/** Other states are said as they are. */
const VERBS: Readonly<Record<StandardState, string>> = {
  idle: "is idle",
  thinking: "thinks",
  deciding: "decides",
  handing_off: "hands over",
  calling_tool: "runs a tool",
  writing_output: "writes",
  awaiting_input: "waits for an answer",
};

/** Names and words that listeners heard, no arguments. `now`: milliseconds since 1970. */
export function doing(session: StatusSession, now: number): string {
  const { open_tools: toolCount, tools = [], open_outputs: outputCount, open_questions: questionCount } = session;
  const unnamed = toolCount - tools.length;
  const parts = [
    ...(questionCount === 0 ? [] : [waits(questionCount, session.asked_for_seconds)]),
    ...tools.map((tool) => runs(tool, now)),
    // Only the first ones are named.
    ...(unnamed === 0 ? [] : [`runs ${counted(unnamed, tools.length === 0 ? "tool" : "more tool")}`]),
    ...(outputCount === 0 ? [] : ["writes"]),
  ];
  return parts.length === 0 ? stateWords(session.state) : parts.join(", ");
}

function stateWords(state: string): string {
  return Object.hasOwn(VERBS, state) ? VERBS[state as StandardState] : state.replaceAll("_", " ");
}

function waits(count: number, seconds: number | undefined): string {
  const time = seconds === undefined ? "" : ` for ${span(seconds)}`;
  return count === 1 ? `waits for an answer${time}` : `waits for ${counted(count, "answer")}${time}`;
}

/** Words as "Runs npm test." become a part of the sentence. */
function runs({ tool, words, since, for_seconds: own }: StatusTool, now: number): string {
  const said = words?.replace(/[.!]$/u, "") ?? "";
  const does = said === "" ? `runs ${tool}` : said.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase());
  const seconds = own ?? (since === undefined ? undefined : (now - Date.parse(since)) / 1000);
  return seconds === undefined ? does : `${does} for ${span(seconds)}`;
}
