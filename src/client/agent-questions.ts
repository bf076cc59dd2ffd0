// An agent's questions to people: one call that waits for the outcome (AAEP §6.1), and the notifications around it.
import { Fault } from "../base/errors.js";
import type { AbortSignalLike, RpcConnection } from "../contracts/rpc.js";
import type { FurtherMembers } from "./events.js";
import { onAbort } from "./on-abort.js";
import { newEventId, newReplyToken } from "./random-ids.js";

/**
 * A request for consent: the fields of the awaiting event (AAEP §4.4.1), with `session_id`. Defaults: `timeout_seconds` 300, `default_decision`
 * "reject". The client makes the ids if they are missing; the daemon fills in the rest.
 */
export type ConfirmationQuestion = FurtherMembers<
  "aaep:agent.awaiting.confirmation",
  "action" | "consequence" | "risk_level" | "irreversible" | "timeout_seconds" | "default_decision"
> & {
  readonly session_id: string;
  /** The exact action, in words. */
  readonly action: string;
  /** The consequence of the action, in words. */
  readonly consequence: string;
  readonly risk_level?: "low" | "medium" | "high";
  readonly irreversible?: boolean;
  /** Seconds, 1 to 86,400. */
  readonly timeout_seconds?: number;
  readonly default_decision?: "accept" | "reject";
};

/** A request for an answer (AAEP §4.4.2). Defaults: `timeout_seconds` 300; without choices any text is accepted. */
export type ClarificationQuestion = FurtherMembers<
  "aaep:agent.awaiting.clarification",
  "question" | "accepted_response_kinds" | "choices" | "timeout_seconds" | "default_response"
> & {
  readonly session_id: string;
  readonly question: string;
  readonly accepted_response_kinds?: readonly ("freetext" | "yes_no" | "multiple_choice" | "numeric")[];
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Seconds, 1 to 86,400. */
  readonly timeout_seconds?: number;
  readonly default_response?: string;
};

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

export type QuestionState =
  | { readonly state: "open"; readonly reply_token: string }
  | (QuestionOutcome & { readonly state: "resolved" });

export interface AskOptions {
  /** Cancels the question when aborted. The call then resolves, as "cancelled" unless the question had another outcome by then. */
  readonly signal?: Pick<AbortSignalLike, "aborted" | "addEventListener">;
}

/**
 * A person's decision in a dialog of the agent's own. To the daemon it is no confirmation: the call then goes out without `irreversible`, with
 * `extensions.aaepd.approved_by: "host"` (R5a).
 */
export interface HostDecision {
  readonly decided_by: "host";
  readonly decision: "accept" | "reject";
}

export interface AgentQuestions {
  /**
   * Asks for consent and resolves with the outcome, whatever it is. The agent must not begin the action before. Rejects with the Fault that refuses
   * the question (`default_not_allowed`, `session_not_started` …), or with `peer_gone` if the outcome can no longer come: then there is no consent.
   * The call waits through a lost connection and a restart of the daemon; the question stays open meanwhile.
   */
  readonly confirm: (question: ConfirmationQuestion, options?: AskOptions) => Promise<ConfirmationOutcome>;
  /** Asks for an answer; otherwise as `confirm`. */
  readonly clarify: (question: ClarificationQuestion, options?: AskOptions) => Promise<ClarificationOutcome>;
  /**
   * Cancels a question of this agent (AAEP §6.8). With `decided`, the person answered in a dialog of the agent's own (an editor's Allow): a
   * confirmation is closed with that decision (R5a), and prompts elsewhere disappear. False: the question is not open, for example because a reply
   * came first, or it belongs to another agent. False after a lost connection may mean that this very call has closed the question; the outcome
   * tells.
   */
  readonly cancel: (replyToken: string, decided?: HostDecision) => Promise<boolean>;
  /**
   * Returns the state of a question, for an agent that comes back. Rejects with "not_found" if the daemon does not remember the token, or if the
   * session does not belong to this connection. If the session has ended meanwhile, pass the `resume_token` of `session.started`; else resume the
   * session first (R8).
   */
  readonly outcomeOf: (replyToken: string, resumeToken?: string) => Promise<QuestionState>;
}

