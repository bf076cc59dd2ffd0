// An agent's questions to people: one call that waits for the outcome (AAEP §6.1), and the notifications around it.
import { Fault } from "../base/errors.js";
import type { AbortSignalLike, RpcConnection } from "../contracts/rpc.js";
import { newEventId, newReplyToken } from "./random-ids.js";

/**
 * What is to be consented to: the fields of the awaiting event (AAEP §4.4.1), with `session_id`. Left out, `timeout_seconds` is 300 and
 * `default_decision` "reject"; the daemon makes the `reply_token` and fills in the rest.
 */
export type ConfirmationQuestion = Readonly<Record<string, unknown>> & {
  readonly session_id: string;
  /** The exact action, in words. */
  readonly action: string;
  /** What follows from it, in words. */
  readonly consequence: string;
  readonly risk_level?: "low" | "medium" | "high";
  readonly irreversible?: boolean;
  /** Seconds, 1 to 86,400. */
  readonly timeout_seconds?: number;
  readonly default_decision?: "accept" | "reject";
};

/** What is to be answered (AAEP §4.4.2). Left out, `timeout_seconds` is 300, and any text will do where there are no choices. */
export type ClarificationQuestion = Readonly<Record<string, unknown>> & {
  readonly session_id: string;
  readonly question: string;
  readonly accepted_response_kinds?: readonly ("freetext" | "yes_no" | "multiple_choice" | "numeric")[];
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Seconds, 1 to 86,400. */
  readonly timeout_seconds?: number;
  readonly default_response?: string;
};

/** How a question ended (pitfall H8). Only "reply" is somebody's decision; everything else is a default, or nothing at all. */
interface Outcome {
  /** "host": the agent said what was decided in a dialog of its own. */
  readonly resolved_by: "reply" | "timeout" | "no_subscriber" | "subscription_ended" | "host" | "cancelled";
  /** Who decided, where the one who replied said so. */
  readonly decided_by?: string;
  readonly event_id: string;
  readonly reply_token: string;
}

export interface ConfirmationOutcome extends Outcome {
  /** Undefined where the question was taken back. Only "accept" permits the action, and what is irreversible only one by "reply" (R5). */
  readonly decision?: "accept" | "reject";
  readonly decision_rationale?: string;
  /** What is to be done instead of the action, as the person changed it. Comes only to agents that said they can (docs/confirmations.md). */
  readonly modified_action?: Readonly<Record<string, unknown>>;
}

export interface ClarificationOutcome extends Outcome {
  /** The answer or the question's default; undefined where there is neither. */
  readonly response?: string | boolean | number;
  /** How sure who answered is, 0 to 1. */
  readonly confidence?: number;
}

export type QuestionOutcome = ConfirmationOutcome & ClarificationOutcome;

/** Whether somebody who can answer is being waited for (pitfall H10). */
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
  /** Takes the question back when it is aborted; the call then resolves, as "cancelled" unless it had another outcome by then. */
  readonly signal?: Pick<AbortSignalLike, "aborted" | "addEventListener">;
}

/**
 * What a person decided in a dialog of the agent's own. It is no confirmation to the daemon: the call then goes out without `irreversible`, with
 * `extensions.aaepd.approved_by: "host"` (R5a).
 */
export interface HostDecision {
  readonly decided_by: "host";
  readonly decision: "accept" | "reject";
}

