// What a subscriber is told of the limits for those that take slowly: with its acceptance, and when it is closed (P1, R18).
import type { EndReason } from "../../contracts/protocol.js";
import type { SlowLimits } from "../../engine/engine-status.js";
import type { EngineSubscription } from "../../engine/engine-subscription.js";
import type { Message } from "./subscription-desk.js";

/** `extensions.aaepd.limits`. */
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
