// The members of the daemon's extension that agents may set (R5a, R5b, R5c, R8, R38, AAEP §6.3.2); all others mark events of the daemon itself (R31).
import type { Envelope } from "#gen/aaep/types.js";
import { Fault } from "../../../base/errors.js";
import { pointerStep } from "../../../base/json-pointer.js";
import { ownMember } from "../../../base/members.js";
import { type TopicKind, topicKind } from "../../../engine/event/event.js";
import { isForeignCallId } from "../../../engine/sessions/published-event.js";

/** A member of agents: the kinds of events that have it, and its values. */
interface AgentsMember {
  readonly kinds: readonly TopicKind[];
  readonly accepts: (value: unknown) => boolean;
  readonly rule: string;
  /** Its values and the events that have it, in words. */
  readonly to: string;
}

/** `resume_token` of a `session.started` is taken out before the event is checked, so it is not listed here. */
export const AGENTS_MEMBERS = {
  accepts_modified_action: {
    kinds: ["awaiting.confirmation"],
    accepts: (value) => typeof value === "boolean",
    rule: "AAEP §6.3",
    to: "true or false, in an awaiting.confirmation",
  },
  approved_by: {
    kinds: ["tool.invoked"],
    accepts: (value) => value === "host",
    rule: "R5a",
    to: '"host" (nobody else approves for the agent), in a tool.invoked',
  },
  breach: {
    kinds: ["state.changed"],
    accepts: (value) => typeof value === "string" && value.length > 0 && value.length <= 100,
    rule: "R38",
    to: "the rule that a passed-on event broke, 1 to 100 characters, in a state.changed",
  },
  call_id: {
    kinds: ["tool.invoked", "tool.completed", "progress.updated", "awaiting.confirmation", "awaiting.clarification"],
    accepts: isForeignCallId,
    rule: "R5c",
    to: "a text of 1 to 256 characters, in an event about a tool call, a progress or a question",
  },
  consent: {
    kinds: ["tool.invoked"],
    accepts: (value) => typeof value === "string",
    rule: "R5c",
    to: "the reply_token of an accepted confirmation, in a tool.invoked",
  },
  host_dialog: {
    kinds: ["awaiting.confirmation", "awaiting.clarification"],
    accepts: (value) => typeof value === "boolean",
    rule: "R5b",
    to: "true or false, in a question",
  },
  tool_call_id: {
    kinds: ["progress.updated"],
    accepts: (value) => typeof value === "string" && /^call_[A-Za-z0-9]{1,64}$/.test(value),
    rule: "R5c",
    to: "the tool_call_id of an open call, in a progress.updated",
  },
} as const satisfies Readonly<Record<string, AgentsMember>>;

const POINTER = "/extensions/aaepd";

/** @throws Fault `invalid_event` for other members of `extensions.aaepd`, and for impossible values of these */
export function assertAgentsMembers({ type, extensions, event_id: eventId }: Envelope): void {
  const own = extensions?.aaepd;
  if (own === undefined) return;
  if (own.resume_token !== undefined) {
    const sentence = "Leave out `extensions.aaepd.resume_token`: it stands in the session.started of its session.";
    throw new Fault("invalid_event", sentence, { pointer: `${POINTER}/resume_token`, rule: "R8", eventId });
  }
  const kind = topicKind(type);
  for (const [name, value] of Object.entries(own)) {
    const member: AgentsMember | undefined = ownMember(AGENTS_MEMBERS, name);
    if (member === undefined) {
      const sentence = `Leave out \`extensions.aaepd.${name.slice(0, 100)}\`: of what stands there agents say ${Object.keys(AGENTS_MEMBERS).join(", ")} and resume_token, and the daemon the rest.`;
      const pointer = `${POINTER}/${pointerStep(name.slice(0, 100))}`;
      throw new Fault("invalid_event", sentence, { pointer, rule: "R31", eventId });
    }
    const { kinds, accepts, rule, to } = member;
    if (kind !== undefined && kinds.includes(kind) && accepts(value)) continue;
    const sentence = `Set \`extensions.aaepd.${name}\` to ${to}, or leave it out.`;
    throw new Fault("invalid_event", sentence, { pointer: `${POINTER}/${name}`, rule, eventId });
  }
}
