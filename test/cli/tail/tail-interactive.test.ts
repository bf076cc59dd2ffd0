// `aaepd tail --interactive` with a real daemon and an agent that asks.
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { openAgent } from "../../../src/client/agent/open-agent.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import type { Clock } from "../../../src/contracts/clock.js";
import { itInFull } from "../../support/extent.js";
import {
  createStage,
  eventually,
  run,
  runtimeEnvironment,
  type Stage,
  type StageOptions,
  serve,
} from "../command-stage.js";

const SESSION = "sess_tail";
const producer = { agent_id: "bank" };
const QUESTION = {
  session_id: SESSION,
  producer,
  action: "Pay the bill.",
  consequence: "Money leaves.",
  default_decision: "reject",
} as const;

interface Person {
  readonly stage: Stage;
  readonly type: (line: string) => void;
  /** Part of a line. */
  readonly begin: (text: string) => void;
  /** So much time passes at once, ms, for what is asked and typed. */
  readonly pass: (ms: number) => void;
  readonly leave: () => void;
  readonly done: Promise<Stage>;
}

/** With `standsStill` no time passes for it, however busy the machine. */
async function person(
  place: string | NonNullable<StageOptions["environment"]>,
  { isTTY = false, standsStill = false, argv = [] as readonly string[] } = {},
): Promise<Person> {
  const stage = createStage(typeof place === "string" ? {} : { environment: place });
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const at = stage.io.clock.now();
  let passedMs = 0;
  const real = stage.io.clock;
  const clock: Clock = {
    ...real,
    now: () => (standsStill ? at : real.now() + passedMs),
    wakeAt: (time, wake) => real.wakeAt(time - passedMs, wake),
  };
  const withStdin = { ...stage, io: { ...stage.io, stdin, clock } };
  const done = run(
    registerTail,
    withStdin,
    "--interactive",
    ...(typeof place === "string" ? ["--socket", place] : []),
    ...argv,
  );
  onTestFinished(async () => {
    stage.interrupt();
    await done;
  });
  await eventually(() => expect(stage.err()).toContain("Connected"));
  return {
    stage,
    type: (line) => void stdin.write(`${line}\n`),
    begin: (text) => void stdin.write(text),
    pass: (ms) => {
      passedMs += ms;
    },
    leave: () => void stdin.end(),
    done,
  };
}

async function agentAt(socketPath: string): Promise<AgentClient> {
  const agent = await AgentClient.open(ipcRpcConnector(socketPath));
  onTestFinished(() => agent.close());
  await agent.publish({ type: "aaep:agent.session.started", session_id: SESSION, producer, summary_normal: "Hello." });
  return agent;
}

async function daemon(...options: readonly string[]): Promise<string> {
  return (await serve(runtimeEnvironment().XDG_RUNTIME_DIR, ...options)).socketPath;
}

function asked({ stage }: Person, text: string): Promise<void> {
  return eventually(() => expect(stage.err()).toContain(text));
}

test("a piped line waits for the question that it answers, and the next one for the next", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath);
  for (const line of ["accept", "", "2", "yes", "=l"]) one.type(line);
  const agent = await agentAt(socketPath);
  expect(await agent.confirm(QUESTION)).toMatchObject({ decision: "accept", resolved_by: "reply" });
  const asking = { session_id: SESSION, producer, question: "Which?" };
  const choices = [
    { value: "a", label: "First" },
    { value: "b", label: "Second" },
  ];
  expect(await agent.clarify({ ...asking, choices })).toMatchObject({ response: "b" });
  expect(await agent.clarify({ ...asking, accepted_response_kinds: ["yes_no"] })).toMatchObject({ response: true });
  expect(await agent.clarify(asking)).toMatchObject({ response: "l", resolved_by: "reply" });
  expect(one.stage.err().match(/Nothing was sent/g)).toHaveLength(1);
  // What was asked there is not shown here again.
  expect(one.stage.out()).not.toContain("Pay the bill");
  expect(one.stage.out()).not.toContain("Which?");
});

test("while a question is open the agents are heard, and its outcome comes before what its agent does next", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath);
  const agent = await agentAt(socketPath);
  const outcome = agent.confirm({ ...QUESTION, timeout_seconds: 300 });
  await asked(one, "Type yes or no");
  const other = await AgentClient.open(ipcRpcConnector(socketPath));
  onTestFinished(() => other.close());
  const elsewhere = { session_id: "sess_other", producer: { agent_id: "gardener" } };
  const line = { ...elsewhere, type: "aaep:agent.state.changed", from_state: "idle", to_state: "thinking" };
  await other.publish({ ...elsewhere, type: "aaep:agent.session.started", summary_normal: "Waters." });
  await other.publish({ ...line, summary_normal: "Looks for the can." });
  await eventually(() => expect(one.stage.out()).toContain("Looks for the can."));
  const before = one.stage.out();
  one.type("reject");
  expect(await outcome).toMatchObject({ decision: "reject", resolved_by: "reply" });
  await asked(one, "Sent: no.\n· Question 1 has ended: Rejected.\n");
  expect(one.stage.out()).toBe(before);
  await agent.publish({ type: "aaep:agent.session.completed", session_id: SESSION, producer, summary_normal: "Done." });
  await eventually(() => expect(one.stage.out()).toContain("completed: Done."));
});

test("R7: when the answers end, nobody waits for one: replies are given up", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath);
  const agent = await agentAt(socketPath);
  const outcome = agent.confirm(QUESTION);
  await asked(one, "Type yes or no");
  one.leave();
  expect(await outcome).toMatchObject({ decision: "reject", resolved_by: "subscription_ended" });
  await asked(one, "Standard input has ended: questions cannot be answered here any more.");
  expect(await agent.confirm(QUESTION)).toMatchObject({ decision: "reject", resolved_by: "no_subscriber" });
  // It goes on as a tail that cannot answer.
  await agent.publish({ type: "aaep:agent.session.completed", session_id: SESSION, producer, summary_normal: "Done." });
  await eventually(() => expect(one.stage.out()).toContain("completed: Done."));
});

