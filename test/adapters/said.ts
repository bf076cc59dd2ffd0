import type { Heard } from "../client/agent/agent-stage.js";

/** What is said by an agent of that name, without the states that have no words and the ends of outputs. */
export function said(heard: Heard, name: string): readonly string[] {
  return heard.events.flatMap((event, at) => {
    const isQuiet = (event.type.endsWith("state.changed") && event.summary_normal === undefined) || event.chunk === "";
    return event.producer?.agent_name === name && !isQuiet ? [heard.lines[at] ?? ""] : [];
  });
}
