// The daemon's own members in an acceptance and in a close (R18, R19).
import type { EndReason } from "../../../contracts/protocol.js";
import type { SlowLimits } from "../../../engine/engine-status.js";
import type { Resumed } from "../../../engine/subscriptions/resume.js";
import type { Subscription } from "../../../engine/subscriptions/subscription.js";
import type { Message } from "../json/message.js";

/**
 * The members of `honored_capabilities.aaepd` that no request names. `heartbeatSeconds` is undefined if the stream has no heartbeat; `resumed` if no
 * place was named, or if the result was reported before.
 */
export function requestedMembers(
  key: string,
  limits: SlowLimits,
  heartbeatSeconds: number | undefined,
  { cursor, resumed }: { readonly cursor: string | undefined; readonly resumed: Resumed | undefined },
): Message {
  return {
    key,
    ...(cursor === undefined ? {} : { cursor }),
    ...(resumed === undefined ? {} : { resumed }),
    limits: limitsDocument(limits),
    ...(heartbeatSeconds === undefined ? {} : { heartbeat_seconds: heartbeatSeconds }),
  };
}

/** Limits of the lag and the queue of a subscription. */
export function limitsDocument({ lag, queueLimitCount }: SlowLimits): Message {
  return {
    queue_events: queueLimitCount,
    // Events beyond the queue are not lost: they are read from the journal, at the subscriber's own pace.
    policy: "journal",
    max_lag_seconds: lag.maxMs / 1000,
    max_lag_events: lag.maxEvents,
  };
}

/**
 * The place that the subscriber has reached (`cursor`), for every reason; after a lag also the limits and the lag. Empty if there is nothing to
 * report.
 */
export function closingExtensions(reason: EndReason, engine: Subscription, limits: SlowLimits): Message {
  const cursor = engine.cursor();
  const told: Message = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(reason === "lagging" ? { lag: lagDocument(engine), limits: limitsDocument(limits) } : {}),
  };
  return Object.keys(told).length === 0 ? {} : { extensions: { aaepd: told } };
}

function lagDocument(engine: Subscription): Message {
  const { ms, eventCount } = engine.status().lag;
  return { seconds: ms / 1000, events: eventCount };
}
