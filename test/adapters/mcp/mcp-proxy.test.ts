// `aaepd mcp` between a host and a server of the SDK's, which is a process of its own, with a real daemon.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { eventually, serveProcess, startCommandLine } from "../../cli/command-stage.js";
import { accepts, rejects } from "../../client/agent/agent-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment, PROGRAM, startProgram } from "../../support/peers/program.js";
import { rawSocket } from "../../support/peers/raw-socket.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { hostileLines } from "../hostile-lines.js";
import { hostStage, openHost, served } from "./mcp-host.js";

ensureBuilt();

const HOLDING = ["--irreversible-tools", "Write-Note"];
const notDone = (why: string) => ({ content: [{ type: "text", text: `Not done: ${why}` }], isError: true });

test("tools, their progress and their ends are heard, also of calls at once, forms are announced, and the server's end is told", async () => {
  const { client, call, lines, called, heard } = await hostStage();
  await client.listTools();
  const wait = new AbortController();
  const waiting = call("wait", {}, { signal: wait.signal });
  await eventually(() => expect(called()).toContain("wait "));
  expect(await call("read_note", { path: "a" })).toEqual({ content: [{ type: "text", text: "milk" }] });
  await expect(call("fail")).rejects.toThrow("no paper");
  await call("write_note", { path: "b" }, { onprogress: () => {} });
  expect(await call("ask")).toEqual({ content: [{ type: "text", text: "decline" }] });
  wait.abort();
  await expect(waiting).rejects.toThrow();
  await eventually(() => expect(lines().at(-1)).toContain("Cancelled."));
  expect(lines()).toEqual([
    "session.started | Uses tools of Server.",
    expect.stringMatching(/^tool.invoked \| \S+\.wait \| wait$/),
    expect.stringMatching(/^tool.invoked \| \S+\.read_note \| Reads a note$/),
    expect.stringMatching(/^tool.completed \| \S+\.read_note \| success$/),
    expect.stringMatching(/^tool.invoked \| \S+\.fail \| fail$/),
    expect.stringMatching(/^tool.completed \| \S+\.fail \| error$/),
    expect.stringMatching(/^tool.invoked \| \S+\.write_note \| write note$/),
    ...lines().filter((line) => line.startsWith("progress")),
    expect.stringMatching(/^tool.completed \| \S+\.write_note \| success$/),
    expect.stringMatching(/^tool.invoked \| \S+\.ask \| ask$/),
    "state.changed | awaiting_input | Which note? Answer it in the agent’s own window.",
    expect.stringMatching(/^tool.completed \| \S+\.ask \| success$/),
    expect.stringMatching(/^tool.completed \| \S+\.wait \| error \| Cancelled\.$/),
  ]);
  const progress = heard.events.filter(({ type }) => type.endsWith("progress.updated"));
  expect(progress.at(-1)).toMatchObject({ progress: { percent: 100, description: "Part 2" } });
  await expect(call("exit")).rejects.toThrow();
  await eventually(() => expect(lines().at(-1)).toBe("session.errored | The program has ended: code 4."));
});

const SAFETY = "Safety 3: a tool that a person named to be held never passes without a yes";

test(`${SAFETY}: accepted and rejected`, async () => {
  const answer = (event: Envelope) => (String(event.consequence).includes("path: no") ? rejects : accepts)(event);
  const { call, called, lines, heard } = await hostStage({ options: HOLDING, answer, startedBy: "another" });
  const written = { path: "b", text: "milk" };
  const [yes, no, read] = await Promise.all([
    call("write_note", written),
    call("write_note", { path: "no" }),
    call("read_note"),
  ]);
  expect(yes).toEqual({ content: [{ type: "text", text: "written" }] });
  expect(no).toEqual(notDone("the person did not agree."));
  expect(read).toMatchObject({ content: [{ text: "milk" }] });
  await eventually(() => expect(lines().filter((line) => line.startsWith("tool.completed"))).toHaveLength(2));
  expect([...called()].sort()).toEqual(["read_note ", "write_note b"].sort());
  const asked = heard.events.find(({ reply_token }) => reply_token !== undefined);
  expect(asked).toMatchObject({
    action: "Use write_note: path: b and 1 more line",
    consequence: "path: b\ntext: milk",
    irreversible: true,
  });
  const invoked = heard.events.filter(({ type, irreversible }) => type.endsWith("tool.invoked") && irreversible);
  expect(invoked).toMatchObject([{ extensions: { aaepd: { consent: asked?.reply_token } } }]);
});

