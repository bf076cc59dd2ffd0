import type { AgentEvent } from "../engine/event/event.js";

/** Result of one attempt to answer a question. Only the audit log has the reason; the sender learns whether the reply counted, no more (R19). */
export type ReplyFate =
  | "counted"
  | "malformed"
  | "unknown_token"
  | "already_resolved"
  | "expired"
  | "not_entitled"
  | "wrong_subscription"
  | "wrong_kind"
  | "not_offered"
  /** The reply would have counted, but the journal could not write its outcome: the question is still open. */
  | "not_recorded";

/** A reply that arrived as text. */
export interface ReplyAsItCame {
  readonly text: string;
  /** The message in the text; missing if the text could be read in two ways, or not at all. */
  readonly message?: unknown;
}

/** One line of the audit log: the question, the subscriptions that were shown it, every attempt to answer, and the outcome (AAEP §10 T3). */
export type AuditEntry =
  | { readonly kind: "asked"; readonly event: AgentEvent }
  | {
      /** "left": to the agent's own window (R5b). */
      readonly kind: "shown" | "left";
      readonly event_id: string;
      readonly reply_token: string;
      readonly subscription_id: string;
      readonly subscriber_id: string;
    }
  | {
      readonly kind: "reply";
      readonly fate: ReplyFate;
      /** The member at which a malformed reply breaks its form, as a JSON pointer; "" is the whole. Missing if the reply is no message at all. */
      readonly pointer?: string;
      readonly reply_token: string;
      /** Whether a question with this token was open when the reply came. */
      readonly token_is_open: boolean;
      readonly subscription_id: string;
      readonly subscriber_id: string;
      /** The reply: a `ReplyAsItCame` if it arrived as text, else the message. */
      readonly reply: unknown;
    }
  /** An agent was told to stop (R39). */
  | {
      readonly kind: "stop";
      readonly session_id: string;
      readonly subscription_id: string;
      readonly subscriber_id: string;
    }
  | {
      readonly kind: "outcome";
      readonly event_id: string;
      readonly reply_token: string;
      readonly outcome: Readonly<Record<string, unknown>>;
    };

/** Facts about an entry that do not stand in the entry itself. */
export interface AuditNote {
  /** When it happened, milliseconds since 1970. Default now. */
  readonly at?: number;
  /** Called once, when the operating system has the line or the line is counted as lost. From then on no copy is needed. Default: nobody waits. */
  readonly settled?: () => void;
}

/** Appends lines. Never throws and never waits: lines that cannot be written are counted and logged. */
export interface Audit {
  /** False if nothing is recorded; callers then keep nothing for the audit log either. */
  readonly isOn: boolean;
  readonly record: (entry: AuditEntry, note?: AuditNote) => void;
}
