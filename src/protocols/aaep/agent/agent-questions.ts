// Questions as one call (AAEP §6.1, §6.8): the agent asks, and the call is answered when the question has its outcome. No ruling names
// `accepts_modified_action`: only agents that can change an action get changes.
import { Fault } from "../../../base/errors.js";
import { assertMay } from "../../../base/permission.js";
import type { Access } from "../../../contracts/access.js";
import type { AbortSignalLike } from "../../../contracts/rpc.js";
import type { AgentHandle } from "../../../engine/agents/agent-handle.js";
import type { HostDecision, ResolvedQuestion } from "../../../engine/questions/question-result.js";
import type { Message } from "../json/message.js";

/** Defaults for members that the agent leaves out: time enough for a person, and rejection without an answer. */
const CONFIRMATION_DEFAULTS = { timeout_seconds: 300, default_decision: "reject" } as const;
const CLARIFICATION_DEFAULTS = { timeout_seconds: 300 } as const;

/** A call that waits for a person. `signal`: "cancelled" withdraws the question, "ended" leaves it open. */
interface AskingCall {
  readonly signal: AbortSignalLike;
  /** The token of a session that another connection has (R8). */
  readonly resumeToken?: string | undefined;
}

/** Members of a cancellation that report the decision of a dialog of the agent's own (R5a). */
export type HostAnswer = Readonly<Record<string, unknown>>;

/** Undefined if the question is only withdrawn. Throws "invalid_params" for one member without the other, and for other values. */
function hostDecision({ decided_by: by, decision }: HostAnswer): HostDecision | undefined {
  if (by === undefined && decision === undefined) return undefined;
  const fault = (pointer: string, sentence: string) => new Fault("invalid_params", sentence, { pointer, rule: "R5a" });
  if (by !== "host") {
    throw fault(
      "/decided_by",
      'Set `decided_by` to "host" where the agent\'s own dialog was answered, else leave out `decision` as well.',
    );
  }
  if (decision === "accept" || decision === "reject") return decision;
  throw fault("/decision", 'Set `decision` to "accept" or "reject", as the person decided.');
}

export interface AgentQuestions {
  /** `fields` are the members of the awaiting event, with `session_id`. Throws the Fault that refuses the question; resolves with its outcome. */
  readonly confirm: (fields: unknown, call: AskingCall) => Promise<ResolvedQuestion>;
  readonly clarify: (fields: unknown, call: AskingCall) => Promise<ResolvedQuestion>;
  /**
   * Withdraws a question, or closes it with the decision in `host`. Returns, once that is durable (R29), whether the question was open and belonged
   * to this agent or to the session of `resumeToken`.
   */
  readonly cancel: (token: string, host: HostAnswer, resumeToken?: string) => boolean | Promise<boolean>;
  /**
   * Throws "not_found" for a token that is not remembered, and likewise if this connection neither has the question's session nor shows its token
   * (R19).
   */
  readonly outcomeOf: (token: string, resumeToken?: string) => ResolvedQuestion | "open";
}

/**
 * Most questions of one connection that wait for their outcomes at a time: half of those that may be open in all sessions, and far fewer than the
 * unanswered requests at which reading pauses, so that an agent with too many questions can still withdraw some.
 */
export const MAX_AWAITED_COUNT = 512;

export function createAgentQuestions(agent: () => AgentHandle, access: Access): AgentQuestions {
  let awaitedCount = 0;
  /** Counts a question unless it is refused. The outcome may come at once. */
  const counted = <Asked>(asks: () => Asked): Asked => {
    awaitedCount += 1;
    try {
      return asks();
    } catch (caught) {
      awaitedCount -= 1;
      throw caught;
    }
  };

  const ask = (
    given: unknown,
    { signal, resumeToken }: AskingCall,
    type: string,
    defaults: Message,
  ): Promise<ResolvedQuestion> => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw new Fault("invalid_params", "Give the fields of the question, with session_id.", {
        pointer: "",
        rule: "R33",
      });
    }
    assertMay(access, "ask", (given as Message).session_id);
    if (awaitedCount >= MAX_AWAITED_COUNT) {
      const sentence = `Wait for an outcome or take a question back first: ${MAX_AWAITED_COUNT} of this connection are waited for.`;
      throw new Fault("rate_limit", sentence, { pointer: "", rule: "AAEP §6.1" });
    }
    const handle = agent();
    return new Promise((resolve) => {
      // Defaults stand last: the text of a question that has them all is the one that was published before (R3).
      const missing = Object.entries(defaults).filter(([name]) => !Object.hasOwn(given, name));
      const fields = { ...(given as Message), type, ...Object.fromEntries(missing) };
      const told = (resolved: ResolvedQuestion): void => {
        awaitedCount -= 1;
        resolve(resolved);
      };
      const { token } = counted(() => handle.ask(fields, told, resumeToken));
      // An agent whose connection is lost may come back to its question (R8); only a connected agent withdraws it.
      const withdraw = (): void => {
        if (signal.reason !== "cancelled") return;
        try {
          handle.cancel(token, resumeToken);
        } catch (caught) {
          // While the journal cannot write, the question stays open and is still waited for.
          if (!(caught instanceof Fault) || caught.code !== "storage_unavailable") throw caught;
        }
      };
      if (signal.aborted) withdraw();
      else signal.addEventListener("abort", withdraw, { once: true });
    });
  };

  return {
    confirm: (fields, call) => ask(fields, call, "aaep:agent.awaiting.confirmation", CONFIRMATION_DEFAULTS),
    clarify: (fields, call) => ask(fields, call, "aaep:agent.awaiting.clarification", CLARIFICATION_DEFAULTS),
    cancel: (token, host, resumeToken) => {
      assertMay(access, "cancel");
      const handle = agent();
      if (!handle.cancel(token, resumeToken, hostDecision(host))) return false;
      return handle.whenDurable()?.then(() => true) ?? true;
    },
    outcomeOf: (token, resumeToken) => {
      assertMay(access, "outcome");
      const outcome = agent().outcomeOf(token, resumeToken);
      if (outcome !== undefined) return outcome;
      const sentence =
        "Name the reply_token of a question of your own session that was asked in the last 24 hours; show resume_token where the session is another connection's.";
      throw new Fault("not_found", sentence, { pointer: "/reply_token", rule: "AAEP §6.2" });
    },
  };
}
