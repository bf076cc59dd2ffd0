// `aaepd tail` with real daemons over real sockets.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { ensureBuilt } from "../../support/built.js";
import { itInFull } from "../../support/extent.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, eventually, run, runtimeEnvironment, type Stage, serve } from "../command-stage.js";

async function agent(socketPath: string): Promise<AgentClient> {
  const client = await AgentClient.open(ipcRpcConnector(socketPath));
  onTestFinished(() => client.close());
  return client;
}

function started(sessionId: string, agentId = "tester") {
  return {
    type: "aaep:agent.session.started" as const,
    session_id: sessionId,
    producer: { agent_id: agentId },
    summary_normal: "Hello.",
    summary_terse: "Hi.",
  };
}

function chunk(sessionId: string, text: string, complete = false, agentId = "tester") {
  const producer = { agent_id: agentId };
  return { type: "aaep:agent.output.streaming" as const, session_id: sessionId, producer, chunk: text, complete };
}

/** Runs until the test interrupts it, or it ends by itself. */
function tail(stage: Stage, ...argv: readonly string[]): Promise<Stage> {
  const running = run(registerTail, stage, ...argv);
  onTestFinished(async () => {
    stage.interrupt();
    await running.catch(() => {});
  });
  return running;
}

test("follows one daemon on the terms that were asked for, in plain lines without colour", async () => {
  expectNothingLeftOpen();
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const stage = createStage();
  const running = tail(stage, "--socket", socketPath, "--verbosity", "terse", "--languages", "en");
  await eventually(() =>
    expect(stage.err()).toContain("Connected to aaepd: no rate limit, text by sentence and completion, terse, en."),
  );
  const client = await agent(socketPath);
  await client.publish([started("sess_1"), chunk("sess_1", "One. Two"), chunk("sess_1", " three.\n", true)]);
  await eventually(() => expect(stage.out().split("\n")).toHaveLength(4));
  expect(stage.out()).toMatch(
    /^\d\d:\d\d:\d\d tester: started: Hi\.\n\d\d:\d\d:\d\d text: One\.\n\d\d:\d\d:\d\d text: Two three\.\n$/,
  );
  expect(stage.out()).not.toContain("\u001b");
  stage.interrupt();
  await running;
  expect(stage.exitCode()).toBe(0);
});

const HOW = [
  ["--code", "announce", "--links", "text", "--emoji", "drop"],
  ["--code", "skip", "--links", "host", "--emoji", "name"],
] as const;

test("names daemon and agent where they change, says no empty text, and hides what --only does not name", async () => {
  const runtime = runtimeEnvironment();
  const one = await serve(runtime.XDG_RUNTIME_DIR, "--producer-id", "one");
  const two = await serve(runtime.XDG_RUNTIME_DIR, "--producer-id", "two");
  const tails = [
    [],
    ["--no-agent", ...HOW[0]],
    ["--only", "txt,Ada", ...HOW[1]],
    ["--only", "started", "--only", "EVE"],
  ].map((argv) => {
    const stage = createStage({ environment: runtime });
    void tail(stage, "--no-time", ...argv);
    return stage;
  });
  for (const stage of tails)
    await eventually(() => expect(stage.err().match(/^· (?:one|two): Connected/gm)).toHaveLength(2));
  const [first, second] = [await agent(one.socketPath), await agent(two.socketPath)];
  const heard = (line: string) => eventually(() => expect(tails[0]?.out()).toContain(line));
  await first.publish([
    started("sess_1", "Ada"),
    chunk("sess_1", "**One.** ", false, "Ada"),
    chunk("sess_1", "", true, "Ada"),
  ]);
  await heard("One.");
  await first.publish(started("sess_2", "Eve"));
  await heard("Eve");
  await second.publish([started("sess_3", "Eve"), chunk("sess_3", "Two.", true, "Eve")]);
  await heard("Two");
  await first.publish([{ ...started("sess_2", "Eve"), type: "aaep:agent.session.completed" }]);
  await heard("completed");
  const outs = [
    "one, Ada: started: Hello.\ntext: One.\nEve: started: Hello.\ntwo, Eve: started: Hello.\ntext: Two.\none, Eve: completed: Hello.\n",
    "started: Hello.\ntext: One.\nstarted: Hello.\nstarted: Hello.\ntext: Two.\ncompleted: Hello.\n",
    "one, Ada: text: One.\n",
    "one, Eve: started: Hello.\ntwo, Eve: started: Hello.\n",
  ];
  expect(tails[2]?.err()).toMatch(/^· Warning: "txt" is taken for text, and for the name of an agent\.\n/);
  for (const [index, stage] of tails.entries()) await eventually(() => expect(stage.out()).toBe(outs[index]));
});

test("colour on a terminal, none where NO_COLOR or a dumb terminal says so", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const plain = [{ NO_COLOR: "1" }, { TERM: "dumb" }].map((environment) => createStage({ columns: 100, environment }));
  const colourful = createStage({ columns: 100 });
  for (const stage of [...plain, colourful]) void tail(stage, "--socket", socketPath, "-n", "1");
  await eventually(() => {
    for (const stage of [...plain, colourful]) expect(stage.err()).toContain("Connected");
  });
  await (await agent(socketPath)).publish(started("sess_1"));
  await eventually(() => expect(colourful.out()).toContain("\u001b["));
  for (const stage of plain) {
    await eventually(() => expect(stage.out()).toMatch(/started: Hello\.\n$/));
    expect(stage.out()).not.toContain("\u001b");
  }
});

