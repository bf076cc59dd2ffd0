// The AI SDK, versions 7 and 6: tools by its telemetry, text by the chunks of a stream, and questions by the approval of tools.
import type { AgentSession } from "../agent/session-types.js";
import { type ToldCallsOptions, toldCalls } from "./told-calls.js";

export interface HeardOptions extends ToldCallsOptions {
  /**
   * The tools about which a person is asked before they run. A call waits for the answer. Without one the AI SDK asks your program for its
   * approval, as it does for "user-approval". Only version 7 takes it. Default: none, and a tool's own `needsApproval` counts.
   */
  readonly ask?: readonly string[] | undefined;
}

/** Members for the options of `streamText`, `generateText` and `ToolLoopAgent`. */
export interface Heard {
  readonly telemetry: { readonly integrations: Integration };
  /** The name of `telemetry` in version 6. */
  readonly experimental_telemetry: { readonly isEnabled: true; readonly integrations: Integration };
  readonly toolApproval: Readonly<Record<string, (input: unknown, call: CallId) => Promise<Approval>>>;
  /** Hears the text of `streamText`. */
  readonly onChunk: (event: { readonly chunk: Part }) => void;
}

type Approval = "approved" | "user-approval" | { readonly type: "denied"; readonly reason: string };

interface CallId {
  readonly toolCallId: string;
}

interface ToolStart {
  readonly toolCall: CallId & { readonly toolName: string; readonly input?: unknown };
}

interface ToolEnd extends ToolStart {
  readonly toolOutput?: { readonly type: string; readonly error?: unknown };
  /** Of version 6, in place of `toolOutput`. */
  readonly success?: boolean;
  readonly error?: unknown;
}

interface Part {
  readonly type: string;
  readonly text?: unknown;
}

interface Integration {
  readonly onStart: (event: object) => void;
  readonly onStepStart: () => void;
  readonly onLanguageModelCallEnd: (event: { readonly content: readonly Part[] }) => void;
  readonly onStepFinish: (step: { readonly text: string }) => void;
  readonly onToolExecutionStart: (event: ToolStart) => void;
  readonly onToolExecutionEnd: (event: ToolEnd) => void;
  /** The names of version 6. */
  readonly onToolCallStart: (event: ToolStart) => void;
  readonly onToolCallFinish: (event: ToolEnd) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes calls of the AI SDK heard in a session. Spread the result into the options of each call: `streamText({ model, prompt, ...heard(session)
 * })`. An agent that runs inside of a tool is heard likewise, with `subagent` for its name. The session ends when you end it, or with an error of a
 * stream.
 */
export function heard(session: AgentSession, options: HeardOptions = {}): Heard {
  const { ask = [], subagent } = options;
  const calls = toldCalls(session, options);
  const isText = subagent === undefined;
  /** The text of the step comes in chunks, or has been heard. */
  let isHeard = false;
  let isStream = false;
  const text = (said: unknown): void => {
    if (isText && typeof said === "string") session.text(said);
  };

  const begin = ({ toolCall: { toolCallId: id, toolName: name, input } }: ToolStart): void =>
    calls.begin({ id, name, input });
  const end = ({ toolCall, toolOutput, success, error }: ToolEnd): void => {
    const isFailed = toolOutput === undefined ? success === false : toolOutput.type === "tool-error";
    const cause = (toolOutput?.error ?? error) as { readonly name?: unknown } | undefined;
    calls.end(toolCall.toolCallId, !isFailed ? "success" : cause?.name === "AbortError" ? "cancelled" : "error");
  };
  const integrations: Integration = {
    onStart: (event) => {
      isStream = "operationId" in event && event.operationId === "ai.streamText";
    },
    onStepStart: () => {
      isHeard = isStream;
    },
    // Before the tools of the step begin.
    onLanguageModelCallEnd: ({ content }) => {
      if (isHeard) return;
      isHeard = true;
      for (const part of content) if (part.type === "text") text(part.text);
    },
    // All that version 6 tells of a call without a stream.
    onStepFinish: (step) => {
      if (!isHeard) text(step.text);
    },
    onToolExecutionStart: begin,
    onToolExecutionEnd: end,
    onToolCallStart: begin,
    onToolCallFinish: end,
    onError: (error) => {
      if (isText) session.fail(error);
    },
  };
  const approval =
    (name: string) =>
    async (input: unknown, { toolCallId: id }: CallId): Promise<Approval> => {
      const decision = await calls.ask({ id, name, input });
      if (decision === "reject") return { type: "denied", reason: "The person said no." };
      return decision === "accept" ? "approved" : "user-approval";
    };
  return {
    telemetry: { integrations },
    experimental_telemetry: { isEnabled: true, integrations },
    toolApproval: Object.fromEntries(ask.map((name) => [name, approval(name)])),
    onChunk: ({ chunk }) => {
      if (chunk.type !== "text-delta") return;
      isHeard = true;
      text(chunk.text);
    },
  };
}
