// The AI SDK, versions 7 and 6: tools by its telemetry, text by the chunks of a stream, and questions by the approval of tools.
import type { AgentSession } from "../agent/session-types.js";
import { type ToldCallsOptions, toldCalls } from "./told-calls.js";

export interface HeardOptions extends ToldCallsOptions {
  /**
   * The tools about which a person is asked before they run. A call waits for the answer. Without one the AI SDK asks your program for its
   * approval, as it does for "user-approval". Only version 7 takes it: in version 6 give the tool `needsApproval`, and ask by `approvals`. Default:
   * none, and a tool's own `needsApproval` counts.
   */
  readonly ask?: readonly string[] | undefined;
}

/** Members for the options of `streamText`, `generateText` and `ToolLoopAgent`. */
export interface Heard {
  readonly telemetry: { readonly integrations: Integration };
  /** The name of `telemetry` in version 6. */
  readonly experimental_telemetry: { readonly isEnabled: true; readonly integrations: Integration };
  /** Missing without `ask`. Your own one needs these members too. */
  readonly toolApproval?: Readonly<Record<string, (input: unknown, call: CallId) => Promise<Approval>>>;
  /** Hears the text of `streamText`. */
  readonly onChunk: (event: { readonly chunk: Part }) => void;
}

const SAID_NO = "The person said no.";

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
      if (decision === "reject") return { type: "denied", reason: SAID_NO };
      return decision === "accept" ? "approved" : "user-approval";
    };
  return {
    telemetry: { integrations },
    experimental_telemetry: { isEnabled: true, integrations },
    // An empty one would take the place of your own.
    ...(ask.length === 0 ? {} : { toolApproval: Object.fromEntries(ask.map((name) => [name, approval(name)])) }),
    onChunk: ({ chunk }) => {
      if (chunk.type !== "text-delta") return;
      isHeard = true;
      text(chunk.text);
    },
  };
}

/** A part of a result that waits for an approval: "tool-approval-request". */
export interface ApprovalRequest {
  readonly type: string;
  readonly approvalId?: string | undefined;
  readonly toolCall?: (CallId & { readonly toolName: string; readonly input?: unknown }) | undefined;
  readonly isAutomatic?: boolean | undefined;
}

/** Its answer, a part of a message of the role "tool". */
export interface ApprovalResponse {
  readonly type: "tool-approval-response";
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/**
 * Asks a person about the calls of a result that wait for an approval, one after the other: those of tools with `needsApproval`, and in version 7
 * those that `ask` left. `content` is that of the result. Resolves with the person's answers. A call about which nobody decided is not among them,
 * and is your program's to answer.
 */
export async function approvals(
  session: AgentSession,
  content: readonly ApprovalRequest[],
  options: HeardOptions = {},
): Promise<readonly ApprovalResponse[]> {
  const calls = toldCalls(session, options);
  const answers: ApprovalResponse[] = [];
  for (const { type, approvalId, toolCall, isAutomatic } of content) {
    if (type !== "tool-approval-request" || isAutomatic || approvalId === undefined || toolCall === undefined) continue;
    const decision = await calls.ask({ id: toolCall.toolCallId, name: toolCall.toolName, input: toolCall.input });
    if (decision === undefined) continue;
    const approved = decision === "accept";
    answers.push({
      type: "tool-approval-response",
      approvalId,
      approved,
      ...(approved ? {} : { reason: SAID_NO }),
    });
  }
  return answers;
}
