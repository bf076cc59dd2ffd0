// `aaepd acp` between an editor and an agent of the SDK's, which is a process of its own, with a real daemon.
import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { eventually, type ServedDaemon, serve, serveProcess } from "../../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, rejects, stopAt } from "../../client/agent/agent-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { casesOf } from "../../support/extent.js";
import { shared } from "../../support/lifetime.js";
import { cleanEnvironment, PROGRAM } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { said } from "../said.js";
import { type Dialog, type EditorOptions, openEditor } from "./acp-editor.js";

const COMMAND = { toolCallId: "t", title: "npm test", kind: "execute", rawInput: { command: "npm test" } };

beforeAll(ensureBuilt, 120_000);

const served = shared(() => serve(temporaryDirectory(), "--journal", "memory"));

/** An editor whose agent has a name of its own, and what is heard of it. */
async function stage(options: ListenOptions & { readonly editor?: EditorOptions; readonly at?: ServedDaemon } = {}) {
  const { environment, socketPath } = options.at ?? (await served());
  const name = `Agent ${randomUUID().slice(0, 8)}`;
  const own = (event: Envelope) => (event.producer?.agent_name === name ? options.answer?.(event) : undefined);
  const heard = await listenAt(socketPath, {
    name,
    ...(options.answer === undefined ? {} : { answer: own }),
  });
  const editor = await openEditor({
    environment,
    ...options.editor,
    options: ["--name", name, ...(options.editor?.options ?? [])],
  });
  return { heard, editor, name, lines: () => said(heard, name) };
}

test("a turn is heard, and a listener's answer closes the editor's dialog", async () => {
  const { editor, lines } = await stage({ answer: accepts, editor: { options: ["--quiet-prompts"] } });
  const { stopReason } = await editor.prompt([{ say: "I look. " }, { ask: COMMAND }, { say: " That is all." }]);
  expect(stopReason).toBe("end_turn");
  expect(editor.text()).toBe("I look. Answer: yes. That is all.");
  await editor.dialogs[0]?.closed;
  await eventually(() => expect(lines().at(-1)).toBe("session.completed | Done."));
  expect(lines().filter((line) => !line.startsWith("output"))).toEqual([
    "session.started | Works on your request.",
    "awaiting.confirmation | Run npm test",
    "state.changed | writing_output | Accepted. The question was: Run npm test.",
    "tool.invoked | execute | Runs npm test",
    "tool.completed | execute | success",
    "session.completed | Done.",
  ]);
  editor.adapter.stdin.end();
  expect(await editor.adapter.ended).toMatchObject({ code: 0 });
});

test("the editor's answer ends the question, and its call is one that the host approved", async () => {
  const { editor, heard, lines, name } = await stage({ answer: () => undefined });
  const done = editor.prompt([{ ask: COMMAND }]);
  await eventually(() => expect(lines()).toContain("awaiting.confirmation | Run npm test"));
  editor.dialogs[0]?.choose("yes");
  await done;
  expect(editor.text()).toBe("Answer: yes.");
  await eventually(() => expect(lines().at(-1)).toBe("session.completed | Done."));
  const invoked = heard.events.find(
    ({ type, producer }) => type.endsWith("tool.invoked") && producer?.agent_name === name,
  );
  expect(invoked?.extensions).toMatchObject({ aaepd: { approved_by: "host" } });
  expect(lines().join()).toContain("It was answered in the agent’s own window. Accepted.");
});

test("where nobody can answer, listeners hear where to answer, and never a default", async () => {
  const { editor, lines } = await stage();
  const done = editor.prompt([{ ask: COMMAND }]);
  await eventually(() => expect(editor.dialogs).toHaveLength(1));
  await eventually(() => expect(lines().join("\n")).toContain("Answer it in the agent’s own window."));
  editor.dialogs[0]?.choose("no");
  await done;
  await eventually(() => expect(lines().at(-1)).toBe("session.completed | Done."));
  expect(lines().join("\n")).not.toMatch(/default|Rejected/);
});

