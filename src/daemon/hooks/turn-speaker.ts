// Says one turn of a host as a session of AAEP, by the engine's agent of its conversation.
import type { Sign } from "../../adapters/adapter.js";
import { toolNameOf } from "../../base/tool-name.js";
import { wholeEnd } from "../../base/whole-end.js";
import type { AgentHandle } from "../../engine/agents/agent-handle.js";
import { AAEPD, AAEPD_VOCABULARY, CORE_VOCABULARY } from "../../engine/event/vocabulary.js";
import type { ResolvedQuestion } from "../../engine/questions/question-result.js";
import type { KeptCall, KeptTurn } from "./kept-conversation.js";

type Fields = Readonly<Record<string, unknown>>;
type Of<Kind extends Sign["kind"]> = Extract<Sign, { readonly kind: Kind }>;

export interface TurnSpeaker {
  readonly start: (turn: KeptTurn, words: string, conversation: string) => void;
  readonly invoke: (turn: KeptTurn, call: KeptCall) => void;
  readonly complete: (turn: KeptTurn, call: KeptCall, status: "success" | "error" | "cancelled") => void;
  readonly text: (turn: KeptTurn, message: string, text: string) => void;
  readonly endText: (turn: KeptTurn) => void;
  readonly progress: (turn: KeptTurn, sign: Of<"progress">) => void;
  /** `isAsking`: a question is open, whose state is the agent's. */
  readonly state: (turn: KeptTurn, name: string, words: string | undefined, isAsking: boolean) => void;
  /** Returns the question's token; undefined if it could not be asked. Calls `done` once, perhaps before it returns. */
  readonly ask: (
    turn: KeptTurn,
    sign: Of<"question">,
    call: string | undefined,
    done: (resolved: ResolvedQuestion) => void,
  ) => string | undefined;
  readonly end: (turn: KeptTurn, sign: Pick<Of<"end">, "how" | "words" | "code">) => void;
}

/** UTF-16 units of one chunk: at most 48 KB of JSON, whatever the characters. */
const LONGEST_CHUNK = 8000;

/** `unheard` is called with each Fault that refuses an event, and must not throw. */
export function createTurnSpeaker(agent: AgentHandle, unheard: (caught: unknown) => void): TurnSpeaker {
  function quietly<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (caught) {
      unheard(caught);
      return undefined;
    }
  }
  const publish = ({ sessionId }: KeptTurn, kind: string, members: Fields, own: Fields = {}): void => {
    const fields = { type: `aaep:agent.${kind}`, session_id: sessionId, ...members, ...ownMembers(own) };
    quietly(() => agent.publish([{ fields, isHandedOver: true }], false));
  };
  const chunk = (turn: KeptTurn, output_id: string, text: string, complete: boolean): void =>
    publish(turn, "output.streaming", { output_id, chunk: text, complete });

  const endText: TurnSpeaker["endText"] = (turn) => {
    if (turn.output !== undefined) chunk(turn, turn.output.id, "", true);
    turn.output = undefined;
  };
  const state: TurnSpeaker["state"] = (turn, name, words, isAsking) => {
    const said = words === undefined ? {} : { summary_normal: words };
    if (isAsking) {
      if (words !== undefined) publish(turn, "progress.updated", { progress: { description: words } });
      return;
    }
    if (turn.told === name && words === undefined) return;
    publish(turn, "state.changed", { from_state: turn.told, to_state: name, ...said });
    turn.told = name;
  };

  return {
    start: (turn, words, conversation) => {
      publish(
        turn,
        "session.started",
        { summary_normal: words, correlation_id: conversation },
        { resume_token: turn.resumeToken },
      );
    },
    invoke: (turn, call) => {
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
    complete: (turn, call, status) => {
      endText(turn);
      const members = status === "cancelled" ? { status: "error", error_message: "Cancelled." } : { status };
      publish(turn, "tool.completed", { tool: toolNameOf(call.name), ...members }, { call_id: call.call });
    },
    text: (turn, message, text) => {
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
    progress: (turn, { step, total: total_steps, percent, words: description }) => {
      const members = Object.entries({ step, total_steps, percent, description });
      const progress = Object.fromEntries(members.filter(([, value]) => value !== undefined));
      publish(turn, "progress.updated", { progress });
    },
    state,
    ask: (turn, sign, call, done) => {
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
    end: (turn, { how, words, code }) => {
      endText(turn);
      if (how === "errored")
        publish(turn, "session.errored", {
          summary_normal: words,
          error_category: "unknown",
          ...(code === undefined ? {} : { error_code: code }),
        });
      else
        publish(turn, `session.${how}`, {
          summary_normal: words,
          ...(how === "cancelled" ? { cancelled_by: "user" } : {}),
        });
    },
  };
}

/** The members of the daemon's own extension (R5b, R5c). */
function ownMembers(own: Fields): Fields {
  if (Object.keys(own).length === 0) return {};
  return { "@context": [CORE_VOCABULARY, AAEPD_VOCABULARY], extensions: { [AAEPD]: own } };
}
