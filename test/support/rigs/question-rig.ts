// Questions to an engine with a virtual clock, and replies to them.
import type { AuditEntry } from "../../../src/contracts/audit.js";
import { formatTimestamp } from "../../../src/engine/event/timestamps.js";
import type { Reply } from "../../../src/engine/questions/question-result.js";
import { createEngineRig, type EngineRig, type Listener, type RigOptions, session } from "./engine-rig.js";

export const ABLE = { supportsConfirmationReply: true, supportsClarificationReply: true };

export function decision(
  rig: EngineRig,
  token: string,
  value: "accept" | "reject",
  changes: Partial<Reply> = {},
): Reply {
  return {
    kind: "confirmation",
    token,
    timestamp: formatTimestamp(rig.clock.wallTime()),
    decision: value,
    decidedBy: undefined,
    rationale: undefined,
    modifiedAction: undefined,
    ...changes,
  } as Reply;
}

export function give(
  rig: EngineRig,
  to: Listener,
  token: string,
  value: "accept" | "reject",
  changes: Partial<Reply> = {},
) {
  const counted = to.subscription.listener.reply(decision(rig, token, value, changes), { token, value });
  rig.clock.settle();
  return counted;
}

export function started(options: RigOptions = {}): EngineRig {
  const rig = createEngineRig(options);
  rig.publish(session().started());
  return rig;
}

export const clarification = (token: string, extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: "aaep:agent.awaiting.clarification",
  session_id: "sess_1",
  question: `Which of ${token}?`,
  reply_token: token,
  timeout_seconds: 60,
  ...extra,
});

export const confirmation = (token: string, extra: Record<string, unknown> = {}) =>
  session().confirmation(token, { action: `Do ${token}.`, ...extra });

export const resultOf = ({ agent }: EngineRig, index = 0) => agent.outcomes[index]?.result;

export const audited = <Kind extends AuditEntry["kind"]>(rig: EngineRig, kind: Kind) =>
  rig.audit.filter((entry): entry is Extract<AuditEntry, { kind: Kind }> => entry.kind === kind);

export const fates = (rig: EngineRig) => audited(rig, "reply").map(({ fate }) => fate);

export const questionsIn = ({ received }: Listener) =>
  received.filter(({ event }) => event.type.startsWith("aaep:agent.awaiting."));
