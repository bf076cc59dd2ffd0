// Whether an agent reaches a daemon. Types only.
import type { Fault } from "../../base/errors.js";

export type AgentStatus =
  /** A daemon takes the events. */
  | { readonly kind: "connected" }
  /** The connection to the daemon is lost, or a daemon is being looked for. Events wait. */
  | { readonly kind: "away"; readonly because: Fault | undefined }
  /** There is no daemon: events are left out. The next session looks for one again. */
  | { readonly kind: "silent"; readonly because: Fault }
  | { readonly kind: "closed" };