export interface QuestionListeners {
  /** Receives the outcome of a question that was published as an event of its own, not by `confirm` or `clarify`. */
  readonly onOutcome?: (outcome: QuestionOutcome) => void;
  /** Reports that waiting for a person begins or ends, for agents that stop their own clocks meanwhile. */
  readonly onWaiting?: ((waiting: QuestionWaiting) => void) | undefined;
}

export interface AskedQuestions {
  readonly asked: Omit<AgentQuestions, "outcomeOf">;
  /** Whether a call of `confirm` or `clarify` waits for this outcome and will resolve with it. */
  readonly isAwaited: (outcome: unknown) => boolean;
}

/** The members of a question that may be made here. */
interface Asked {
  readonly event_id?: unknown;
  readonly reply_token?: unknown;
}

/** Asks over `connection`. A question gets its ids before it is sent, so that a resent question is asked once (R3). */
export function createAgentQuestions(connection: Pick<RpcConnection, "request">): AskedQuestions {
  const awaited = new Set<string>();
  const cancel = async (replyToken: string, decided?: HostDecision): Promise<boolean> =>
    membersOf(await connection.request("aaep.cancel", { reply_token: replyToken, ...decided })).cancelled === true;

  async function ask(method: string, question: Asked, { signal }: AskOptions): Promise<QuestionOutcome> {
    if (signal?.aborted === true) {
      throw new Fault("cancelled", "The signal was aborted before the question.", { origin: "local" });
    }
    // Cancelling needs a token that is known here.
    const token = typeof question.reply_token === "string" ? question.reply_token : newReplyToken();
    const outcome = connection.request(method, {
      ...question,
      event_id: question.event_id ?? newEventId(),
      reply_token: token,
    });
    // `cancel` fails only if the connection is gone, which `outcome` reports.
    const ignoreSignal = onAbort(signal, () => void cancel(token).catch(() => {}));
    awaited.add(token);
    try {
      return readOutcome(await outcome, token);
    } finally {
      awaited.delete(token);
      ignoreSignal();
    }
  }

  const asked: AskedQuestions["asked"] = {
    confirm: (question, options = {}) => ask("aaep.confirm", question, options),
    clarify: (question, options = {}) => ask("aaep.clarify", question, options),
    cancel,
  };
  const isAwaited = (outcome: unknown): boolean => {
    const { reply_token: token } = membersOf(outcome);
    return typeof token === "string" && awaited.has(token);
  };
  return { asked, isAwaited };
}

/** Asks for the state of a question, as `AgentQuestions.outcomeOf`. */
export async function outcomeOver(
  { request }: Pick<RpcConnection, "request">,
  replyToken: string,
  resumeToken: string | undefined,
): Promise<QuestionState> {
  const shown = resumeToken === undefined ? {} : { resume_token: resumeToken };
  const state = membersOf(await request("aaep.outcome_of", { reply_token: replyToken, ...shown }));
  if (state.state === "open") return { state: "open", reply_token: replyToken };
  return { ...readOutcome(state, replyToken), state: "resolved" };
}

/** Passes a notification to its listener; false if the method is none of these. */
export function tellListeners(method: string, params: unknown, listeners: QuestionListeners): boolean {
  switch (method) {
    case "aaep.outcome":
      listeners.onOutcome?.(readOutcome(params));
      return true;
    case "aaep.waiting":
      listeners.onWaiting?.(params as QuestionWaiting);
      return true;
    default:
      return false;
  }
}

/**
 * Throws a Fault "invalid_message" if the value is no outcome, or not that of the question with the token `asked`: what cannot be read and what is
 * another question's is no consent.
 */
function readOutcome(value: unknown, asked?: string): QuestionOutcome {
  const { resolved_by: by, reply_token: token, event_id: eventId } = membersOf(value);
  if (typeof by === "string" && typeof token === "string" && typeof eventId === "string" && token === (asked ?? token))
    return value as QuestionOutcome;
  throw new Fault("invalid_message", "The outcome is not readable. Treat it as no consent.");
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
