// The faults of a subscriber's handler: a request that comes too early, too late, or for another subscription.
import { Fault } from "../../../base/errors.js";
import type { EndReason } from "../../../contracts/protocol.js";
import { quoted } from "./capabilities.js";

export function unsubscribed(): Fault {
  const detail = { pointer: "/type", rule: "AAEP §5.1" };
  return new Fault("handshake_required", "Send a subscription.request first.", detail);
}

export function unknownSubscription(id: string): Fault {
  const sentence = `There is no subscription ${quoted(id)} on this connection.`;
  return new Fault("unknown_subscription", sentence, { pointer: "/subscription_id", rule: "R19" });
}

export function ending(): Fault {
  return new Fault("shutting_down", "This connection is about to end; ask again on another one.", { rule: "R8a" });
}

export function endedBeforeRequest(reason: EndReason): Fault {
  return reason === "handshake_timeout"
    ? new Fault("timed_out", "No subscription.request came in time; connect again.")
    : new Fault("shutting_down", "The daemon is stopping.");
}

/** Adds the event's id to a fault, so that a subscriber that asked for several events can tell them apart. */
export function aboutEvent(caught: unknown, eventId: string): unknown {
  if (!(caught instanceof Fault)) return caught;
  const { pointer = "", rule = "R28" } = caught;
  return caught.with({ pointer, rule, eventId });
}