test(`${SAFETY}: no daemon, and everything else runs`, async () => {
  const host = await openHost(cleanEnvironment(temporaryDirectory()), { options: HOLDING });
  expect(await host.call("write_note", { path: "b" })).toEqual(notDone("nobody has agreed."));
  expect(await host.call("read_note")).toMatchObject({ content: [{ text: "milk" }] });
  expect(host.called()).toEqual(["read_note "]);
});

test(`${SAFETY}: the daemon is gone while it asks`, async () => {
  const at = await serveProcess(temporaryDirectory(), "--journal", "memory");
  const { call, called, lines } = await hostStage({
    options: [...HOLDING, "--hold-seconds", "1"],
    answer: () => undefined,
    at: async () => at,
  });
  const done = call("write_note", { path: "b" });
  await eventually(() => expect(lines().join()).toContain("awaiting.confirmation"));
  at.child.kill("SIGKILL");
  expect(await done).toEqual(notDone("nobody has agreed."));
  expect(called()).toEqual([]);
});

test(`${SAFETY}: a host that has given up, and a yes that comes then`, async () => {
  const { call, called, heard, lines } = await hostStage({ options: HOLDING, answer: () => undefined });
  const giveUp = new AbortController();
  const done = call("write_note", { path: "b" }, { signal: giveUp.signal });
  await eventually(() => expect(lines().join()).toContain("awaiting.confirmation"));
  giveUp.abort();
  await expect(done).rejects.toThrow("abort");
  await eventually(() => expect(lines().join()).toContain("Withdrawn"));
  const asked = heard.events.find(({ reply_token }) => reply_token !== undefined);
  heard.subscriber.reply(accepts(asked as NonNullable<typeof asked>));
  // The server has answered everything that it got before.
  await call("read_note");
  expect(called()).toEqual(["read_note "]);
});

test("Safety 1: the host itself, and what runs below it, does not answer", async () => {
  const { call, called } = await hostStage({ options: HOLDING, answer: accepts, startedBy: "tests" });
  expect(await call("write_note", { path: "b" })).toEqual(notDone("nobody has agreed."));
  expect(called()).toEqual([]);
});

test.each([[[]], [HOLDING]])(
  "both directions are the same bytes, and the exit code is the server's: %o",
  async (...[options]) => {
    const script = "process.stdin.pipe(process.stdout); process.stdin.on('end', () => { process.exitCode = 7; })";
    const argv = [PROGRAM, "mcp", ...options, "--", process.execPath, "-e", script];
    const child = spawn(process.execPath, argv, { env: cleanEnvironment(temporaryDirectory()) });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise((resolve) => child.on("close", resolve));
    // While tools are held, what is no message of one meaning does not pass.
    const lines = hostileLines().filter((line) => options.length === 0 || isOneMessage(line));
    const sent = Buffer.concat(lines);
    for (let from = 0; from < sent.length; from += 60_001) child.stdin.write(sent.subarray(from, from + 60_001));
    child.stdin.end();
    expect(await ended).toBe(7);
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  },
);

function isOneMessage(line: Buffer): boolean {
  const text = line.toString("utf8");
  return text.startsWith("{") && text.trimEnd().endsWith("}") ? true : text.trim() === "";
}

test("Safety 1: what runs below a server is told whose it is, by the server's own name where there is no other", async () => {
  const script = "process.stdout.write(process.env.AAEPD_AGENT)";
  const program = startProgram(["mcp", "--", process.execPath, "-e", script], { cwd: temporaryDirectory() });
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stdout()).toMatch(/^Node in aaepd-/);
});

const INITIALIZE = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };

test.each([["a2e", "--", "cat"], ["stdio"], ["socket"]])(
  "a host of MCP that starts the wrong command is told the right one: %s",
  async (command, ...argv) => {
    const line = `${JSON.stringify(INITIALIZE)}\n`;
    const answered =
      command === "socket"
        ? await answerAt((await served()).socketPath, line)
        : await answerOf([command, ...argv], line);
    expect(JSON.parse(answered)).toMatchObject({
      jsonrpc: "2.0",
      id: 0,
      error: { message: "this is MCP: use aaepd mcp" },
    });
  },
);

async function answerOf(argv: readonly string[], line: string): Promise<string> {
  const command = startCommandLine(argv);
  command.stdin.write(line);
  const [answer = ""] = await command.stdoutLines(1);
  return answer;
}

async function answerAt(socketPath: string, line: string): Promise<string> {
  const socket = rawSocket(socketPath);
  socket.write(line);
  const [answer] = await once(socket, "data");
  return String(answer);
}
