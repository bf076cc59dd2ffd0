// Remembers which source a session or a question belongs to, so that replies and skips go to the daemon that they mean.
import type { ReceivedEvent } from "../events.js";
import { RecentMap } from "../recent-map.js";

/** Newest sessions and questions that are certainly remembered, each. */
const REMEMBERED = 4096;

export class Owners<Owner> {
  readonly #events = new WeakMap<object, Owner>();
  readonly #sessions = new RecentMap<Owner>(REMEMBERED);
  readonly #questions = new RecentMap<Owner>(REMEMBERED);

  note(event: ReceivedEvent, owner: Owner): void {
    this.#events.set(event, owner);
    this.#sessions.set(event.session_id, owner);
    const { reply_token: token } = event as { readonly reply_token?: unknown };
    if (typeof token === "string") this.#questions.set(token, owner);
  }

  ofQuestion(replyToken: string): Owner | undefined {
    return this.#questions.get(replyToken);
  }

  /** The owner of this very event, else the last one that had an event of its session. */
  ofEvent(event: { readonly session_id: string }): Owner | undefined {
    return this.#events.get(event) ?? this.#sessions.get(event.session_id);
  }

  forget(owner: Owner): void {
    for (const map of [this.#sessions, this.#questions]) map.deleteAll((one) => one === owner);
  }
}
