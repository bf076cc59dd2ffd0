// Questions that a host asks in its own window too (R5b).
import type { AgentEvent } from "./event.js";
import { AAEPD } from "./vocabulary.js";

/** Whether a question is asked in a dialog of its host as well. Here only a reply decides it, and no default applies (R5b). */
export function isHostDialog({ extensions }: Pick<AgentEvent, "extensions">): boolean {
  return extensions?.[AAEPD]?.host_dialog === true;
}
