// The place of a chunk of streamed text.
import type { AgentEvent } from "./event.js";

/** The key of an output's text; the session's unnamed output has the empty id. */
export function outputKey(event: AgentEvent): string {
  const id = event.output_id;
  return `${event.session_id}/${typeof id === "string" ? id : ""}`;
}

/** Position of a chunk in its output, in code points. */
export function positionIn({ position }: AgentEvent): number {
  return typeof position === "number" ? position : 0;
}
