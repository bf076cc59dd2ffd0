// The document that answers `aaepd.status`. docs/status.md explains each member; the names are those of the wire. Undefined members are left out.

import type { RelayReport } from "../../adapters/relay/relay-report.js";
import type { EventFilters, SpeakableChoices } from "../../engine/terms/terms.js";
import type { Complaint } from "../platform/finding.js";
import type { StatusMemory } from "../platform/process-memory.js";

export interface DaemonStatus {
  readonly version: string;
  readonly pid: number;
  readonly producer_id: string;
  /** RFC 3339, like all instants. */
  readonly started_at: string;
  readonly uptime_seconds: number;
  readonly problems: readonly StatusProblem[];
  readonly endpoints: Readonly<Record<string, string | readonly string[]>>;
  readonly connections: Readonly<Record<string, number>>;
  readonly memory: StatusMemory;
  readonly rates: { readonly published_per_second: number; readonly delivered_per_second: number };
  readonly totals: { readonly published: number } & StatusCounts;
  readonly closures: Readonly<Record<string, number>>;
  /** Refused publications, by the code of the fault. */
  readonly publish_faults: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, unknown>>;
  readonly journal: StatusJournal;
  /** Totals; the lists have at most `limit` entries each. */
  readonly session_count: number;
  readonly subscription_count: number;
  readonly question_count: number;
  readonly sessions: readonly StatusSession[];
  readonly subscriptions: readonly StatusSubscription[];
  readonly questions: readonly StatusQuestion[];
  /** Events of hooks that were seen, by host: the last time of each. */
  readonly hooks?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of each relay that is connected to the daemon. Missing without any. */
  readonly relays?: readonly RelayReport[];
}

export interface StatusProblem extends Complaint {
  readonly code:
    | "slow_subscriber"
    | "journal_failing"
    | "audit_failing"
    | "nobody_can_answer"
    | "a2e_host_down"
    | "place_lost";
  /** The subscription concerned, if the problem belongs to one. */
  readonly subscription_id?: string;
  readonly subscriber_id?: string;
  readonly since?: string;
}

export interface StatusCounts {
  readonly delivered: number;
  readonly coalesced: number;
  readonly overtook: number;
  readonly fell_behind: number;
  readonly gaps: number;
  readonly gap_events: number;
}

export interface StatusJournal {
  readonly kind: "memory" | "disk";
  readonly path?: string;
  readonly policy?: string;
  readonly events: number;
  readonly bytes: number;
  readonly oldest_at?: string;
  readonly oldest_age_seconds?: number;
  readonly head: number;
  readonly durable_epoch: number;
  readonly pending_events: number;
  readonly failure?: string;
}

export interface StatusTool {
  readonly tool: string;
  /** The words that listeners heard. */
  readonly words?: string;
  /** The timestamp of the call. */
  readonly since?: string;
  /** Since the call was received, by the daemon's clock. Missing after a restart of the daemon. */
  readonly for_seconds?: number;
}

export interface StatusSession {
  readonly session_id: string;
  readonly agent_id: string;
  readonly agent_name?: string;
  readonly state: string;
  readonly events: number;
  readonly open_tools: number;
  /** The oldest open tools, at most 4. */
  readonly tools?: readonly StatusTool[];
  readonly open_outputs: number;
  readonly open_questions: number;
  /** Seconds since the oldest open question was asked. */
  readonly asked_for_seconds?: number;
  readonly agent_connected: boolean;
  readonly grace_until?: string;
}

export interface StatusSubscription extends StatusCounts {
  readonly subscription_id: string;
  readonly subscriber_id: string;
  readonly since: string;
  readonly reads: "live" | "queue" | "journal";
  readonly paused: boolean;
  readonly blocked: boolean;
  readonly queue: number;
  readonly untaken: number;
  readonly lag_events: number;
  readonly lag_seconds: number;
  readonly behind_since?: string;
  readonly terms: StatusTerms;
}

/** Named like the negotiated capabilities; an undefined member has no limit. */
export interface StatusTerms {
  readonly max_events_per_second?: number;
  readonly preferred_verbosity: string;
  readonly languages: readonly string[];
  readonly coalesce_boundaries: readonly string[];
  readonly event_filters: EventFilters;
  readonly cognitive_load: string;
  readonly pace_wpm?: number;
  readonly supports_confirmation_reply: boolean;
  readonly supports_clarification_reply: boolean;
  readonly supported_extensions: readonly string[];
  readonly paused: boolean;
  readonly max_chars: number;
  readonly speakable?: SpeakableChoices;
}

export interface StatusQuestion {
  readonly session_id: string;
  readonly kind: "confirmation" | "clarification";
  /** At most 200 characters. */
  readonly asked: string;
  readonly asked_at: string;
  readonly deadline: string;
  readonly can_answer: number;
  readonly shown_to: number;
}
