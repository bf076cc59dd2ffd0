// The blocking contract as one call (AAEP §6.1, §6.8): an agent asks, and its request is answered when the question has its outcome.
import { Fault } from "../../base/errors.js";
import type { RpcCall } from "../../contracts/rpc.js";
import type { AgentHandle } from "../../engine/publishing.js";
import type { AgentEvents } from "../../engine/question-agents.js";
import { outcomeFields } from "../../engine/question-result.js";
import { assertShallow } from "./json-codec.js";
import type { Message } from "./subscription-desk.js";

/** What the daemon puts where an agent that asks leaves it out: time enough for a person, and nothing done without one. */
const CONFIRMATION_DEFAULTS = { timeout_seconds: 300, default_decision: "reject" } as const;
const CLARIFICATION_DEFAULTS = { timeout_seconds: 300 } as const;

export interface QuestionMethods {
  /** `aaep.confirm`: params are the fields of the awaiting event, with `session_id`. Resolves with the outcome. */
  readonly confirm: (call: RpcCall) => Promise<Message>;
  /** `aaep.clarify`, likewise. */
  readonly clarify: (call: RpcCall) => Promise<Message>;
  /** `aaep.cancel {reply_token}`: whether it was open and this agent's. */
  readonly cancel: (params: unknown) => Message;
  /**
   * `aaep.outcome_of {reply_token, resume_token?}`. Throws "not_found" for a token that is not remembered, and just so where this connection neither
   * has the question's session nor shows its token (R19).
   */
  readonly outcomeOf: (params: unknown) => Message;
}

/**
 * How many questions of one connection may wait for their outcomes at a time. Half of the requests that may be without an answer before reading
 * pauses: an agent that asks too much can still take its questions back.
 */
export const MAX_AWAITED_COUNT = 2048;

export function createQuestionMethods(agent: () => AgentHandle): QuestionMethods {
  let awaitedCount = 0;
  /** Counts what is asked, unless it is refused. Its outcome may come at once. */
  const counted = <Asked>(asks: () => Asked): Asked => {
    awaitedCount += 1;
    try {
      return asks();
    } catch (caught) {
      awaitedCount -= 1;
      throw caught;
    }
  };

  const ask = (call: RpcCall, type: string, defaults: Message): Promise<Message> => {
    const { params, signal } = call;
    if (typeof params !== "object" || params === null || Array.isArray(params)) {
      throw new Fault("invalid_params", "Give the fields of the question, with session_id.", {
        pointer: "",
        rule: "R33",
      });
    }
    assertShallow(call.text);
    if (awaitedCount >= MAX_AWAITED_COUNT) {
      const sentence = `Wait for an outcome or take a question back first: ${MAX_AWAITED_COUNT} of this connection are waited for.`;
      throw new Fault("rate_limit", sentence, { pointer: "", rule: "AAEP §6.1" });
    }
    const handle = agent();
    return new Promise((resolve) => {
      const fields = { ...defaults, ...(params as Message), type };
      const { token } = counted(() =>
        handle.ask(fields, (resolved) => {
          awaitedCount -= 1;
          resolve(outcomeFields(resolved));
        }),
      );
      // An agent that is gone may come back to its question (R8); only one that is there takes it back.
      const withdraw = (): void => {
        if (signal.reason === "cancelled") handle.cancel(token);
      };
      if (signal.aborted) withdraw();
      else signal.addEventListener("abort", withdraw, { once: true });
    });
  };

  return {
    confirm: (call) => ask(call, "aaep:agent.awaiting.confirmation", CONFIRMATION_DEFAULTS),
    clarify: (call) => ask(call, "aaep:agent.awaiting.clarification", CLARIFICATION_DEFAULTS),
    cancel: (params) => ({ cancelled: agent().cancel(tokenIn(params)) }),
    outcomeOf: (params) => {
      const token = tokenIn(params);
      const outcome = agent().outcomeOf(token, resumeTokenIn(params));
      if (outcome === undefined) {
        const sentence =
          "Name the reply_token of a question of your own session that was asked in the last 24 hours; show resume_token where the session is another connection's.";
        throw new Fault("not_found", sentence, { pointer: "/reply_token", rule: "AAEP §6.2" });
      }
      return outcome === "open"
        ? { state: "open", reply_token: token }
        : { state: "resolved", ...outcomeFields(outcome) };
    },
  };
}

/** What the daemon tells an agent of its questions without being asked. */
export function questionNotifications(notify: (method: string, params: object) => boolean): AgentEvents {
  return {
    outcome: (resolved) => void notify("aaep.outcome", outcomeFields(resolved)),
    waiting: ({ token, event }, isWaiting) =>
      void notify("aaep.waiting", {
        reply_token: token,
        event_id: event.event_id,
        session_id: event.session_id,
        waiting: isWaiting,
      }),
  };
}

function tokenIn(params: unknown): string {
  const token =
    typeof params === "object" && params !== null && "reply_token" in params ? params.reply_token : undefined;
  if (typeof token === "string") return token;
  throw new Fault("invalid_params", "Name the question by its reply_token.", { pointer: "/reply_token", rule: "R33" });
}

function resumeTokenIn(params: unknown): string | undefined {
  const token =
    typeof params === "object" && params !== null && "resume_token" in params ? params.resume_token : undefined;
  if (token === undefined || typeof token === "string") return token;
  const sentence = "`resume_token` must be the string that session.started was answered with.";
  throw new Fault("invalid_params", sentence, { pointer: "/resume_token", rule: "R8" });
}
