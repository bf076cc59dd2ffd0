// LangChain and LangGraph: tools and text by one callback handler, and questions by the interrupts of a graph.
import type { AgentSession } from "../agent/session-types.js";
import { parsedInput, type ToldCallsOptions, toldCalls } from "./told-calls.js";

export type HeardOptions = Omit<ToldCallsOptions, "subagent">;

/** Takes the form of LangChain's `CallbackHandlerMethods`. */
export interface Heard {
  /** Otherwise callbacks run later than what they tell. */
  readonly awaitHandlers: true;
  /** Models that can stream then do. */
  readonly lc_prefer_streaming: true;
  readonly handleChainStart: (chain: unknown, inputs: unknown, runId: string, parentRunId?: string) => void;
  readonly handleChainEnd: (outputs: unknown, runId: string) => void;
  readonly handleChainError: (error: unknown, runId: string) => void;
  readonly handleLLMNewToken: (token: string, at: unknown, runId: string, parentRunId?: string) => void;
  readonly handleLLMEnd: (output: { readonly generations: Generations }, runId: string, parentRunId?: string) => void;
  readonly handleToolStart: (
    tool: unknown,
    input: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Readonly<Record<string, unknown>>,
    runName?: string,
    toolCallId?: string,
  ) => void;
  readonly handleToolEnd: (output: unknown, runId: string) => void;
  readonly handleToolError: (error: unknown, runId: string) => void;
}

type Generations = readonly (readonly { readonly text?: string }[])[];

/** A graph with a checkpointer, such as the one of `createAgent`. */
export interface Graph<Input, Config, Output> {
  readonly invoke: (input: Input, config: Config) => Promise<Output>;
}

interface CommandModule {
  readonly Command: new (given: { readonly resume: unknown }) => unknown;
}

interface Interrupt {
  readonly id?: string;
  readonly value?: unknown;
}

/** The question of `humanInTheLoopMiddleware`. */
interface Review {
  readonly actionRequests?: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  readonly reviewConfigs?: readonly { readonly actionName: string; readonly allowedDecisions: readonly string[] }[];
}

/**
 * A callback handler that makes a run heard in a session: `agent.invoke(input, { callbacks: [heard(session)] })`. Agents inside of tools are heard
 * too, by the name of the tool, and without their text. The session ends when you end it.
 */
export function heard(session: AgentSession, options: HeardOptions = {}): Heard {
  const calls = toldCalls(session, options);
  /** The run around each run. */
  const around = new Map<string, string | undefined>();
  /** The calls of tools, by their runs. */
  const tools = new Map<string, { readonly id: string; readonly name: string }>();
  /** Runs of models whose text comes in tokens. */
  const streams = new Set<string>();

  /** The tool in which a run is. */
  function toolAround(runId: string | undefined): string | undefined {
    for (let at = runId; at !== undefined; at = around.get(at)) {
      const tool = tools.get(at);
      if (tool !== undefined) return tool.name;
    }
    return undefined;
  }
  const text = (said: string | undefined, parentRunId: string | undefined): void => {
    if (said !== undefined && toolAround(parentRunId) === undefined) session.text(said);
  };
  function end(runId: string, status: "success" | "error" | "cancelled" | undefined): void {
    const tool = tools.get(runId);
    tools.delete(runId);
    around.delete(runId);
    if (tool !== undefined && status !== undefined) calls.end(tool.id, status);
  }
  return {
    awaitHandlers: true,
    lc_prefer_streaming: true,
    handleChainStart: (_, __, runId, parentRunId) => void around.set(runId, parentRunId),
    handleChainEnd: (_, runId) => void around.delete(runId),
    handleChainError: (_, runId) => void around.delete(runId),
    handleLLMNewToken: (token, _, runId, parentRunId) => {
      streams.add(runId);
      text(token, parentRunId);
    },
    handleLLMEnd: ({ generations }, runId, parentRunId) => {
      if (!streams.delete(runId)) text(generations[0]?.[0]?.text, parentRunId);
    },
    handleToolStart: (_, input, runId, parentRunId, __, ___, runName = "tool", toolCallId = runId) => {
      const subagent = toolAround(parentRunId);
      around.set(runId, parentRunId);
      tools.set(runId, { id: toolCallId, name: runName });
      calls.begin({ id: toolCallId, name: runName, input: parsedInput(input) }, subagent);
    },
    handleToolEnd: (output, runId) => end(runId, memberOf(output, "status") === "error" ? "error" : "success"),
    handleToolError: (error, runId) => {
      const name = memberOf(error, "name");
      // A tool that interrupts the graph runs again when the graph goes on.
      end(runId, name === "GraphInterrupt" ? undefined : name === "AbortError" ? "cancelled" : "error");
    },
  };
}

/**
 * Runs a graph, heard in a session, and asks a person what its interrupts ask: about the calls of `humanInTheLoopMiddleware` for consent, and about
 * an interrupt of your own whose value is a text for an answer. The graph goes on with the answers. An interrupt without a person's answer, or of
 * another form, is left in the result, for your program to answer. Rejects as the graph does.
 */
export async function invokeHeard<Input, Config extends object, Output>(
  graph: Graph<Input, Config, Output>,
  input: Input,
  config: Config,
  session: AgentSession,
  options: HeardOptions = {},
): Promise<Output> {
  // @ts-expect-error: The peer is not installed where this is compiled.
  const { Command } = (await import("@langchain/langgraph")) as CommandModule;
  const calls = toldCalls(session, options);
  const callbacks = [...[memberOf(config, "callbacks") ?? []].flat(), heard(session, options)];
  /** Interrupts that are not answered come again. */
  const left = new Set<string>();
  let next = input;
  for (;;) {
    const output = await graph.invoke(next, { ...config, callbacks });
    const interrupts = [memberOf(output, "__interrupt__") ?? []].flat() as readonly Interrupt[];
    const answers = await Promise.all(
      interrupts.map(async ({ id = "", value }) => {
        const answer = left.has(id) ? undefined : await answerTo(value);
        if (answer === undefined) left.add(id);
        return [id, answer] as const;
      }),
    );
    const resume = Object.fromEntries(answers.filter(([, answer]) => answer !== undefined));
    if (Object.keys(resume).length === 0) return output;
    next = new Command({ resume }) as Input;
  }

  async function answerTo(value: unknown): Promise<unknown> {
    if (typeof value === "string") {
      const { response, resolved_by } = await session.clarify({ question: value, host_dialog: true });
      return resolved_by === "reply" ? response : undefined;
    }
    const { actionRequests: requests = [], reviewConfigs } = (value ?? {}) as Review;
    const takes = (name: string, type: string): boolean =>
      reviewConfigs?.find(({ actionName }) => actionName === name)?.allowedDecisions.includes(type) !== false;
    try {
      // Nobody is asked whose yes is not taken.
      if (requests.length === 0 || !requests.every(({ name }) => takes(name, "approve"))) return undefined;
    } catch {
      return undefined; // of another form
    }
    const decisions = await Promise.all(
      requests.map(async ({ name, args }) => {
        const decision = await calls.ask({ id: undefined, name, input: args });
        if (decision === "accept") return { type: "approve" };
        return decision === "reject" && takes(name, decision)
          ? { type: decision, message: "The person said no." }
          : undefined;
      }),
    );
    // All calls of an interrupt go on together.
    return decisions.includes(undefined) ? undefined : { decisions };
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
