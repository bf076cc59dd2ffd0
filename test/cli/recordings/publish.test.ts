// `aaepd publish` into a real daemon.
import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registerPublish } from "../../../src/cli/recordings/publish.js";
import { registerValidate } from "../../../src/cli/recordings/validate.js";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { Subscriber } from "../../../src/client/listener/subscriber.js";
import { ipcConnector } from "../../../src/client/node.js";
import { itInFull } from "../../support/extent.js";
import { expectNothingLeftOpen } from "../../support/open-handles.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import {
  createStage,
  eventually,
  run,
  runtimeEnvironment,
  SESSIONS,
  type Stage,
  serve,
  serveProcess,
} from "../command-stage.js";

const PLANNER = join(SESSIONS, "retirement-planner.ndjson");

function publish(stage: Stage, ...argv: readonly string[]): Promise<Stage> {
  return run(registerPublish, stage, ...argv);
}

/** Resolves when something has been published. */
async function isPublishing(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const subscriber = new Subscriber({
      connect: ipcConnector(socketPath),
      request: { subscriber_id: "first", capabilities: {} },
      onEvent: () => {
        resolve(true);
        void subscriber.close();
      },
    });
  });
}

const hello = {
  type: "aaep:agent.session.started",
  session_id: "sess_1",
  summary_normal: "Hello.",
  producer: { agent_id: "a" },
};

test("publishes a recording again and again, acknowledged, into the only daemon there is", async () => {
  expectNothingLeftOpen();
  const runtime = runtimeEnvironment();
  await serve(runtime.XDG_RUNTIME_DIR);
  for (let time = 0; time < 2; time += 1) {
    const stage = await publish(createStage({ environment: runtime }), PLANNER);
    expect(stage.err()).toBe("");
    expect(stage.out()).toMatch(/^Published 636 events of 1 session in [\d.]+ s; 0 refused\.\n$/);
    expect(stage.exitCode()).toBe(0);
  }
});

test("R20: a refused event is told with line, pointer, code, rule and sentence; the rest goes on, the exit code is 1", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const input = [JSON.stringify(hello), JSON.stringify({ ...hello, session_id: 7 }), "{", JSON.stringify(hello)].join(
    "\n",
  );
  const stage = await publish(createStage({ input }), "-", "--socket", socketPath);
  const [json, ...refusals] = stage.err().trim().split("\n");
  expect(json).toMatch(/^Error: line 2, \/session_id: .+ \(invalid_event, AAEP §3\.2\.4\)$/);
  expect(refusals[0]).toMatch(/^Error: line 3: The line is not JSON.+ \(invalid_json, AAEP §3\.8\)$/);
  expect(refusals[1]).toMatch(/^Error: line 4.*: .+ \(session_already_started, /);
  expect(stage.out()).toMatch(/^Published 1 event of 1 session in [\d.]+ s; 3 refused\.\n$/);
  expect(stage.exitCode()).toBe(1);
});