test("--json prints events as they were received, --label with the daemon's name, --count ends by itself", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const [bare, labelled] = [createStage(), createStage()];
  const options = ["--socket", socketPath, "--json", "--count", "1", "--quiet"];
  const running = [tail(bare, ...options), tail(labelled, ...options, "--label")];
  const client = await agent(socketPath);
  // Those that come late are told where the session stands, and end as well.
  await client.publish(started("sess_1"));
  await Promise.all(running);
  expect(JSON.parse(bare.out())).toMatchObject({ session_id: "sess_1", producer: { agent_id: "tester" } });
  expect(JSON.parse(labelled.out())).toMatchObject({ daemon: "", event: { session_id: "sess_1" } });
  expect([bare.err(), bare.exitCode()]).toEqual(["", 0]);
});

test("without --socket: every daemon, labelled, also those that start later or again", async () => {
  expectNothingLeftOpen();
  const runtime = runtimeEnvironment();
  const stage = createStage({ environment: runtime });
  const running = tail(stage);
  await eventually(() => expect(stage.err()).toContain(`No daemon in ${runtime.directory} yet`));
  const one = await serve(runtime.XDG_RUNTIME_DIR, "--producer-id", "one");
  const two = await serve(runtime.XDG_RUNTIME_DIR, "--producer-id", "two");
  await eventually(() => {
    expect(stage.err()).toMatch(/^· one: Connected/m);
    expect(stage.err()).toMatch(/^· two: Connected/m);
  });
  await (await agent(one.socketPath)).publish(started("sess_1"));
  await (await agent(two.socketPath)).publish(started("sess_2"));
  await eventually(() => {
    expect(stage.out()).toMatch(/^\S+ one, tester: started: Hello\.$/m);
    expect(stage.out()).toMatch(/^\S+ two, tester: started: Hello\.$/m);
  });
  await one.stop();
  await eventually(() => expect(stage.err()).toMatch(/^· one: .*Waiting for it to come back\.$/m));
  const again = await serve(runtime.XDG_RUNTIME_DIR, "--producer-id", "one");
  await eventually(() => expect(stage.err().match(/^· one: Connected/gm)).toHaveLength(2));
  await (await agent(again.socketPath)).publish(started("sess_3", "returned"));
  await eventually(() => expect(stage.out()).toMatch(/^\S+ one, returned: started: Hello\.$/m));
  // One line told that it had gone.
  expect(stage.err()).not.toContain("Its socket is gone.");
  stage.interrupt();
  await running;
  expect(stage.exitCode()).toBe(0);
});

itInFull(
  "a second folder that others could have filled is not believed, and the first is followed all the same",
  async () => {
    const runtime = runtimeEnvironment();
    const fallbackDirectory = join(temporaryDirectory(), "aaep-7");
    const hidden = join(temporaryDirectory(), "private");
    await serve(temporaryDirectory(), "--socket", join(hidden, "stranger.sock"));
    symlinkSync(hidden, fallbackDirectory);
    await serve(runtime.XDG_RUNTIME_DIR, "--producer-id", "ours");
    const stage = createStage({ environment: runtime, fallbackDirectory });
    void tail(stage);
    await eventually(() => expect(stage.err()).toMatch(/^· ours: Connected/m));
    expect(stage.err()).toMatch(/^· Warning: The folder \S+ is a symbolic link\. .* Its daemons are not followed\.$/m);
    expect(stage.err()).not.toContain("stranger");
  },
);

test("--no-reconnect ends with the daemon", async () => {
  const { socketPath, stop } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const stage = createStage();
  const running = tail(stage, "--socket", socketPath, "--no-reconnect");
  await eventually(() => expect(stage.err()).toContain("Connected"));
  await stop();
  await running;
  expect(stage.exitCode()).toBe(0);
});

test.each([
  [["--socket", "/nowhere/none.sock"], 69, /^Error: There is no [^\n]+\n$/],
  [["--no-reconnect"], 69, /^Error: There is no daemon in .+\n$/],
  [["--label"], 2, /^Error: --label goes with --json. Give both, or neither.\n$/],
])("%j is refused in one line, with exit code %i", async (argv, code, said) => {
  const stage = await tail(createStage({ environment: runtimeEnvironment() }), ...argv);
  expect(stage.err()).toMatch(said);
  expect(stage.exitCode()).toBe(code);
});

itInFull(
  "rejected for good by every daemon: told as an error, exit code 1; a pattern that matches nothing is warned of",
  async () => {
    const runtime = runtimeEnvironment();
    await serve(runtime.XDG_RUNTIME_DIR);
    const stage = await tail(createStage({ environment: runtime }), "--signed-only", "--include", "tool.*");
    expect(stage.err()).toContain('Warning: "tool.*" matches no event of AAEP.');
    expect(stage.err()).toMatch(/^Error: The daemon has rejected the subscription: /m);
    expect(stage.exitCode()).toBe(1);
  },
);

test("when nobody reads any more it ends quietly, with 0", async () => {
  ensureBuilt();
  const runtime = runtimeEnvironment();
  const { socketPath, environment } = await serve(runtime.XDG_RUNTIME_DIR);
  const program = startProgram(["tail", "--socket", socketPath, "--quiet"], { environment });
  const client = await agent(socketPath);
  await client.publish(started("sess_1"));
  await program.stdoutLines(1);
  program.child.stdout.destroy();
  await client.publish([chunk("sess_1", "One. Two. "), chunk("sess_1", "Three.", true)]);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe("");
});
