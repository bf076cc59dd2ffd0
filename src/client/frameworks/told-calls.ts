// The calls of a framework's tools in a session: what is announced, and what a person is asked. All adapters share it, and one of your own can.
import { argumentParts } from "../../base/argument-words.js";
import { MAX_MESSAGE_DEPTH } from "../../base/json-document.js";
import { unhidden } from "../../base/unhidden.js";
import { wholeEnd } from "../../base/whole-end.js";
import { APPROVED_BY_HOST } from "../agent/own-extension.js";
import type { SessionConfirmation } from "../agent/questions.js";
import type { AgentSession, ToolCall, ToolStatus } from "../agent/session-types.js";

/** A call of a tool, as the model has made it. */
export interface ModelCall {
  /** The framework's own id of the call. Undefined where it tells none. */
  readonly id: string | undefined;
  readonly name: string;
  /** The arguments: an object, or another value of the framework's. */
  readonly input: unknown;
}

export interface ToldCallsOptions {
  /** The sentence that announces a call, as in "Reads the shelf." Default: the tool's name. Must not throw. */
  readonly words?: ((call: ModelCall) => string | undefined) | undefined;
  /**
   * Members of the question about a call, in place of the usual ones: an action of "Use NAME", each argument as the consequence, the risk "medium",
   * and 300 seconds. Must not throw.
   */
  readonly question?: ((call: ModelCall) => Partial<SessionConfirmation>) | undefined;
  /** The name of the agent inside the agent whose tools these are. It comes before each announcement, and its text is not heard. Default: none. */
  readonly subagent?: string | undefined;
}

export interface ToldCalls {
  /**
   * Begins a call, once: frameworks repeat a call when a run goes on. `subagent`: the agent inside the agent that has made it, whose name is heard
   * before it.
   */
  readonly begin: (call: ModelCall, subagent?: string) => void;
  /** Ends a call, once, if it has begun. */
  readonly end: (id: string, status: ToolStatus) => void;
  /**
   * Asks a person about a call. Only a person's reply decides. Undefined: nobody decided, or the whole question is longer than AAEP takes, and the
   * decision is the host's.
   */
  readonly ask: (call: ModelCall) => Promise<"accept" | "reject" | undefined>;
}

/** Characters (UTF-16 units) of an id (R5c), and of a consequence: AAEP takes 16,384. */
const LONGEST_ID = 256;
const LONGEST_CONSEQUENCE = 16_000;
/** Of an announcement. */
const LONGEST_WORDS = 200;

/** Tells calls in a session, and asks about them. Several of one session know the same calls. */
export function toldCalls(session: AgentSession, options: ToldCallsOptions = {}): ToldCalls {
  const { words, question } = options;
  const { calls, left } = memoryOf(session);

  return {
    begin: (call, subagent = options.subagent) => {
      const id = call.id ?? "";
      if (calls.has(id)) return;
      const told = unhidden(words?.(call) ?? call.name);
      const summary = subagent === undefined ? told : `${subagent}: ${told}`;
      const begun = session.begin(call.name, {
        ...foreignId(call),
        summary: summary.slice(0, wholeEnd(summary, LONGEST_WORDS)),
        ...(left.delete(id) ? { invoked: APPROVED_BY_HOST } : {}),
      });
      if (id !== "") calls.set(id, begun);
    },
    end: (id, status) => calls.get(id)?.end(status),
    ask: async (call) => {
      // The AI SDK asks again about a call that the host has allowed.
      if (left.has(call.id ?? "")) return undefined;
      // Nor about what could not be told whole.
      if (isTooDeep(call.input)) return undefined;
      const asking = {
        action: `Use ${unhidden(call.name)}`,
        consequence: unhidden(inputWords(call.input)),
        risk_level: "medium" as const,
        host_dialog: true,
        ...(calls.has(call.id ?? "") ? {} : foreignId(call)),
        ...question?.(call),
      };
      // Nobody decides about what was not heard whole.
      if (asking.consequence.length > LONGEST_CONSEQUENCE) return undefined;
      const { decision, resolved_by } = await session.confirm(asking);
      if (resolved_by === "reply") return decision;
      if (call.id !== undefined) left.add(call.id);
      return undefined;
    },
  };
}

/** The calls of a session. Most frameworks go on after an approval with another run. */
interface Memory {
  readonly calls: Map<string, ToolCall>;
  /** Calls about which nobody decided here. If they begin nevertheless, the host has allowed them (R5a). */
  readonly left: Set<string>;
}

const MEMORIES = new WeakMap<AgentSession, Memory>();

function memoryOf(session: AgentSession): Memory {
  const memory = MEMORIES.get(session) ?? { calls: new Map(), left: new Set() };
  MEMORIES.set(session, memory);
  return memory;
}

function foreignId({ id = "" }: ModelCall): { readonly call_id?: string } {
  return id !== "" && id.length <= LONGEST_ID ? { call_id: id } : {};
}

/** Whether its words leave something out. */
function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= MAX_MESSAGE_DEPTH || Object.values(value).some((one) => isTooDeep(one, depth + 1));
}

function inputWords(input: unknown): string {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const parts = argumentParts(isObject ? { ...input } : input === undefined ? {} : { input });
  return parts.length === 0 ? "It has no arguments." : parts.join("\n");
}

/** The arguments that a model has written, or their text where it is no JSON. */
export function parsedInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