test("R39: a listener stops a turn while it is asked: the agent is told, has its answer, and ends the turn", async () => {
  const { editor, heard, lines } = await stage({ answer: () => undefined });
  const done = editor.prompt([{ ask: COMMAND }, { wait: true }]);
  await eventually(() => expect(lines()).toContain("awaiting.confirmation | Run npm test"));
  const { socketPath } = await served();
  await stopAt(socketPath, heard.events[0]?.session_id);
  expect((await done).stopReason).toBe("cancelled");
  await editor.dialogs[0]?.closed;
  expect(editor.text()).toBe("Answer: cancelled.");
  await eventually(() => expect(lines().at(-1)).toBe("session.cancelled | Stopped."));
});

test("an agent that exits while it asks: its code is ours, and listeners hear it", async () => {
  const { editor, lines } = await stage({ answer: () => undefined, editor: { options: ["--quiet-prompts"] } });
  void editor
    .prompt([{ update: { sessionUpdate: "tool_call", ...COMMAND, status: "completed" } }, { say: "Now." }, { exit: 3 }])
    .catch(() => {});
  expect(await editor.adapter.ended).toMatchObject({ code: 3 });
  await eventually(() => expect(lines().at(-1)).toBe("session.errored | The agent has ended unexpectedly: code 3."));
  expect(lines()).toContain("tool.invoked | execute | Runs npm test");
});

test("an editor that goes takes its agent with it, and its turns are cancelled", async () => {
  const { editor, lines } = await stage({ editor: { isProcess: true } });
  void editor.prompt([{ say: "I wait." }, { wait: true }]).catch(() => {});
  await eventually(() => expect(lines().join()).toContain("I wait."));
  editor.adapter.stdin.end();
  editor.adapter.output.destroy();
  expect((await editor.adapter.ended).code).not.toBeNull();
  await eventually(() => expect(lines().at(-1)).toBe("session.cancelled | The agent’s window was closed."));
});

test("listener and editor answer within a millisecond, again and again: the agent gets one answer, and listeners hear one outcome", async () => {
  const open: { dialog?: Dialog } = {};
  const { editor, lines } = await stage({
    answer: (event) => {
      const { dialog } = open;
      const choose = (): void => dialog?.choose(Math.random() < 0.5 ? "yes" : "no");
      const after = Math.floor(Math.random() * 3);
      if (after === 0) choose();
      else if (after === 1) setImmediate(choose);
      else setTimeout(choose, 1);
      return Math.random() < 0.5 ? accepts(event) : rejects(event);
    },
    editor: {
      // In one process, one of both would always be the first.
      isProcess: true,
      onDialog: (dialog) => {
        open.dialog = dialog;
      },
    },
  });
  const count = casesOf(1000);
  const asks = Array.from({ length: count }, (_, at) => ({
    ask: { ...COMMAND, toolCallId: `t${at}`, rawInput: { command: `make ${at}` } },
  }));
  await editor.prompt(asks);
  expect(editor.text().match(/Answer: (?:yes|no)\./g)).toHaveLength(count);
  const accepted = editor.text().match(/Answer: yes\./g)?.length ?? 0;
  await eventually(() => expect(lines().at(-1)).toBe("session.completed | Done."));
  const told = lines();
  // The next question may overtake an outcome (R4).
  const outcomes = told.flatMap((line) => / The question was: Run (make \d+)/.exec(line)?.[1] ?? []);
  expect(outcomes).toHaveLength(count);
  expect(new Set(outcomes).size).toBe(count);
  expect(told.filter((line) => line.startsWith("tool.invoked"))).toHaveLength(accepted);
  expect(told.filter((line) => line.startsWith("tool.completed"))).toHaveLength(accepted);
  const byEditor = told.filter((line) => line.includes("own window")).length;
  if (count === 1000) expect(Math.min(byEditor, count - byEditor)).toBeGreaterThan(0);
  // One that answered a request twice would have been told so by the SDK.
  expect(editor.adapter.stderr()).toBe("");
}, 180_000);

