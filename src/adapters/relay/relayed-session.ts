// A session of a producer elsewhere, as it is here.
import { createHash } from "node:crypto";
import { Fault } from "../../base/errors.js";
import type { Message } from "./relayed-event.js";

export interface RelayedSession {
  /** The id here. It is the producer's, unless that is malformed, or somebody else has a session of that id, or had one. */
  id: string;
  producer: Message;
  /** Whether it comes from a relay, as the name of its producer says. */
  isRelayed: boolean;
  /** The last `to_state` that the daemon has taken, which the next `from_state` may name (R3a). */
  state: string;
  /** Whether the daemon has it. */
  hasBegun: boolean;
  /** When it was last said that words may be missing, ms. */
  gapSaidAt: number;
  /** Its open questions, by their tokens. */
  readonly questions: Map<string, Message>;
}

/** A session of which nothing is known but the producer's id. Of a malformed id the relay makes the same id each time, also after it has ended. */
export function newSession(remote: string, base: string): RelayedSession {
  const digest = createHash("sha256").update(`${base} ${remote}`).digest("hex");
  return {
    ...{ id: /^sess_[A-Za-z0-9]{1,64}$/.test(remote) ? remote : `sess_${digest}`, producer: {}, isRelayed: false },
    ...{ state: "idle", hasBegun: false, gapSaidAt: Number.NEGATIVE_INFINITY, questions: new Map() },
  };
}

/** For the producer's log: its session goes on under an id of the relay's. */
export function notAnId(): Fault {
  const sentence = "`session_id` must be `sess_` followed by 1 to 64 letters or digits.";
  return new Fault("invalid_event", sentence, { pointer: "/session_id", rule: "AAEP §3.2.4" });
}

/** A text that went out before the daemon had answered for the one before it. */
export interface SentText {
  readonly session: RelayedSession;
  readonly event: Message;
  readonly fault: Promise<Fault | undefined>;
}

/** Faults of an event in a session that somebody else has here, or had. */
export const OF_ANOTHER: ReadonlySet<string> = new Set([
  "session_not_yours",
  "session_already_started",
  "session_ended",
]);

/** Whether the daemon refuses each event of the session, until it has begun here under an id of its own. */
export function isOfSession({ code }: Fault): boolean {
  return OF_ANOTHER.has(code) || code === "session_not_started";
}
