// Remembers which source a session or a question belongs to, so that replies and skips go to the daemon that they mean.
import type { ReceivedEvent } from "../events.js";

export interface Owners<Owner> {
  readonly note: (event: ReceivedEvent, owner: Owner) => void;
  readonly ofQuestion: (replyToken: string) => Owner | undefined;
  /** The owner of this very event, else the last one that had an event of its session. */
  readonly ofEvent: (event: { readonly session_id: string }) => Owner | undefined;
  readonly forget: (owner: Owner) => void;
}

/** Sessions and questions remembered, each; the oldest are forgotten first. A question is known by its session for as long as that is known. */
const REMEMBERED = 4096;

export function createOwners<Owner>(): Owners<Owner> {
  const events = new WeakMap<object, Owner>();
  const sessions = new Map<string, Owner>();
  const questions = new Map<string, Owner>();
  return {
    note: (event, owner) => {
      events.set(event, owner);
      remember(sessions, event.session_id, owner);
      const { reply_token: token } = event as { readonly reply_token?: unknown };
      if (typeof token === "string") remember(questions, token, owner);
    },
    ofQuestion: (token) => questions.get(token),
    ofEvent: (event) => events.get(event) ?? sessions.get(event.session_id),
    forget: (owner) => {
      for (const map of [sessions, questions]) {
        for (const [key, one] of map) if (one === owner) map.delete(key);
      }
    },
  };
}

/** Puts the key last, and drops the oldest one if there are too many. */
function remember<Owner>(map: Map<string, Owner>, key: string, owner: Owner): void {
  map.delete(key);
  map.set(key, owner);
  if (map.size <= REMEMBERED) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
