// The OpenAI Agents SDK: tools by the events of runners and agents, text by the stream, and questions by the interruptions of a run.
import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentSession } from "../agent/session-types.js";
import { type ModelCall, parsedInput, type ToldCalls, type ToldCallsOptions, toldCalls } from "./told-calls.js";

export interface RunHeardOptions extends Omit<ToldCallsOptions, "subagent"> {
  /** Agents that run inside of tools, by `asTool`. Their tools are heard too, with their names. Default: none. */
  readonly subagents?: readonly Subagent[] | undefined;
  /** Options of `Runner.run`, such as `signal` and `maxTurns`. */
  readonly run?: Readonly<Record<string, unknown>> | undefined;
}

interface Emitter {
  // The SDK's events have types of their own.
  readonly on: (event: never, listener: never) => unknown;
}

/** An `Agent` of the SDK. */
export interface Subagent extends Emitter {
  readonly name: string;
}

/** A `Runner` of the SDK. */
export interface AnyRunner<Result> extends Emitter {
  readonly run: (agent: never, input: never, options: never) => Promise<Result>;
}

/** The result of a streamed run. */
export interface StreamedRun extends AsyncIterable<{ readonly type: string; readonly data?: unknown }> {
  readonly completed: Promise<void>;
  readonly interruptions?: readonly Interruption[] | undefined;
  readonly state: { readonly approve: (item: never) => void; readonly reject: (item: never) => void };
}

interface Interruption {
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
  readonly rawItem: unknown;
}

interface ItsCall {
  readonly id?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly arguments?: string;
}

type Details = { readonly toolCall: ItsCall };

interface Hearing {
  readonly session: AgentSession;
  readonly calls: ToldCalls;
}

/** The session of the run in whose course something happens: runners and agents serve many runs at once. */
const HEARING = new AsyncLocalStorage<Hearing>();
const HEARD = new WeakSet<Emitter>();

/**
 * Runs an agent with `stream: true`, heard in a session, and asks a person about its interruptions, which are calls with `needsApproval`. The run
 * goes on with the answers. Resolves with its result when the stream is over: calls that nobody decided are in its `interruptions`, and `approve`,
 * `reject` and another `runHeard` with its `state` go on. Rejects as the run does. The session ends when you end it.
 *
 * @param input What `Runner.run` takes: a text, items, or the state of a run before.
 */
export function runHeard<Result extends StreamedRun>(
  runner: AnyRunner<Result>,
  agent: Subagent,
  input: unknown,
  session: AgentSession,
  options: RunHeardOptions = {},
): Promise<Result> {
  hear(runner);
  for (const subagent of options.subagents ?? []) hear(subagent, subagent.name);
  const calls = toldCalls(session, options);
  return HEARING.run({ session, calls }, async () => {
    let next = input;
    for (;;) {
      const result = await runner.run(agent as never, next as never, { ...options.run, stream: true } as never);
      for await (const { type, data } of result) {
        const { type: kind, delta } = (data ?? {}) as { readonly type?: string; readonly delta?: string };
        if (type === "raw_model_stream_event" && kind === "output_text_delta" && delta !== undefined)
          session.text(delta);
      }
      await result.completed;
      const decided = await Promise.all((result.interruptions ?? []).map((one) => decide(calls, result, one)));
      // A call that nobody decided is left over when the decided ones have run.
      if (!decided.includes(true)) return result;
      next = result.state;
    }
  });
}

/** Whether a person has decided about the call. */
async function decide(calls: ToldCalls, { state }: StreamedRun, one: Interruption): Promise<boolean> {
  const call = modelCall(one.rawItem as ItsCall, one.name, one.arguments);
  const decision = await calls.ask(call);
  if (decision === "accept") state.approve(one as never);
  if (decision === "reject") state.reject(one as never);
  return decision !== undefined;
}

/** Hears a runner, or an agent inside of a tool, from now on. */
function hear(emitter: Emitter, subagent?: string): void {
  if (HEARD.has(emitter)) return;
  HEARD.add(emitter);
  const on = (event: string, listener: (...args: readonly unknown[]) => void): unknown =>
    emitter.on(event as never, listener as never);
  // Runners tell the agent before the tool; agents are that agent.
  const toolAt = subagent === undefined ? 2 : 1;
  on("agent_tool_start", (...args) => {
    const { name } = args[toolAt] as { readonly name: string };
    const { toolCall } = args[toolAt + 1] as Details;
    HEARING.getStore()?.calls.begin(modelCall(toolCall, name), subagent);
  });
  on("agent_tool_end", (...args) => {
    const { toolCall } = args[toolAt + 2] as Details;
    const isFailed = FAILED.test(String(args[toolAt + 1]));
    HEARING.getStore()?.calls.end(modelCall(toolCall).id ?? "", isFailed ? "error" : "success");
  });
  if (subagent === undefined)
    on("agent_handoff", (_, __, to) =>
      HEARING.getStore()?.session.state("thinking", `Hands over to ${(to as Subagent).name}.`),
    );
}

/** The SDK hands on only a text for the model. This is the beginning of its own text for a tool that throws. */
const FAILED = /^An error occurred while running the tool\b/;

function modelCall(its: ItsCall, name = its.name ?? "tool", given = its.arguments ?? "{}"): ModelCall {
  return { id: its.callId ?? its.id, name, input: parsedInput(given) };
}
