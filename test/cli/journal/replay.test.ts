import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Capabilities } from "#gen/aaep/types.js";
import { registerPublish } from "../../../src/cli/recordings/publish.js";
import { createAgentClient } from "../../../src/client/agent-client.js";
import { ipcConnector, ipcRpcConnector } from "../../../src/client/node.js";
import { createSubscriber } from "../../../src/client/subscriber.js";
import { ensureBuilt } from "../../support/built.js";
import { itInFull } from "../../support/extent.js";
import { cleanEnvironment, type Program, startProgram } from "../../support/peers/program.js";
import { session } from "../../support/rigs/engine-rig.js";
import { journalFolder, record } from "../../support/rigs/journal-folder.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, SESSIONS, serve } from "../command-stage.js";

beforeAll(ensureBuilt, 120_000);

const { started, chunk, confirmation, completed } = session();
const RECORDED = record(({ publish, advance }) => {
  publish(started(), chunk("A sentence. "));
  advance(50);
  publish(chunk("And one more.", true), confirmation("rpl_1"));
  advance(50);
  publish(completed());
});

interface Replay {
  readonly program: Program;
  readonly line: Readonly<Record<string, unknown>> & { readonly endpoints: { readonly ipc: string } };
}

async function replay(environment: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<Replay> {
  const program = startProgram(["replay", ...options], { environment });
  const [line = ""] = await program.stdoutLines(1);
  return { program, line: JSON.parse(line) };
}

interface Heard {
  readonly type: string;
  readonly event_id: string;
  readonly [field: string]: unknown;
}

/** Everything that a subscriber is told until it is sent away. */
async function hear(socketPath: string, capabilities: Capabilities = {}) {
  const events: Heard[] = [];
  let producer: unknown;
  const subscriber = createSubscriber({
    connect: ipcConnector(socketPath),
    request: { subscriber_id: "replay-test", capabilities },
    onEvent: (event) => void events.push(event as Heard),
    onState: (state) => {
      if (state.kind === "active") producer = state.accepted.producer;
    },
    reconnect: "never",
  });
  const { because } = await subscriber.ended;
  return { events, producer, because };
}

const textOf = (events: readonly Heard[]) => events.map(({ chunk: text }) => text ?? "").join("");
const withoutCommon = (type: string) => type.replace("aaep:agent.", "");

describe("aaepd replay", () => {
  it("plays a session that serve recorded: ids and text as its agent published them", async () => {
    const directory = temporaryDirectory();
    const daemon = await serve(directory, "--journal", join(directory, "journal"));
    const stage = createStage({ environment: daemon.environment });
    await run(registerPublish, stage, join(SESSIONS, "retirement-planner.ndjson"), "--socket", daemon.socketPath);
    expect(stage.exitCode()).toBe(0);
    await daemon.stop();

    const exported = startProgram(["journal", "export", "--journal", join(directory, "journal")]);
    expect((await exported.ended).code).toBe(0);
    const published: Heard[] = exported
      .stdout()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const sessionId = String(published[0]?.session_id);
    const environment = cleanEnvironment(directory);
    const { program, line } = await replay(
      environment,
      ...["--session", sessionId, "--journal", join(directory, "journal"), "--speed", "1000"],
    );
    expect(line).toStrictEqual({
      pid: program.child.pid,
      producer_id: "aaepd-replay",
      session_id: sessionId,
      endpoints: { ipc: join(directory, "aaep", "aaepd-replay.sock") },
    });
    const verbatim: Capabilities = { coalesce_boundaries: ["none"], preferred_verbosity: "detailed" };
    const [first, second] = await Promise.all([hear(line.endpoints.ipc, verbatim), hear(line.endpoints.ipc)]);
    expect(first.producer).toMatchObject({ agent_id: "aaepd-replay", agent_name: `Replay of ${sessionId}` });
    const reason_message = "The recording has ended. Nothing more follows.";
    expect(first.because).toMatchObject({ kind: "closed", close: { reason_code: "recording_ended", reason_message } });
    const facts = ({ event_id, chunk: text }: Heard) => [event_id, text];
    const isForAll = ({ type, extensions }: Heard) =>
      !type.includes("awaiting") && !JSON.stringify(extensions ?? {}).includes("asks");
    expect(first.events.filter(isForAll).map(facts)).toStrictEqual(published.filter(isForAll).map(facts));
    expect(textOf(second.events)).toBe(textOf(published));
    expect(second.events.length).toBeLessThan(first.events.length);

    expect((await program.ended).code).toBe(0);
    expect(program.stderr()).toMatch(
      /^Playing sess_\S+ of retirement-planner, \d+ events, \d+ seconds? at 1000 times its pace/,
    );
    expect(program.stdout()).toBe(`${JSON.stringify(line)}\n`);
  });

  it("says how long it will play, without what the longest pause leaves out", async () => {
    const long = record(({ publish, advance }) => {
      publish(started(), chunk("A sentence. "));
      advance(3_600_000);
      publish(chunk("And one more.", true));
      advance(4000);
      publish(completed());
    });
    const directory = temporaryDirectory();
    const options = ["--session", "sess_1", "--journal", await journalFolder(long), "--speed", "2"];
    const { program, line } = await replay(cleanEnvironment(directory), ...options, "--longest-pause", "0.5");
    expect(program.stderr()).toMatch(
      /^Playing sess_1 of test-agent, 4 events, 1 second at 2 times its pace without pauses longer than 0\.5 seconds, when/,
    );
    const { events } = await hear(line.endpoints.ipc);
    expect(textOf(events)).toBe("A sentence. And one more.");
    expect((await program.ended).code).toBe(0);
  });

  it("ends when all have heard it; a question is put, and the recorded agent goes on whatever is answered", async () => {
    const directory = temporaryDirectory();
    const socketPath = join(directory, "own.sock");
    const { program } = await replay(
      cleanEnvironment(directory),
      ...["--session", "sess_1", "--journal", await journalFolder(RECORDED), "--socket", socketPath],
    );
    const able = await hear(socketPath, { supports_confirmation_reply: true });
    expect(able.events.map(({ type }) => withoutCommon(type))).toContain("awaiting.confirmation");
    expect(able.events.at(-1)?.type).toBe("aaep:agent.session.completed");
    expect((await program.ended).code).toBe(0);
    expect(program.stderr()).not.toContain("Error");
  });

  itInFull("turns agents away, plays what is left of a session", async () => {
    const directory = temporaryDirectory();
    const journal = await journalFolder(RECORDED.slice(1));
    const { program, line } = await replay(cleanEnvironment(directory), "--session", "sess_1", "--journal", journal);
    const agent = await createAgentClient(ipcRpcConnector(line.endpoints.ipc));
    await expect(agent.publishUntyped(started())).rejects.toMatchObject({
      code: "permission_denied",
    });
    await agent.close();
    const { events } = await hear(line.endpoints.ipc);
    expect(events[0]).toMatchObject({ summary_normal: "The beginning of the recording is lost." });
    expect(textOf(events)).toBe("A sentence. And one more.");
    expect(program.stderr()).toContain("1 event of it can no longer be read.");
  });

  it.each([
    [["--session", "sess_2"], 'There is no session "sess_2" in the journal JOURNAL. Did you mean sess_1? To list'],
    [["--session", "sess_1", "--socket", "off"], '--socket is "off".'],
    [["--session", "sess_1", "--speed", "0"], '--speed is "0".'],
    [[], "There is no --session. Give one: --session <ID>."],
  ])("%j is refused, exit code 2", async (options, expected) => {
    const directory = temporaryDirectory();
    const journal = await journalFolder(RECORDED);
    const program = startProgram(["replay", "--journal", journal, ...options], {
      environment: cleanEnvironment(directory),
    });
    expect((await program.ended).code).toBe(2);
    expect(program.stderr()).toContain(expected.replace("JOURNAL", journal));
    expect(program.stdout()).toBe("");
  });
});
