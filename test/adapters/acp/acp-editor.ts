// An editor of the SDK's in front of `aaepd acp`, with a scripted agent of the SDK's behind it.
import { PassThrough, Readable, Writable } from "node:stream";
import { type ClientContext, client, ndJsonStream } from "@agentclientprotocol/sdk";
import { fixture, type Program, type ProgramOptions, startProgram } from "../../support/peers/program.js";

export const AGENT = [process.execPath, fixture("acp-agent.mjs")];

export interface Dialog {
  readonly title: string;
  readonly choose: (optionId: string) => void;
  /** Resolves when the dialog was closed by `$/cancel_request`. */
  readonly closed: Promise<void>;
}

export interface Editor {
  readonly program: Program;
  readonly agent: ClientContext;
  readonly sessionId: string;
  /** Everything that the agent said. */
  readonly text: () => string;
  readonly dialogs: Dialog[];
  readonly updates: () => number;
  readonly prompt: (steps: readonly object[]) => Promise<{ readonly stopReason: string }>;
}

export interface EditorOptions extends ProgramOptions {
  /** Options of `aaepd acp`. */
  readonly options?: readonly string[];
  /** What is started. Default: `aaepd acp` with the agent. */
  readonly argv?: readonly string[];
  readonly folder?: string;
  /** Called with each dialog as it opens. */
  readonly onDialog?: (dialog: Dialog) => void;
}

export async function openEditor(given: EditorOptions = {}): Promise<Editor> {
  const { options = [], folder = "/home/ada/shop", onDialog, ...programOptions } = given;
  const program = startProgram(given.argv ?? ["acp", ...options, "--", ...AGENT], programOptions);
  const dialogs: Dialog[] = [];
  let text = "";
  let updates = 0;
  // The program's output comes as text here.
  const output = program.child.stdout.pipe(new PassThrough());
  const stream = ndJsonStream(
    Writable.toWeb(program.child.stdin),
    Readable.toWeb(output) as ReadableStream<Uint8Array>,
  );
  const { agent } = client()
    .onNotification("session/update", ({ params: { update } }) => {
      updates += 1;
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") text += update.content.text;
    })
    .onRequest(
      "session/request_permission",
      ({ params, signal }) =>
        new Promise((resolve) => {
          const closed = new Promise<void>((close) => {
            signal.addEventListener("abort", () => {
              close();
              resolve({ outcome: { outcome: "cancelled" } });
            });
          });
          const dialog: Dialog = {
            title: params.toolCall.title ?? "",
            choose: (optionId) => resolve({ outcome: { outcome: "selected", optionId } }),
            closed,
          };
          dialogs.push(dialog);
          onDialog?.(dialog);
        }),
    )
    .connect(stream);
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await agent.request("session/new", { cwd: folder, mcpServers: [] });
  return {
    program,
    agent,
    sessionId,
    dialogs,
    text: () => text,
    updates: () => updates,
    prompt: (steps) =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: JSON.stringify(steps) }] }),
  };
}
