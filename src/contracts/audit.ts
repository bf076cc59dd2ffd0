import type { AgentEvent } from "../engine/event/event.js";

/** What became of one attempt to answer a question. Only the log says why; whoever replied is told no more than whether it counted (R19). */
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
  /** It would have counted, but the journal could not take its outcome: the question is still open. */
  | "not_recorded";

/** A reply that came as text. */
export interface ReplyAsItCame {
  readonly text: string;
  /** What the text says; missing where it could be read in two ways, or in none. */
  readonly message?: unknown;
}

/** One line of the audit log: who asked, what exactly, who was shown it, every attempt to answer, and how it ended (AAEP §10 T3). */
export type AuditEntry =
  | { readonly kind: "asked"; readonly event: AgentEvent }
  | {
      readonly kind: "shown";
      readonly event_id: string;
      readonly reply_token: string;
      readonly subscription_id: string;
      readonly subscriber_id: string;
    }
  | {
      readonly kind: "reply";
      readonly fate: ReplyFate;
      readonly reply_token: string;
      /** Whether a question with this token was open when the reply came. */
      readonly token_is_open: boolean;
      readonly subscription_id: string;
      readonly subscriber_id: string;
      /** The reply: a `ReplyAsItCame` where it came as text, else the message. */
      readonly reply: unknown;
    }
  | {
      readonly kind: "outcome";
      readonly event_id: string;
      readonly reply_token: string;
      readonly outcome: Readonly<Record<string, unknown>>;
    };

/** What there is to say of an entry beside what it says itself. */
export interface AuditNote {
  /** When it happened, milliseconds since 1970. Default now. */
  readonly at?: number;
  /** Called once, when the operating system has the line or it is counted as lost: nobody need keep it any longer. Default nobody waits for that. */
  readonly settled?: () => void;
}

/** Appends; never throws and never waits. What cannot be written is counted and logged. */
export interface Audit {
  /** False where nothing is recorded, so that nothing is kept for it either. */
  readonly isOn: boolean;
  readonly record: (entry: AuditEntry, note?: AuditNote) => void;
}
