// An adapter of ACP between an editor and an agent that a test writes, on a clock of its own.
import { AcpAdapter, type AcpOptions } from "../../../src/adapters/acp/acp-adapter.js";
import type { Decision, Reading, Sign } from "../../../src/adapters/adapter.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";
import { lastQuestion, lineOf, passed, textOf } from "../sign-lines.js";

export type AcpStage = ReturnType<typeof acpStage>;

export const OPTIONS = [
  { optionId: "yes always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

export function acpStage(options: Partial<AcpOptions> = {}) {
  const adapter = new AcpAdapter({
    words: WORDINGS.en,
    irreversibleKinds: new Set(),
    tellsThoughts: false,
    saysPrompts: true,
    ...options,
  });
  const signs: Sign[] = [];
  /** Lines that the agent gets: those of the editor that passed, and our own. */
  const toAgent: string[] = [];
  const toEditor: string[] = [];
  let now = 1000;
  const follow = (reading: Reading): void => {
    signs.push(...reading.signs);
    toAgent.push(...(reading.toChild ?? []));
    toEditor.push(...(reading.toHost ?? []));
  };
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
    /** One line a sign, without its turn. */
    told: (): readonly string[] => signs.map(lineOf),
    /** The agent tells of its session "s". */
    update: (update: object) => agent({ method: "session/update", params: { sessionId: "s", update } }),
    /** The agent asks for permission, by default with the usual options, for the call "t". */
    ask: (id: unknown, toolCall: object = {}, offered: readonly object[] = OPTIONS) =>
      agent({
        id,
        method: "session/request_permission",
        params: { sessionId: "s", toolCall: { toolCallId: "t", ...toolCall }, options: offered },
      }),
    /** The editor answers with an option; undefined: it was cancelled. */
    choose: (id: unknown, optionId: string | undefined) =>
      editor({
        id,
        result: { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } },
      }),
    answer: (decision: Decision, question = lastQuestion(signs)) => follow(adapter.answered(question, decision, now)),
    pass: (ms: number) => {
      now = passed(adapter, now, ms, follow);
    },
    prompt: (id: number, text = "Mend the tests.") =>
      editor({ id, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text }] } }),
    stop: (id: number, stopReason = "end_turn") => agent({ id, result: { stopReason } }),
  };
}
