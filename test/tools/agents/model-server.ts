// A server of a model that does what a test says, in the two protocols by which agents reach models: OpenAI's chat completions, and its responses.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { whenFinished } from "../../support/lifetime.js";

/** One answer of the model: words, and then perhaps a call of a tool. */
export interface ModelStep {
  readonly say?: readonly string[];
  readonly call?: { readonly tool: string; readonly given: object };
}

/** Answers each request for the agent's work with the next step. Requests without tools are for a title. Returns the address. */
export async function startModel(steps: readonly ModelStep[]): Promise<string> {
  const left = steps.entries();
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as { readonly tools?: readonly unknown[] };
    const isWork = (asked.tools ?? []).length > 0;
    const [at, step] = isWork ? (left.next().value ?? []) : [0, { say: ["A title"] }];
    if (at === undefined || step === undefined) response.writeHead(500).end("The script has no more steps.");
    else answer(request, response, at, step);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  whenFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function answer({ url = "" }: IncomingMessage, response: ServerResponse, at: number, step: ModelStep): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = url.endsWith("/responses") ? responses(at, step) : completions(at, step);
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function* completions(at: number, { say = [], call }: ModelStep): Generator<object> {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: `answer_${at}`,
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason }],
  });
  for (const content of say) yield chunk({ role: "assistant", content });
  if (call !== undefined) {
    const { tool: name, given } = call;
    const one = { index: 0, id: `call_${at}`, type: "function", function: { name, arguments: JSON.stringify(given) } };
    yield chunk({ tool_calls: [one] });
  }
  yield chunk({}, call === undefined ? "stop" : "tool_calls");
}

function* responses(at: number, { say = [], call }: ModelStep): Generator<object> {
  const id = `answer_${at}`;
  const done = (item: object): object => ({ type: "response.output_item.done", item });
  yield { type: "response.created", response: { id } };
  if (say.length > 0) {
    const content = [{ type: "output_text", text: say.join("") }];
    yield done({ type: "message", role: "assistant", id: `message_${at}`, content });
  }
  if (call !== undefined) {
    const { tool: name, given } = call;
    yield done({ type: "function_call", call_id: `call_${at}`, name, arguments: JSON.stringify(given) });
  }
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  yield { type: "response.completed", response: { id, usage } };
}
