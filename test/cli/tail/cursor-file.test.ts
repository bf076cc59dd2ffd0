// `aaepd tail --resume-after` and `--cursor-file`: where it begins, and where it goes on when it is started again (R17).
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCursor, writeCursor } from "../../../src/cli/tail/cursor-file.js";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { itInFull } from "../../support/extent.js";
import { faultOf } from "../../support/fault-of.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, eventually, run, runtimeEnvironment, type Stage, serve } from "../command-stage.js";

const CURSOR = /^c1\.[0-9a-f]{32}\.\d+$/;

function tail(stage: Stage, ...argv: readonly string[]): Promise<Stage> {
  const running = run(registerTail, stage, "--json", "--boundaries", "none", ...argv);
  onTestFinished(async () => {
    stage.interrupt();
    await running.catch(() => {});
  });
  return running;
}

const progress = (percent: number) => ({
  type: "aaep:agent.progress.updated",
  session_id: "sess_1",
  producer: { agent_id: "tester" },
  progress: { percent },
});

/** A daemon with an agent in mid-session. */
async function speaking() {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const agent = await AgentClient.open(ipcRpcConnector(socketPath));
  onTestFinished(() => agent.close());
  return {
    socketPath,
    publish: (...percents: readonly number[]) => agent.publish(percents.map(progress)),
    begin: () =>
      agent.publish({
        type: "aaep:agent.session.started",
        session_id: "sess_1",
        producer: { agent_id: "tester" },
        summary_normal: "Hello.",
      }),
  };
}

const percentsOf = (stage: Stage): readonly unknown[] =>
  stage
    .out()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).progress?.percent ?? "else");

const path = (): string => join(temporaryDirectory(), "place");

test("--cursor-file, --resume-after: the place is kept, and it goes on there, or at one that is named, when it is started again", async () => {
  const { socketPath, begin, publish } = await speaking();
  const file = path();
  const first = createStage();
  const running = tail(first, "--socket", socketPath, "--cursor-file", file);
  await eventually(() => expect(first.err()).toContain("Connected"));
  await eventually(() => expect(readFileSync(file, "utf8").trim()).toMatch(CURSOR));
  const atBegin = readFileSync(file, "utf8");
  await begin();
  await publish(1, 2);
  await eventually(() => expect(percentsOf(first)).toEqual(["else", 1, 2]));
  await eventually(() => expect(readFileSync(file, "utf8")).not.toBe(atBegin));
  // It is told of all that it printed within a second; then the next one begins there.
  const head = String((await publish(3)).events[0]?.epoch);
  await eventually(() => expect(readFileSync(file, "utf8").trim().endsWith(head)).toBe(true));
  first.interrupt();
  await running;
  expect([first.exitCode(), statSync(file).mode & 0o777]).toEqual([0, 0o600]);
  await publish(4, 5);
  const second = createStage();
  const again = tail(second, "--socket", socketPath, "--cursor-file", file, "-n", "2");
  await again;
  expect([percentsOf(second), second.exitCode()]).toEqual([[4, 5], 0]);
  expect(existsSync(`${file}.new`)).toBe(false);
  // A place that is named counts, whatever the file says.
  const named = ["--resume-after", atBegin.trim(), "-n", "3"];
  for (const options of [["--cursor-file", file, ...named], named]) {
    const stage = await tail(createStage(), "--socket", socketPath, ...options);
    expect(percentsOf(stage)).toEqual(["else", 1, 2]);
  }
});

test("--cursor-file: a file that holds nothing yet is one that is not there", async () => {
  const { socketPath, begin } = await speaking();
  const file = path();
  writeFileSync(file, "\n");
  await begin();
  const stage = await tail(createStage(), "--socket", socketPath, "--cursor-file", file, "-n", "1");
  // A newcomer's sum.
  expect([percentsOf(stage), stage.exitCode()]).toEqual([["else"], 0]);
});

test.each([
  ["several words", "this is no cursor\n"],
  ["too much", "c".repeat(1025)],
])("--cursor-file: a file that holds %s is refused before anything is done, and stays as it is", async (_, text) => {
  const file = path();
  writeFileSync(file, text);
  const stage = await tail(createStage(), "--socket", join(temporaryDirectory(), "none.sock"), "--cursor-file", file);
  expect([stage.exitCode(), stage.out()]).toEqual([2, ""]);
  expect(stage.err()).toContain(`The file ${file} holds no cursor. Name another one (--cursor-file), or remove it.`);
  expect(readFileSync(file, "utf8")).toBe(text);
});

test.each(["--cursor-file", "--resume-after"])(
  "%s needs to know which daemon: it is refused without a socket",
  async (option) => {
    const stage = await tail(createStage({ environment: runtimeEnvironment() }), option, path());
    expect([stage.exitCode(), stage.out()]).toEqual([2, ""]);
    expect(stage.err()).toContain(`${option} is about one daemon. Name its socket (--socket).`);
  },
);

itInFull("--cursor-file: a folder that is not there is told before anything is done", async () => {
  const { socketPath } = await speaking();
  const folder = join(temporaryDirectory(), "not there");
  const stage = await tail(createStage(), "--socket", socketPath, "--cursor-file", join(folder, "place"));
  expect(stage.exitCode()).toBe(2);
  expect(stage.err()).toBe(
    `Error: The cursor file ${folder}/place cannot be written: there is no folder ${folder}. Name another one (--cursor-file).\n`,
  );
  // As of a variable of the shell that is not set.
  const unset = await tail(createStage(), "--socket", socketPath, "--cursor-file", "");
  expect(unset.exitCode()).toBe(2);
});

test("--cursor-file: what can no longer be written ends it, and is told", () => {
  const folder = temporaryDirectory();
  const file = join(folder, "place");
  writeCursor(file, "c1.a.1");
  rmSync(folder, { recursive: true });
  expect(faultOf(() => writeCursor(file, "c1.a.2"))).toMatchObject({ code: "usage" });
  expect(faultOf(() => writeCursor(file, "c1.a.2"))?.sentence).toContain(
    `The cursor file ${file} cannot be written: ENOENT`,
  );
});

test("a cursor file is replaced as a whole, and one that cannot be read is told", () => {
  const file = path();
  expect(readCursor(file)).toBeUndefined();
  writeCursor(file, "c1.a.1");
  writeCursor(file, "c1.a.2");
  expect([readCursor(file), readFileSync(file, "utf8")]).toEqual(["c1.a.2", "c1.a.2\n"]);
  mkdirSync(`${file}.folder`);
  expect(faultOf(() => readCursor(`${file}.folder`))).toMatchObject({
    code: "usage",
    sentence: `The cursor file ${file}.folder cannot be read: it is no plain file. Name another one (--cursor-file).`,
  });
  expect(faultOf(() => readCursor("/dev/null"))).toMatchObject({ code: "usage" });
});
