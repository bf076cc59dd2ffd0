import { type Fault, usage } from "../../base/errors.js";
import { didYouMean } from "../../base/nearest.js";
import type { JournalFacts } from "./journal-facts.js";

/** Makes the fault for an unknown session id: it names the nearest id and the command that lists all. */
export function noSuchSession(sessionId: string, facts: Pick<JournalFacts, "sessions">, path: string): Fault {
  const near = didYouMean(sessionId, [...facts.sessions.keys()]);
  const list = `aaepd journal inspect --all --journal ${path}`;
  const sentence = `There is no session ${JSON.stringify(sessionId.slice(0, 256))} in the journal ${path}. ${near} To list its sessions: ${list}`;
  return usage(sentence.replace("  ", " "));
}
