// The members of the daemon's own that a subscription is given: with its acceptance, and when it is closed (P1, R18, R19).
import type { EndReason } from "../../../contracts/protocol.js";
import type { SlowLimits } from "../../../engine/engine-status.js";
import type { EngineSubscription } from "../../../engine/engine-subscription.js";
import type { Message } from "../json/message.js";

/** The members of `honored_capabilities.aaepd` that no request asks for. `heartbeatSeconds` is undefined where its stream may be silent. */
export function givenMembers(key: string, limits: SlowLimits, heartbeatSeconds: number | undefined): Message {
  return {
    key,
    limits: limitsDocument(limits),
    ...(heartbeatSeconds === undefined ? {} : { heartbeat_seconds: heartbeatSeconds }),
  };
}

/** What a subscription may lag and hold. */
export function limitsDocument({ lag, queueLimitCount }: SlowLimits): Message {
  return {
    queue_events: queueLimitCount,
    // What is more than that is not lost: it is read from the journal, at the subscriber's own pace.
    policy: "journal",
    max_lag_seconds: lag.maxMs / 1000,
    max_lag_events: lag.maxEvents,
  };
}

/**
 * Where the subscriber can go on (`resume_after`), whatever the reason; of one that lagged the limits, and how far it lagged. Empty where there is
 * nothing to tell.
 */
export function closingExtensions(reason: EndReason, engine: EngineSubscription, limits: SlowLimits): Message {
  const resumeAfter = engine.resumeAfter();
  const told: Message = {
    ...(resumeAfter === undefined ? {} : { resume_after: resumeAfter }),
    ...(reason === "lagging" ? { lag: lagDocument(engine), limits: limitsDocument(limits) } : {}),
  };
  return Object.keys(told).length === 0 ? {} : { extensions: { aaepd: told } };
}

function lagDocument(engine: EngineSubscription): Message {
  const { ms, eventCount } = engine.status().lag;
  return { seconds: ms / 1000, events: eventCount };
}
