// The daemon's messages and their parameters (R31). A catalogue that lacks a message does not compile.
import type { QuestionKind } from "../../event/event.js";

export type GapReason = "aged_out" | "resumed_too_late" | "unknown_place";
export type ClosingReason =
  | "producer_shutdown"
  | "recording_ended"
  | "producer_error"
  | "lagging"
  | "handshake_timeout"
  | "idle_timeout";

/** The outcome of a question, and who decided it. A default is never reported as somebody's answer. */
export interface Outcome {
  readonly decision: "accepted" | "rejected" | "answered" | "unanswered" | "cancelled";
  readonly decidedBy: DecidedBy;
}

/**
 * "nobody_to_ask": no subscription could answer (R6). "nobody_left": the last subscription that could answer has ended (R7). "host": the person
 * answered in a dialog of the agent's own (R5a). "agent": the agent took the question back. "host_window": nobody decided here, and the person
 * answers in the agent's own window (R5b).
 */
export type DecidedBy = "reply" | "timeout" | "nobody_to_ask" | "nobody_left" | "host" | "agent" | "host_window";

/** The default answer of a clarification: a text, or yes or no in the listener's language. */
export type DefaultAnswer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "yes" }
  | { readonly kind: "no" };

export interface MessageParameters {
  /** The state of a session (R17). */
  readonly sessionSummary: {
    readonly state: string;
    readonly toolsRunningCount: number;
    readonly outputOpen: boolean;
    readonly questionOpen: boolean;
    /** 0..100; undefined if unknown. */
    readonly percent: number | undefined;
  };
  /** `eventCount` is an upper bound (R27). */
  readonly gap: { readonly eventCount: number | undefined; readonly reason: GapReason };
  readonly agentDisconnected: { readonly agent: string };
  /** The agent did not come back within its grace after a restart of the daemon (R8b). */
  readonly agentNotBack: { readonly agent: string };
  /** The daemon ends its sessions when it stops (R8a). */
  readonly daemonStopped: { readonly agent: string };
  readonly toolAbandoned: { readonly tool: string };
  /** For subscriptions that cannot answer (R6). */
  readonly questionNotice: { readonly agent: string; readonly kind: QuestionKind; readonly asking: string };
  readonly resolution: Outcome & { readonly asking: string; readonly defaultAnswer: DefaultAnswer | undefined };
  readonly countdown: {
    readonly passed: "half" | "nine_tenths";
    readonly remainingSeconds: number;
    readonly asking: string;
  };
  readonly closing: { readonly reason: ClosingReason };
  /** An agent of another protocol began a session; `capabilities` are names of that protocol. */
  readonly relayStarted: { readonly agent: string; readonly capabilities: readonly string[] };
  readonly relayEnded: { readonly agent: string };
  /** `details`: arguments that the configuration lets into texts, as in "city: Lagos". */
  readonly relayCall: { readonly agent: string; readonly tool: string; readonly details: string | undefined };
  /** `code`: an error code of that protocol. */
  readonly relayFailed: { readonly tool: string; readonly code: string };
  readonly relayArtifact: { readonly tool: string; readonly name: string };
  /** The action and the consequence of a question about a call that cannot be undone: the normal and the terse form. */
  readonly relayAction: { readonly agent: string; readonly tool: string; readonly details: string | undefined };
  readonly relayConsequence: { readonly tool: string };
}

export type MessageKey = keyof MessageParameters;

/** A message in its short and in its normal form. */
export interface Message {
  readonly terse: string;
  readonly normal: string;
}

export type Catalogue = { readonly [Key in MessageKey]: (parameters: MessageParameters[Key]) => Message };
