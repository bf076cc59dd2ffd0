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
  readonly accepted: (event: unknown) => void;
  readonly refused: (event: unknown) => void;
  /** A session was taken over. */
  readonly hold: (claim: ResumeSessionParams) => void;
  /** What takes over the sessions that are open, the oldest first. */
  readonly claims: () => readonly ResumeSessionParams[];
  /**
   * A session could not be taken over. Answers whether it is lost: one whose start is still to be answered may begin yet, and one whose end is may
   * just have ended.
   */
  readonly isLost: (sessionId: string) => boolean;
  readonly drop: (sessionId: string) => void;
}

interface HeldSession {
  readonly token: string;
  isStarted: boolean;
  /** Its end is on its way. */
  isEnding: boolean;
}

export function createAgentSessions(): AgentSessions {
  const held = new Map<string, HeldSession>();
  const begin = (sessionId: string, token: string, isStarted: boolean): void => {
    held.set(sessionId, { token, isStarted, isEnding: false });
  };
  const endOf = (event: unknown): HeldSession | undefined =>
    isFields(event) && isOf(event, TERMINAL) ? held.get(event.session_id) : undefined;

  return {
    prepare: (event) => {
      if (!isFields(event)) return event;
      const identified = event.event_id === undefined ? { ...event, event_id: newEventId() } : event;
      const ending = endOf(identified);
      if (ending !== undefined) ending.isEnding = true;
      if (!isOf(identified, STARTED)) return identified;
      const known = held.get(identified.session_id);
      if (known?.isStarted === true) return identified;
      // A start that was never answered is repeated with the token that it had.
      const token = ownTokenOf(identified) ?? known?.token ?? newResumeToken();
      begin(identified.session_id, token, false);
      return withOwnToken(identified, token);
    },
    accepted: (event) => {
      if (!isFields(event)) return;
      if (isOf(event, TERMINAL)) held.delete(event.session_id);
      const token = ownTokenOf(event);
      if (isOf(event, STARTED) && token !== undefined) begin(event.session_id, token, true);
    },
    refused: (event) => {
      const ending = endOf(event);
      if (ending !== undefined) ending.isEnding = false;
      if (isFields(event) && isOf(event, STARTED) && held.get(event.session_id)?.isStarted === false)
        held.delete(event.session_id);
    },
    hold: ({ session_id: sessionId, resume_token: token }) => begin(sessionId, token, true),
    claims: () => Array.from(held, ([session_id, { token }]) => ({ session_id, resume_token: token })),
    isLost: (sessionId) => {
      const session = held.get(sessionId);
      return session?.isStarted === true && !session.isEnding;
    },
    drop: (sessionId) => void held.delete(sessionId),
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
  if (extensions.aaepd?.resume_token !== undefined) return event;
  return { ...event, extensions: { ...extensions, aaepd: { ...extensions.aaepd, resume_token: token } } };
}
