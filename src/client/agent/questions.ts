// An agent's questions to people, and how they end. Types only.
import type { FurtherMembers } from "../events.js";
import type { SignalLike } from "./on-abort.js";

/** Further members of a question of an agent that has a host (R5b, R5c). */
interface HostedQuestion {
  /**
   * The host asks in a window of its own too. Only a reply decides the question then. Without one it ends as "cancelled", and no default applies.
   * Default false.
   */
  readonly host_dialog?: boolean | undefined;
  /** The id that the host has for the call about which it asks: 1 to 256 characters, unique in the session. */
  readonly call_id?: string | undefined;
  /** Seconds, 1 to 86,400. Default 300. */
  readonly timeout_seconds?: number;
}

/** A question for consent, in the open session: the members of its event (AAEP §4.4.1). The client makes its ids if they are missing. */
export type SessionConfirmation = FurtherMembers<
  "aaep:agent.awaiting.confirmation",
  "action" | "consequence" | "risk_level" | "irreversible" | "timeout_seconds" | "default_decision"
> &
  HostedQuestion & {
    /** The exact action, in words. */
    readonly action: string;
    /** The consequence of the action, in words. */
    readonly consequence: string;
    readonly risk_level?: "low" | "medium" | "high";
    readonly irreversible?: boolean;
    /** Default "reject". */
    readonly default_decision?: "accept" | "reject";
  };

/** A question for information, in the open session (AAEP §4.4.2). Without choices any text is accepted. */
export type SessionClarification = FurtherMembers<
  "aaep:agent.awaiting.clarification",
  "question" | "accepted_response_kinds" | "choices" | "timeout_seconds" | "default_response"
> &
  HostedQuestion & {
    readonly question: string;
    readonly accepted_response_kinds?: readonly ("freetext" | "yes_no" | "multiple_choice" | "numeric")[];
    readonly choices?: readonly { readonly value: string; readonly label: string }[];
    readonly default_response?: string;
  };

export interface SessionAskOptions {
  /**
   * Takes the question back when it is aborted: the outcome is then "cancelled", unless the question had another one by then. The call resolves
   * within a second, also if the daemon hangs. If the reason of the abort is `{decided_by: "host", decision}`, the person has answered a confirmation
   * in the host itself: it is closed with that decision, by "host", which permits nothing here (R5a).
   */
  readonly signal?: SignalLike | undefined;
}

/**
 * How a question ended. Only "reply" is a person's decision by a subscription; the others are defaults, the agent's own report, or no
 * decision.
 */
interface Outcome {
  /** "host": the agent reported the decision of a dialog of its own. */
  readonly resolved_by: "reply" | "timeout" | "no_subscriber" | "subscription_ended" | "host" | "cancelled";
  /** Identity of the decider, if the reply named it. */
  readonly decided_by?: string;
  readonly event_id: string;
  readonly reply_token: string;
}

export interface ConfirmationOutcome extends Outcome {
  /** Undefined if the question was cancelled. Only "accept" permits the action, and only an "accept" by "reply" permits an irreversible one (R5). */
  readonly decision?: "accept" | "reject";
  readonly decision_rationale?: string;
  /** The action to take instead, as changed by the person. Only agents that declare the ability receive it (docs/confirmations.md). */
  readonly modified_action?: Readonly<Record<string, unknown>>;
}

export interface ClarificationOutcome extends Outcome {
  /** The answer, or the question's default; undefined if there is neither. */
  readonly response?: string | boolean | number;
  /** Confidence of the answering person, 0 to 1. */
  readonly confidence?: number;
}

export type QuestionOutcome = ConfirmationOutcome & ClarificationOutcome;

/** Whether the daemon is waiting for somebody who can answer. */
export interface QuestionWaiting {
  readonly reply_token: string;
  readonly event_id: string;
  readonly session_id: string;
  readonly waiting: boolean;
}

/**
 * A person's decision in a dialog of the agent's own. To the daemon it is no confirmation: the call then goes out without `irreversible`, with
 * `extensions.aaepd.approved_by: "host"` (R5a).
 */
export interface HostDecision {
  readonly decided_by: "host";
  readonly decision: "accept" | "reject";
}
