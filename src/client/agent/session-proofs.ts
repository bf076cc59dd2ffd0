// The tokens of an agent's sessions. A call beside the agent's stream shows the token of the session that it is about (R8).
import type { ResumeSessionParams } from "#gen/aaep/types.js";
import { STARTED, TERMINAL } from "../event-types.js";
import type { Fields } from "../http/documents.js";

export interface SessionProofs {
  /** Events are about to be published. */
  readonly publishes: (events: readonly Fields[]) => void;
  /** The daemon has taken these events. */
  readonly published: (events: readonly Fields[]) => void;
  /** A session was taken over. */
  readonly takesOver: (claim: Fields) => void;
  /** How this connection has the session of the event; undefined: it does not have it. */
  readonly heldAs: (event: Fields) => "begun" | "taken over" | undefined;
  /** The token for the session of a question. */
  readonly of: (replyToken: unknown) => string | undefined;
}

interface HeldSession {
  readonly token: string;
  readonly as: "begun" | "taken over";
}

/** Questions that are remembered, the last ones. */
const MOST_QUESTIONS = 1024;

export function createSessionProofs(): SessionProofs {
  const sessions = new Map<unknown, HeldSession>();
  const questions = new Map<unknown, string>();
  const remember = (replyToken: unknown, token: string): void => {
    const [oldest] = questions.keys();
    if (questions.size >= MOST_QUESTIONS) questions.delete(oldest);
    questions.set(replyToken, token);
  };

  return {
    publishes: (events) => {
      for (const { type, session_id: id, reply_token: replyToken, extensions } of events) {
        const token = (extensions as { readonly aaepd?: Fields } | undefined)?.aaepd?.resume_token;
        if (STARTED.test(String(type)) && typeof token === "string") sessions.set(id, { token, as: "begun" });
        const held = sessions.get(id);
        if (replyToken !== undefined && held !== undefined) remember(replyToken, held.token);
      }
    },
    published: (events) => {
      for (const { type, session_id: id } of events) if (TERMINAL.test(String(type))) sessions.delete(id);
    },
    takesOver: (claim) => {
      const { session_id: id, resume_token: token } = claim as unknown as ResumeSessionParams;
      sessions.set(id, { token, as: "taken over" });
    },
    heldAs: ({ session_id: id }) => sessions.get(id)?.as,
    of: (replyToken) => questions.get(replyToken),
  };
}
