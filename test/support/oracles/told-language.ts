// Whether an event that was sent says the language of its texts (AAEP §11.1, R2, R14). It goes by the names of fields alone, and not by what the
// daemon takes for a text.
import type { Message } from "./wire-sniffer.js";

/** What AAEP announces to a person; a variant has one of these names before its tag. */
const ANNOUNCED =
  /^(summary_terse|summary_normal|summary_detailed|description|question|context|chunk|error_message|action|consequence|reason|remediation_hint|partial_result|output_summary|args_summary)(_[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*)?$/;
const OF_ANY_TYPE = /^summary_/;
const NESTED = /^(description|label)(_|$)/;

/** The first field that needs a language and has none told; undefined where all is well. */
export function untoldText(event: Message): string | undefined {
  const { localization_hints: hints } = event;
  if (typeof (hints as Message | undefined)?.primary_language === "string") return undefined;
  const isCore = /^(aaep:|https:\/\/aaep-protocol\.org\/types\/)/.test(String(event.type));
  const own = Object.keys(event).find((name) => ANNOUNCED.test(name) && (isCore || OF_ANY_TYPE.test(name)));
  if (own !== undefined || !isCore) return own;
  const nested = [event.progress, ...(Array.isArray(event.choices) ? event.choices : [])];
  return nested.flatMap((one) => Object.keys((one ?? {}) as Message)).find((name) => NESTED.test(name));
}
