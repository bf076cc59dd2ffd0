// Codex as its registry has it, unchanged, with a model of the test's, and with the hooks that `aaepd hook install` writes.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { beforeAll, expect, it } from "vitest";
import { permissionOutput } from "../../../src/adapters/hooks/hook-events.js";
import { CODEX_MESSAGES } from "../../adapters/hooks/hook-messages.js";
import { said } from "../../adapters/said.js";
import { eventually, serve } from "../../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, rejects } from "../../client/agent/agent-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { shared } from "../../support/lifetime.js";
import { PROGRAM } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { type CodexHook, openAppServer } from "./codex-app-server.js";
import { hookSchemas } from "./codex-schemas.js";
import { installed, outputOf } from "./installed.js";
import { type ModelStep, startModel } from "./model-server.js";

const TEN_MINUTES = 600_000;

beforeAll(ensureBuilt, 120_000);

const codex = shared(() => installed("@openai/codex@0.169.0"));

/** The model's tool that runs commands. Outside of the sandbox a person is asked. */
const runs = (cmd: string, more: object = {}) => ({ tool: "exec_command", given: { cmd, ...more } });
const outside = { sandbox_permissions: "require_escalated", justification: "Shows the date." };

interface StageOptions extends Pick<ListenOptions, "answer"> {
  readonly steps: readonly ModelStep[];
  readonly options?: readonly string[];
}

/** A person's Codex with aaepd's hooks, which they have trusted. */
async function stage({ steps, options = [], answer }: StageOptions) {
  const program = `${await codex()}/.bin/codex`;
  const model = await startModel(steps);
  const { environment, socketPath } = await serve(temporaryDirectory(), "--journal", "memory");
  const home = environment.HOME ?? "";
  const [folder, settings] = [join(home, "shop"), join(home, "settings")];
  for (const made of [folder, settings]) mkdirSync(made);
  writeFileSync(join(settings, "config.toml"), configOf(model));
  const env = { ...environment, CODEX_HOME: settings };
  await outputOf(env, process.execPath, PROGRAM, "hook", "install", "codex", ...options);
  // On a busy machine the daemon may answer later than a person's hook waits.
  const hooks = join(settings, "hooks.json");
  writeFileSync(hooks, readFileSync(hooks, "utf8").replaceAll("--answer", "--answer --patience 60000"));
  const appServer = await openAppServer(program, env);
  const untrusted = await appServer.hooks(folder);
  await appServer.trust(untrusted);
  const heard = await listenAt(socketPath, { answer, capabilities: {} });
  return { program, env, folder, appServer, untrusted, heard, lines: () => said(heard, "Codex in shop") };
}

const configOf = (url: string): string => `
model = "scripted"
model_provider = "scripted"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "Scripted"
base_url = "${url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
`;

const isTrusted = ({ trustStatus }: CodexHook) => trustStatus === "trusted";

it(
  "Codex takes each hook of `aaepd hook install codex`, and a request of `codex exec` is heard",
  async () => {
    const { program, env, folder, appServer, untrusted, lines } = await stage({
      steps: [
        { say: ["I write."], call: runs("echo milk > note.txt") },
        { say: ["The note is there. ", "All is well."] },
      ],
    });
    expect(untrusted.map(({ eventName }) => eventName).sort()).toEqual([
      "interrupt",
      "permissionRequest",
      "postToolUse",
      "preCompact",
      "preToolUse",
      "sessionEnd",
      "sessionStart",
      "stop",
      "subagentStart",
      "subagentStop",
      "userPromptSubmit",
    ]);
    expect((await appServer.hooks(folder)).filter(isTrusted)).toHaveLength(untrusted.length);
    appServer.close();
    const told = await outputOf(env, program, "exec", "--skip-git-repo-check", "--cd", folder, "Write a note.");
    expect(told).toContain("All is well.");
    expect(readFileSync(join(folder, "note.txt"), "utf8")).toBe("milk\n");
    await eventually(() => expect(lines().at(-1)).toBe("session.completed | Done."));
    expect(lines()).toEqual([
      "session.started | Write a note.",
      "tool.invoked | Bash | Runs echo milk > note.txt",
      "tool.completed | Bash | success",
      "output.streaming | The note is there. ",
      "output.streaming | All is well.",
      "session.completed | Done.",
    ]);
    const seen = await outputOf(env, process.execPath, PROGRAM, "hook", "status", "codex");
    expect(Array.from(seen.matchAll(/(\w+): seen/g), ([, event]) => event)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "SessionEnd",
    ]);
  },
  TEN_MINUTES,
);

