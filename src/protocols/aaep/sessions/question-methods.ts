// Questions of agents in JSON-RPC (AAEP §6.1, §6.8): params in, results and notifications out.
import { Fault } from "../../../base/errors.js";
import type { RpcCall } from "../../../contracts/rpc.js";
import type { AgentEvents } from "../../../engine/agents/question-agents.js";
import { outcomeFields } from "../../../engine/questions/question-result.js";
import { closingDocument, waitingDocument } from "../agent/agent-documents.js";
import type { AgentQuestions, HostAnswer } from "../agent/agent-questions.js";
import type { Message } from "../json/message.js";
import type { RpcNotification } from "./message-names.js";

export interface QuestionMethods {
  /** `aaep.confirm`: the params are the fields of the awaiting event, with `session_id`. Resolves with the outcome. */
  readonly confirm: (call: RpcCall) => Promise<Message>;
  /** `aaep.clarify`, in the same way. */
  readonly clarify: (call: RpcCall) => Promise<Message>;
  /** `aaep.cancel {reply_token, decided_by?, decision?}`: whether the question was open and belonged to this agent. */
  readonly cancel: (params: unknown) => Message | Promise<Message>;
  /** `aaep.outcome_of {reply_token, resume_token?}`. Throws "not_found" as `AgentQuestions.outcomeOf` does. */
  readonly outcomeOf: (params: unknown) => Message;
}

export function createQuestionMethods(questions: AgentQuestions): QuestionMethods {
  const asked = ({ params, signal }: RpcCall, ask: AgentQuestions["confirm"]): Promise<Message> =>
    ask(params, { signal }).then(outcomeFields);
  return {
    confirm: (call) => asked(call, questions.confirm),
    clarify: (call) => asked(call, questions.clarify),
    cancel: (params) => {
      const cancelled = questions.cancel(tokenIn(params), params as HostAnswer);
      return typeof cancelled === "boolean" ? { cancelled } : cancelled.then((was) => ({ cancelled: was }));
    },
    outcomeOf: (params) => {
      const token = tokenIn(params);
      const outcome = questions.outcomeOf(token, resumeTokenIn(params));
      return outcome === "open"
        ? { state: "open", reply_token: token }
        : { state: "resolved", ...outcomeFields(outcome) };
    },
  };
}

/** Notifications for an agent about its questions. */
export function questionNotifications(notify: (method: RpcNotification, params: object) => boolean): AgentEvents {
  return {
    outcome: (resolved) => void notify("aaep.outcome", outcomeFields(resolved)),
    waiting: (question, isWaiting) => void notify("aaep.waiting", waitingDocument(question, isWaiting)),
    stopRequested: (session_id) => void notify("aaep.stop_requested", { session_id }),
    closing: (areSessionsKept) => void notify("aaepd.closing", closingDocument(areSessionsKept)),
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
