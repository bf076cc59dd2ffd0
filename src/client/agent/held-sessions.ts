// The sessions of an agent, and its events in a form that can be sent twice, so that a lost connection loses neither (R3, R8).
import type { ResumeSessionParams } from "#gen/aaep/types.js";
import { isObject, type Members, membersOf } from "../../base/members.js";
import { STARTED, TERMINAL } from "../event-types.js";
import { newEventId, newResumeToken } from "../random-ids.js";

interface HeldSession {
  readonly token: string;
  readonly isStarted: boolean;
  /** The end of the session is under way. */
  isEnding?: boolean;
}

export class HeldSessions {
  readonly #held = new Map<string, HeldSession>();

  /**
   * Adds the members that resending needs: an `event_id`, and for the start of a session its resume token. Returns the same object if nothing is
   * missing, or if `event` is no event.
   */
  prepare(event: unknown): unknown {
    if (!isObject(event)) return event;
    const identified = event.event_id === undefined ? { ...event, event_id: newEventId() } : event;
    this.#noteEnding(identified, true);
    if (!isOf(identified, STARTED)) return identified;
    const known = this.#held.get(identified.session_id);
    if (known?.isStarted === true) return identified;
    // A start without an answer is sent again with the same token.
    const token = ownTokenOf(identified) ?? known?.token ?? newResumeToken();
    this.#held.set(identified.session_id, { token, isStarted: false });
    return withOwnToken(identified, token);
  }

  accepted(event: unknown): void {
    if (!isObject(event)) return;
    if (isOf(event, TERMINAL)) this.#held.delete(event.session_id);
    const token = ownTokenOf(event);
    if (isOf(event, STARTED) && token !== undefined)
      this.#held.set(event.session_id, { ...this.#held.get(event.session_id), token, isStarted: true });
  }

  refused(event: unknown): void {
    if (!isObject(event)) return;
    this.#noteEnding(event, false);
    if (isOf(event, STARTED) && this.#held.get(event.session_id)?.isStarted === false)
      this.#held.delete(event.session_id);
  }

  /** The claims that take over the open sessions, the oldest first. */
  claims(): readonly ResumeSessionParams[] {
    return Array.from(this.#held, ([session_id, { token }]) => ({ session_id, resume_token: token }));
  }

  /**
   * Forgets a session that could not be taken over. False: it is not lost. One whose start is unanswered may still begin, and one whose end is under
   * way may just have ended.
   */
  dropLost(sessionId: string): boolean {
    const session = this.#held.get(sessionId);
    return session?.isStarted === true && session.isEnding !== true && this.#held.delete(sessionId);
  }

  #noteEnding(event: Members, isEnding: boolean): void {
    const session = isOf(event, TERMINAL) ? this.#held.get(event.session_id) : undefined;
    if (session !== undefined) session.isEnding = isEnding;
  }
}

function isOf(event: Members, types: RegExp): event is Members & { readonly session_id: string } {
  return typeof event.type === "string" && types.test(event.type) && typeof event.session_id === "string";
}

function ownTokenOf({ extensions }: Members): string | undefined {
  const { resume_token: token } = membersOf(membersOf(extensions).aaepd);
  return typeof token === "string" ? token : undefined;
}

/** Leaves malformed extensions alone; the daemon reports them. */
function withOwnToken(event: Members, token: string): Members {
  const { extensions = {} } = event;
  if (!isObject(extensions) || (extensions.aaepd !== undefined && !isObject(extensions.aaepd))) return event;
  if (extensions.aaepd?.resume_token !== undefined) return event;
  return { ...event, extensions: { ...extensions, aaepd: { ...extensions.aaepd, resume_token: token } } };
}
