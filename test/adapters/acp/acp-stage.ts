// An adapter of ACP between an editor and an agent that a test writes, on a clock of its own.
import { type AcpAdapter, type AcpOptions, createAcpAdapter } from "../../../src/adapters/acp/acp-adapter.js";
import type { Decision, Reading, Sign } from "../../../src/adapters/adapter.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";

export interface AcpStage {
  readonly adapter: AcpAdapter;
  readonly signs: Sign[];
  /** One line a sign, without its turn. */
  readonly told: () => readonly string[];
  /** Lines that the agent gets: those of the editor that passed, and our own. */
  readonly toAgent: string[];
  readonly toEditor: string[];
  readonly editor: (message: object | string) => void;
  readonly agent: (message: object | string) => void;
  /** The agent tells of its session "s". */
  readonly update: (update: object) => void;
  /** The agent asks for permission, by default with the usual options, for the call "t". */
  readonly ask: (id: unknown, toolCall?: object, options?: readonly object[]) => void;
  /** The editor answers with an option; undefined: it was cancelled. */
  readonly choose: (id: unknown, optionId: string | undefined) => void;
  readonly answer: (decision: Decision, question?: string) => void;
  readonly follow: (reading: Reading) => void;
  readonly pass: (ms: number) => void;
  readonly prompt: (id: number, text?: string) => void;
  readonly stop: (id: number, stopReason?: string) => void;
}

export const OPTIONS = [
  { optionId: "yes always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

export function acpStage(options: Partial<AcpOptions> = {}): AcpStage {
  const adapter = createAcpAdapter({
    words: WORDINGS.en,
    irreversibleKinds: new Set(),
    tellsThoughts: false,
    saysPrompts: true,
    ...options,
  });
  const signs: Sign[] = [];
  const toAgent: string[] = [];
  const toEditor: string[] = [];
  let now = 1000;
  const follow = (reading: Reading): void => {
    signs.push(...reading.signs);
    toAgent.push(...(reading.toChild ?? []));
    toEditor.push(...(reading.toHost ?? []));
  };
  const textOf = (message: object | string): string =>
    typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
  const editor = (message: object | string): void => {
    const text = textOf(message);
    const isHeld = adapter.holds();
    const reading = adapter.read({ from: "host", text }, now);
    if (!isHeld || reading.verdict !== "swallow") toAgent.push(text);
    follow(reading);
  };
  const agent = (message: object | string): void => {
    const text = textOf(message);
    toEditor.push(text);
    follow(adapter.read({ from: "child", text }, now));
  };
  return {
    adapter,
    signs,
    toAgent,
    toEditor,
    follow,
    editor,
    agent,
    told: () => signs.map(lineOf),
    update: (update) => agent({ method: "session/update", params: { sessionId: "s", update } }),
    ask: (id, toolCall = {}, offered = OPTIONS) =>
      agent({
        id,
        method: "session/request_permission",
        params: { sessionId: "s", toolCall: { toolCallId: "t", ...toolCall }, options: offered },
      }),
    choose: (id, optionId) =>
      editor({
        id,
        result: { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } },
      }),
    answer: (decision, question = lastQuestion(signs)) => follow(adapter.answered(question, decision, now)),
    pass: (ms) => {
      const until = now + ms;
      for (let due = adapter.dueAt(); due !== undefined && due <= until; due = adapter.dueAt()) {
        now = Math.max(now, due);
        follow(adapter.wake(now));
      }
      now = until;
    },
    prompt: (id, text = "Mend the tests.") =>
      editor({ id, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text }] } }),
    stop: (id, stopReason = "end_turn") => agent({ id, result: { stopReason } }),
  };
}

function lastQuestion(signs: readonly Sign[]): string {
  return signs.findLast((sign) => sign.kind === "question")?.id ?? "";
}

function lineOf(sign: Sign): string {
  const { kind, turn: _, ...members } = sign;
  const shown = Object.entries(members).filter(([, value]) => value !== undefined);
  return [kind, ...shown.map(([, value]) => (typeof value === "object" ? JSON.stringify(value) : String(value)))].join(
    " | ",
  );
}