test("a daemon that dies in mid-turn and comes back: the editor notices nothing, and the next turn is heard", async () => {
  const directory = temporaryDirectory();
  const first = await serveProcess(directory, "--journal", "memory");
  const { editor, name, lines } = await stage({ at: first, answer: () => undefined });
  const asking = editor.prompt([{ say: "Before." }, { ask: COMMAND }]);
  await eventually(() => expect(lines()).toContain("awaiting.confirmation | Run npm test"));
  await first.kill();
  editor.dialogs[0]?.choose("yes");
  await asking;
  expect(editor.text()).toBe("Before.Answer: yes.");
  const { socketPath } = await serve(directory, "--journal", "memory");
  const heard = await listenAt(socketPath);
  await editor.prompt([{ say: "After." }]);
  await eventually(() => expect(said(heard, name)).toContain("output.streaming | After."));
});

test("without a daemon the editor notices nothing, and the first turn after its start is heard", async () => {
  const directory = temporaryDirectory();
  const editor = await openEditor({ environment: cleanEnvironment(directory), options: ["--name", "Early"] });
  const done = editor.prompt([{ ask: COMMAND }]);
  await eventually(() => expect(editor.dialogs).toHaveLength(1));
  editor.dialogs[0]?.choose("yes");
  await done;
  expect(editor.text()).toBe("Answer: yes.");
  expect(editor.adapter.stderr()).toBe("");
  const { socketPath } = await serve(directory, "--journal", "memory");
  const heard = await listenAt(socketPath);
  await editor.prompt([{ say: "Now." }]);
  await eventually(() => expect(said(heard, "Early")).toContain("output.streaming | Now."));
});

test("a daemon that is stopped delays nothing, neither a turn nor the end", async () => {
  const stopped = await serveProcess(temporaryDirectory(), "--journal", "memory");
  const { editor } = await stage({ at: stopped });
  stopped.child.kill("SIGSTOP");
  const done = editor.prompt([{ say: "Heard by nobody." }, { ask: COMMAND }]);
  await eventually(() => expect(editor.dialogs).toHaveLength(1));
  editor.dialogs[0]?.choose("yes");
  await done;
  editor.adapter.stdin.end();
  expect(await editor.adapter.ended).toMatchObject({ code: 0 });
  stopped.child.kill("SIGCONT");
});

test.runIf(process.platform === "linux")(
  "Safety 1: an agent that starts a listener and has it say yes is not answered by it",
  async () => {
    const { editor, lines } = await stage({ editor: { isProcess: true } });
    const done = editor.prompt([{ yesSayer: PROGRAM }, { say: "I wait." }, { wait: true }]).catch(() => {});
    await eventually(() => expect(editor.adapter.stderr()).toContain("Connected"));
    await editor.agent.notify("session/cancel", { sessionId: editor.sessionId });
    await done;
    const asking = editor.prompt([{ ask: COMMAND }]);
    await eventually(() => expect(lines().join("\n")).toContain("Answer it in the agent’s own window."));
    editor.dialogs[0]?.choose("no");
    await asking;
    expect(editor.text()).toContain("Answer: no.");
  },
);

test("Safety 4: two agents of one folder are told apart, and the agent's own title is not its name", async () => {
  const { environment, socketPath } = await served();
  const heard = await listenAt(socketPath);
  const folder = `/home/ada/${randomUUID().slice(0, 8)}`;
  const editors = [await openEditor({ environment, folder }), await openEditor({ environment, folder })];
  for (const editor of editors) await editor.prompt([{ say: "Here." }]);
  const names = () =>
    new Set(
      heard.events.map(({ producer }) => String(producer?.agent_name)).filter((one) => one.includes(folder.slice(10))),
    );
  // Which of them is the first to reach the daemon is chance.
  await eventually(() =>
    expect([...names()].sort()).toEqual([`Acp-agent in ${folder.slice(10)}`, `Acp-agent in ${folder.slice(10)} 2`]),
  );
});
