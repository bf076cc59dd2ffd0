// The words of `aaepd speak` as lines of `aaepd tail --interactive`, with a real daemon.
import { expect, it, onTestFinished } from "vitest";
import { TextKeys } from "../../../src/cli/questions/text-keys.js";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import type { Clock } from "../../../src/contracts/clock.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, eventually, run, runCommandLine, serve, startCommandLine } from "../command-stage.js";

/** The clock of a command for which time passes so many times as fast. */
function fastClock(clock: Clock, times: number): Clock {
  return { ...clock, now: () => clock.now() * times, wakeAt: (at, wake) => clock.wakeAt(at / times, wake) };
}

const SESSION = { session_id: "sess_keys", producer: { agent_id: "writer", agent_name: "Writer" } };

async function keyStage() {
  // A sentence may be followed by more of it, and is held for as long.
  const { socketPath, environment } = await serve(temporaryDirectory(), "--max-hold-ms", "100");
  const tail = startCommandLine(["tail", "--interactive", "--socket", socketPath], { environment });
  const agent = await AgentClient.open(ipcRpcConnector(socketPath));
  onTestFinished(() => agent.close());
  await eventually(() => expect(tail.stderr()).toContain("Connected"));
  await agent.publish({ ...SESSION, type: "aaep:agent.session.started", summary_normal: "Writes." });
  const write = (name: string, chunk: string, complete = false) =>
    agent.publish({ ...SESSION, type: "aaep:agent.output.streaming", output_id: `out_${name}`, chunk, complete });
  return {
    agent,
    socketPath,
    write,
    shows: (text: string) => eventually(() => expect(tail.stdout()).toContain(text)),
    tells: (text: string) => eventually(() => expect(tail.stderr()).toContain(text)),
    type: (line: string) => void tail.stdin.write(`${line}\n`),
    tail,
  };
}

it("again and back tell the last texts in full, where tells what each agent said last", async () => {
  const { write, shows, tells, type, tail } = await keyStage();
  for (const word of ["where", "again", "?"]) type(word);
  await tells("Writer: Writes.");
  await tells("· There is no text yet.");
  await tells("· hush shows no more of the text that came last.");
  await write("one", "The **first** text. It has two sentences.\n", true);
  await write("two", "The second.\n", true);
  await shows("The second.");
  type("again");
  await tells("\nWriter: The second.\n");
  type("back");
  await tells("\nWriter: The first text. It has two sentences.\n");
  type("/back");
  await tells("· That was the first text.");
  type("where");
  await eventually(() => expect(tail.stderr().match(/\nWriter: The second\.\n/g)).toHaveLength(2));
  expect(tail.stdout()).not.toContain("·");
});

it("hush shows no more of a text, and skip lets the daemon send no more of it", async () => {
  const { write, shows, tells, type, tail } = await keyStage();
  await write("one", "Once upon a time. ");
  await shows("Once upon a time.");
  type("hush");
  await tells("· No more of this text of Writer.");
  await write("one", "It was long. ", true);
  await write("two", "Another one. ");
  await shows("Another one.");
  type("skip");
  await eventually(() => expect(tail.stderr().match(/No more of this text/g)).toHaveLength(2));
  await write("two", "Long as well. ", true);
  await write("three", "The third. ", true);
  await shows("The third.");
  expect(tail.stdout()).not.toMatch(/long/i);
});

