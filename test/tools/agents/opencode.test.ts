// OpenCode as its registry has it, unchanged, with a model of the test's, behind `aaepd acp`. The editor is one of the SDK's.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { openEditor } from "../../adapters/acp/acp-editor.js";
import { said } from "../../adapters/said.js";
import { eventually, serve } from "../../cli/command-stage.js";
import { accepts, listenAt, rejects } from "../../client/agent/agent-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { installed } from "./installed.js";
import { startModel } from "./model-server.js";

const TEN_MINUTES = 600_000;

beforeAll(ensureBuilt, 120_000);

const bash = (command: string) => ({ tool: "bash", given: { command, description: "Shows the date" } });

/** The settings of a person whose provider is the model, and who is asked before a command runs. */
const settings = (baseURL: string) => ({
  model: "scripted/model",
  small_model: "scripted/model",
  autoupdate: false,
  share: "disabled",
  permission: { bash: "ask" },
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL, apiKey: "none" },
      models: { model: { tool_call: true, limit: { context: 100_000, output: 1000 } } },
    },
  },
});

it(
  "OpenCode: text and tools are heard, a listener answers its questions, and the editor's dialogs close by themselves",
  async () => {
    const packages = await installed("opencode-ai@1.18.33");
    const model = await startModel([
      { say: ["I look at it ", "first. Then I write."], call: bash("echo milk > note.txt") },
      { say: ["The note ", "is there."] },
      { call: bash("rm note.txt") },
    ]);
    const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
    const answer = (event: Envelope) => (String(event.action).includes("rm ") ? rejects : accepts)(event);
    const heard = await listenAt(socketPath, { answer, capabilities: {} });
    const folder = join(environment.HOME ?? "", "shop");
    mkdirSync(folder);
    const editor = await openEditor({
      environment: {
        ...environment,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(model)),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
      isProcess: true,
      argv: ["acp", "--", `${packages}/.bin/opencode`, "acp"],
      folder,
    });
    const { agent, sessionId } = editor;
    const ask = (text: string) => agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    expect(await ask("Write a note.")).toMatchObject({ stopReason: "end_turn" });
    expect(readFileSync(join(folder, "note.txt"), "utf8")).toBe("milk\n");
    expect(editor.text()).toBe("I look at it first. Then I write.The note is there.");
    await ask("Remove it.");
    expect(existsSync(join(folder, "note.txt"))).toBe(true);
    expect(editor.dialogs).toHaveLength(2);
    for (const { closed } of editor.dialogs) await closed;
    await eventually(() => expect(heard.lines.filter((line) => line.startsWith("session.completed"))).toHaveLength(2));
    // Where the machine is slow, a call is heard to run before OpenCode asks about it.
    const lines = said(heard, "OpenCode in shop").map((line) => line.replace(/^state\.changed \| \w+/, "state"));
    const tools = lines.filter((line) => line.startsWith("tool."));
    expect(lines.filter((line) => !line.startsWith("tool."))).toEqual([
      "session.started | Write a note.",
      "output.streaming | I look at it first. ",
      "output.streaming | Then I write.",
      "awaiting.confirmation | Run echo milk > note.txt",
      "state | Accepted. The question was: Run echo milk > note.txt.",
      "output.streaming | The note is there.",
      "session.completed | Done.",
      "session.started | Remove it.",
      "awaiting.confirmation | Run rm note.txt",
      "state | Rejected. The question was: Run rm note.txt.",
      "session.completed | Done.",
    ]);
    expect(tools.slice(0, 2)).toEqual([
      "tool.invoked | execute | Runs echo milk > note.txt",
      "tool.completed | execute | success",
    ]);
    expect(heard.events.find(({ reply_token }) => reply_token !== undefined)).toMatchObject({
      consequence: "Command: echo milk > note.txt",
    });
    expect(editor.adapter.stderr()).toBe("");
  },
  TEN_MINUTES,
);
