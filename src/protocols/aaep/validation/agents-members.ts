// The members of the daemon's extension that agents may set (R5a, R8, AAEP §6.3.2); all others mark events of the daemon itself (R31).
import type { Envelope } from "#gen/aaep/types.js";
import { Fault } from "../../../base/errors.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { topicKind } from "../../../engine/event/event.js";

/** `resume_token` of a `session.started` is taken out before the event is checked, so it is not listed here. */
export const AGENTS_MEMBERS: ReadonlySet<string> = new Set(["accepts_modified_action", "approved_by"]);

const POINTER = "/extensions/aaepd";

/** @throws Fault `invalid_event` for other members of `extensions.aaepd`, and for impossible values of these */
export function assertAgentsMembers({ type, extensions, event_id: eventId }: Envelope): void {
  const own = extensions?.aaepd;
  if (own === undefined) return;
  if (own.resume_token !== undefined) {
    const sentence = "Leave out `extensions.aaepd.resume_token`: it stands in the session.started of its session.";
    throw new Fault("invalid_event", sentence, { pointer: `${POINTER}/resume_token`, rule: "R8", eventId });
  }
  const stray = Object.keys(own).find((name) => !AGENTS_MEMBERS.has(name));
  if (stray !== undefined) {
    const sentence = `Leave out \`extensions.aaepd.${stray.slice(0, 100)}\`: of what stands there agents say ${[...AGENTS_MEMBERS].join(", ")} and resume_token, and the daemon the rest.`;
    throw new Fault("invalid_event", sentence, {
      pointer: `${POINTER}/${pointerStep(stray.slice(0, 100))}`,
      rule: "R31",
      eventId,
    });
  }
  const kind = topicKind(type);
  if (own.approved_by !== undefined && (own.approved_by !== "host" || kind !== "tool.invoked")) {
    const sentence =
      'Set `extensions.aaepd.approved_by` to "host", in a tool.invoked, or leave it out; nobody else approves for the agent.';
    throw new Fault("invalid_event", sentence, { pointer: `${POINTER}/approved_by`, rule: "R5a", eventId });
  }
  const { accepts_modified_action: accepts } = own;
  if (accepts === undefined || (typeof accepts === "boolean" && kind === "awaiting.confirmation")) return;
  const sentence =
    "Set `extensions.aaepd.accepts_modified_action` to true or false, in an awaiting.confirmation, or leave it out.";
  throw new Fault("invalid_event", sentence, {
    pointer: `${POINTER}/accepts_modified_action`,
    rule: "AAEP §6.3",
    eventId,
  });
}