export interface AgentQuestions {
  /**
   * Asks for consent and resolves with the outcome, whatever it is: nothing of the action may be done before. Rejects with the Fault that refuses
   * the question (`default_not_allowed`, `session_not_started` …), or `peer_gone` where the outcome can no longer come: then nothing was consented
   * to. A lost connection, or a daemon that is started again, is waited for: the question stays open meanwhile.
   */
  readonly confirm: (question: ConfirmationQuestion, options?: AskOptions) => Promise<ConfirmationOutcome>;
  /** Asks for an answer, likewise. */
  readonly clarify: (question: ClarificationQuestion, options?: AskOptions) => Promise<ClarificationOutcome>;
  /**
   * Takes a question of this agent's back (AAEP §6.8). With `decided`, where the person answered in a dialog of the agent's own (an editor's
   * Allow), closes a confirmation as decided there (R5a): prompts elsewhere go away. False: it is not open, as where a reply came first, or not its
   * own; where the connection was lost meanwhile, perhaps because this call has closed it already, which the outcome says.
   */
  readonly cancel: (replyToken: string, decided?: HostDecision) => Promise<boolean>;
  /**
   * For an agent that comes back: how its question stands. Rejects with "not_found" for a token that is not remembered, or whose session is not this
   * connection's: show the `resume_token` of `session.started` where the session has ended meanwhile, else resume it first (R8).
   */
  readonly outcomeOf: (replyToken: string, resumeToken?: string) => Promise<QuestionState>;
}

export interface QuestionListeners {
  /** The outcome of a question that was published as an event of its own, rather than by `confirm` or `clarify`. */
  readonly onOutcome?: (outcome: QuestionOutcome) => void;
  /** Waiting for a person begins or ends: for agents that stop their own clocks meanwhile. */
  readonly onWaiting?: (waiting: QuestionWaiting) => void;
}

export interface AskedQuestions {
  readonly asked: AgentQuestions;
  /** Whether an outcome is one that a call of `confirm` or `clarify` waits for, and will be answered with. */
  readonly isAwaited: (outcome: unknown) => boolean;
}

/** Asks over `connection`. A question has its ids before it is asked, so that it is asked once though it is sent twice (R3). */
export function createAgentQuestions(connection: Pick<RpcConnection, "request">): AskedQuestions {
  const awaited = new Set<string>();
  const cancel = async (replyToken: string, decided?: HostDecision): Promise<boolean> =>
    membersOf(await connection.request("aaep.cancel", { reply_token: replyToken, ...decided })).cancelled === true;

  async function ask(
    method: string,
    question: Readonly<Record<string, unknown>>,
    { signal }: AskOptions,
  ): Promise<QuestionOutcome> {
    if (signal?.aborted === true) {
      throw new Fault("cancelled", "The signal had been aborted before the question was asked.", { origin: "local" });
    }
    // It can be taken back only by a token that is known here.
    const token = typeof question.reply_token === "string" ? question.reply_token : newReplyToken();
    const outcome = connection.request(method, {
      ...question,
      event_id: question.event_id ?? newEventId(),
      reply_token: token,
    });
    // Where it cannot be taken back, the connection is gone, which `outcome` says.
    signal?.addEventListener("abort", () => void cancel(token).catch(() => {}), { once: true });
    awaited.add(token);
    try {
      return readOutcome(await outcome);
    } finally {
      awaited.delete(token);
    }
  }

  const asked: AgentQuestions = {
    confirm: (question, options = {}) => ask("aaep.confirm", question, options),
    clarify: (question, options = {}) => ask("aaep.clarify", question, options),
    cancel,
    outcomeOf: async (replyToken, resumeToken) => {
      const shown = resumeToken === undefined ? {} : { resume_token: resumeToken };
      const params = { reply_token: replyToken, ...shown };
      const state = membersOf(await connection.request("aaep.outcome_of", params));
      if (state.state === "open") return { state: "open", reply_token: replyToken };
      return { ...readOutcome(state), state: "resolved" };
    },
  };
  const isAwaited = (outcome: unknown): boolean => {
    const { reply_token: token } = membersOf(outcome);
    return typeof token === "string" && awaited.has(token);
  };
  return { asked, isAwaited };
}

/** Hands a notification to whom it is for; false where it is none of these. */
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

/** Throws a Fault "invalid_message" for what says no outcome: what cannot be read is no consent. */
function readOutcome(value: unknown): QuestionOutcome {
  const { resolved_by: by, reply_token: token, event_id: eventId } = membersOf(value);
  if (typeof by === "string" && typeof token === "string" && typeof eventId === "string")
    return value as QuestionOutcome;
  throw new Fault("invalid_message", "The outcome of the question is not readable. Treat it as not consented to.");
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
