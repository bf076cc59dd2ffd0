// The members of the daemon's extension in an event as its agent sent it, before any check: some of them are taken out or replaced there (R5c, R8).
import { isObject, type Members } from "../../base/members.js";
import type { AgentEvent } from "./event.js";
import { AAEPD, AAEPD_VOCABULARY } from "./vocabulary.js";

/** Undefined if the event has no such extension. */
export function ownMembersOf({ extensions }: Members): Members | undefined {
  return isObject(extensions) && isObject(extensions[AAEPD]) ? extensions[AAEPD] : undefined;
}

/**
 * Replaces the members of the daemon's extension, and sets `more` in the event. An extension without members is left out.
 */
export function withOwnMembers(fields: Members, members: Members, more: Members = {}): Members {
  const { extensions, ...others } = fields;
  const { [AAEPD]: _, ...left } = extensions as Members;
  const next = Object.keys(members).length === 0 ? left : { ...left, [AAEPD]: members };
  return { ...others, ...more, ...(Object.keys(next).length === 0 ? {} : { extensions: next }) };
}

/** The event with further marks of the daemon's, and with their vocabulary. The id stays, because it is the same event. */
export function withOwnMark(event: AgentEvent, marks: Members): AgentEvent {
  const context = event["@context"];
  const vocabularies = typeof context === "string" ? [context] : context;
  return {
    ...event,
    "@context": vocabularies.includes(AAEPD_VOCABULARY) ? vocabularies : [...vocabularies, AAEPD_VOCABULARY],
    extensions: { ...event.extensions, [AAEPD]: { ...event.extensions?.[AAEPD], ...marks } },
  };
}

/** Whether a question is asked in a dialog of its host as well. Here only a reply decides it, and no default applies (R5b). */
export function isHostDialog({ extensions }: Pick<AgentEvent, "extensions">): boolean {
  return extensions?.[AAEPD]?.host_dialog === true;
}