it("pause holds text back and lets questions through, mute makes them wait, resume goes on", async () => {
  const { agent, socketPath, write, shows, tells, type, tail } = await keyStage();
  type("resume");
  await tells("· Nothing is held back.");
  type("pause");
  await tells("· Paused. Questions and errors come.");
  // The daemon has the new terms by then.
  await eventually(async () =>
    expect((await runCommandLine(["status", "--json", "--socket", socketPath])).stdout).toMatch(/"paused": ?true/),
  );
  await write("one", "A held sentence. ", true);
  const question = {
    ...SESSION,
    action: "Print it.",
    consequence: "It is on paper.",
    default_decision: "reject",
  } as const;
  const first = agent.confirm({ ...question, timeout_seconds: 300 });
  await tells("Question 1 of Writer: Print it.");
  type("no");
  expect(await first).toMatchObject({ decision: "reject" });
  expect(tail.stdout()).not.toContain("held");
  type("mute 9999");
  await tells("· Give minutes, up to 1440.");
  type("mute 30");
  await tells("· Nothing is shown for 30 minutes. Questions wait.");
  const second = agent.confirm({ ...question, action: "Burn it.", timeout_seconds: 300 });
  await write("two", "Further text. ", true);
  type("where");
  await tells("· Nothing is shown. 1 line waiting.");
  const before = tail.stderr();
  type("resume");
  await tells("Going on.");
  await tells("Question 2 of Writer: Burn it.");
  expect(before).not.toContain("Burn it.");
  await shows("Further text.");
  await shows("A held sentence.");
  type("answer accept");
  expect(await second).toMatchObject({ decision: "accept" });
});

it.each([
  ["resume", "Going on. 1 line waited."],
  ["pause", "Paused. Questions and errors come. resume goes on."],
  ["mute", "Nothing is shown until resume. Questions wait."],
] as const)("a mute of some minutes ends by itself, and is forgotten once %s is typed", async (key, answer) => {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const keys = new TextKeys({ clock, say, tell: say, pace: () => {} });
  keys.pressed("where", undefined);
  expect(lines.splice(0)).toEqual(["No agent is at work."]);
  keys.pressed("mute", 1);
  clock.advance(59_999);
  expect(keys.holds(() => say("A question."))).toBe(true);
  clock.advance(1);
  expect(lines).toEqual(["Nothing is shown for 1 minute. Questions wait.", "Going on. 1 line waited.", "A question."]);
  keys.pressed("mute", 1);
  keys.holds(() => say("A question."));
  lines.length = 0;
  keys.pressed(key, undefined);
  clock.advance(120_000);
  expect(lines).toEqual([answer, ...(key === "mute" ? [] : ["A question."])]);
});

it("lines about connections wait too while nothing is shown", async () => {
  const daemon = await serve(temporaryDirectory());
  const { socketPath, environment } = daemon;
  const tail = startCommandLine(["tail", "--interactive", "--socket", socketPath], { environment });
  await eventually(() => expect(tail.stderr()).toContain("Connected"));
  tail.stdin.write("mute\n");
  await eventually(() => expect(tail.stderr()).toContain("Nothing is shown until resume."));
  await daemon.stop();
  await eventually(() => {
    tail.stdin.write("where\n");
    expect(tail.stderr()).toContain("1 line waiting.");
  });
  expect(tail.stderr()).not.toContain("Waiting for it to come back.");
  tail.stdin.write("resume\n");
  await eventually(() => expect(tail.stderr()).toContain("Waiting for it to come back."));
});

it("an agent of which nothing is shown is told to be still at work, except where programs read", async () => {
  const { socketPath } = await serve(temporaryDirectory());
  const stages = [createStage(), createStage()];
  const followed = stages.map((stage, index) => {
    const fast = { ...stage, io: { ...stage.io, clock: fastClock(stage.io.clock, 20) } };
    return run(registerTail, fast, "--socket", socketPath, ...(index === 0 ? [] : ["--json"]));
  });
  await eventually(() => stages.forEach((stage) => void expect(stage.err()).toContain("Connected")));
  const agent = await AgentClient.open(ipcRpcConnector(socketPath));
  onTestFinished(() => agent.close());
  await agent.publish({ ...SESSION, type: "aaep:agent.session.started", summary_normal: "Writes." });
  await eventually(() =>
    expect(stages[0]?.err()).toMatch(
      /· Writer: still working, \d+ seconds?\.\n[\s\S]*Writer: still working, \d minutes?\./,
    ),
  );
  expect(stages[1]?.err()).not.toContain("still working");
  for (const stage of stages) stage.interrupt();
  await Promise.all(followed);
});
