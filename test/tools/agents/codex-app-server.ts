// Codex as editors and the desktop app run it: `codex app-server`, which speaks JSON-RPC by lines without a version.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { whenFinished } from "../../support/lifetime.js";

interface Message {
  readonly id?: number | undefined;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

export interface CodexHook {
  readonly key: string;
  readonly eventName: string;
  readonly currentHash: string;
  readonly trustStatus: string;
}

export interface CodexAppServer {
  /** The hooks of a folder. Rejects for what Codex does not take of the settings. */
  readonly hooks: (folder: string) => Promise<readonly CodexHook[]>;
  /** As a person does by /hooks. */
  readonly trust: (hooks: readonly CodexHook[]) => Promise<unknown>;
  /** One request of the person in a folder, in which commands outside of the sandbox are asked about. Resolves when the turn is over. */
  readonly prompt: (folder: string, text: string) => Promise<void>;
  /** As a person does by Esc. */
  readonly interrupt: () => Promise<unknown>;
  /** The commands that Codex has asked about in its own dialog, and was told no. */
  readonly dialogs: readonly unknown[];
  readonly close: () => void;
}

export async function openAppServer(program: string, env: Readonly<Record<string, string>>): Promise<CodexAppServer> {
  const child = spawn(program, ["app-server"], { env, stdio: ["pipe", "pipe", "ignore"] });
  whenFinished(() => child.kill("SIGKILL"));
  const { send, request, onDialog, turnCompleted } = connect(child);
  const dialogs: unknown[] = [];
  let running: Readonly<Record<string, unknown>> = {};
  onDialog(({ id, params }) => {
    dialogs.push(params?.command);
    send({ id, result: { decision: "decline" } });
  });
  await request("initialize", { clientInfo: { name: "test", title: "Test", version: "1" } });
  send({ method: "initialized" });
  return {
    dialogs,
    close: () => void child.kill(),
    hooks: async (folder) => {
      const { data } = await request("hooks/list", { cwds: [folder] });
      const [{ hooks, errors, warnings }] = data as [{ hooks: CodexHook[]; errors: unknown[]; warnings: unknown[] }];
      if (errors.length + warnings.length > 0) throw new Error(JSON.stringify([errors, warnings]));
      return hooks;
    },
    trust: (hooks) => {
      const value = Object.fromEntries(hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
      return request("config/batchWrite", {
        edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }],
        reloadUserConfig: true,
      });
    },
    prompt: async (cwd, text) => {
      const { thread } = await request("thread/start", { cwd, approvalPolicy: "on-request", sandbox: "read-only" });
      const { id: threadId } = thread as { readonly id: string };
      const completed = turnCompleted();
      const { turn } = await request("turn/start", { threadId, input: [{ type: "text", text }] });
      running = { threadId, turnId: (turn as { readonly id: string }).id };
      await completed;
    },
    interrupt: () => request("turn/interrupt", running),
  };
}

function connect({ stdin, stdout }: ChildProcess) {
  let count = 0;
  let hasAsked: (message: Message) => void = () => {};
  let hasEnded: () => void = () => {};
  const waiting = new Map<number, (message: Message) => void>();
  const send = (message: Message): void => void stdin?.write(`${JSON.stringify(message)}\n`);
  if (stdout !== null)
    createInterface(stdout).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      const { id, method } = message;
      if (method === undefined) waiting.get(id ?? 0)?.(message);
      else if (id !== undefined) hasAsked(message);
      else if (method === "turn/completed") hasEnded();
    });
  return {
    send,
    onDialog: (asked: (message: Message) => void): void => {
      hasAsked = asked;
    },
    turnCompleted: (): Promise<void> =>
      new Promise((resolve) => {
        hasEnded = resolve;
      }),
    request: async (method: string, params: Readonly<Record<string, unknown>>) => {
      count += 1;
      const id = count;
      const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
      send({ id, method, params });
      const { result, error } = await answered;
      if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
  };
}
