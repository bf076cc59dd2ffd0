// The texts of a question as a person was to see them, for its line of the audit log (R37).
import type { AgentEvent } from "../../engine/event/event.js";
import { readableTexts } from "../../engine/terms/readable-fields.js";

/** Most code points of a text that are shown; the rest is counted. */
const LONGEST_SHOWN = 4_000;
/** Without a bracket, with which a text may imitate a name. */
const PLAIN = /^[\x20-Z\\-~\n]*$/;

/** Whether the texts may have characters that are not seen. */
export function mayDeceive(event: AgentEvent): boolean {
  return readableTexts(event).some(([, text]) => !PLAIN.test(text));
}

/** The texts in which something is not seen, each with the names of that; undefined if there are none. */
export async function shownTexts(event: AgentEvent): Promise<Readonly<Record<string, string>> | undefined> {
  // Loaded when it is first needed.
  const { revealed } = await import("../../speakable/consent.js");
  const shown = readableTexts(event).flatMap(([name, text]) => {
    const { text: said, named } = revealed(text, { limit: LONGEST_SHOWN });
    return named.length === 0 ? [] : [[name, said] as const];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}