test("--verbose: each entry of the reference about a refusal, once", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const input = [7, 8].map((session_id) => JSON.stringify({ ...hello, session_id })).join("\n");
  const stage = await publish(createStage({ input }), "-", "--socket", socketPath, "--verbose");
  const [first, code, rule, second, ...others] = stage.err().trim().split("\n");
  expect([first, second]).toEqual([
    expect.stringMatching(/^Error: line 1, /),
    expect.stringMatching(/^Error: line 2, /),
  ]);
  expect(code).toMatch(/^ {2}See file:.*errors\.md#invalid_event$/);
  expect(rule).toMatch(/^ {2}See file:.*rules\.md#aaep-324$/);
  expect(others).toEqual([]);
});

test("--stop-on-error: nothing after the first refusal; --json: for programs", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const stage = createStage({
    input: [{ ...hello, session_id: 7 }, hello].map((line) => JSON.stringify(line)).join("\n"),
  });
  await publish(stage, "-", "--socket", socketPath, "--stop-on-error", "--json");
  const [refusal, result] = stage.out().trim().split("\n");
  expect(JSON.parse(refusal ?? "")).toMatchObject({
    line: 1,
    code: "invalid_event",
    pointer: "/session_id",
    rule: "AAEP §3.2.4",
    help: [
      expect.stringMatching(/^file:.*\/errors\.md#invalid_event$/),
      expect.stringMatching(/\/rules\.md#aaep-324$/),
    ],
  });
  expect(JSON.parse(result ?? "")).toMatchObject({ accepted: 0, refused: 1, sessions: 0, interrupted: false });
  expect([stage.err(), stage.exitCode()]).toEqual(["", 1]);
});

test("--producer-id names who publishes; without it equal refusals are told five times, then counted", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const anonymous = { type: hello.type, summary_normal: "Hello." };
  const input = Array.from({ length: 8 }, (_, index) => JSON.stringify({ ...anonymous, session_id: `sess_${index}` }));
  const refused = await publish(createStage({ input: input.join("\n") }), "-", "--socket", socketPath);
  const lines = refused.err().trim().split("\n");
  expect(lines).toHaveLength(6);
  expect(lines[5]).toMatch(/^Error: 3 more lines: .*--producer-id.* \(producer_missing\)$/);
  const named = createStage({ input: input.join("\n") });
  await publish(named, "-", "--socket", socketPath, "--producer-id", "tester");
  expect([named.err(), named.exitCode()]).toEqual(["", 0]);
});

test("SIGINT: what was sent is acknowledged, what was published is told, exit code 130", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const stage = createStage();
  const running = publish(stage, PLANNER, "--realtime", "--socket", socketPath);
  expect(await isPublishing(socketPath)).toBe(true);
  stage.interrupt();
  await running;
  expect(stage.exitCode()).toBe(130);
  expect(stage.out()).toMatch(
    /^Interrupted\. Published \d+ events? of 1 session in [\d.]+ s; 0 refused\. \d+ lines not sent\.\n$/,
  );
});

test("where a daemon answers nothing, a second SIGINT ends the command", async () => {
  const socketPath = join(temporaryDirectory(), "silent.sock");
  const stage = createStage();
  const silent = createServer((socket) =>
    socket.once("data", () => {
      stage.interrupt();
      stage.interrupt();
    }),
  );
  await new Promise<void>((resolve) => silent.listen(socketPath, resolve));
  chmodSync(socketPath, 0o600);
  await publish(stage, PLANNER, "--socket", socketPath);
  silent.close();
  expect([stage.exitCode(), stage.err()]).toEqual([130, ""]);
});

test("R6: what tail records of a session with a question can be published, whether or not the question is in it", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const raw = ["--json", "--boundaries", "none", "--verbosity", "detailed"];
  const leftOut: RegExpExecArray[] = [];
  for (const asked of [[], ["--confirmations", "--clarifications"]]) {
    const recorder = createStage();
    const ended = run(registerTail, recorder, "--socket", socketPath, ...raw, ...asked);
    await eventually(() => expect(recorder.err()).toContain("Connected"));
    await publish(createStage(), join(SESSIONS, "japanese-travel.ndjson"), "--socket", socketPath);
    await eventually(() => expect(recorder.out()).toContain("session.completed"));
    recorder.interrupt();
    await ended;
    const checked = await run(registerValidate, createStage({ input: recorder.out() }), "-");
    expect([checked.out(), checked.err()]).toEqual(["451 events, nothing wrong.\n", ""]);
    for (let time = 0; time < 2; time += 1) {
      const again = await publish(createStage({ input: recorder.out() }), "-", "--socket", socketPath);
      expect([again.err(), again.exitCode()]).toEqual(["", 0]);
      const line = /; 0 refused\. (\d+ lines?) left out: made by the daemon\.\n$/.exec(again.out());
      if (line !== null) leftOut.push(line);
    }
  }
  expect(leftOut.map(([, lines]) => lines)).toEqual(["1 line", "1 line", "1 line", "1 line"]);
});

itInFull("a daemon that goes in the middle: exit code 69", async () => {
  const { socketPath, kill } = await serveProcess(runtimeEnvironment().XDG_RUNTIME_DIR);
  const stage = createStage();
  const running = publish(stage, PLANNER, "--rate", "10", "--socket", socketPath);
  expect(await isPublishing(socketPath)).toBe(true);
  await kill();
  await running;
  expect(stage.err()).toMatch(/^Error: .+ \(peer_gone\)\n$/);
  // What it has acknowledged is safe, and who goes on has to know how much that is.
  expect(stage.out()).toMatch(
    /^Published \d+ events? of \d sessions? in \S+ s; 0 refused\. (\d+ events? without an answer: the daemon may have them\. )?\d+ lines not sent\.\n$/,
  );
  expect(stage.exitCode()).toBe(69);
});
