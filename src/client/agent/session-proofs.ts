// The tokens of an agent's sessions. A call beside the agent's stream shows the token of the session that it is about (R8).
import type { ResumeSessionParams } from "#gen/aaep/types.js";
import { STARTED, TERMINAL } from "../event-types.js";
import type { Fields } from "../messages.js";
import { RecentMap } from "../recent-map.js";

interface HeldSession {
  readonly token: string;
  readonly as: "begun" | "taken over";
}

/** Questions that are certainly remembered, the last ones. */
const REMEMBERED_QUESTIONS = 1024;

export class SessionProofs {
  readonly #sessions = new Map<unknown, HeldSession>();
  readonly #questions = new RecentMap<string>(REMEMBERED_QUESTIONS);

  /** Events are about to be published. */
  publishes(events: readonly Fields[]): void {
    for (const { type, session_id: id, reply_token: replyToken, extensions } of events) {
      const token = (extensions as { readonly aaepd?: Fields } | undefined)?.aaepd?.resume_token;
      if (STARTED.test(String(type)) && typeof token === "string") this.#sessions.set(id, { token, as: "begun" });
      const held = this.#sessions.get(id);
      if (typeof replyToken === "string" && held !== undefined) this.#questions.set(replyToken, held.token);
    }
  }

  /** The daemon has taken these events. */
  published(events: readonly Fields[]): void {
    for (const { type, session_id: id } of events) if (TERMINAL.test(String(type))) this.#sessions.delete(id);
  }

  /** A session was taken over. */
  takesOver(claim: Fields): void {
    const { session_id: id, resume_token: token } = claim as unknown as ResumeSessionParams;
    this.#sessions.set(id, { token, as: "taken over" });
  }

  /** How this connection has the session of the event; undefined: it does not have it. */
  heldAs({ session_id: id }: Fields): HeldSession["as"] | undefined {
    return this.#sessions.get(id)?.as;
  }

  /** The token for the session of a question. */
  of(replyToken: unknown): string | undefined {
    return this.#questions.get(String(replyToken));
  }
}
