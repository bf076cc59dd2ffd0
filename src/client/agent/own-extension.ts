// The daemon's own extension in what an agent says (docs/reference/events.md).
import type { Members } from "../../base/members.js";
import type { CallOptions } from "./session-types.js";

const CORE = "https://aaep-protocol.org/context/v1";
const VOCABULARY = "https://aaepd.dev/context/v1";

/** The members of a call that the person has allowed in the agent's host itself (R5a). */
export const APPROVED_BY_HOST: CallOptions["invoked"] = {
  "@context": [CORE, VOCABULARY],
  extensions: { aaepd: { approved_by: "host" } },
};

/** Adds members to the daemon's extension of an event, and its vocabulary. Undefined ones are left out; without any, the event stays as it is. */
export function withOwn(fields: Members, members: Members): Members {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  if (given.length === 0) return fields;
  const extensions = (fields.extensions ?? {}) as Members;
  const context = [fields["@context"] ?? CORE].flat();
  return {
    ...fields,
    "@context": context.includes(VOCABULARY) ? context : [...context, VOCABULARY],
    extensions: {
      ...extensions,
      aaepd: { ...(extensions.aaepd as Members | undefined), ...Object.fromEntries(given) },
    },
  };
}
