// Remembers which source a session or a question belongs to, so that replies and skips go to the daemon that they mean.
import type { ReceivedEvent } from "../events.js";
import { createRecentMap } from "../recent-map.js";

export interface Owners<Owner> {
  readonly note: (event: ReceivedEvent, owner: Owner) => void;
  readonly ofQuestion: (replyToken: string) => Owner | undefined;
  /** The owner of this very event, else the last one that had an event of its session. */
  readonly ofEvent: (event: { readonly session_id: string }) => Owner | undefined;
  readonly forget: (owner: Owner) => void;
}

/** Newest sessions and questions that are certainly remembered, each. */
const REMEMBERED = 4096;

export function createOwners<Owner>(): Owners<Owner> {
  const events = new WeakMap<object, Owner>();
  const sessions = createRecentMap<Owner>(REMEMBERED);
  const questions = createRecentMap<Owner>(REMEMBERED);
  return {
    note: (event, owner) => {
      events.set(event, owner);
      sessions.set(event.session_id, owner);
      const { reply_token: token } = event as { readonly reply_token?: unknown };
      if (typeof token === "string") questions.set(token, owner);
    },
    ofQuestion: (token) => questions.get(token),
    ofEvent: (event) => events.get(event) ?? sessions.get(event.session_id),
    forget: (owner) => {
      for (const map of [sessions, questions]) map.deleteAll((one) => one === owner);
    },
  };
}
