// An editor of the SDK's in front of `aaepd acp`, with a scripted agent of the SDK's behind it, which is a process.
import { PassThrough, Readable, Writable } from "node:stream";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import { startAdapter } from "../../cli/command-stage.js";
import { fixture, type ProgramOptions, startProgram } from "../../support/peers/program.js";

const AGENT = [process.execPath, fixture("acp-agent.mjs")];

export interface Dialog {
  readonly title: string;
  readonly choose: (optionId: string) => void;
  /** Resolves when the dialog was closed by `$/cancel_request`. */
  readonly closed: Promise<void>;
}

/** `aaepd acp` between them. */
interface Adapter {
  readonly stdin: Writable;
  readonly output: Readable;
  readonly stderr: () => string;
  readonly ended: Promise<{ readonly code: number | null }>;
}

export interface EditorOptions extends ProgramOptions {
  /** Options of `aaepd acp`. */
  readonly options?: readonly string[];
  /** What is started. Default: `aaepd acp` with the agent. */
  readonly argv?: readonly string[];
  /** Whether it is started as a process of its own. */
  readonly isProcess?: boolean;
  readonly folder?: string;
  /** Called with each dialog as it opens. */
  readonly onDialog?: (dialog: Dialog) => void;
}

export async function openEditor(given: EditorOptions = {}) {
  const { options = [], folder = "/home/ada/shop", onDialog, ...programOptions } = given;
  const argv = given.argv ?? ["acp", ...options, "--", ...AGENT];
  const adapter =
    given.isProcess === true ? adapterProcess(argv, programOptions) : startAdapter(argv, programOptions.environment);
  const dialogs: Dialog[] = [];
  let text = "";
  let updates = 0;
  // The program's output comes as text here.
  const output = adapter.output.pipe(new PassThrough());
  const stream = ndJsonStream(Writable.toWeb(adapter.stdin), Readable.toWeb(output) as ReadableStream<Uint8Array>);
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
    adapter,
    agent,
    sessionId,
    dialogs,
    /** Everything that the agent said. */
    text: () => text,
    updates: () => updates,
    prompt: (steps: readonly object[]): Promise<{ readonly stopReason: string }> =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: JSON.stringify(steps) }] }),
  };
}

function adapterProcess(argv: readonly string[], options: ProgramOptions): Adapter {
  const { child, stderr, ended } = startProgram(argv, options);
  return { stdin: child.stdin, output: child.stdout, stderr, ended };
}
