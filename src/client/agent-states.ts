// How an agent stands with its daemon, as seen from outside. Types only.
import type { Fault } from "../base/errors.js";

export type AgentState =
  /**
   * Events that are published go out. `isResumed`: the connection had been lost. The sessions that `lostSessions` names could not be taken over
   * then: to who listens they are over, and what is published into them is refused.
   */
  | { readonly kind: "active"; readonly isResumed: boolean; readonly lostSessions: readonly string[] }
  /** The connection is lost. Events that are published wait. */
  | { readonly kind: "waiting"; readonly retryInMs: number; readonly because: Fault }
  /** The last state: by `close`, where `because` is undefined, or because trying again is of no use or was not asked for. */
  | { readonly kind: "ended"; readonly because: Fault | undefined };
