// Requests of people that an agent stops (R39). The agent ends its session itself; the daemon never ends one for that.
import { Fault } from "../../base/errors.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { Audit } from "../../contracts/audit.js";
import type { Clock } from "../../contracts/clock.js";
import type { Sessions } from "../sessions/sessions.js";
import type { QuestionAgents } from "./question-agents.js";

/** A session's agent is asked at most so often, ms. A request in between changes nothing. */
const EVERY_MS = 1000;
/** Most sessions whose last request is remembered. */
const MOST_REMEMBERED = 1024;

export interface StopRequests {
  /** Sets whether a connection's agent can be asked. */
  readonly setCanStop: (connection: object, canStop: boolean) => void;
  /** Asks a session's agent to stop. Throws "not_found" for a session that is not open, "unsupported" if its agent cannot be asked. */
  readonly request: (sessionId: string, by: { readonly id: string; readonly subscriberId: string }) => void;
}

export function createStopRequests(
  clock: Pick<Clock, "now">,
  sessions: Pick<Sessions, "ownerOf" | "timestamp">,
  agents: Pick<QuestionAgents, "tellStop">,
  audit: Pick<Audit, "record">,
): StopRequests {
  const able = new WeakSet<object>();
  const askedAt = new Map<string, number>();
  return {
    setCanStop: (connection, canStop) => void (canStop ? able.add(connection) : able.delete(connection)),
    request: (sessionId, { id: subscription_id, subscriberId: subscriber_id }) => {
      const detail = { pointer: "/session_id", rule: "R39" };
      if (sessions.timestamp(sessionId) === undefined) throw new Fault("not_found", "Name an open session.", detail);
      const owner = sessions.ownerOf(sessionId);
      const now = clock.now();
      const last = askedAt.get(sessionId);
      if (owner !== undefined && able.has(owner)) {
        if (last !== undefined && now - last < EVERY_MS) return;
        askedAt.delete(sessionId);
        askedAt.set(sessionId, now);
        keepNewest(askedAt, MOST_REMEMBERED);
        if (agents.tellStop(owner, sessionId))
          return audit.record({ kind: "stop", session_id: sessionId, subscription_id, subscriber_id });
      }
      throw new Fault("unsupported", "Stop the agent where it runs; it cannot be asked from here.", detail);
    },
  };
}
