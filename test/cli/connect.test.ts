// Listeners that reach a daemon by a command: `aaepd connect` at its end, and `--from` at the listener's.
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PROGRAM, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { eventually, runCommandLine, SESSIONS, serve, startCommandLine } from "./command-stage.js";
import { speakStage } from "./speak/speak-stage.js";

const REQUEST = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "far", capabilities: {} };
const connecting = (socketPath: string): string =>
  `"${process.execPath}" "${PROGRAM}" connect --socket "${socketPath}"`;

it("connect carries a conversation, and ends with either side", async () => {
  const daemon = await serve(temporaryDirectory());
  const start = () => startProgram(["connect", "--socket", daemon.socketPath]);
  const listener = start();
  listener.child.stdin.write(`${JSON.stringify(REQUEST)}\n`);
  const [accepted = ""] = await listener.stdoutLines(1);
  expect(JSON.parse(accepted)).toMatchObject({ type: "subscription.accepted" });
  listener.child.stdin.end();
  expect([await listener.ended, listener.stderr()]).toEqual([{ code: 0, signal: null }, ""]);
  const other = start();
  other.child.stdin.write(`${JSON.stringify(REQUEST)}\n`);
  await other.stdoutLines(1);
  await daemon.stop();
  expect((await other.ended).code).toBe(0);
});

it("connect without a daemon says so, and ends with 69", async () => {
  const path = join(temporaryDirectory(), "none.sock");
  const { ended, stderr } = startProgram(["connect", "--socket", path]);
  expect((await ended).code).toBe(69);
  expect(stderr()).toBe(`Error: There is no ${path}. Start the daemon, or check the path. (not_found)\n`);
});

it("connect without options finds the only daemon, and loads no other command", async () => {
  const { environment } = await serve(temporaryDirectory());
  const { child, stdoutLines } = startProgram(["connect"], { environment });
  child.stdin.write(`${JSON.stringify(REQUEST)}\n`);
  expect(JSON.parse((await stdoutLines(1))[0] ?? "")).toMatchObject({ type: "subscription.accepted" });
});

it("connect ends with 69 if the connection breaks, and with 0 if its reader goes", async () => {
  const path = join(temporaryDirectory(), "rude.sock");
  // What it has not read makes the end a reset.
  const rude = createServer({ pauseOnConnect: true }, (socket) => setTimeout(() => socket.destroy(), 500));
  await new Promise<void>((resolve) => rude.listen(path, resolve));
  onTestFinished(() => void rude.close());
  chmodSync(path, 0o600);
  const { child, ended, stderr } = startProgram(["connect", "--socket", path]);
  child.stdin.write("x\n");
  expect([(await ended).code, stderr()]).toEqual([69, expect.stringContaining(`The peer at ${path} has gone.`)]);
  const { socketPath } = await serve(temporaryDirectory());
  const unread = startProgram(["connect", "--socket", socketPath]);
  unread.child.stdout.destroy();
  unread.child.stdin.write(`${JSON.stringify(REQUEST)}\n`);
  expect([(await unread.ended).code, unread.stderr()]).toEqual([0, ""]);
});

it("speak --from says where an agent is, and a key answers there; speak.json has from and local too", async () => {
  const far = await serve(temporaryDirectory());
  // Found by its name alone, as on another machine.
  const folder = temporaryDirectory();
  symlinkSync(PROGRAM, join(folder, "aaepd"));
  const config = join(folder, "speak.json");
  const command = `AAEPD_SOCKET="${far.socketPath}" PATH="${folder}:$PATH" exec env aaepd connect`;
  writeFileSync(config, JSON.stringify({ from: [command], local: true }));
  const { speaker, hears, said, key, agent } = await speakStage("--config", config);
  await eventually(() => expect(speaker.stderr().match(/Connected/g)?.length).toBe(2));
  // A process of its own, below which the command would answer in vain (R5d).
  startProgram(["publish", "--realtime", join(SESSIONS, "retirement-planner.ndjson")], {
    environment: far.environment,
  });
  await hears("to answer.");
  const place = `AAEPD_SOCKET="${far.socketPath}" PATH="${folder}:$PATH" exec env`;
  expect(said().some((line) => line.includes(`From ${place}.`))).toBe(true);
  await eventually(async () => expect((await key("answer", "c3")).stdout).toContain("Sent for question 1: At 67"));
  await hears("Question 1: answered.");
  expect((await key("where")).stdout).toContain(`Retirement Planner from ${place}:`);
  (await agent("Near")).session("Near.").complete("All of it is done here.");
  await hears("Near is done.");
});

it("tail --from follows the daemon of each command, named by it, and tells one that fails once", async () => {
  const [near, far] = [await serve(temporaryDirectory()), await serve(temporaryDirectory())];
  const from = [near, far].flatMap(({ socketPath }) => ["--from", connecting(socketPath)]);
  const tail = startCommandLine(["tail", ...from, "--from", "(echo No; echo No key) >&2; exit 7"], {
    environment: near.environment,
  });
  await eventually(() => expect(tail.stderr().match(/Connected to aaepd/g)?.length).toBe(2));
  await eventually(() => expect(tail.stderr()).toContain("exit 7: The command has ended (code 7): No key"));
  await runCommandLine(["publish", join(SESSIONS, "parallel-tools.ndjson")], far.environment);
  await eventually(() => expect(tail.stdout()).toContain("The tests need not run again."));
  expect(tail.stdout()).toContain(`connect --socket "${far.socketPath}"`);
  expect(tail.stderr().match(/exit 7/g)?.length).toBe(1);
});

it("a command that ends is started again, and resumes", async () => {
  const daemon = await serve(temporaryDirectory());
  const pids = join(temporaryDirectory(), "pids");
  const command = `echo $$ >> "${pids}"; exec ${connecting(daemon.socketPath)}`;
  const tail = startCommandLine(["tail", "--from", command], { environment: daemon.environment });
  const connected = (): number => tail.stderr().match(/Connected|Resumed/g)?.length ?? 0;
  await eventually(() => expect(connected()).toBe(1));
  process.kill(Number(readFileSync(pids, "utf8")));
  await eventually(() => expect(connected()).toBe(2));
  await runCommandLine(["publish", join(SESSIONS, "parallel-tools.ndjson")], daemon.environment);
  await eventually(() => expect(tail.stdout()).toContain("The tests need not run again."));
});
