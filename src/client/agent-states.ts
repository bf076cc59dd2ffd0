// The states of an agent's link to its daemon, as seen from outside. Types only.
import type { Fault } from "../base/errors.js";

export type AgentState =
  /**
   * Published events go out. `isResumed`: the connection had been lost. `lostSessions` could not be taken over: for listeners they are over, and the
   * daemon refuses events published into them.
   */
  | { readonly kind: "active"; readonly isResumed: boolean; readonly lostSessions: readonly string[] }
  /** The connection is lost. Published events wait. */
  | { readonly kind: "waiting"; readonly retryInMs: number; readonly because: Fault }
  /** The last state: after `close`, with `because` undefined, or because another attempt is of no use or not requested. */
  | { readonly kind: "ended"; readonly because: Fault | undefined };
