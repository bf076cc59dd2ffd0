// The terms of a subscription in their wire form (AAEP §5.4.4).
import type { EventFilters, Terms } from "../../../engine/terms/terms.js";
import type { Requested } from "./capabilities.js";

/** `honored_capabilities`: every core capability with a value, so that no reader has to know defaults. */
export interface HonoredCapabilities {
  readonly max_events_per_second?: number;
  readonly preferred_verbosity: Terms["preferredVerbosity"];
  readonly languages: readonly string[];
  readonly supports_confirmation_reply: boolean;
  readonly supports_clarification_reply: boolean;
  readonly coalesce_boundaries: Terms["coalesceBoundaries"];
  readonly event_filters: EventFilters;
  readonly supported_conformance_levels: readonly number[];
  readonly supported_extensions: readonly string[];
  readonly cognitive_load: Terms["cognitiveLoad"];
  readonly pace_wpm?: number;
  readonly accept_signed_manifests_only: boolean;
  readonly aaepd?: {
    readonly paused: boolean;
    readonly max_chars: number;
    readonly reply_status?: boolean;
    readonly checkpoints?: boolean;
  };
}

/**
 * `requested`: whether the peer named the `aaepd` capability, which is echoed only then (R26), and which of its members. `languages`: those of the
 * terms that are honored now; the terms keep all of them for agents that come later (R14).
 */
export function honoredCapabilities(
  terms: Terms,
  requested: Pick<Requested, "namesOwn" | "replyStatus" | "checkpoints">,
  languages: readonly string[],
): HonoredCapabilities {
  return {
    ...(terms.maxEventsPerSecond === undefined ? {} : { max_events_per_second: terms.maxEventsPerSecond }),
    preferred_verbosity: terms.preferredVerbosity,
    languages,
    supports_confirmation_reply: terms.supportsConfirmationReply,
    supports_clarification_reply: terms.supportsClarificationReply,
    coalesce_boundaries: terms.coalesceBoundaries,
    event_filters: terms.eventFilters,
    supported_conformance_levels: terms.supportedConformanceLevels,
    supported_extensions: terms.supportedExtensions,
    cognitive_load: terms.cognitiveLoad,
    ...(terms.paceWpm === undefined ? {} : { pace_wpm: terms.paceWpm }),
    accept_signed_manifests_only: terms.acceptSignedManifestsOnly,
    ...(requested.namesOwn ? { aaepd: ownCapability(terms, requested) } : {}),
  };
}

function ownCapability(
  { paused, maxChars, replyStatus, checkpoints }: Terms,
  requested: Pick<Requested, "replyStatus" | "checkpoints">,
) {
  return {
    paused,
    max_chars: maxChars,
    ...(requested.replyStatus === undefined ? {} : { reply_status: replyStatus }),
    ...(requested.checkpoints === undefined ? {} : { checkpoints }),
  };
}