test("without a terminal and without answers it says so, and does not pretend to answer", async () => {
  const socketPath = await daemon();
  const stage = await run(registerTail, createStage(), "--interactive", "--socket", socketPath);
  expect(stage.exitCode()).toBe(2);
  expect(stage.err()).toContain("Error: --interactive has nobody to ask: standard input is no terminal, and empty.");
});

test("on a terminal lines are taken as they come, and an answer that is faster than hearing is not", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath, { isTTY: true, standsStill: true });
  one.type("accept");
  await asked(one, "Not sent: no question is being asked.");
  const agent = await agentAt(socketPath);
  const outcome = agent.confirm({ ...QUESTION, reply_token: "rpl_tooSoon" });
  await asked(one, "Type yes or no");
  one.type("accept");
  await asked(one, "Not sent: Question 1 had only just been asked.");
  expect(await agent.cancel("rpl_tooSoon")).toBe(true);
  expect(await outcome).toMatchObject({ resolved_by: "cancelled" });
  await asked(one, "Question 1 has ended without your answer");
  expect(one.stage.err() + one.stage.out()).not.toContain("\u001b");
});

test.each([true, false])(
  "half a line that a question ended under does not answer the next (terminal: %s)",
  async (isTTY) => {
    const socketPath = await daemon();
    const one = await person(socketPath, { isTTY });
    const agent = await agentAt(socketPath);
    const first = agent.confirm({ ...QUESTION, reply_token: "rpl_withdrawn" });
    await asked(one, "Question 1 of bank: Pay the bill.");
    one.begin("acc");
    expect(await agent.cancel("rpl_withdrawn")).toBe(true);
    expect(await first).toMatchObject({ resolved_by: "cancelled" });
    const second = agent.confirm({ ...QUESTION, action: "Pay another." });
    await asked(one, "Question 2 of bank: Pay another.");
    one.pass(2000);
    one.type("ept");
    await asked(one, "Not sent: it may have been begun for question 1, which has gone.");
    one.type("reject");
    expect(await second).toMatchObject({ decision: "reject", resolved_by: "reply" });
  },
);

itInFull("--json gives programs every event as it comes, the question among them", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath, { argv: ["--json"] });
  one.type("accept");
  const agent = await agentAt(socketPath);
  await agent.confirm(QUESTION);
  await eventually(() => expect(one.stage.out()).toContain('"awaiting_input","to_state"'));
  const types = one.stage
    .out()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toContain("aaep:agent.awaiting.confirmation");
});

test.each(["found by itself", "named"] as const)(
  "R8b: a question that is open over an orderly stop is answered at the next daemon, which is %s",
  async (how) => {
    const runtime = runtimeEnvironment();
    const one = await serve(runtime.XDG_RUNTIME_DIR);
    const someone = await person(how === "named" ? one.socketPath : runtime);
    const agent = await agentAt(one.socketPath);
    const outcome = agent.confirm(QUESTION);
    await asked(someone, "Pay the bill.");
    await one.stop();
    await asked(someone, "cannot be answered until it is back");
    const before = someone.stage.err().length;
    await serve(runtime.XDG_RUNTIME_DIR);
    await eventually(() => expect(someone.stage.err().slice(before)).toContain("Pay the bill."));
    someone.type("accept");
    expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
    // Further attempts that find nobody are no news.
    expect(someone.stage.err().match(/cannot be answered until it is back/g)).toHaveLength(1);
  },
);

test("R39: a person hears where to stop an agent that cannot be asked", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath);
  const agent = await openAgent({ id: "c", name: "Claude", connectors: [{ connect: ipcRpcConnector(socketPath) }] });
  onTestFinished(() => agent.close());
  agent.session("Works.");
  await eventually(() => expect(one.stage.out()).toContain("Works."));
  one.type("stop");
  await eventually(() => expect(one.stage.err()).toContain("Type stop 1 to stop Claude."));
  one.type("stop 1");
  const told = "Claude cannot be stopped from here: press Esc in its own window.";
  await eventually(() => expect(one.stage.err()).toContain(told));
  expect(one.stage.err()).not.toContain("did not accept");
});

test("R5b, R39: a person leaves a question to the agent's own window, and stops the agent, by word", async () => {
  const socketPath = await daemon();
  const one = await person(socketPath);
  const asked: string[] = [];
  const agent = await openAgent({
    id: "shop",
    name: "Shop",
    connectors: [{ connect: ipcRpcConnector(socketPath) }],
    onStop: (session) => {
      asked.push("stop");
      session.cancel("Stopped.");
    },
  });
  onTestFinished(() => agent.close());
  const session = agent.session("Works.");
  const outcome = session.confirm({ action: "Pay.", consequence: "Money leaves.", host_dialog: true });
  await eventually(() => expect(one.stage.err()).toContain("Type leave to answer it in the agent's own window."));
  one.type("leave");
  expect(await outcome).toMatchObject({ resolved_by: "cancelled" });
  await eventually(() => expect(one.stage.err()).toContain("has ended: You left it to the agent's window."));
  one.type("stop");
  await eventually(() => expect(one.stage.err()).toContain("Type stop 1 to stop Shop."));
  one.type("stop 1");
  await eventually(() => expect(asked).toEqual(["stop"]));
  await eventually(() => expect(one.stage.out()).toContain("Stopped."));
  expect(one.stage.err()).toContain("Sent: stop Shop.");
});
