// The sessions that an agent has, and its events as they can be sent twice: so that a lost connection loses neither (R3, R8).
import type { ResumeSessionParams } from "#gen/aaep/types.js";
import { STARTED, TERMINAL } from "./event-types.js";
import { newEventId, newResumeToken } from "./random-ids.js";

type Fields = Readonly<Record<string, unknown>>;

export interface AgentSessions {
  /**
   * The event with what is needed to send it again: an `event_id`, and where it starts a session the session's resume token. Answers the same object
   * where nothing is missing, and where it is no event.
   */
  readonly prepare: (event: unknown) => unknown;
  /** It was accepted, or refused. */
  readonly settled: (event: unknown, isAccepted: boolean) => void;
  /** A session was taken over. */
  readonly hold: (claim: ResumeSessionParams) => void;
  /** What takes over the sessions that are open, the oldest first. */
  readonly claims: () => readonly ResumeSessionParams[];
  /** A session could not be taken over. Answers whether it was there to be lost: the start of any other is still to be answered. */
  readonly drop: (sessionId: string) => boolean;
}

interface HeldSession {
  readonly token: string;
  isStarted: boolean;
}

export function createAgentSessions(): AgentSessions {
  const held = new Map<string, HeldSession>();
  return {
    prepare: (event) => {
      if (!isFields(event)) return event;
      const identified = typeof event.event_id === "string" ? event : { ...event, event_id: newEventId() };
      if (!isOf(identified, STARTED) || held.has(identified.session_id)) return identified;
      const token = ownTokenOf(identified) ?? newResumeToken();
      held.set(identified.session_id, { token, isStarted: false });
      return withOwnToken(identified, token);
    },
    settled: (event, isAccepted) => {
      if (!isFields(event)) return;
      if (isOf(event, STARTED)) {
        const session = held.get(event.session_id);
        if (session === undefined || session.isStarted) return;
        if (isAccepted) session.isStarted = true;
        else held.delete(event.session_id);
      } else if (isAccepted && isOf(event, TERMINAL)) held.delete(event.session_id);
    },
    hold: ({ session_id: sessionId, resume_token: token }) => {
      held.set(sessionId, { token, isStarted: true });
    },
    claims: () => Array.from(held, ([session_id, { token }]) => ({ session_id, resume_token: token })),
    drop: (sessionId) => {
      if (held.get(sessionId)?.isStarted !== true) return false;
      return held.delete(sessionId);
    },
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOf(event: Fields, types: RegExp): event is Fields & { readonly session_id: string } {
  return typeof event.type === "string" && types.test(event.type) && typeof event.session_id === "string";
}

function ownTokenOf({ extensions }: Fields): string | undefined {
  const own = isFields(extensions) && isFields(extensions.aaepd) ? extensions.aaepd.resume_token : undefined;
  return typeof own === "string" ? own : undefined;
}

/** Where its extensions are none the daemon says so. */
function withOwnToken(event: Fields, token: string): Fields {
  const { extensions = {} } = event;
  if (!isFields(extensions) || (extensions.aaepd !== undefined && !isFields(extensions.aaepd))) return event;
  return { ...event, extensions: { ...extensions, aaepd: { ...extensions.aaepd, resume_token: token } } };
}
