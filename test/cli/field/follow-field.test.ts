// `aaepd tail --akashik` with real daemons over real sockets.
import { expect, onTestFinished, test } from "vitest";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { type AkashikPeer, akashikAgent, unit } from "../../support/peers/akashik-peer.js";
import { createStage, eventually, run, runtimeEnvironment, type Stage, serve } from "../command-stage.js";

async function writerAt(socketPath: string): Promise<AkashikPeer> {
  const writer = await akashikAgent(await connectIpc(socketPath), "writer");
  onTestFinished(() => writer.close());
  return writer;
}

/** Runs until the test interrupts it, or it ends by itself. */
function tail(stage: Stage, ...argv: readonly string[]): Promise<Stage> {
  const running = run(registerTail, stage, "--akashik", ...argv);
  onTestFinished(async () => {
    stage.interrupt();
    await running.catch(() => {});
  });
  return running;
}

const connected = (stage: Stage) => eventually(() => expect(stage.err()).toContain("Connected to the Field as "));

test("prints what the Field tells, with scores for the interests, in both framings", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  for (const framing of ["newline", "length-prefixed"]) {
    const stage = createStage();
    const running = tail(stage, "--socket", socketPath, "--interests", "market prices,rivals", "--framing", framing);
    await connected(stage);
    const writer = await writerAt(socketPath);
    await writer.ask("RECORD", unit("Market prices rose.", { type: "human_directive" }));
    await eventually(() => expect(stage.out()).toMatch(/memory\.recorded/));
    stage.interrupt();
    await running;
    expect(stage.out()).toMatch(
      /^\d\d:\d\d:\d\d memory\.recorded 0\.8, to act on: writer recorded: Market prices rose\. \(mem-[0-9a-f]+\)\n/m,
    );
    expect(stage.exitCode()).toBe(0);
    await writer.ask("DEREGISTER", { agent_id: "writer" });
    await writer.close();
  }
});

test("--json, --count, --min-relevance: notifications as they were received, until there are enough", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const stage = createStage();
  const options = ["--socket", socketPath, "--json", "-n", "1", "--min-relevance", "0.6", "--debounce", "1000"];
  const running = tail(stage, ...options, "--interests", "prices");
  await connected(stage);
  const writer = await writerAt(socketPath);
  await writer.ask("RECORD", unit("It rained."));
  await writer.ask("RECORD", unit("Prices rose."));
  await running;
  expect(JSON.parse(stage.out())).toMatchObject({ event: "memory.recorded", relevance_score: 0.7 });
  expect(stage.exitCode()).toBe(0);
});

test("an agent without a name leaves the Field; one with --subscriber-id is told of what it missed", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const writer = await writerAt(socketPath);
  const nameless = createStage();
  const first = tail(nameless, "--socket", socketPath, "-n", "1");
  await connected(nameless);
  await writer.ask("RECORD", unit("One."));
  await first;
  // Its name is free again, and nothing waits for it.
  const id = /aaepd-tail-[0-9a-f]+/.exec(nameless.err())?.[0] ?? "";
  expect(await writer.ask("DEREGISTER", { agent_id: id })).toMatchObject({ status: "not_found" });

  const options = ["--socket", socketPath, "--subscriber-id", "watcher", "--no-time"];
  for (const content of ["Two.", "Three."]) {
    const stage = createStage();
    const running = tail(stage, ...options, "-n", "1");
    if (content === "Two.") await connected(stage);
    if (content === "Two.") await writer.ask("RECORD", unit(content));
    await running;
    expect(stage.out()).toContain(`writer recorded: ${content}`);
    if (content === "Two.") await writer.ask("RECORD", unit("Three."));
  }
  // Other terms take the place of the earlier ones.
  const stage = createStage();
  const running = tail(stage, ...options, "-n", "1", "--min-relevance", "0.6", "--interests", "prices");
  await connected(stage);
  for (const content of ["It rained.", "Prices rose."]) await writer.ask("RECORD", unit(content));
  await running;
  expect(stage.out()).toContain("writer recorded: Prices rose.");
});

test("comes back with the daemon, and --no-reconnect ends", async () => {
  const runtime = runtimeEnvironment().XDG_RUNTIME_DIR;
  const first = await serve(runtime);
  const [patient, impatient] = [createStage(), createStage()];
  void tail(patient, "--socket", first.socketPath, "--no-time");
  const ended = tail(impatient, "--socket", first.socketPath, "--no-reconnect");
  await Promise.all([connected(patient), connected(impatient)]);
  await first.stop();
  await ended;
  expect(impatient.err()).toContain("Error: The daemon has closed the connection.");
  expect(impatient.exitCode()).toBe(69);
  await eventually(() => expect(patient.err()).toContain("The daemon has gone. Waiting for it to come back."));
  const { socketPath } = await serve(runtime);
  await eventually(() => expect(patient.err().match(/Connected to the Field/g)).toHaveLength(2));
  await (await writerAt(socketPath)).ask("RECORD", unit("Back again."));
  await eventually(() => expect(patient.out()).toContain("writer recorded: Back again."));
});

test("a taken name, no daemon and options of the other way to follow are errors in a sentence", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  await writerAt(socketPath);
  const taken = await tail(createStage(), "--socket", socketPath, "--subscriber-id", "writer");
  expect(taken.err()).toMatch(/^Error: An agent "writer" is connected\. .*\(AGENT_ID_TAKEN\)\n$/);
  expect(taken.exitCode()).toBe(1);

  const nowhere = await tail(createStage(), "--socket", `${socketPath}.none`);
  expect(nowhere.err()).toMatch(/^Error: /);
  expect(nowhere.exitCode()).toBe(69);

  for (const [options, sentence] of [
    [["--akashik", "--cursor-file", "x"], "--cursor-file does not go with --akashik."],
    [["--akashik", "-i"], "--interactive does not go with --akashik."],
    [["--akashik", "--rate", "3"], "--akashik has no terms of a subscription."],
    [["--interests", "prices"], "--interests goes with --akashik."],
    [["--debounce", "5"], "--debounce goes with --akashik."],
  ] as const) {
    const stage = await run(registerTail, createStage(), "--socket", socketPath, ...options);
    expect(stage.err()).toContain(sentence);
    expect(stage.exitCode()).toBe(2);
  }
  const stage = createStage();
  await expect(tail(stage, "--min-relevance", "1.5")).rejects.toThrow("Give a number from 0 to 1.");
});
