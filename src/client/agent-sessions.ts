// The sessions of an agent, and its events in a form that can be sent twice, so that a lost connection loses neither (R3, R8).
import type { ResumeSessionParams } from "#gen/aaep/types.js";
import { STARTED, TERMINAL } from "./event-types.js";
import { newEventId, newResumeToken } from "./random-ids.js";

type Fields = Readonly<Record<string, unknown>>;

interface HeldSession {
  readonly token: string;
  isStarted: boolean;
  /** The end of the session is under way. */
  isEnding: boolean;
}

export class AgentSessions {
  readonly #held = new Map<string, HeldSession>();

  /**
   * Adds the members that resending needs: an `event_id`, and for the start of a session its resume token. Returns the same object if nothing is
   * missing, or if `event` is no event.
   */
  prepare(event: unknown): unknown {
    if (!isFields(event)) return event;
    const identified = event.event_id === undefined ? { ...event, event_id: newEventId() } : event;
    const ending = this.#endOf(identified);
    if (ending !== undefined) ending.isEnding = true;
    if (!isOf(identified, STARTED)) return identified;
    const known = this.#held.get(identified.session_id);
    if (known?.isStarted === true) return identified;
    // A start without an answer is sent again with the same token.
    const token = ownTokenOf(identified) ?? known?.token ?? newResumeToken();
    this.#begin(identified.session_id, token, false);
    return withOwnToken(identified, token);
  }

  accepted(event: unknown): void {
    if (!isFields(event)) return;
    if (isOf(event, TERMINAL)) this.#held.delete(event.session_id);
    const token = ownTokenOf(event);
    if (isOf(event, STARTED) && token !== undefined) this.#begin(event.session_id, token, true);
  }

  refused(event: unknown): void {
    const ending = this.#endOf(event);
    if (ending !== undefined) ending.isEnding = false;
    if (isFields(event) && isOf(event, STARTED) && this.#held.get(event.session_id)?.isStarted === false)
      this.#held.delete(event.session_id);
  }

  /** Reports a session that was taken over. */
  hold({ session_id: sessionId, resume_token: token }: ResumeSessionParams): void {
    this.#begin(sessionId, token, true);
  }

  /** The claims that take over the open sessions, the oldest first. */
  claims(): readonly ResumeSessionParams[] {
    return Array.from(this.#held, ([session_id, { token }]) => ({ session_id, resume_token: token }));
  }

  /**
   * Reports that a session could not be taken over. Returns whether the session is lost. A session whose start is unanswered may still begin, and a
   * session whose end is under way may just have ended: these are not lost.
   */
  isLost(sessionId: string): boolean {
    const session = this.#held.get(sessionId);
    return session?.isStarted === true && !session.isEnding;
  }

  drop(sessionId: string): void {
    this.#held.delete(sessionId);
  }

  #begin(sessionId: string, token: string, isStarted: boolean): void {
    this.#held.set(sessionId, { token, isStarted, isEnding: false });
  }

  #endOf(event: unknown): HeldSession | undefined {
    return isFields(event) && isOf(event, TERMINAL) ? this.#held.get(event.session_id) : undefined;
  }
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

/** Leaves malformed extensions alone; the daemon reports them. */
function withOwnToken(event: Fields, token: string): Fields {
  const { extensions = {} } = event;
  if (!isFields(extensions) || (extensions.aaepd !== undefined && !isFields(extensions.aaepd))) return event;
  if (extensions.aaepd?.resume_token !== undefined) return event;
  return { ...event, extensions: { ...extensions, aaepd: { ...extensions.aaepd, resume_token: token } } };
}
