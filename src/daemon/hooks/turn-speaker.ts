// Says one turn of a host as a session of AAEP, by the engine's agent of its conversation.
import type { Sign } from "../../adapters/adapter.js";
import type { Members } from "../../base/members.js";
import { toolNameOf } from "../../base/tool-name.js";
import { wholeEnd } from "../../base/whole-end.js";
import type { AgentHandle } from "../../engine/agents/agent-handle.js";
import { AAEPD, AAEPD_VOCABULARY, CORE_VOCABULARY } from "../../engine/event/vocabulary.js";
import type { ResolvedQuestion } from "../../engine/questions/question-result.js";
import type { KeptCall, KeptTurn } from "./kept-conversation.js";

type Of<Kind extends Sign["kind"]> = Extract<Sign, { readonly kind: Kind }>;

/** UTF-16 units of one chunk: at most 48 KB of JSON, whatever the characters. */
const LONGEST_CHUNK = 8000;

/** `unheard` is called with each Fault that refuses an event, and must not throw. */
export function createTurnSpeaker(agent: AgentHandle, unheard: (caught: unknown) => void) {
  function quietly<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (caught) {
      unheard(caught);
      return undefined;
    }
  }
  const publish = ({ sessionId }: KeptTurn, kind: string, members: Members, own: Members = {}): void => {
    const fields = { type: `aaep:agent.${kind}`, session_id: sessionId, ...members, ...ownMembers(own) };
    quietly(() => agent.publish([{ fields, isHandedOver: true }], false));
  };
  const chunk = (turn: KeptTurn, output_id: string, text: string, complete: boolean): void =>
    publish(turn, "output.streaming", { output_id, chunk: text, complete });

  const endText = (turn: KeptTurn): void => {
    if (turn.output !== undefined) chunk(turn, turn.output.id, "", true);
    turn.output = undefined;
  };
  return {
    start: (turn: KeptTurn, words: string, conversation: string): void => {
      const members = { summary_normal: words, correlation_id: conversation };
      publish(turn, "session.started", members, { resume_token: turn.resumeToken });
    },
    invoke: (turn: KeptTurn, call: KeptCall): void => {
      endText(turn);
      call.phase = "running";
      const { consent } = call;
      publish(
        turn,
        "tool.invoked",
        { tool: toolNameOf(call.name), summary_normal: call.words || call.name, risk_level: "low" },
        {
          call_id: call.call,
          ...(consent === "host" ? { approved_by: "host" } : {}),
          ...(typeof consent === "object" ? { consent: consent.token } : {}),
        },
      );
    },
    complete: (turn: KeptTurn, call: KeptCall, status: "success" | "error" | "cancelled"): void => {
      endText(turn);
      const members = status === "cancelled" ? { status: "error", error_message: "Cancelled." } : { status };
      publish(turn, "tool.completed", { tool: toolNameOf(call.name), ...members }, { call_id: call.call });
    },
    text: (turn: KeptTurn, message: string, text: string): void => {
      if (turn.output?.message !== message) endText(turn);
      if (turn.output === undefined) turn.outputCount += 1;
      turn.output ??= { id: `out_${turn.outputCount}`, message };
      turn.hasText = true;
      for (let rest = text; rest !== ""; ) {
        const end = wholeEnd(rest, LONGEST_CHUNK);
        chunk(turn, turn.output.id, rest.slice(0, end), false);
        rest = rest.slice(end);
      }
    },
    endText,
    progress: (turn: KeptTurn, sign: Of<"progress">): void => {
      const { step, total: total_steps, percent, words: description } = sign;
      const members = Object.entries({ step, total_steps, percent, description });
      const progress = Object.fromEntries(members.filter(([, value]) => value !== undefined));
      publish(turn, "progress.updated", { progress });
    },
    /** `isAsking`: a question is open, whose state is the agent's. */
    state: (turn: KeptTurn, name: string, words: string | undefined, isAsking: boolean): void => {
      const said = words === undefined ? {} : { summary_normal: words };
      if (isAsking) {
        if (words !== undefined) publish(turn, "progress.updated", { progress: { description: words } });
        return;
      }
      if (turn.told === name && words === undefined) return;
      publish(turn, "state.changed", { from_state: turn.told, to_state: name, ...said });
      turn.told = name;
    },
    /** Returns the question's token; undefined if it could not be asked. Calls `done` once, perhaps before it returns. */
    ask: (
      turn: KeptTurn,
      sign: Of<"question">,
      call: string | undefined,
      done: (resolved: ResolvedQuestion) => void,
    ): string | undefined => {
      endText(turn);
      turn.hasAsked = true;
      const fields = {
        type: "aaep:agent.awaiting.confirmation",
        session_id: turn.sessionId,
        action: sign.action,
        consequence: sign.consequence,
        risk_level: sign.risk,
        irreversible: sign.irreversible,
        timeout_seconds: sign.seconds,
        default_decision: "reject",
        extra_context: { tool: toolNameOf(sign.name) },
        ...ownMembers({ host_dialog: true, ...(call === undefined ? {} : { call_id: call }) }),
      };
      return quietly(() => agent.ask(fields, done).token);
    },
    end: (turn: KeptTurn, { how, words, code }: Pick<Of<"end">, "how" | "words" | "code">): void => {
      endText(turn);
      publish(turn, `session.${how}`, {
        summary_normal: words,
        ...(how === "errored" ? { error_category: "unknown" } : {}),
        ...(how === "errored" && code !== undefined ? { error_code: code } : {}),
        ...(how === "cancelled" ? { cancelled_by: "user" } : {}),
      });
    },
  };
}

/** The members of the daemon's own extension (R5b, R5c). */
function ownMembers(own: Members): Members {
  if (Object.keys(own).length === 0) return {};
  return { "@context": [CORE_VOCABULARY, AAEPD_VOCABULARY], extensions: { [AAEPD]: own } };
}
