import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Capabilities } from "#gen/aaep/types.js";
import { registerPublish } from "../../../src/cli/recordings/publish.js";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { Subscriber } from "../../../src/client/listener/subscriber.js";
import { ipcConnector, ipcRpcConnector } from "../../../src/client/node.js";
import { itInFull } from "../../support/extent.js";
import { cleanEnvironment } from "../../support/peers/program.js";
import { session } from "../../support/rigs/engine-rig.js";
import { journalFolder, record } from "../../support/rigs/journal-folder.js";
import { decision } from "../../support/rigs/question-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import {
  createStage,
  run,
  runCommandLine,
  SESSIONS,
  type StartedCommand,
  serve,
  startCommandLine,
} from "../command-stage.js";

const { started, chunk, confirmation, completed, state, invoked, toolDone } = session();
const RECORDED = record(({ publish, advance }) => {
  publish(started(), chunk("A sentence. "));
  advance(50);
  publish(chunk("And one more.", true), confirmation("rpl_1"));
  advance(50);
  publish(completed());
});

interface Replay {
  readonly program: StartedCommand;
  readonly line: Readonly<Record<string, unknown>> & { readonly endpoints: { readonly ipc: string } };
}

async function replay(environment: Readonly<Record<string, string>>, ...options: readonly string[]): Promise<Replay> {
  const program = startCommandLine(["replay", ...options], { environment });
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
  const subscriber = new Subscriber({
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

describe("aaepd replay", () => {
  it("plays a session that serve recorded: ids and text as its agent published them", async () => {
    const directory = temporaryDirectory();
    const daemon = await serve(directory, "--journal", join(directory, "journal"));
    const stage = createStage({ environment: daemon.environment });
    await run(registerPublish, stage, join(SESSIONS, "retirement-planner.ndjson"), "--socket", daemon.socketPath);
    expect(stage.exitCode()).toBe(0);
    await daemon.stop();

    const exported = await runCommandLine(["journal", "export", "--journal", join(directory, "journal")]);
    expect(exported.code).toBe(0);
    const published: Heard[] = exported.stdout
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
      pid: process.pid,
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
      !type.includes("awaiting") && !/"asks":"[a-z]+"}/.test(JSON.stringify(extensions ?? {}));
    expect(first.events.map(facts)).toStrictEqual(published.filter(isForAll).map(facts));
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

  it("R6: tells each question and its recorded outcome, and asks nobody, be they able to answer or not", async () => {
    const recorded = record((rig) => {
      const { publish, advance, listen } = rig;
      const person = listen({ supportsConfirmationReply: true });
      const asks = (token: string, action: string) => publish(confirmation(token, { action, irreversible: true }));
      publish(started(), state("idle", "thinking"));
      asks("rpl_1", "Delete the first file.");
      person.subscription.listener.reply(decision(rig, "rpl_1", "accept"), {});
      publish({ ...invoked("rm", "call_1"), irreversible: true }, toolDone("rm", "call_1"));
      asks("rpl_2", "Delete the second file.");
      person.subscription.listener.reply(decision(rig, "rpl_2", "reject"), {});
      publish(chunk("A text.", true));
      asks("rpl_3", "Delete the third file.");
      advance(60_000);
      publish(state("writing_output", "deciding"));
      asks("rpl_4", "Delete the fourth file.");
      publish(completed());
    });
    const options = ["--session", "sess_1", "--journal", await journalFolder(recorded), "--speed", "1000"];
    /** Each hears a replay of its own, so that nobody comes late. */
    const heard = async <Result>(listen: (socketPath: string) => Promise<Result>): Promise<Result> => {
      const { program, line } = await replay(cleanEnvironment(temporaryDirectory()), ...options);
      const result = await listen(line.endpoints.ipc);
      expect((await program.ended).code).toBe(0);
      expect(program.stderr()).toMatch(/^Playing sess_1 .*\n$/);
      return result;
    };
    const tail =
      (...argv: readonly string[]) =>
      async (socketPath: string) => {
        const stage = createStage();
        // A keyboard at which nobody types.
        const io = { ...stage.io, stdin: new PassThrough() };
        await run(registerTail, { ...stage, io }, "--socket", socketPath, "--no-reconnect", ...argv);
        return { out: stage.out().replaceAll(/^(· )?\S+ /gm, "$1"), err: stage.err() };
      };
    const noticeOf = (which: string) =>
      `test-agent asks for a confirmation: Delete the ${which} file. It is gone. It cannot be answered over this subscription.`;
    const [able, plain, interactive] = await Promise.all([
      heard((socketPath) =>
        hear(socketPath, { supports_confirmation_reply: true, languages: ["de"], coalesce_boundaries: ["none"] }),
      ),
      heard(tail()),
      heard(tail("--interactive")),
    ]);
    const marks = able.events.flatMap(({ extensions }) => (extensions as { aaepd?: object } | undefined)?.aaepd ?? []);
    const decisions = marks.filter((mark) => "decision" in mark);
    expect(decisions).toMatchObject([
      { by: "daemon", decision: "accepted", decided_by: "reply" },
      { by: "daemon", decision: "rejected", decided_by: "reply" },
      { by: "daemon", decision: "rejected", decided_by: "timeout" },
      { by: "daemon", decision: "cancelled", decided_by: "agent" },
    ]);
    const isTold = ({ event, made }: (typeof recorded)[number]) =>
      made !== "supplied" && !event.type.includes("awaiting");
    expect(able.events.map(({ event_id }) => event_id)).toStrictEqual(
      recorded.filter(isTold).map(({ event }) => event.event_id),
    );
    expect(able.events.map(({ summary_normal }) => summary_normal)).toStrictEqual(
      recorded.filter(isTold).map(({ event }) => event.summary_normal_de ?? event.summary_normal),
    );
    expect(able.events.find(({ type }) => type.endsWith("tool.invoked"))).toMatchObject({ irreversible: true });
    expect(plain.out.split("\n")).toStrictEqual([
      "test-agent: started: Begins.",
      "state: thinking",
      `· critical state: ${noticeOf("first")}`,
      "· critical state: Accepted. The question was: Delete the first file.",
      "tool: Runs rm.",
      "tool: rm success",
      `· critical state: ${noticeOf("second")}`,
      "· critical state: Rejected. The question was: Delete the second file.",
      "text: A text.",
      `· critical state: ${noticeOf("third")}`,
      "· critical state: Nobody answered in time, so the default applies. Rejected. The question was: Delete the third file.",
      "state: deciding",
      `· critical state: ${noticeOf("fourth")}`,
      "· critical state: Withdrawn. The question was: Delete the fourth file.",
      "completed: Done.",
      "",
    ]);
    expect(interactive.out).toBe(plain.out);
    expect(interactive.err).not.toContain("Question 1");
  });

  it("starts no host that the user's configuration names", async () => {
    const directory = temporaryDirectory();
    const config = join(directory, "config.json");
    const trace = join(directory, "trace");
    writeFileSync(config, JSON.stringify({ a2e_providers: [{ command: ["touch", trace] }] }));
    const journal = await journalFolder(RECORDED);
    const { program, line } = await replay(
      cleanEnvironment(directory),
      ...["--session", "sess_1", "--journal", journal, "--config", config],
    );
    await hear(line.endpoints.ipc);
    expect((await program.ended).code).toBe(0);
    expect(existsSync(trace)).toBe(false);
  });

  itInFull("turns agents away, plays what is left of a session", async () => {
    const directory = temporaryDirectory();
    const journal = await journalFolder(RECORDED.slice(1));
    const { program, line } = await replay(cleanEnvironment(directory), "--session", "sess_1", "--journal", journal);
    const agent = await AgentClient.open(ipcRpcConnector(line.endpoints.ipc));
    await expect(agent.publish(started())).rejects.toMatchObject({
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
    [["--session", "sess_1", "--speed", "0"], "Give a number above 0"],
    [[], "Required option '-s, --session <ID>' not specified."],
  ])("%j is refused, exit code 2", async (options, expected) => {
    const directory = temporaryDirectory();
    const journal = await journalFolder(RECORDED);
    const argv = ["replay", "--journal", journal, ...options];
    const { code, stdout, stderr } = await runCommandLine(argv, cleanEnvironment(directory));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(expected.replace("JOURNAL", journal));
  });
});