it(
  "Codex asks a listener, whose answer is its verdict, and shows its own dialog only where nobody answers",
  async () => {
    const { appServer, folder, lines, heard } = await stage({
      options: ["--answer"],
      answer: (event) => (String(event.action).includes("rm ") ? rejects : accepts)(event),
      steps: [
        { call: runs("echo milk > note.txt", outside) },
        { call: runs("rm note.txt", outside) },
        { say: ["That is all."] },
        { call: runs("cat note.txt", outside) },
        { say: ["I could not."] },
      ],
    });
    await appServer.prompt(folder, "Write a note.");
    expect(existsSync(join(folder, "note.txt"))).toBe(true);
    expect(appServer.dialogs).toEqual([]);
    await eventually(() => expect(lines().at(-1)).toBe("session.completed | Done."));
    expect(lines()).toEqual([
      "session.started | Write a note.",
      "awaiting.confirmation | Run echo milk > note.txt",
      "state.changed | idle | Accepted. The question was: Run echo milk > note.txt.",
      "tool.invoked | Bash | Runs echo milk > note.txt",
      "tool.completed | Bash | success",
      "awaiting.confirmation | Run rm note.txt",
      "state.changed | idle | Rejected. The question was: Run rm note.txt.",
      "output.streaming | That is all.",
      "session.completed | Done.",
    ]);
    expect(heard.events.find(({ reply_token }) => reply_token !== undefined)).toMatchObject({
      consequence: "Command: echo milk > note.txt\nAs the agent says: Shows the date.",
    });
    await heard.subscriber.close();
    await appServer.prompt(folder, "Read it.");
    expect(appServer.dialogs).toEqual([expect.stringContaining("cat note.txt")]);
  },
  TEN_MINUTES,
);

it(
  "a request that is stopped in Codex while a listener is asked: the question is withdrawn, and the turn ends at once",
  async () => {
    const { appServer, folder, lines } = await stage({
      options: ["--answer"],
      answer: () => undefined,
      steps: [{ call: runs("npm test", outside) }],
    });
    const over = appServer.prompt(folder, "Run the tests.");
    await eventually(() => expect(lines()).toContain("awaiting.confirmation | Run npm test"));
    await appServer.interrupt();
    await over;
    await eventually(() => expect(lines().at(-1)).toBe("session.cancelled | Stopped."));
    expect(lines()).toEqual([
      "session.started | Run the tests.",
      "awaiting.confirmation | Run npm test",
      "state.changed | idle | Withdrawn. The question was: Run npm test.",
      "session.cancelled | Stopped.",
    ]);
    expect(appServer.dialogs).toEqual([]);
  },
  TEN_MINUTES,
);

it(
  "what a hook reads and writes is what Codex's own schemas describe",
  async () => {
    const target = `codex-${process.platform}-${process.arch}`;
    const vendor = `${await codex()}/@openai/${target}/vendor`;
    const [triple = ""] = readdirSync(vendor);
    const schema = await hookSchemas(`${vendor}/${triple}/bin/codex`);
    const faults = (title: string, value: unknown): unknown => {
      const isTaken = new Ajv({ strict: false }).compile(schema(title));
      return isTaken(value) ? undefined : isTaken.errors;
    };
    const output = "permission-request.command.output";
    for (const decision of ["accept", "reject"] as const)
      expect(faults(output, permissionOutput(decision))).toBeUndefined();
    expect(faults(output, { ...permissionOutput("accept"), decision: "allow" })).toHaveLength(1);
    // This version has no StopFailure.
    const { StopFailure: _, ...messages } = CODEX_MESSAGES;
    const read = Object.entries(messages).map(([event, message]) => [
      event,
      faults(`${event.replace(/\B[A-Z]/g, "-$&").toLowerCase()}.command.input`, message),
    ]);
    expect(read).toEqual(Object.keys(messages).map((event) => [event, undefined]));
  },
  TEN_MINUTES,
);
