// The values of each label that are known from the start. A counter shows all of them from its first scrape on, so that its first increment is one.
import { FAULT_CODES } from "../../base/errors.js";
import type { ReplyFate } from "../../contracts/audit.js";
import type { ClosureReason } from "../../engine/subscriptions/subscription-spec.js";

/** A record, so that a new fate does not compile until it stands here. */
const FATES: Readonly<Record<ReplyFate, true>> = {
  counted: true,
  malformed: true,
  unknown_token: true,
  already_resolved: true,
  expired: true,
  not_entitled: true,
  wrong_subscription: true,
  wrong_kind: true,
  not_offered: true,
  not_recorded: true,
};

const REASONS: Readonly<Record<ClosureReason, true>> = {
  subscriber: true,
  lagging: true,
  producer_error: true,
  producer_shutdown: true,
  recording_ended: true,
  rejected: true,
  handshake_timeout: true,
};

/** Values by label. Further values appear as they come. */
export const LABEL_VALUES = {
  fate: Object.keys(FATES),
  reason: Object.keys(REASONS),
  code: FAULT_CODES,
  transport: ["ipc", "services", "stdio"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
